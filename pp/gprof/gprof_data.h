/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gmon.out of one binary image: the samples at its addresses, in a histogram for each
 * function, and the arcs within the image if there are call stacks.
 */
#ifndef PP_GPROF_DATA_H
#define PP_GPROF_DATA_H

#include "lib/diag.h"
#include "pp/calls/call_tree.h"
#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Sets *image to the only image with samples, or else to the only application with samples.
 * Returns 0, -ENOENT (no samples), -EINVAL (several: diag lists them) or -ENOMEM.
 */
int gprof_data_choose(const struct profile *profile, uint32_t *image, struct diag *diag);

struct gprof_data_result {
	uint64_t nr_samples; /* samples written */
	uint64_t nr_outside; /* samples outside the image's symbols, which are not written */
	size_t nr_histograms, nr_arcs;
};

/*
 * Writes the samples of image, and the arcs of graph (NULL: no stacks). profile must have
 * details. path: the binary, from which byte order and word size are read (NULL or unreadable:
 * those of this machine). Returns 0, or -ENOMEM, -ERANGE or -EFBIG with diag set.
 */
int gprof_data_write(FILE *out, const struct profile *profile, uint32_t image, const char *path,
		     const struct call_graph *graph, struct gprof_data_result *result,
		     struct diag *diag);

#endif
