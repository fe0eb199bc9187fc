/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the layouts of images and of symbols share. Internal to format_*.c. */
#ifndef PP_FORMAT_ROWS_H
#define PP_FORMAT_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/*
 * Compares two lines for sorting, larger numbers first. The first class that differs decides;
 * within a class, the second side is compared first.
 */
static inline int compare_sides(const uint64_t *a, const uint64_t *b, size_t nr_classes,
				size_t nr_columns)
{
	for (size_t i = 0; i < nr_classes; i++)
		for (size_t j = nr_columns; j > 0; j -= nr_classes) {
			size_t column = j - nr_classes + i;

			if (a[column] != b[column])
				return a[column] > b[column] ? -1 : 1;
		}
	return 0;
}

/* Returns the last part of a path, or the whole path if nothing follows its last slash. */
static inline const char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
