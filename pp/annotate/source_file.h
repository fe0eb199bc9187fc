/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files of annotated code. A file is found by its path in debug
 * information, read whole, and split into lines. It may hold any bytes: NULs,
 * escape sequences, no newline at the end.
 *
 * Not for the samples of the lines (annotation.h).
 */
#ifndef PP_SOURCE_FILE_H
#define PP_SOURCE_FILE_H

#include "pp/selection/spec.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SOURCE_FILE_BYTES_MAX ((size_t)256 << 20)

/* Where to search for files. The lists are borrowed. */
struct source_search {
	const struct spec_list *search_dirs; /* -d */
	const struct spec_list
		/* -b: prefixes to remove from a path before the search in search_dirs */
		*base_dirs;
	const char *root; /* -R: prefix of unchanged paths; NULL: none */
};

struct source_file {
	char *path; /* where the file was found */
	char *text;
	size_t nr_bytes;
	size_t *starts; /* offset of each line, and of the end */
	size_t nr_lines;
	int64_t mtime_ns;
};

/* Returns path without the longest base folder that contains it, or path itself. */
const char *source_file_strip(const char *path, const struct source_search *search);

/*
 * Finds and reads a file. The search tries, in each of search_dirs, the path
 * without its base folder, the whole path, and its last part; then the path
 * itself. Returns 0; -ENOENT; -EFBIG (more than SOURCE_FILE_BYTES_MAX); -EINVAL
 * (not a regular file); -ENOMEM; or -errno of the first existing candidate that
 * cannot be read. After an error *file is unchanged.
 */
int source_file_read(struct source_file *file, const char *path,
		     const struct source_search *search);
void source_file_deinit(struct source_file *file);

/* Returns line number (1 to nr_lines) without its CR LF or LF; not terminated. */
const char *source_file_line(const struct source_file *file, size_t number, size_t *nr_bytes);

/* Writes a line; bytes that would affect a terminal become '?'. Tabs stay. */
void source_line_write(FILE *out, const char *line, size_t nr_bytes);

#endif
