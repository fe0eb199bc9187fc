/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the gmon.out of one binary image: the samples at its addresses, in a
 * histogram for each function, and the arcs within the image if there are call
 * stacks.
 */
#ifndef PP_GPROF_DATA_H
#define PP_GPROF_DATA_H

#include "lib/diag.h"
#include "pp/calls/call_tree.h"
#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Sets *image to the only image with samples, or else to the only application with
 * samples. Returns 0, -ENOENT (no samples), -EINVAL (several images; diag lists
 * them) or -ENOMEM.
 */
int gprof_data_choose(const struct profile *profile, uint32_t *image, struct diag *diag);

struct gprof_data_result {
	uint64_t nr_samples; /* samples written */
	/* samples of the image outside its symbols, which the format cannot hold */
	uint64_t nr_outside;
	size_t nr_histograms, nr_arcs;
};

/*
 * Writes image of a profile with details, and the arcs of graph (NULL: no stacks).
 * The byte order and word size are read from the binary at path; NULL, or a file
 * that cannot be read: those of this machine. Returns 0, -ENOMEM, -ERANGE or
 * -EFBIG, with diag set.
 */
int gprof_data_write(FILE *out, const struct profile *profile, uint32_t image, const char *path,
		     const struct call_graph *graph, struct gprof_data_result *result,
		     struct diag *diag);

#endif
