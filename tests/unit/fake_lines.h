/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands for pp/line_table.h in tests of what comes behind it: ranges that the
 * test gives, by path of the image; other images have no lines. Linked before
 * libpp.a.
 */
#ifndef TESTS_FAKE_LINES_H
#define TESTS_FAKE_LINES_H

#include "pp/line_table.h"

#define FAKE_LINES_INLINES 2

struct fake_range {
	uint64_t start, end;
	uint32_t file, line;
	struct line_inline inlines[FAKE_LINES_INLINES]; /* the innermost first */
	size_t nr_inlines;
};

/* ranges: ascending; borrowed until fake_lines_clear(), as files. */
void fake_lines_set(const char *path, const struct fake_range *ranges, size_t nr_ranges,
		    const char *const *files, size_t nr_files);
/* What is said of an image without lines. */
void fake_lines_set_note(const char *note);
void fake_lines_clear(void);

#endif
