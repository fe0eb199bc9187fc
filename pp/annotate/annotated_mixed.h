/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines above the instructions that they became, with a mark where
 * another file or function begins: what was inlined, and into what. Internal
 * to format_assembly.c.
 */
#ifndef PP_ANNOTATED_MIXED_H
#define PP_ANNOTATED_MIXED_H

#include "pp/annotate/annotated_text.h"

/* Source files that were read; of all images. */
struct mixed_sources;
/* One image. */
struct mixed;

int mixed_sources_create(struct mixed_sources **sources, const struct annotation *annotation,
			 const struct annotated_options *options, FILE *err);
void mixed_sources_destroy(struct mixed_sources *sources);

/* For the image at index of the annotation's. 0 or -errno; to be ended in any case. */
int mixed_begin(struct mixed **mixed, struct mixed_sources *sources, size_t image,
		const struct annotated_cells *cells);
void mixed_end(struct mixed *mixed);

/* What stands above the instruction at key; keys of a function ascend. 0 or -ENOMEM. */
int mixed_write(struct mixed *mixed, FILE *out, uint64_t key);
/* The next key is of another function. */
void mixed_end_function(struct mixed *mixed);

#endif
