/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The destination of annotated code: one stream, or a folder with one file for each source file (or
 * binary). A file is replaced atomically.
 */
#ifndef PP_ANNOTATED_OUTPUT_H
#define PP_ANNOTATED_OUTPUT_H

#include "lib/diag.h"

#include <stddef.h>
#include <stdio.h>

struct annotated_output {
	const char *dir; /* NULL: everything is written to the stream `all` */
	FILE *all;
	FILE *out;  /* stream of the current part; valid between begin and end */
	char *path; /* path of the current file */
	char *text;
	size_t nr_bytes;
	size_t nr_files; /* files written */
};

/*
 * Begins the part for the source file or binary `name`. The output file is always inside dir, even
 * if `name` contains "..". Returns 0 or -ENOMEM.
 */
int annotated_output_begin(struct annotated_output *output, const char *name);
/* Ends the part. Returns 0, or -errno with *diag if writing failed. */
int annotated_output_end(struct annotated_output *output, struct diag *diag);
/* If the output is a folder, reports to err how many files were written there. */
void annotated_output_write_sum(const struct annotated_output *output, FILE *err);
void annotated_output_deinit(struct annotated_output *output);

#endif
