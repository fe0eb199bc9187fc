// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes the tables of a slice. The bytes may be hostile: every number is checked before it is
 * used, and no more memory is allocated than the available bytes can fill.
 */
#include "libdb/slice/slice_tables.h"

#include "libdb/slice/slice_format.h"
#include "libdb/slice/slice_unpacker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Minimum number of bytes in a row of each table. */
#define STRING_BYTES_MIN  1u
#define PATH_BYTES_MIN	  2u
#define IMAGE_BYTES_MIN	  9u
#define EVENT_BYTES_MIN	  4u
#define SECTION_BYTES_MIN 10u
#define COUNTER_BYTES_MIN 3u

struct tables_decoder {
	const uint8_t *next, *end;
	struct slice_tables tables;
	size_t nr_strings, nr_paths, nr_images, nr_events;
	uint64_t image_before;
	const char *path;
	struct diag *diag;
	int error; /* the first error; after it, all numbers are read as 0 */
};

static void fail(struct tables_decoder *decoder, const char *what, size_t row)
{
	if (!decoder->error)
		decoder->error =
			diag_set_at(decoder->diag, -EILSEQ, decoder->path, 0,
				    "damaged: its tables are invalid at %s %zu", what, row);
}

static uint64_t get_number(struct tables_decoder *decoder, uint64_t max, const char *what,
			   size_t row)
{
	uint64_t value = 0;

	if (decoder->error)
		return 0;
	if (!slice_get_number(&decoder->next, decoder->end, &value) && value <= max)
		return value;
	fail(decoder, what, row);
	return 0;
}

/*
 * Reads the number of rows of a table and allocates the table. A row takes at least nr_bytes_min
 * bytes in the slice, and nr_bytes_each bytes in memory.
 */
static void *get_rows(struct tables_decoder *decoder, size_t nr_bytes_min, size_t nr_bytes_each,
		      const char *what, size_t *nr_rows)
{
	const uint64_t left = (uint64_t)(decoder->end - decoder->next);
	void *rows;

	*nr_rows = (size_t)get_number(decoder, left / nr_bytes_min, what, 0);
	if (decoder->error)
		return NULL;
	rows = calloc(*nr_rows ? *nr_rows : 1, nr_bytes_each);
	if (!rows)
		decoder->error = diag_set_at(decoder->diag, -ENOMEM, decoder->path, 0, "%s",
					     strerror(ENOMEM));
	return rows;
}

/* ---- rows ---- */

/*
 * Reads the strings. In the slice, each string is preceded by its length, which takes at least one
 * byte. In `text`, each string is followed by a NUL, which takes one byte. Therefore `text` needs
 * no more bytes than the slice has left.
 */
static void get_strings(struct tables_decoder *decoder)
{
	char *to;

	decoder->tables.strings =
		get_rows(decoder, STRING_BYTES_MIN, sizeof(*decoder->tables.strings), "string",
			 &decoder->nr_strings);
	to = decoder->tables.text = malloc((size_t)(decoder->end - decoder->next) + 1);
	if (!to && !decoder->error)
		decoder->error = diag_set_at(decoder->diag, -ENOMEM, decoder->path, 0, "%s",
					     strerror(ENOMEM));
	for (size_t i = 0; i < decoder->nr_strings && !decoder->error; i++) {
		const size_t nr_bytes = (size_t)get_number(decoder, SIZE_MAX, "string", i);

		if (nr_bytes > (size_t)(decoder->end - decoder->next) ||
		    (nr_bytes && memchr(decoder->next, '\0', nr_bytes)))
			fail(decoder, "string", i);
		if (decoder->error)
			return;
		decoder->tables.strings[i] = to;
		memcpy(to, decoder->next, nr_bytes);
		to += nr_bytes;
		*to++ = '\0';
		decoder->next += nr_bytes;
	}
}

static const char *get_string(struct tables_decoder *decoder, const char *what, size_t row)
{
	const uint64_t number = get_number(decoder, UINT64_MAX, what, row);

	if (number < decoder->nr_strings && !decoder->error)
		return decoder->tables.strings[number];
	fail(decoder, what, row);
	return "";
}

static void get_paths(struct tables_decoder *decoder)
{
	struct slice_path *paths =
		get_rows(decoder, PATH_BYTES_MIN, sizeof(*paths), "path", &decoder->nr_paths);

	decoder->tables.paths = paths;
	for (size_t i = 0; i < decoder->nr_paths && !decoder->error; i++) {
		struct slice_path *path = &paths[i];

		path->kind =
			(enum sample_path_kind)get_number(decoder, SAMPLE_PATH_ANON, "path", i);
		path->path = get_string(decoder, "path", i);
		if (path->kind != SAMPLE_PATH_ANON)
			continue;
		path->tgid = slice_unfold_sign(get_number(decoder, UINT64_MAX, "path", i));
		path->start = get_number(decoder, UINT64_MAX, "path", i);
		path->end = path->start + get_number(decoder, UINT64_MAX, "path", i);
	}
}

