/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files of annotated code: found by the path that debug information
 * has, read whole, in lines. Bytes are whatever somebody put there: NULs,
 * escape sequences, no newline at the end.
 *
 * Not for: what the lines cost (annotation.h).
 */
#ifndef PP_SOURCE_FILE_H
#define PP_SOURCE_FILE_H

#include "pp/selection/spec.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SOURCE_FILE_BYTES_MAX ((size_t)256 << 20)

/* Where to look. Lists are borrowed. */
struct source_search {
	const struct spec_list *search_dirs; /* -d */
	const struct spec_list
		*base_dirs; /* -b: what paths lose before they are looked for there */
	const char *root;   /* -R: prefix of paths as they are; NULL */
};

struct source_file {
	char *path; /* where it was found */
	char *text;
	size_t nr_bytes;
	size_t *starts; /* of each line, and the end */
	size_t nr_lines;
	int64_t mtime_ns;
};

/* path without the base folder that it lies in, or all of it. */
const char *source_file_strip(const char *path, const struct source_search *search);

/*
 * Find and read a file. In each of search_dirs: the path without its base
 * folder, the whole path, its last part; then the path as it is. 0,
 * -ENOENT, -EFBIG, -EINVAL not a regular file, -ENOMEM, -errno of the first
 * that is there and can't be read; *file is untouched then.
 */
int source_file_read(struct source_file *file, const char *path,
		     const struct source_search *search);
void source_file_deinit(struct source_file *file);

/* Line number (from 1 to nr_lines) without its end, CR LF or LF; not terminated. */
const char *source_file_line(const struct source_file *file, size_t number, size_t *nr_bytes);

/* As it is but for what would move a terminal: those are shown as '?'. Tabs stay. */
void source_line_write(FILE *out, const char *line, size_t nr_bytes);

#endif
