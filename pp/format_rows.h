/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the layouts of images and of symbols share. Internal to format_*.c. */
#ifndef PP_FORMAT_ROWS_H
#define PP_FORMAT_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Most samples first; the first class that differs decides. */
static inline int compare_counts(const uint64_t *a, const uint64_t *b, size_t nr_classes)
{
	for (size_t i = 0; i < nr_classes; i++)
		if (a[i] != b[i])
			return a[i] > b[i] ? -1 : 1;
	return 0;
}

/* The last part of a path; names that are none are whole. */
static inline const char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
