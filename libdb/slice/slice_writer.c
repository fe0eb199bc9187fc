// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a slice. The compressed frames are small, so they stay in memory until the slice is
 * complete. Then the frames are written. The header with their offsets is written last.
 */
#include "libdb/slice/slice_writer.h"

#include "lib/saturate.h"
#include "libdb/blocks.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/slice_tables.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NR_ENTRIES_AT_ONCE 4096u
#define NR_BYTES_AT_ONCE   (32u << 10)

/* ---- sections ---- */

static void section_sum(struct slice_section *section, const struct sdb_entry *entries,
			size_t nr_entries)
{
	section->nr_keys = nr_entries;
	section->nr_samples = section->weight = 0;
	section->flags &= ~OPROF_SDB_WEIGHTED;
	for (size_t i = 0; i < nr_entries; i++) {
		section->nr_samples = saturate_sum(section->nr_samples, entries[i].nr_samples);
		section->weight = saturate_sum(section->weight, entries[i].weight);
		if (entries[i].weight != slice_plain_weight(section, entries[i].nr_samples))
			section->flags |= OPROF_SDB_WEIGHTED;
	}
}

/*
 * Writes the distance of each key from the previous key. For the first key, the previous key is 0.
 */
static int put_keys(struct slice_packer *packer, const struct sdb_entry *entries, size_t nr_entries,
		    uint64_t *before)
{
	int error;
	uint8_t *to = slice_packer_reserve(packer, nr_entries * SLICE_NUMBER_BYTES_MAX, &error);
	uint8_t *start = to;

	if (!to)
		return error;
	for (size_t i = 0; i < nr_entries; i++) {
		to = slice_put_number(to, entries[i].key - *before);
		*before = entries[i].key;
	}
	slice_packer_commit(packer, (size_t)(to - start));
	return 0;
}

static int put_counts(struct slice_packer *packer, const struct sdb_entry *entries,
		      size_t nr_entries)
{
	int error;
	uint8_t *to = slice_packer_reserve(packer, nr_entries * SLICE_NUMBER_BYTES_MAX, &error);
	uint8_t *start = to;

	if (!to)
		return error;
	for (size_t i = 0; i < nr_entries; i++)
		to = slice_put_number(to, entries[i].nr_samples - 1);
	slice_packer_commit(packer, (size_t)(to - start));
	return 0;
}

static int put_weights(struct slice_packer *packer, const struct sdb_entry *entries,
		       size_t nr_entries)
{
	int error;
	uint8_t *to = slice_packer_reserve(packer, nr_entries * SLICE_NUMBER_BYTES_MAX, &error);
	uint8_t *start = to;

	if (!to)
		return error;
	for (size_t i = 0; i < nr_entries; i++)
		to = slice_put_number(to, entries[i].weight);
	slice_packer_commit(packer, (size_t)(to - start));
	return 0;
}

int slice_writer_add(struct slice_writer *writer, struct slice_section *section,
		     const struct sdb_entry *entries, size_t nr_entries)
{
	uint64_t before = 0;
	int error = 0;

	section_sum(section, entries, nr_entries);
	for (size_t i = 0; i < nr_entries && !error; i += NR_ENTRIES_AT_ONCE) {
		const size_t nr =
			nr_entries - i < NR_ENTRIES_AT_ONCE ? nr_entries - i : NR_ENTRIES_AT_ONCE;

		error = put_keys(&writer->keys, entries + i, nr, &before);
		if (!error)
			error = put_counts(&writer->counts, entries + i, nr);
		if (!error && section->flags & OPROF_SDB_WEIGHTED)
			error = put_weights(&writer->weights, entries + i, nr);
	}
	return error;
}

/* ---- frames ---- */

static int put_raw(struct slice_packer *packer, const uint8_t *bytes, size_t nr_bytes)
{
	int error = 0;

	for (size_t i = 0; i < nr_bytes && !error; i += NR_BYTES_AT_ONCE) {
		const size_t nr = nr_bytes - i < NR_BYTES_AT_ONCE ? nr_bytes - i : NR_BYTES_AT_ONCE;
		uint8_t *to = slice_packer_reserve(packer, nr, &error);

		if (to) {
			memcpy(to, bytes + i, nr);
			slice_packer_commit(packer, nr);
		}
	}
	return error;
}

static int put_stacks(struct slice_packer *packer, const struct stack_tree *tree)
{
	uint8_t *bytes;
	size_t nr_bytes;
	int error = stack_tree_encode(tree, &bytes, &nr_bytes);

	if (!error) {
		error = put_raw(packer, bytes, nr_bytes);
		free(bytes);
	}
	return error;
}

int slice_writer_stacks(struct slice_writer *writer, const struct stack_tree *tree)
{
	struct stack_tree folded;
	int error;

	if (!tree->nr_nodes)
		return 0;
	for (uint32_t i = 0; i < tree->nr_roots; i++)
		writer->nr_stack_samples =
			saturate_sum(writer->nr_stack_samples, tree->roots[i].nr_samples);
	if (tree->nr_nodes <= STACK_TREE_NODES_MAX)
		return put_stacks(&writer->stacks, tree);
	error = stack_tree_init(&folded);
	if (!error)
		error = stack_tree_merge(&folded, tree);
	if (!error)
		error = stack_tree_fold(&folded, STACK_TREE_NODES_MAX);
	if (!error)
		error = put_stacks(&writer->stacks, &folded);
	stack_tree_deinit(&folded);
	return error;
}

/* ---- the file ---- */

static int make_tables(struct slice_writer *writer, const struct slice_section *const *sections,
		       size_t nr_sections, const struct slice_info *info,
		       struct slice_packer *tables)
{
	struct slice_buffer raw = {0};
	int error = slice_tables_encode(sections, nr_sections, info, &raw);

