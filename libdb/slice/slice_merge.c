// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges slices. The sections of all inputs are in the same order, so the inputs are read in
 * parallel. Only the compressed output and the equal sections that are being merged are in memory.
 */
#include "lib/saturate.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/slice_writer.h"
#include "libdb/slice/stack_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct input {
	struct slice *slice;
	const struct slice_section *next, *end;
};

/* A list of entries with ascending keys. */
struct entry_list {
	struct sdb_entry *entries;
	size_t nr_entries;
};

struct merge {
	struct input *inputs;
	size_t nr_inputs;
	struct entry_list *lists; /* has room for one list per input */
	size_t nr_lists;
	struct slice_section *sections; /* written so far */
	const struct slice_section **plain;
	size_t nr_sections, room;
	struct oprof_stats_entry *begin, *end;
	size_t nr_counters;
	struct slice_writer writer;
};

/* ---- properties of the sum ---- */

/*
 * Merges the counters of one more slice. The begin value of a counter is taken from the first
 * slice that has this counter, since newer versions may have more counters.
 */
static void merge_counters(struct merge *merge, const struct slice_info *info)
{
	for (size_t i = 0; i < info->nr_counters; i++) {
		size_t at = 0;

		while (at < merge->nr_counters &&
		       memcmp(merge->begin[at].name, info->begin[i].name, OPROF_STATS_NAME_BYTES))
			at++;
		if (at == merge->nr_counters)
			merge->begin[merge->nr_counters++] = info->begin[i];
		merge->end[at] = info->end[i];
	}
}

static int merge_all_counters(struct merge *merge)
{
	size_t nr = 0;

	for (size_t i = 0; i < merge->nr_inputs; i++)
		nr += slice_info(merge->inputs[i].slice)->nr_counters;
	merge->begin = calloc(nr ? nr : 1, sizeof(*merge->begin));
	merge->end = calloc(nr ? nr : 1, sizeof(*merge->end));
	if (!merge->begin || !merge->end)
		return -ENOMEM;
	for (size_t i = 0; i < merge->nr_inputs; i++)
		merge_counters(merge, slice_info(merge->inputs[i].slice));
	return 0;
}

static void widen(struct slice_info *info, const struct slice_info *more)
{
	if (more->begin_ns < info->begin_ns)
		info->begin_ns = more->begin_ns;
	if (more->end_ns > info->end_ns)
		info->end_ns = more->end_ns;
	if (more->first_sample_ns &&
	    (!info->first_sample_ns || more->first_sample_ns < info->first_sample_ns))
		info->first_sample_ns = more->first_sample_ns;
	if (more->last_sample_ns &&
	    (!info->last_sample_ns || more->last_sample_ns > info->last_sample_ns))
		info->last_sample_ns = more->last_sample_ns;
	if (memcmp(info->boot_id, more->boot_id, sizeof(info->boot_id)) != 0)
		memset(info->boot_id, 0, sizeof(info->boot_id));
	info->epoch_last = more->epoch_last;
	info->flags |= more->flags;
	info->host = more->host;
	info->cpu_type = more->cpu_type;
	info->clock = more->clock;
	info->cpu_khz = more->cpu_khz;
}

static int merge_info(struct merge *merge, enum oprof_slice_level level, struct slice_info *info)
{
	int error = merge_all_counters(merge);

	if (error)
		return error;
	*info = *slice_info(merge->inputs[0].slice);
	for (size_t i = 1; i < merge->nr_inputs; i++)
		widen(info, slice_info(merge->inputs[i].slice));
	info->level = level;
	info->begin = merge->begin;
	info->end = merge->end;
	info->nr_counters = merge->nr_counters;
	return 0;
}

/* ---- entries ---- */

static size_t sum_lists(const struct entry_list *a, const struct entry_list *b,
			struct sdb_entry *to)
{
	size_t i = 0, j = 0, nr = 0;

	while (i < a->nr_entries && j < b->nr_entries) {
		const struct sdb_entry *left = &a->entries[i], *right = &b->entries[j];

		to[nr] = left->key <= right->key ? *left : *right;
		if (left->key == right->key) {
			to[nr].nr_samples = saturate_sum(left->nr_samples, right->nr_samples);
			to[nr].weight = saturate_sum(left->weight, right->weight);
		}
		i += left->key <= right->key;
		j += right->key <= left->key;
		nr++;
	}
	for (; i < a->nr_entries; i++)
		to[nr++] = a->entries[i];
	for (; j < b->nr_entries; j++)
		to[nr++] = b->entries[j];
	return nr;
}

