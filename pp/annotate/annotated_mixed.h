/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes source lines above the instructions that were compiled from them. Where code from another
 * file or inlined function begins, a comment names the file, and the functions into which the code
 * was inlined. Internal to format_assembly.c.
 */
#ifndef PP_ANNOTATED_MIXED_H
#define PP_ANNOTATED_MIXED_H

#include "pp/annotate/annotated_text.h"

/* The source files read so far, for all images. */
struct mixed_sources;
/* State for one image. */
struct mixed;

int mixed_sources_create(struct mixed_sources **sources, const struct annotation *annotation,
			 const struct annotated_options *options, FILE *err);
void mixed_sources_destroy(struct mixed_sources *sources);

/*
 * Begins the image annotation->images[image]. Returns 0 or -errno. Call mixed_end() in either case.
 */
int mixed_begin(struct mixed **mixed, struct mixed_sources *sources, size_t image,
		const struct annotated_cells *cells);
void mixed_end(struct mixed *mixed);

/*
 * Writes the source lines that belong above the instruction at `key`. Within a function, keys must
 * ascend. Returns 0 or -ENOMEM.
 */
int mixed_write(struct mixed *mixed, FILE *out, uint64_t key);
/* Ends a function: the next call of mixed_write() has a key of another function. */
void mixed_end_function(struct mixed *mixed);

#endif
