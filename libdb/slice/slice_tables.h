/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encodes and decodes the tables of a slice as raw bytes: the properties of the slice's sections,
 * and of the slice itself.
 */
#ifndef LIBDB_SLICE_TABLES_H
#define LIBDB_SLICE_TABLES_H

#include "libdb/slice/slice.h"
#include "libdb/slice/slice_buffer.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Appends the tables to raw. The sections must be sorted, and their sums must be set. Returns 0 or
 * -ENOMEM.
 */
int slice_tables_encode(const struct slice_section *const *sections, size_t nr_sections,
			const struct slice_info *info, struct slice_buffer *raw);

struct slice_tables {
	struct slice_section *sections;
	size_t nr_sections;
	const char *host, *cpu_type;
	struct oprof_stats_entry *begin, *end;
	size_t nr_counters;
	/* Memory to which the pointers above point. */
	char *text;
	const char **strings;
	struct slice_path *paths;
	struct slice_section *images, *events;
};

/*
 * Decodes and checks the tables in raw. After the call, *tables does not refer to raw. Returns 0;
 * -EILSEQ: damaged; -EPROTONOSUPPORT: unknown flags; or -ENOMEM. An error sets diag. path is
 * used only in diag.
 */
int slice_tables_decode(const uint8_t *raw, size_t nr_bytes, struct slice_tables *tables,
			const char *path, struct diag *diag);
void slice_tables_deinit(struct slice_tables *tables);

#endif
