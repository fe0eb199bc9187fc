/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the gmon.out of one binary image. This file contains a histogram of samples for each
 * function and, if there are call stacks, the arcs within the image.
 */
#ifndef PP_GPROF_DATA_H
#define PP_GPROF_DATA_H

#include "lib/diag.h"
#include "pp/calls/call_tree.h"
#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Chooses the image to write: the only image with samples or, if several images have samples, the
 * only application among these images. Returns 0, -ENOENT (there are no samples), -EINVAL (several
 * images are possible; diag lists them) or -ENOMEM.
 */
int gprof_data_choose(const struct profile *profile, uint32_t *image, struct diag *diag);

struct gprof_data_result {
	uint64_t nr_samples; /* samples written */
	uint64_t nr_outside; /* samples outside the image's symbols, which are not written */
	size_t nr_histograms, nr_arcs;
};

/*
 * Writes the samples of the image, and the image's arcs in `graph` (NULL: there are no stacks).
 * `profile` must have details. path: the binary, which determines byte order and word size; if
 * `path` is NULL or cannot be read, this machine determines them. Returns 0, or -ENOMEM, -ERANGE or
 * -EFBIG with diag set.
 */
int gprof_data_write(FILE *out, const struct profile *profile, uint32_t image, const char *path,
		     const struct call_graph *graph, struct gprof_data_result *result,
		     struct diag *diag);

#endif
