// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds a slice in memory. Sections are found by a hash of their identity. Entries are appended
 * to a section in any order. The entries are sorted, and entries of equal keys are summed, when
 * the section's array must grow or the slice is written.
 */
#include "lib/array.h"
#include "lib/index_table.h"
#include "lib/saturate.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/slice_writer.h"
#include "libdb/sdb_sort.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_SECTIONS_MAX ((size_t)1 << 31)
#define NR_ENTRIES_MIN	16u
#define NR_SUM_UP                                                                                  \
	4096u /* a section with this many entries sums equal keys before it takes more memory */

struct builder_section {
	struct slice_section section; /* its strings point into text */
	char *text;
	struct sdb_entry *entries;
	size_t nr_entries, room;
	bool sorted; /* entries are sorted by key, and each key occurs once */
};

struct slice_builder {
	struct builder_section *sections;
	size_t nr_sections, room;
	struct index_table table;
	const struct stack_tree *stacks; /* borrowed; NULL: none */
};

int slice_builder_create(struct slice_builder **builder)
{
	*builder = calloc(1, sizeof(**builder));
	return *builder ? 0 : -ENOMEM;
}

void slice_builder_destroy(struct slice_builder *builder)
{
	if (!builder)
		return;
	for (size_t i = 0; i < builder->nr_sections; i++) {
		free(builder->sections[i].text);
		free(builder->sections[i].entries);
	}
	free(builder->sections);
	index_table_deinit(&builder->table);
	free(builder);
}

/* ---- sections ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return index_table_hash(hash, 0);
}

static uint64_t hash_path(uint64_t hash, const struct slice_path *path)
{
	hash = hash_text(index_table_hash(hash, path->kind), path->path);
	return path->kind == SAMPLE_PATH_ANON
		       ? index_table_hash(index_table_hash(hash, (uint64_t)path->tgid), path->start)
		       : hash;
}

/*
 * Hashes most of the fields that slice_section_compare compares, and no other fields, so that
 * equal sections have equal hashes.
 */
static uint64_t hash_section(const struct slice_section *section)
{
	uint64_t hash = hash_path(UINT64_C(0xcbf29ce484222325), &section->image);

	hash = hash_path(hash, &section->app);
	hash = index_table_hash(hash, sample_identity(&section->identity));
	hash = hash_text(hash, section->event);
	if (section->cgroup)
		hash = hash_text(hash, section->cgroup);
	hash = index_table_hash(hash, section->period_or_hz);
	hash = index_table_hash(hash, (uint64_t)section->tgid);
	hash = index_table_hash(hash, (uint64_t)section->tid);
	return index_table_hash(hash, (uint64_t)section->cpu);
}

static bool same_section(uint32_t index, const void *key, void *context)
{
	const struct slice_builder *builder = context;

	return slice_section_compare(&builder->sections[index].section, key) == 0;
}

static const char *copy_text(char **to, const char *text)
{
	const char *copy = *to;

	*to = stpcpy(*to, text) + 1;
	return copy;
}

/* Copies the section and its strings. Returns 0 or -ENOMEM. */
static int section_copy(struct builder_section *to, const struct slice_section *section)
{
	char *next = malloc(strlen(section->image.path) + strlen(section->app.path) +
			    strlen(section->event) +
			    (section->cgroup ? strlen(section->cgroup) : 0) + 4);

	if (!next)
		return -ENOMEM;
	to->text = next;
	to->section = *section;
	to->section.image.path = copy_text(&next, section->image.path);
	to->section.app.path = copy_text(&next, section->app.path);
	to->section.event = copy_text(&next, section->event);
	if (section->cgroup)
		to->section.cgroup = copy_text(&next, section->cgroup);
	to->section.flags &= SLICE_SECTION_FLAGS;
	return 0;
}

int64_t slice_builder_section(struct slice_builder *builder, const struct slice_section *section)
{
	const uint64_t hash = hash_section(section);
	const uint32_t found =
		index_table_find(&builder->table, hash, same_section, section, builder);
	struct builder_section added = {.sorted = true};

	if (found != INDEX_TABLE_NONE) {
		builder->sections[found].section.flags |= section->flags & OPROF_SDB_HOLED;
		return found;
	}
	if (builder->nr_sections == NR_SECTIONS_MAX)
		return -E2BIG;
	if (array_reserve(&builder->sections, &builder->room, builder->nr_sections, 1) ||
	    section_copy(&added, section))
		return -ENOMEM;
	if (index_table_put(&builder->table, hash, (uint32_t)builder->nr_sections)) {
		free(added.text);
		return -ENOMEM;
	}
	builder->sections[builder->nr_sections] = added;
	return (int64_t)builder->nr_sections++;
}

/* ---- entries ---- */

/* Sums adjacent entries with the same key. */
static void entries_sum(struct builder_section *section)
{
	size_t nr = 0;

	for (size_t i = 0; i < section->nr_entries; i++) {
		const struct sdb_entry *entry = &section->entries[i];
		struct sdb_entry *last = &section->entries[nr - (nr > 0)];

		if (nr && last->key == entry->key) {
			last->nr_samples = saturate_sum(last->nr_samples, entry->nr_samples);
			last->weight = saturate_sum(last->weight, entry->weight);
		} else {
			section->entries[nr++] = *entry;
		}
	}
	section->nr_entries = nr;
}