/* Merges two lists. The result is in *a. */
static int merge_pair(struct entry_list *a, struct entry_list *b)
{
	struct entry_list sum = {
		.entries = malloc((a->nr_entries + b->nr_entries) * sizeof(*sum.entries))};

	if (!sum.entries)
		return -ENOMEM;
	sum.nr_entries = sum_lists(a, b, sum.entries);
	free(a->entries);
	free(b->entries);
	*a = sum;
	*b = (struct entry_list){0};
	return 0;
}

/* Merges pairs of lists until one list is left. Each entry is copied about log2(nr_lists) times. */
static int merge_lists(struct merge *merge)
{
	int error = 0;

	while (merge->nr_lists > 1 && !error) {
		const size_t nr = merge->nr_lists;

		for (size_t i = 0; i + 1 < nr && !error; i += 2) {
			error = merge_pair(&merge->lists[i], &merge->lists[i + 1]);
			if (!error && i) {
				merge->lists[i / 2] = merge->lists[i];
				merge->lists[i] = (struct entry_list){0};
			}
		}
		if (!error && nr % 2) {
			merge->lists[nr / 2] = merge->lists[nr - 1];
			merge->lists[nr - 1] = (struct entry_list){0};
		}
		if (!error)
			merge->nr_lists = (nr + 1) / 2;
	}
	return error;
}

static void lists_free(struct merge *merge)
{
	for (size_t i = 0; i < merge->nr_inputs; i++) {
		free(merge->lists[i].entries);
		merge->lists[i] = (struct entry_list){0};
	}
	merge->nr_lists = 0;
}

/* ---- sections ---- */

/*
 * Returns the section to merge next: the lowest of the inputs' next sections; NULL: there are no
 * more.
 */
static const struct slice_section *next_section(const struct merge *merge)
{
	const struct slice_section *first = NULL;

	for (size_t i = 0; i < merge->nr_inputs; i++) {
		const struct input *input = &merge->inputs[i];

		if (input->next < input->end &&
		    (!first || slice_section_compare(input->next, first) < 0))
			first = input->next;
	}
	return first;
}

static int list_read(struct merge *merge, struct input *input, struct slice_section *sum,
		     struct diag *diag)
{
	struct entry_list *list = &merge->lists[merge->nr_lists++];
	int error;

	list->nr_entries = (size_t)input->next->nr_keys;
	list->entries = malloc(list->nr_entries * sizeof(*list->entries));
	if (!list->entries)
		return diag_set(diag, -ENOMEM, "%s", strerror(ENOMEM));
	error = slice_read_section(input->slice, list->entries, diag);
	sum->flags |= input->next->flags & OPROF_SDB_HOLED;
	input->next++;
	return error;
}

/*
 * Merges the section `first` with the equal sections of the other inputs (slice_section_compare).
 */
static int merge_section(struct merge *merge, const struct slice_section *first, struct diag *diag)
{
	const struct slice_section what = *first; /* a copy, since *first advances */
	struct slice_section *sum = &merge->sections[merge->nr_sections];
	int error = 0;

	*sum = what;
	for (size_t i = 0; i < merge->nr_inputs && !error; i++) {
		struct input *input = &merge->inputs[i];

		if (input->next < input->end && slice_section_compare(input->next, &what) == 0)
			error = list_read(merge, input, sum, diag);
	}
	if (error)
		return error;
	error = merge_lists(merge);
	if (!error)
		error = slice_writer_add(&merge->writer, sum, merge->lists[0].entries,
					 merge->lists[0].nr_entries);
	lists_free(merge);
	merge->plain[merge->nr_sections++] = sum;
	return error ? diag_set(diag, error, "%s", strerror(-error)) : 0;
}

/* Makes room for the sections of all inputs, since the merged slice cannot have more. */
static int sections_make_room(struct merge *merge)
{
	size_t nr = 0;

	for (size_t i = 0; i < merge->nr_inputs; i++)
		nr += (size_t)(merge->inputs[i].end - merge->inputs[i].next);
	merge->sections = calloc(nr ? nr : 1, sizeof(*merge->sections));
	merge->plain = calloc(nr ? nr : 1, sizeof(struct slice_section *));
	return merge->sections && merge->plain ? 0 : -ENOMEM;
}

