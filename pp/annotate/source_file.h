/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files of annotated code: found by the path in debug information, read as a whole, and
 * split into lines. Files may contain any bytes: NULs, escape sequences, no newline at the end.
 *
 * Not for the samples of lines (annotation.h).
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
	const struct spec_list *base_dirs;   /* -b: prefixes that are removed from paths for the
						search in search_dirs */
	const char *root;		     /* -R: prefix of unchanged paths; NULL: none */
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
 * Finds and reads a file. Tries in each of search_dirs the path without its base folder, the
 * whole path, its last part; then the path itself. Returns 0, -ENOENT, -EFBIG, -EINVAL (not a
 * regular file), -ENOMEM, or -errno of the first existing file that cannot be read; *file is
 * then unchanged.
 */
int source_file_read(struct source_file *file, const char *path,
		     const struct source_search *search);
void source_file_deinit(struct source_file *file);

/* Returns line `number` (1 to nr_lines) without its CR LF or LF; not NUL-terminated. */
const char *source_file_line(const struct source_file *file, size_t number, size_t *nr_bytes);

/* Writes a line. Characters that would affect a terminal become '?', except tabs. */
void source_line_write(FILE *out, const char *line, size_t nr_bytes);

#endif