/* Sorts the entries: first sorts pairs of key and index, then copies the entries in this order. */
static int entries_order(struct builder_section *section)
{
	struct sdb_slots slots = {.wide = true};
	struct sdb_entry *ordered = malloc(section->room * sizeof(*ordered));
	int error = ordered ? sdb_slots_reserve(&slots, section->nr_entries) : -ENOMEM;

	for (size_t i = 0; i < section->nr_entries && !error; i++) {
		slots.words[2 * i] = section->entries[i].key;
		slots.words[2 * i + 1] = i;
	}
	if (!error) {
		slots.nr_slots = section->nr_entries;
		error = sdb_slots_sort(&slots);
	}
	if (error) {
		free(ordered);
	} else {
		for (size_t i = 0; i < section->nr_entries; i++)
			ordered[i] = section->entries[sdb_slots_value(&slots, i)];
		free(section->entries);
		section->entries = ordered;
	}
	sdb_slots_deinit(&slots);
	return error;
}

static int section_sort(struct builder_section *section)
{
	int error = 0;

	if (section->sorted)
		return 0;
	error = entries_order(section);
	if (error)
		return error;
	entries_sum(section);
	section->sorted = true;
	return 0;
}

static int section_reserve(struct builder_section *section, size_t nr_entries)
{
	size_t room = section->room ? section->room : NR_ENTRIES_MIN;
	struct sdb_entry *bigger;

	if (nr_entries <= section->room - section->nr_entries)
		return 0;
	if (section->nr_entries >= NR_SUM_UP && section_sort(section))
		return -ENOMEM;
	/*
	 * At least half of the room stays free, so that the entries need not be sorted again soon.
	 */
	while (nr_entries > room - section->nr_entries || section->nr_entries > room / 2)
		room *= 2;
	if (room == section->room)
		return 0;
	bigger = realloc(section->entries, room * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	section->entries = bigger;
	section->room = room;
	return 0;
}

static struct builder_section *section_at(struct slice_builder *builder, int64_t section)
{
	assert(section >= 0 && (size_t)section < builder->nr_sections);
	return &builder->sections[section];
}

int slice_builder_add(struct slice_builder *builder, int64_t section, uint64_t key,
		      uint64_t nr_samples, uint64_t weight)
{
	const struct sdb_entry entry = {key, nr_samples, weight};

	assert(nr_samples);
	return slice_builder_add_entries(builder, section, &entry, 1);
}

int slice_builder_add_entries(struct slice_builder *builder, int64_t section,
			      const struct sdb_entry *entries, size_t nr_entries)
{
	struct builder_section *to = section_at(builder, section);

	if (!nr_entries)
		return 0;
	if (section_reserve(to, nr_entries))
		return -ENOMEM;
	if (to->nr_entries && entries[0].key <= to->entries[to->nr_entries - 1].key)
		to->sorted = false;
	memcpy(to->entries + to->nr_entries, entries, nr_entries * sizeof(*entries));
	to->nr_entries += nr_entries;
	return 0;
}

void slice_builder_stacks(struct slice_builder *builder, const struct stack_tree *tree)
{
	builder->stacks = tree;
}

/* ---- writing ---- */

static int compare_sections(const void *a, const void *b)
{
	const struct builder_section *const *left = a, *const *right = b;

	return slice_section_compare(&(*left)->section, &(*right)->section);
}

static int write_sorted(const struct slice_builder *builder, struct builder_section *const *sorted,
			size_t nr_sections, const struct slice_section **plain,
			const struct slice_info *info, int fd, uint64_t *nr_bytes)
{
	struct slice_writer writer = {0};
	int error = 0;

	for (size_t i = 0; i < nr_sections && !error; i++) {
		struct builder_section *section = sorted[i];

		plain[i] = &section->section;
		error = section_sort(section);
		if (!error)
			error = slice_writer_add(&writer, &section->section, section->entries,
						 section->nr_entries);
	}
	if (!error && builder->stacks)
		error = slice_writer_stacks(&writer, builder->stacks);
	if (!error)
		error = slice_writer_finish(&writer, plain, nr_sections, info, fd, nr_bytes);
	slice_writer_deinit(&writer);
	return error;
}

int slice_builder_write(struct slice_builder *builder, const struct slice_info *info, int fd,
			uint64_t *nr_bytes)
{
	struct builder_section **sorted =
		calloc(builder->nr_sections + 1, sizeof(struct builder_section *));
	const struct slice_section **plain =
		calloc(builder->nr_sections + 1, sizeof(struct slice_section *));
	size_t nr = 0;
	int error = -ENOMEM;

	if (sorted && plain) {
		for (size_t i = 0; i < builder->nr_sections; i++) {
			if (builder->sections[i].nr_entries)
				sorted[nr++] = &builder->sections[i];
		}
		if (nr)
			qsort(sorted, nr, sizeof(struct builder_section *), compare_sections);
		error = write_sorted(builder, sorted, nr, plain, info, fd, nr_bytes);
	}
	free(sorted);
	free(plain);
	return error;
}