static int merge_sections(struct merge *merge, struct diag *diag)
{
	const struct slice_section *first;
	int error = sections_make_room(merge);

	if (error)
		return diag_set(diag, error, "%s", strerror(-error));
	while (!error && (first = next_section(merge)))
		error = merge_section(merge, first, diag);
	return error;
}

/* ---- call trees ---- */

/* Merges the call trees of one input. Memory holds at most 3 * STACK_TREE_NODES_MAX nodes. */
static int merge_stacks_of(struct stack_tree *sum, struct slice *slice, struct diag *diag)
{
	struct stack_tree tree;
	int error = slice_read_stacks(slice, &tree, diag);

	if (error)
		return error;
	error = stack_tree_merge(sum, &tree);
	stack_tree_deinit(&tree);
	if (!error)
		error = stack_tree_fold(sum, STACK_TREE_NODES_MAX);
	return error ? diag_set(diag, error, "%s", strerror(-error)) : 0;
}

static int merge_stacks(struct merge *merge, struct diag *diag)
{
	struct stack_tree sum;
	int error = stack_tree_init(&sum);

	if (error)
		return diag_set(diag, error, "%s", strerror(-error));
	for (size_t i = 0; i < merge->nr_inputs && !error; i++)
		error = merge_stacks_of(&sum, merge->inputs[i].slice, diag);
	if (!error) {
		error = slice_writer_stacks(&merge->writer, &sum);
		if (error)
			error = diag_set(diag, error, "%s", strerror(-error));
	}
	stack_tree_deinit(&sum);
	return error;
}

/* ---- entry points ---- */

static int inputs_open(struct merge *merge, const char *const *paths, struct diag *diag)
{
	const struct slice_info *before = NULL;
	size_t nr_sections;
	int error;

	for (size_t i = 0; i < merge->nr_inputs; i++) {
		struct input *input = &merge->inputs[i];
		const struct slice_info *info;

		error = slice_open(&input->slice, paths[i], diag);
		if (error)
			return error;
		info = slice_info(input->slice);
		if (before && info->epoch_first <= before->epoch_last)
			return diag_set_at(diag, -EINVAL, paths[i], 0,
					   "its epochs do not follow the previous slice's epochs");
		before = info;
		input->next = slice_sections(input->slice, &nr_sections);
		input->end = input->next + nr_sections;
	}
	return 0;
}

static int merge_write(struct merge *merge, enum oprof_slice_level level, int fd,
		       uint64_t *nr_bytes, struct diag *diag)
{
	struct slice_info info;
	int error = merge_info(merge, level, &info);

	if (!error)
		error = slice_writer_finish(&merge->writer, merge->plain, merge->nr_sections, &info,
					    fd, nr_bytes);
	return error ? diag_set(diag, error, "cannot write the merged slice: %s", strerror(-error))
		     : 0;
}

static void merge_deinit(struct merge *merge)
{
	if (merge->lists)
		lists_free(merge);
	for (size_t i = 0; merge->inputs && i < merge->nr_inputs; i++)
		slice_close(merge->inputs[i].slice);
	slice_writer_deinit(&merge->writer);
	free(merge->inputs);
	free(merge->lists);
	free(merge->sections);
	free(merge->plain);
	free(merge->begin);
	free(merge->end);
}

int slice_merge(const char *const *paths, size_t nr_paths, enum oprof_slice_level level, int fd,
		uint64_t *nr_bytes, struct diag *diag)
{
	struct merge merge = {.nr_inputs = nr_paths};
	int error;

	if (!nr_paths)
		return diag_set(diag, -EINVAL, "no slices to sum");
	merge.inputs = calloc(nr_paths, sizeof(*merge.inputs));
	merge.lists = calloc(nr_paths, sizeof(*merge.lists));
	if (merge.inputs && merge.lists)
		error = inputs_open(&merge, paths, diag);
	else
		error = diag_set(diag, -ENOMEM, "%s", strerror(ENOMEM));
	if (!error)
		error = merge_sections(&merge, diag);
	if (!error)
		error = merge_stacks(&merge, diag);
	if (!error)
		error = merge_write(&merge, level, fd, nr_bytes, diag);
	merge_deinit(&merge);
	return error;
}
