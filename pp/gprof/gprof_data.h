/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What gprof is told of one binary image: the samples of its addresses, in
 * stretches of one function each, and the arcs within it where there are call
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
 * The one image that a selection is about: the only one, or the only
 * application that there are samples of. -EINVAL and diag: there are several.
 */
int gprof_data_choose(const struct profile *profile, uint32_t *image, struct diag *diag);

struct gprof_data_result {
	uint64_t nr_samples; /* written */
	uint64_t nr_outside; /* of the image, outside its symbols: gprof has no place for them */
	size_t nr_histograms, nr_arcs;
};

/*
 * Write image of a profile with details, and of graph (NULL: no stacks).
 * path: of the binary, for its byte order and words (NULL, or one that can't be read: this
 * machine's). 0, -ENOMEM, -ERANGE, -EFBIG and diag.
 */
int gprof_data_write(FILE *out, const struct profile *profile, uint32_t image, const char *path,
		     const struct call_graph *graph, struct gprof_data_result *result,
		     struct diag *diag);

#endif
