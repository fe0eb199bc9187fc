/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where annotated code is written: to one stream, or to a file for each source file (or
 * binary) below a folder. A file is replaced atomically.
 */
#ifndef PP_ANNOTATED_OUTPUT_H
#define PP_ANNOTATED_OUTPUT_H

#include "lib/diag.h"

#include <stddef.h>
#include <stdio.h>

struct annotated_output {
	const char *dir; /* NULL: everything is written to all */
	FILE *all;
	FILE *out;  /* valid between begin and end */
	char *path; /* path of the current file */
	char *text;
	size_t nr_bytes;
	size_t nr_files; /* files written */
};

/*
 * Begins the part for name, which may be any path: the file is always inside dir. Returns 0 or
 * -ENOMEM.
 */
int annotated_output_begin(struct annotated_output *output, const char *name);
/* Ends the part. Returns 0, or -errno of writing with *diag. */
int annotated_output_end(struct annotated_output *output, struct diag *diag);
/* If the output is a folder, reports to err how many files were written there. */
void annotated_output_write_sum(const struct annotated_output *output, FILE *err);
void annotated_output_deinit(struct annotated_output *output);

#endif
