// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a slice: the tables when it is opened, then the keys section by section, one window at a
 * time.
 */
#include "lib/saturate.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/slice_tables.h"
#include "libdb/slice/slice_unpacker.h"
#include "libdb/slice/stack_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct slice {
	int fd;
	struct oprof_slice_header header;
	struct slice_tables tables;
	struct slice_info info;
	struct slice_unpacker keys, counts, weights;
	ZSTD_DCtx *small;
	size_t next; /* number of the next section */
	int error;   /* the first read error; all later reads return it */
	char name[];
};

/* ---- opening ---- */

static uint64_t sum_keys(const struct slice *slice)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < slice->tables.nr_sections; i++)
		nr = saturate_sum(nr, slice->tables.sections[i].nr_keys);
	return nr;
}

static int check_sums(const struct slice *slice, struct diag *diag)
{
	if (slice->tables.nr_sections == slice->header.nr_sections &&
	    sum_keys(slice) == slice->header.nr_keys)
		return 0;
	return diag_set_at(diag, -EILSEQ, slice->name, 0,
			   "damaged: its tables and its header have different numbers of keys");
}

static int frame_error(const struct slice *slice, int error, const char *name, struct diag *diag)
{
	return error == -EILSEQ ? diag_set_at(diag, error, slice->name, 0,
					      "damaged: its %s cannot be decompressed", name)
				: diag_set_at(diag, error, slice->name, 0, "%s", strerror(-error));
}

/* Decompresses a whole frame. *raw is valid until slice_unpacker_deinit. */
static int load_frame(struct slice *slice, const struct oprof_slice_frame *frame, const char *name,
		      struct slice_unpacker *unpacker, const uint8_t **raw, size_t *nr_raw,
		      struct diag *diag)
{
	int error;

	slice_unpacker_init(unpacker, frame);
	error = slice_unpacker_fill_all(unpacker, slice->fd, &slice->small);
	*raw = unpacker->next;
	*nr_raw = error ? 0 : (size_t)(unpacker->end - unpacker->next);
	unpacker->next = unpacker->end;
	if (!error)
		error = slice_unpacker_end(unpacker, slice->fd, &slice->small);
	return error ? frame_error(slice, error, name, diag) : 0;
}

static int load_tables(struct slice *slice, struct diag *diag)
{
	struct slice_unpacker unpacker;
	const uint8_t *raw;
	size_t nr_raw;
	int error =
		load_frame(slice, &slice->header.tables, "tables", &unpacker, &raw, &nr_raw, diag);

	if (!error)
		error = slice_tables_decode(raw, nr_raw, &slice->tables, slice->name, diag);
	slice_unpacker_deinit(&unpacker);
	return error ? error : check_sums(slice, diag);
}

static void info_fill(struct slice *slice)
{
	const struct oprof_slice_header *header = &slice->header;
	struct slice_info *info = &slice->info;

	info->level = (enum oprof_slice_level)header->level;
	info->epoch_first = header->epoch_first;
	info->epoch_last = header->epoch_last;
	info->begin_ns = header->begin_ns;
	info->end_ns = header->end_ns;
	info->first_sample_ns = header->first_sample_ns;
	info->last_sample_ns = header->last_sample_ns;
	memcpy(info->boot_id, header->boot_id, sizeof(info->boot_id));
	info->clock = header->clock;
	info->cpu_khz = header->cpu_khz;
	info->flags = header->flags;
	info->host = slice->tables.host;
	info->cpu_type = slice->tables.cpu_type;
	info->begin = slice->tables.begin;
	info->end = slice->tables.end;
	info->nr_counters = slice->tables.nr_counters;
}

static int slice_load(struct slice *slice, struct diag *diag)
{
	int error = slice_header_load(slice->fd, slice->name, &slice->header, diag);

	if (!error)
		error = load_tables(slice, diag);
	if (error)
		return error;
	info_fill(slice);
	slice_unpacker_init(&slice->keys, &slice->header.keys);
	slice_unpacker_init(&slice->counts, &slice->header.counts);
	slice_unpacker_init(&slice->weights, &slice->header.weights);
	return 0;
}

