// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Encodes the tables of a slice. Sections share strings, paths, images and events, so each kind
 * has its own table, in which every row is stored once. doc/slice.md has the layout.
 */
#include "libdb/slice/slice_tables.h"

#include "libdb/slice/slice_format.h"
#include "libdb/slice/slice_rows.h"

#include <errno.h>
#include <string.h>

struct tables_encoder {
	struct slice_rows strings, paths, images, events;
	struct slice_buffer row; /* the row being built */
	struct slice_buffer sections, counters;
	uint64_t image_before; /* index of the previous section's image */
	int error;	       /* the first error; after it, calls do nothing */
};

/* ---- one row ---- */

static void put_number(struct tables_encoder *encoder, struct slice_buffer *to, uint64_t value)
{
	if (!encoder->error)
		encoder->error = slice_buffer_add_number(to, value);
}

static void put_bytes(struct tables_encoder *encoder, struct slice_buffer *to, const void *bytes,
		      size_t nr_bytes)
{
	if (!encoder->error)
		encoder->error = slice_buffer_add(to, bytes, nr_bytes);
}

static void row_begin(struct tables_encoder *encoder)
{
	encoder->row.nr_bytes = 0;
}

static uint64_t row_end(struct tables_encoder *encoder, struct slice_rows *rows)
{
	int64_t number = 0;

	if (!encoder->error)
		number = slice_rows_put(rows, encoder->row.bytes, encoder->row.nr_bytes);
	if (number >= 0)
		return (uint64_t)number;
	encoder->error = (int)number;
	return 0;
}

static uint64_t string_number(struct tables_encoder *encoder, const char *text)
{
	const size_t nr_bytes = text ? strlen(text) : 0;

	row_begin(encoder);
	put_number(encoder, &encoder->row, nr_bytes);
	put_bytes(encoder, &encoder->row, text, nr_bytes);
	return row_end(encoder, &encoder->strings);
}

static uint64_t path_number(struct tables_encoder *encoder, const struct slice_path *path)
{
	const uint64_t string = string_number(encoder, path->path);

	row_begin(encoder);
	put_number(encoder, &encoder->row, path->kind);
	put_number(encoder, &encoder->row, string);
	if (path->kind == SAMPLE_PATH_ANON) {
		put_number(encoder, &encoder->row, slice_fold_sign(path->tgid));
		put_number(encoder, &encoder->row, path->start);
		put_number(encoder, &encoder->row, path->end - path->start);
	}
	return row_end(encoder, &encoder->paths);
}

static uint64_t image_number(struct tables_encoder *encoder, const struct slice_section *section)
{
	const struct oprof_image_identity *identity = &section->identity;
	const uint64_t path = path_number(encoder, &section->image);
	struct slice_buffer *row = &encoder->row;

	row_begin(encoder);
	put_number(encoder, row, path);
	put_number(encoder, row, section->image_kind);
	put_number(encoder, row, section->image_start);
	put_number(encoder, row, identity->nr_build_id);
	put_bytes(encoder, row, identity->build_id, identity->nr_build_id);
	put_number(encoder, row, identity->dev);
	put_number(encoder, row, identity->inode);
	put_number(encoder, row, identity->inode_generation);
	put_number(encoder, row, slice_fold_sign(identity->mtime_ns));
	put_number(encoder, row, identity->size_bytes);
	return row_end(encoder, &encoder->images);
}

static uint64_t event_number(struct tables_encoder *encoder, const struct slice_section *section)
{
	const uint64_t name = string_number(encoder, section->event);

	row_begin(encoder);
	put_number(encoder, &encoder->row, name);
	put_number(encoder, &encoder->row, section->period_or_hz);
	put_number(encoder, &encoder->row, section->unit_mask);
	put_number(encoder, &encoder->row, section->flags & SLICE_SECTION_FLAGS_TELL);
	return row_end(encoder, &encoder->events);
}

