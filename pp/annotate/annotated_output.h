/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where annotated code goes: all to one stream, or a file for each
 * source file (binary) below a folder, which is replaced at once.
 */
#ifndef PP_ANNOTATED_OUTPUT_H
#define PP_ANNOTATED_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

struct annotated_output {
	const char *dir; /* NULL: all goes to all */
	FILE *all;
	FILE *out;  /* between begin and end */
	char *path; /* of the file being written */
	char *text;
	size_t nr_bytes;
	size_t nr_files; /* written */
};

/*
 * Begin the part that is about name, a path that somebody else chose: it
 * does not lead out of the folder. 0 or -ENOMEM.
 */
int annotated_output_begin(struct annotated_output *output, const char *name);
/* End it. 0 or -errno: it could not be written (path is still set until the next begin). */
int annotated_output_end(struct annotated_output *output);
void annotated_output_deinit(struct annotated_output *output);

#endif
