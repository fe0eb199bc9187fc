/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that annotated sources and annotated instructions share: they write comments, write the
 * columns before each line, and sort by samples. Internal to format_source.c, format_assembly.c,
 * annotated_mixed.c.
 */
#ifndef PP_ANNOTATED_TEXT_H
#define PP_ANNOTATED_TEXT_H

#include "pp/annotate/format_annotated.h"

#include <stddef.h>
#include <stdint.h>

/* A cache of formatted cells: small numbers repeat often, so their text is kept. */
struct annotated_cells {
	const struct profile *profile;
	struct annotated_cell *known;
	char *blank; /* the columns of a line without samples */
	size_t nr_blank;
};

int annotated_cells_init(struct annotated_cells *cells, const struct profile *profile);
void annotated_cells_deinit(struct annotated_cells *cells);

/* Writes "    10  5.0000 " for each column: 15 characters, or more if numbers are large. */
void annotated_cells_write(struct annotated_cells *cells, FILE *out, const uint64_t *counts,
			   const uint64_t *shares);
/* Writes blanks in place of the columns of a line without samples. */
void annotated_cells_blank(const struct annotated_cells *cells, FILE *out);

/*
 * Writes `text` inside a comment. Replaces characters that would end the comment or affect a
 * terminal.
 */
void annotated_comment_write(FILE *out, const char *text);
/* Writes the demangled name of a function, or "(no symbols)" if `name` is NULL. */
void annotated_name_write(FILE *out, const char *name, enum demangle_mode mode);

/*
 * Writes the comment at the beginning of the output: the command line, what the output shows, and
 * the events. Returns 0 or -ENOMEM.
 */
int annotated_head_write(FILE *out, const struct annotation *annotation,
			 const struct annotated_options *options);

/*
 * Sorts `nr` elements of `sums`, beginning with element `first`, by share, largest first. Returns
 * their indexes in a malloc'ed array; NULL: out of memory.
 */
size_t *annotated_order(const struct profile *profile, const struct annotation_sums *sums,
			size_t first, size_t nr);

/* Returns the sum of `counts` over all columns. */
uint64_t annotated_sum(const struct profile *profile, const uint64_t *counts);
/* Writes "N samples (P %)". */
void annotated_samples_write(FILE *err, const struct profile *profile, uint64_t nr_samples);

#endif
