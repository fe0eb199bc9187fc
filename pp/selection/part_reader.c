// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/part_reader.h"

#include <errno.h>
#include <stdlib.h>

/* Reading position in a slice. */
struct part_cursor {
	size_t next;
	bool damaged;
};

int part_reader_init(struct part_reader *reader, const struct selection *selection)
{
	size_t nr_cursors = 0;

	*reader = (struct part_reader){.selection = selection};
	reader->first_cursor = calloc(selection->nr_sessions, sizeof(*reader->first_cursor));
	if (!reader->first_cursor)
		return -ENOMEM;
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		reader->first_cursor[i] = nr_cursors;
		nr_cursors += selection->sessions[i].parts.nr_slices;
	}
	reader->cursors = calloc(nr_cursors ? nr_cursors : 1, sizeof(*reader->cursors));
	return reader->cursors ? 0 : -ENOMEM;
}

void part_reader_deinit(struct part_reader *reader)
{
	free(reader->cursors);
	free(reader->first_cursor);
	free(reader->entries);
	*reader = (struct part_reader){0};
}

/* ---- live files ---- */

static int load_live(struct part_samples *samples, const struct part_live *live, struct diag *diag)
{
	int error;

	samples->file = live->samples;
	if (!samples->file) {
		error = sdb_image_load(live->path, &samples->loaded, diag);
		if (error)
			return error;
		samples->is_loaded = true;
		samples->file = &samples->loaded;
	}
	samples->entries = samples->file->entries;
	samples->nr_entries = samples->file->nr_entries;
	samples->nr_samples = samples->file->nr_samples;
	samples->weight = samples->file->weight;
	samples->path = samples->file->image_path;
	return 0;
}

/* ---- slices ---- */

static int make_room(struct part_reader *reader, uint64_t nr_keys)
{
	struct sdb_entry *bigger;

	if (nr_keys <= reader->entries_room)
		return 0;
	bigger = reallocarray(reader->entries, nr_keys, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	reader->entries = bigger;
	reader->entries_room = nr_keys;
	return 0;
}

static int read_section(struct part_reader *reader, struct part_cursor *cursor, struct slice *slice,
			uint32_t number, struct diag *diag)
{
	int error = 0;

	if (number < cursor->next)
		return diag_set(diag, -EILSEQ, "its sections are not in order");
	for (; cursor->next < number && !error; cursor->next++)
		error = slice_skip_section(slice, diag);
	if (!error)
		error = slice_read_section(slice, reader->entries, diag);
	cursor->next++;
	return error;
}

static int load_keys(struct part_samples *samples, struct part_reader *reader,
		     const struct selected_part *part, uint64_t nr_keys, struct diag *diag)
{
	struct part_cursor *cursor =
		&reader->cursors[reader->first_cursor[part->session] + part->slice];
	int error = 0;

	if (!cursor->damaged && make_room(reader, nr_keys))
		return -ENOMEM;
	if (!cursor->damaged)
		error = read_section(reader, cursor,
				     selection_slice(reader->selection, part)->slice, part->number,
				     diag);
	cursor->damaged |= error != 0;
	if (cursor->damaged) {
		samples->nr_samples = samples->weight = 0;
		return error;
	}
	samples->entries = reader->entries;
	samples->nr_entries = nr_keys;
	return 0;
}

int part_samples_load(struct part_samples *samples, struct part_reader *reader,
		      const struct selected_part *part, bool keys, struct diag *diag)
{
	const struct part_live *live = selection_live(reader->selection, part);
	const struct slice_section *section;

	*samples = (struct part_samples){0};
	if (live)
		return load_live(samples, live, diag);
	section = selection_section(reader->selection, part);
	samples->nr_samples = section->nr_samples;
	samples->weight = section->weight;
	samples->path = section->image.path;
	return keys ? load_keys(samples, reader, part, section->nr_keys, diag) : 0;
}

void part_samples_deinit(struct part_samples *samples)
{
	if (samples->is_loaded)
		sdb_image_deinit(&samples->loaded);
	samples->is_loaded = false;
}