int slice_open_fd(struct slice **slice, int fd, const char *name, struct diag *diag)
{
	const size_t nr_bytes = strlen(name) + 1;
	struct slice *opened = calloc(1, sizeof(*opened) + nr_bytes);
	int error;

	if (!opened) {
		(void)close(fd);
		return diag_set_at(diag, -ENOMEM, name, 0, "%s", strerror(ENOMEM));
	}
	opened->fd = fd;
	memcpy(opened->name, name, nr_bytes);
	error = slice_load(opened, diag);
	if (error)
		slice_close(opened);
	else
		*slice = opened;
	return error;
}

int slice_open(struct slice **slice, const char *path, struct diag *diag)
{
	/* If path is a FIFO, O_NONBLOCK prevents waiting. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	return slice_open_fd(slice, fd, path, diag);
}

void slice_close(struct slice *slice)
{
	if (!slice)
		return;
	slice_unpacker_deinit(&slice->keys);
	slice_unpacker_deinit(&slice->counts);
	slice_unpacker_deinit(&slice->weights);
	(void)ZSTD_freeDCtx(slice->small);
	slice_tables_deinit(&slice->tables);
	(void)close(slice->fd);
	free(slice);
}

const struct oprof_slice_header *slice_header(const struct slice *slice)
{
	return &slice->header;
}

const struct slice_info *slice_info(const struct slice *slice)
{
	return &slice->info;
}

int slice_fd(const struct slice *slice)
{
	return slice->fd;
}

const struct slice_section *slice_sections(const struct slice *slice, size_t *nr_sections)
{
	*nr_sections = slice->tables.nr_sections;
	return slice->tables.sections;
}

/* ---- sections ---- */

/*
 * Reads the keys of a section, which are stored as distances. Only the first distance may be 0.
 * Returns 0, -EILSEQ, ...
 */
static int read_keys(struct slice *slice, struct sdb_entry *entries, uint64_t nr_keys)
{
	uint64_t key = 0, distance;
	int error = 0;

	for (uint64_t i = 0; i < nr_keys && !error; i++) {
		error = slice_unpacker_need(&slice->keys, slice->fd, &slice->small);
		if (!error)
			error = slice_get_number(&slice->keys.next, slice->keys.end, &distance);
		if (!error && (__builtin_add_overflow(key, distance, &key) || (i && !distance)))
			error = -EILSEQ;
		if (!error)
			entries[i].key = key;
	}
	return error;
}

static int read_counts(struct slice *slice, const struct slice_section *section,
		       struct sdb_entry *entries)
{
	uint64_t nr_samples = 0, count;
	int error = 0;

	for (uint64_t i = 0; i < section->nr_keys && !error; i++) {
		error = slice_unpacker_need(&slice->counts, slice->fd, &slice->small);
		if (!error)
			error = slice_get_number(&slice->counts.next, slice->counts.end, &count);
		if (!error && count == UINT64_MAX)
			error = -EILSEQ;
		if (error)
			break;
		entries[i].nr_samples = count + 1;
		entries[i].weight = slice_plain_weight(section, count + 1);
		nr_samples = saturate_sum(nr_samples, count + 1);
	}
	return !error && nr_samples != section->nr_samples ? -EILSEQ : error;
}

static int read_weights(struct slice *slice, const struct slice_section *section,
			struct sdb_entry *entries)
{
	uint64_t weight = 0;
	int error = 0;

	for (uint64_t i = 0; i < section->nr_keys && !error; i++) {
		error = slice_unpacker_need(&slice->weights, slice->fd, &slice->small);
		if (!error)
			error = slice_get_number(&slice->weights.next, slice->weights.end,
						 &entries[i].weight);
		if (!error)
			weight = saturate_sum(weight, entries[i].weight);
	}
	return !error && weight != section->weight ? -EILSEQ : error;
}

/* Skips numbers. In the last byte of each number, and only there, the highest bit is 0. */
static int skip_numbers(struct slice *slice, struct slice_unpacker *unpacker, uint64_t nr_numbers)
{
	int error = 0;

	while (nr_numbers && !error) {
		if (unpacker->next == unpacker->end) {
			if (!unpacker->nr_raw_left)
				return -EILSEQ;
			error = slice_unpacker_fill(unpacker, slice->fd, &slice->small);
		}
		for (; unpacker->next < unpacker->end && nr_numbers && !error; unpacker->next++)
			nr_numbers -= *unpacker->next < 0x80;
	}
	return error;
}

static int check_ends(struct slice *slice)
{
	int error = slice_unpacker_end(&slice->keys, slice->fd, &slice->small);

	if (!error)
		error = slice_unpacker_end(&slice->counts, slice->fd, &slice->small);
	return error ? error : slice_unpacker_end(&slice->weights, slice->fd, &slice->small);
}

/* Moves to the next section. `error` is the result of reading the present section. */
static int section_end(struct slice *slice, int error, struct diag *diag)
{
	if (!error && slice->next + 1 == slice->tables.nr_sections)
		error = check_ends(slice);
	if (error == -EILSEQ)
		error = diag_set_at(diag, error, slice->name, 0,
				    "damaged: section %zu of %zu differs from the slice's tables",
				    slice->next, slice->tables.nr_sections);
	else if (error)
		error = diag_set_at(diag, error, slice->name, 0, "%s", strerror(-error));
	slice->error = error;
	slice->next++;
	/* Free memory as early as possible, since a merge has many slices open. */
	if (!slice->keys.nr_raw_left && !slice->counts.nr_raw_left && !slice->weights.nr_raw_left) {
		(void)ZSTD_freeDCtx(slice->small);
		slice->small = NULL;
	}
	return error;
}

static int section_begin(const struct slice *slice, struct diag *diag)
{
	if (slice->error)
		return diag_set_at(diag, slice->error, slice->name, 0, "damaged");
	return slice->next < slice->tables.nr_sections
		       ? 0
		       : diag_set_at(diag, -ENODATA, slice->name, 0, "no more sections");
}

int slice_read_section(struct slice *slice, struct sdb_entry *entries, struct diag *diag)
{
	const struct slice_section *section = &slice->tables.sections[slice->next];
	int error = section_begin(slice, diag);

	if (error)
		return error;
	error = read_keys(slice, entries, section->nr_keys);
	if (!error)
		error = read_counts(slice, section, entries);
	if (!error && section->flags & OPROF_SDB_WEIGHTED)
		error = read_weights(slice, section, entries);
	return section_end(slice, error, diag);
}

int slice_skip_section(struct slice *slice, struct diag *diag)
{
	const struct slice_section *section = &slice->tables.sections[slice->next];
	int error = section_begin(slice, diag);

	if (error)
		return error;
	error = skip_numbers(slice, &slice->keys, section->nr_keys);
	if (!error)
		error = skip_numbers(slice, &slice->counts, section->nr_keys);
	if (!error && section->flags & OPROF_SDB_WEIGHTED)
		error = skip_numbers(slice, &slice->weights, section->nr_keys);
	return section_end(slice, error, diag);
}

/* ---- call trees ---- */

static int decode_stacks(struct slice *slice, const uint8_t *raw, size_t nr_raw,
			 struct stack_tree *tree, struct diag *diag)
{
	struct diag found;
	int error = stack_tree_decode(tree, slice->header.version, raw, nr_raw, &found);

	return error ? diag_set_at(diag, error, slice->name, 0, "%s", found.text) : 0;
}

int slice_read_stacks(struct slice *slice, struct stack_tree *tree, struct diag *diag)
{
	struct slice_unpacker unpacker;
	const uint8_t *raw;
	size_t nr_raw;
	int error;

	if (!(slice->header.flags & OPROF_SLICE_STACKS))
		return stack_tree_init(tree)
			       ? diag_set_at(diag, -ENOMEM, slice->name, 0, "%s", strerror(ENOMEM))
			       : 0;
	error = load_frame(slice, &slice->header.stacks, "stacks", &unpacker, &raw, &nr_raw, diag);
	if (!error)
		error = decode_stacks(slice, raw, nr_raw, tree, diag);
	slice_unpacker_deinit(&unpacker);
	return error;
}