static const struct slice_path *get_path(struct tables_decoder *decoder, const char *what,
					 size_t row)
{
	static const struct slice_path none = {.path = ""};
	const uint64_t number = get_number(decoder, UINT64_MAX, what, row);

	if (number < decoder->nr_paths && !decoder->error)
		return &decoder->tables.paths[number];
	fail(decoder, what, row);
	return &none;
}

static void get_build_id(struct tables_decoder *decoder, struct oprof_image_identity *identity,
			 size_t row)
{
	identity->nr_build_id =
		(uint32_t)get_number(decoder, OPROF_BUILD_ID_BYTES_MAX, "image", row);
	if (identity->nr_build_id > (size_t)(decoder->end - decoder->next))
		fail(decoder, "image", row);
	if (decoder->error)
		return;
	memcpy(identity->build_id, decoder->next, identity->nr_build_id);
	decoder->next += identity->nr_build_id;
}

/*
 * Reads the images. In memory, an image or an event is a struct slice_section in which only the
 * image's or event's members are set.
 */
static void get_images(struct tables_decoder *decoder)
{
	struct slice_section *images =
		get_rows(decoder, IMAGE_BYTES_MIN, sizeof(*images), "image", &decoder->nr_images);

	decoder->tables.images = images;
	for (size_t i = 0; i < decoder->nr_images && !decoder->error; i++) {
		struct oprof_image_identity *identity = &images[i].identity;

		images[i].image = *get_path(decoder, "image", i);
		images[i].image_kind =
			(enum oprof_image_kind)get_number(decoder, INT32_MAX, "image", i);
		images[i].image_start = get_number(decoder, UINT64_MAX, "image", i);
		get_build_id(decoder, identity, i);
		identity->dev = get_number(decoder, UINT64_MAX, "image", i);
		identity->inode = get_number(decoder, UINT64_MAX, "image", i);
		identity->inode_generation = get_number(decoder, UINT64_MAX, "image", i);
		identity->mtime_ns = slice_unfold_sign(get_number(decoder, UINT64_MAX, "image", i));
		identity->size_bytes = get_number(decoder, UINT64_MAX, "image", i);
	}
}

static uint32_t get_flags(struct tables_decoder *decoder, uint32_t known, const char *what,
			  size_t row)
{
	const uint32_t flags = (uint32_t)get_number(decoder, UINT32_MAX, what, row);

	if (flags & ~known && !decoder->error)
		decoder->error =
			diag_set_at(decoder->diag, -EPROTONOSUPPORT, decoder->path, 0,
				    "%s %zu has flags 0x%x, which this program does not know", what,
				    row, flags & ~known);
	return flags;
}

static void get_events(struct tables_decoder *decoder)
{
	struct slice_section *events =
		get_rows(decoder, EVENT_BYTES_MIN, sizeof(*events), "event", &decoder->nr_events);

	decoder->tables.events = events;
	for (size_t i = 0; i < decoder->nr_events && !decoder->error; i++) {
		events[i].event = get_string(decoder, "event", i);
		events[i].period_or_hz = get_number(decoder, UINT64_MAX, "event", i);
		events[i].unit_mask = (uint32_t)get_number(decoder, UINT32_MAX, "event", i);
		events[i].flags = get_flags(decoder, SLICE_SECTION_FLAGS_TELL, "event", i);
	}
}

/* ---- sections and counters ---- */

static void get_section_image(struct tables_decoder *decoder, struct slice_section *section,
			      size_t row)
{
	const uint64_t image =
		decoder->image_before +
		(uint64_t)slice_unfold_sign(get_number(decoder, UINT64_MAX, "section", row));

	if (image >= decoder->nr_images)
		fail(decoder, "section", row);
	if (!decoder->error)
		*section = decoder->tables.images[image];
	decoder->image_before = image;
}

static void get_section_event(struct tables_decoder *decoder, struct slice_section *section,
			      size_t row)
{
	const uint64_t number = get_number(decoder, UINT64_MAX, "section", row);
	const struct slice_section *event;

	if (number >= decoder->nr_events)
		fail(decoder, "section", row);
	if (decoder->error)
		return;
	event = &decoder->tables.events[number];
	section->event = event->event;
	section->period_or_hz = event->period_or_hz;
	section->unit_mask = event->unit_mask;
	section->flags = event->flags;
}

