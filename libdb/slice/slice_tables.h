/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of a slice: what its sections are, and what it says of itself, as raw bytes. */
#ifndef LIBDB_SLICE_TABLES_H
#define LIBDB_SLICE_TABLES_H

#include "libdb/slice/slice.h"
#include "libdb/slice/slice_buffer.h"

#include <stddef.h>
#include <stdint.h>

/* Sections are sorted, their sums filled. 0, -ENOMEM. */
int slice_tables_encode(const struct slice_section *const *sections, size_t nr_sections,
			const struct slice_info *info, struct slice_buffer *raw);

struct slice_tables {
	struct slice_section *sections;
	size_t nr_sections;
	const char *host, *cpu_type;
	struct oprof_stats_entry *begin, *end;
	size_t nr_counters;
	/* What the above points into. */
	char *text;
	const char **strings;
	struct slice_path *paths;
	struct slice_section *images, *events;
};

/*
 * Everything in raw is checked; the result stands alone. 0, -EILSEQ and diag,
 * -EPROTONOSUPPORT, -ENOMEM. path is for diag.
 */
int slice_tables_decode(const uint8_t *raw, size_t nr_bytes, struct slice_tables *tables,
			const char *path, struct diag *diag);
void slice_tables_deinit(struct slice_tables *tables);

#endif