	if (!error)
		error = put_raw(tables, raw.bytes, raw.nr_bytes);
	slice_buffer_deinit(&raw);
	if (!error)
		error = slice_packer_end(tables, &writer->small);
	if (!error)
		error = slice_packer_end(&writer->keys, &writer->small);
	if (!error)
		error = slice_packer_end(&writer->counts, &writer->small);
	if (!error)
		error = slice_packer_end(&writer->weights, &writer->small);
	return error ? error : slice_packer_end(&writer->stacks, &writer->small);
}

static void header_sum(struct oprof_slice_header *header,
		       const struct slice_section *const *sections, size_t nr_sections)
{
	header->nr_sections = nr_sections;
	for (size_t i = 0; i < nr_sections; i++) {
		const struct slice_section *section = sections[i];

		header->nr_keys += section->nr_keys;
		if (section->flags & OPROF_SDB_HOLED)
			header->flags |= OPROF_SLICE_HOLED;
		if (slice_section_is_idle(section)) {
			header->nr_idle = saturate_sum(header->nr_idle, section->nr_samples);
		} else {
			header->nr_samples = saturate_sum(header->nr_samples, section->nr_samples);
			header->weight = saturate_sum(header->weight, section->weight);
		}
	}
}

/*
 * Swaps the two times if they are reversed, which happens when a clock is set back. Readers would
 * refuse such a slice.
 */
static void put_in_order(int64_t *first, int64_t *last)
{
	const int64_t swapped = *first;

	if (*first <= *last)
		return;
	*first = *last;
	*last = swapped;
}

static void header_from_info(struct oprof_slice_header *header, const struct slice_info *info)
{
	memset(header, 0, sizeof(*header));
	memcpy(header->magic, OPROF_SLICE_MAGIC, sizeof(header->magic));
	header->version = OPROF_SLICE_VERSION;
	header->header_bytes = OPROF_SLICE_HEADER_BYTES;
	header->flags = info->flags & ~OPROF_SLICE_STACKS; /* write_all sets this flag */
	header->level = (uint32_t)info->level;
	header->epoch_first = info->epoch_first;
	header->epoch_last = info->epoch_last;
	header->begin_ns = info->begin_ns;
	header->end_ns = info->end_ns;
	put_in_order(&header->begin_ns, &header->end_ns);
	header->first_sample_ns = info->first_sample_ns;
	header->last_sample_ns = info->last_sample_ns;
	put_in_order(&header->first_sample_ns, &header->last_sample_ns);
	memcpy(header->boot_id, info->boot_id, sizeof(header->boot_id));
	header->clock = info->clock;
	header->cpu_khz = info->cpu_khz;
}

static int write_frame(struct slice_packer *packer, int fd, struct oprof_slice_frame *frame,
		       uint64_t *position)
{
	frame->offset = *position;
	frame->nr_bytes = packer->packed.nr_bytes;
	frame->nr_raw_bytes = packer->nr_raw_bytes;
	*position += frame->nr_bytes;
	return blocks_write(fd, packer->packed.bytes, packer->packed.nr_bytes, frame->offset);
}

static int write_all(struct slice_writer *writer, struct oprof_slice_header *header,
		     struct slice_packer *tables, int fd, uint64_t *nr_bytes)
{
	uint64_t position = OPROF_SLICE_HEADER_BYTES;
	int error = blocks_may_reach(
		position + tables->packed.nr_bytes + writer->keys.packed.nr_bytes +
		writer->counts.packed.nr_bytes + writer->weights.packed.nr_bytes +
		(writer->stacks.nr_raw_bytes ? writer->stacks.packed.nr_bytes : 0));

	if (!error)
		error = write_frame(tables, fd, &header->tables, &position);
	if (!error)
		error = write_frame(&writer->keys, fd, &header->keys, &position);
	if (!error)
		error = write_frame(&writer->counts, fd, &header->counts, &position);
	if (!error)
		error = write_frame(&writer->weights, fd, &header->weights, &position);
	if (!error && writer->stacks.nr_raw_bytes) {
		header->flags |= OPROF_SLICE_STACKS;
		header->nr_stack_samples = writer->nr_stack_samples;
		error = write_frame(&writer->stacks, fd, &header->stacks, &position);
	}
	if (error)
		return error;
	slice_header_swap(header);
	header->checksum = slice_header_checksum(header);
	header->checksum = htole64(header->checksum);
	error = blocks_write(fd, header, sizeof(*header), 0);
	if (!error)
		*nr_bytes = position;
	return error;
}

int slice_writer_finish(struct slice_writer *writer, const struct slice_section *const *sections,
			size_t nr_sections, const struct slice_info *info, int fd,
			uint64_t *nr_bytes)
{
	struct oprof_slice_header header;
	struct slice_packer tables = {0};
	int error;

	if (info->epoch_first > info->epoch_last || info->level >= OPROF_SLICE_NR_LEVELS ||
	    info->flags & ~OPROF_SLICE_FLAGS)
		return -EINVAL;
	header_from_info(&header, info);
	header_sum(&header, sections, nr_sections);
	error = make_tables(writer, sections, nr_sections, info, &tables);
	if (!error)
		error = write_all(writer, &header, &tables, fd, nr_bytes);
	slice_packer_deinit(&tables);
	return error;
}

void slice_writer_deinit(struct slice_writer *writer)
{
	slice_packer_deinit(&writer->keys);
	slice_packer_deinit(&writer->counts);
	slice_packer_deinit(&writer->weights);
	slice_packer_deinit(&writer->stacks);
	(void)ZSTD_freeCCtx(writer->small);
	writer->small = NULL;
}