/* ---- sections and counters ---- */

static void put_section(struct tables_encoder *encoder, const struct slice_section *section)
{
	const uint64_t image = image_number(encoder, section);
	const uint64_t app = path_number(encoder, &section->app);
	const uint64_t event = event_number(encoder, section);
	const uint64_t cgroup = section->cgroup ? string_number(encoder, section->cgroup) + 1 : 0;
	struct slice_buffer *to = &encoder->sections;

	put_number(encoder, to, slice_fold_sign((int64_t)(image - encoder->image_before)));
	put_number(encoder, to, app);
	put_number(encoder, to, event);
	put_number(encoder, to, section->flags & SLICE_SECTION_FLAGS & ~SLICE_SECTION_FLAGS_TELL);
	put_number(encoder, to, (uint64_t)(section->tgid + 1));
	put_number(encoder, to, (uint64_t)(section->tid + 1));
	put_number(encoder, to, (uint64_t)(section->cpu + 1));
	put_number(encoder, to, cgroup);
	put_number(encoder, to, section->nr_keys);
	put_number(encoder, to, section->nr_samples);
	if (section->flags & OPROF_SDB_WEIGHTED)
		put_number(encoder, to, section->weight);
	encoder->image_before = image;
}

static void put_counter(struct tables_encoder *encoder, const struct oprof_stats_entry *begin,
			const struct oprof_stats_entry *end)
{
	char name[OPROF_STATS_NAME_BYTES + 1] = "";

	memcpy(name, begin->name, OPROF_STATS_NAME_BYTES);
	put_number(encoder, &encoder->counters, string_number(encoder, name));
	put_number(encoder, &encoder->counters, begin->value);
	put_number(encoder, &encoder->counters,
		   slice_fold_sign((int64_t)(end->value - begin->value)));
}

/* ---- entry points ---- */

static void put_rows(struct tables_encoder *encoder, struct slice_buffer *raw,
		     const struct slice_rows *rows)
{
	put_number(encoder, raw, rows->nr_rows);
	put_bytes(encoder, raw, rows->bytes.bytes, rows->bytes.nr_bytes);
}

static void put_all(struct tables_encoder *encoder, const struct slice_section *const *sections,
		    size_t nr_sections, const struct slice_info *info, struct slice_buffer *raw)
{
	const uint64_t host = string_number(encoder, info->host);
	const uint64_t cpu_type = string_number(encoder, info->cpu_type);

	for (size_t i = 0; i < nr_sections; i++)
		put_section(encoder, sections[i]);
	for (size_t i = 0; i < info->nr_counters; i++)
		put_counter(encoder, &info->begin[i], &info->end[i]);
	put_rows(encoder, raw, &encoder->strings);
	put_rows(encoder, raw, &encoder->paths);
	put_rows(encoder, raw, &encoder->images);
	put_rows(encoder, raw, &encoder->events);
	put_number(encoder, raw, nr_sections);
	put_bytes(encoder, raw, encoder->sections.bytes, encoder->sections.nr_bytes);
	put_number(encoder, raw, host);
	put_number(encoder, raw, cpu_type);
	put_number(encoder, raw, info->nr_counters);
	put_bytes(encoder, raw, encoder->counters.bytes, encoder->counters.nr_bytes);
}

int slice_tables_encode(const struct slice_section *const *sections, size_t nr_sections,
			const struct slice_info *info, struct slice_buffer *raw)
{
	struct tables_encoder encoder = {0};

	put_all(&encoder, sections, nr_sections, info, raw);
	slice_rows_deinit(&encoder.strings);
	slice_rows_deinit(&encoder.paths);
	slice_rows_deinit(&encoder.images);
	slice_rows_deinit(&encoder.events);
	slice_buffer_deinit(&encoder.row);
	slice_buffer_deinit(&encoder.sections);
	slice_buffer_deinit(&encoder.counters);
	return encoder.error;
}
