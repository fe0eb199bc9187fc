/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the source files of annotated code by their path in debug information, reads them as a
 * whole, and splits them into lines. A file may contain any bytes, such as NULs and escape
 * sequences, and may end without a newline.
 *
 * This module does not handle the samples of lines (annotation.h).
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
	/* -b: base folders, which the search in search_dirs removes from the path's start */
	const struct spec_list *base_dirs;
	const char *root; /* -R: prefix for the whole path; NULL: none */
};

struct source_file {
	char *path; /* where the file was found */
	char *text;
	size_t nr_bytes;
	size_t *starts; /* offset of each line; the last element is the offset of the end */
	size_t nr_lines;
	int64_t mtime_ns;
};

/*
 * If base folders contain `path`, returns the part of `path` after the longest of these folders.
 * Otherwise returns `path`.
 */
const char *source_file_strip(const char *path, const struct source_search *search);

/*
 * Finds and reads a file. In each folder of search_dirs, tries the path without its base folder,
 * then the whole path, then only the file name. Finally tries the path itself, below `root`.
 * Returns 0, or -ENOENT if no file was found. If the first file found cannot be read, returns the
 * error: -EFBIG, -EINVAL (not a regular file), -ENOMEM or another -errno. After an error, *file is
 * unchanged.
 */
int source_file_read(struct source_file *file, const char *path,
		     const struct source_search *search);
void source_file_deinit(struct source_file *file);

/* Returns line `number` (1 to nr_lines) without its CR LF or LF; not NUL-terminated. */
const char *source_file_line(const struct source_file *file, size_t number, size_t *nr_bytes);

/* Writes a line. Characters that would affect a terminal become '?', except tabs. */
void source_line_write(FILE *out, const char *line, size_t nr_bytes);

#endif