static int64_t get_id(struct tables_decoder *decoder, size_t row)
{
	/* The stored number is the id + 1, so that SAMPLE_NAME_ALL is stored as 0. */
	return (int64_t)(get_number(decoder, (uint64_t)INT64_MAX + 1, "section", row) - 1);
}

static void get_section_cgroup(struct tables_decoder *decoder, struct slice_section *section,
			       size_t row)
{
	const uint64_t number = get_number(decoder, UINT64_MAX, "section", row);

	if (number > decoder->nr_strings)
		fail(decoder, "section", row);
	if (!decoder->error && number)
		section->cgroup = decoder->tables.strings[number - 1];
}

static void get_section_sums(struct tables_decoder *decoder, struct slice_section *section,
			     size_t row)
{
	section->nr_keys = get_number(decoder, UINT64_MAX, "section", row);
	section->nr_samples = get_number(decoder, UINT64_MAX, "section", row);
	if (!section->nr_keys || section->nr_samples < section->nr_keys)
		fail(decoder, "section", row);
	section->weight = section->flags & OPROF_SDB_WEIGHTED
				  ? get_number(decoder, UINT64_MAX, "section", row)
				  : slice_plain_weight(section, section->nr_samples);
}

static void get_sections(struct tables_decoder *decoder)
{
	struct slice_tables *tables = &decoder->tables;
	struct slice_section *sections = get_rows(decoder, SECTION_BYTES_MIN, sizeof(*sections),
						  "section", &tables->nr_sections);

	tables->sections = sections;
	for (size_t i = 0; i < tables->nr_sections && !decoder->error; i++) {
		struct slice_section *section = &sections[i];

		get_section_image(decoder, section, i);
		section->app = *get_path(decoder, "section", i);
		get_section_event(decoder, section, i);
		section->flags |= get_flags(
			decoder, SLICE_SECTION_FLAGS & ~SLICE_SECTION_FLAGS_TELL, "section", i);
		section->tgid = get_id(decoder, i);
		section->tid = get_id(decoder, i);
		section->cpu = get_id(decoder, i);
		get_section_cgroup(decoder, section, i);
		get_section_sums(decoder, section, i);
		if (!decoder->error && i && slice_section_compare(section - 1, section) >= 0)
			fail(decoder, "order of section", i);
	}
}

static void get_counters(struct tables_decoder *decoder)
{
	struct slice_tables *tables = &decoder->tables;
	size_t nr = 0;

	tables->begin =
		get_rows(decoder, COUNTER_BYTES_MIN, sizeof(*tables->begin), "counter", &nr);
	tables->end = calloc(nr ? nr : 1, sizeof(*tables->end));
	if (!tables->end && !decoder->error)
		decoder->error = diag_set_at(decoder->diag, -ENOMEM, decoder->path, 0, "%s",
					     strerror(ENOMEM));
	for (size_t i = 0; i < nr && !decoder->error; i++) {
		const char *name = get_string(decoder, "counter", i);
		const size_t nr_bytes = strlen(name);

		if (nr_bytes > OPROF_STATS_NAME_BYTES)
			return fail(decoder, "counter", i);
		memcpy(tables->begin[i].name, name, nr_bytes);
		memcpy(tables->end[i].name, name, nr_bytes);
		tables->begin[i].value = get_number(decoder, UINT64_MAX, "counter", i);
		tables->end[i].value =
			tables->begin[i].value +
			(uint64_t)slice_unfold_sign(get_number(decoder, UINT64_MAX, "counter", i));
	}
	tables->nr_counters = nr;
}

/* ---- entry points ---- */

int slice_tables_decode(const uint8_t *raw, size_t nr_bytes, struct slice_tables *tables,
			const char *path, struct diag *diag)
{
	struct tables_decoder decoder = {
		.next = raw, .end = raw + nr_bytes, .path = path, .diag = diag};

	get_strings(&decoder);
	get_paths(&decoder);
	get_images(&decoder);
	get_events(&decoder);
	get_sections(&decoder);
	decoder.tables.host = get_string(&decoder, "host", 0);
	decoder.tables.cpu_type = get_string(&decoder, "cpu type", 0);
	get_counters(&decoder);
	if (!decoder.error && decoder.next != decoder.end)
		fail(&decoder, "end", 0);
	if (decoder.error) {
		slice_tables_deinit(&decoder.tables);
		return decoder.error;
	}
	*tables = decoder.tables;
	return 0;
}

void slice_tables_deinit(struct slice_tables *tables)
{
	free(tables->sections);
	free(tables->begin);
	free(tables->end);
	free(tables->text);
	free(tables->strings);
	free(tables->paths);
	free(tables->images);
	free(tables->events);
	memset(tables, 0, sizeof(*tables));
}
