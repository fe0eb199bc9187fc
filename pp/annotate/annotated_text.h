/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What annotated sources and instructions have in common: the columns before
 * each line, comments, the order by samples. Internal to format_source.c and
 * format_assembly.c.
 */
#ifndef PP_ANNOTATED_TEXT_H
#define PP_ANNOTATED_TEXT_H

#include "pp/annotate/format_annotated.h"

#include <stddef.h>
#include <stdint.h>

/* Texts of columns that were needed before: small numbers come again and again. */
struct annotated_cells {
	const struct profile *profile;
	struct annotated_cell *known;
	char *blank; /* a line's columns without samples */
	size_t nr_blank;
};

int annotated_cells_init(struct annotated_cells *cells, const struct profile *profile);
void annotated_cells_deinit(struct annotated_cells *cells);

/* "    10  5.0000 " for each column, 15 wide where numbers are not large. */
void annotated_cells_write(struct annotated_cells *cells, FILE *out, const uint64_t *counts,
			   const uint64_t *shares);
/* As many blanks. */
void annotated_cells_blank(const struct annotated_cells *cells, FILE *out);

/* text within a comment: does not end it, moves no terminal. */
void annotated_comment_write(FILE *out, const char *text);
/* The name of a function as shown; NULL: "(no symbols)". */
void annotated_name_write(FILE *out, const char *name, enum demangle_mode mode);

/* The comment that everything begins with: the command line and what it means, the events. */
int annotated_head_write(FILE *out, const struct annotation *annotation,
			 const struct annotated_options *options);

/* Indexes of nr things, the most samples first. malloc'ed; NULL: no memory. */
size_t *annotated_order(const struct profile *profile, const struct annotation_sums *sums,
			size_t first, size_t nr);

/* Samples of all columns of one thing. */
uint64_t annotated_sum(const struct profile *profile, const uint64_t *counts);
/* "N samples (P %)" */
void annotated_samples_write(FILE *err, const struct profile *profile, uint64_t nr_samples);

#endif
