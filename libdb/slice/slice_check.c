// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verifies a slice. The reader already refuses data that breaks an invariant of doc/slice.md. The
 * check reads the whole slice, and then compares the sums of all its sections with the sums in the
 * header.
 */
#include "lib/saturate.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_section(const struct slice_section *section, struct slice *slice,
		       struct slice_check_result *result, const char *path, struct diag *diag)
{
	struct sdb_entry *entries = malloc((size_t)section->nr_keys * sizeof(*entries));
	int error;

	if (!entries)
		return diag_set_at(diag, -ENOMEM, path, 0, "%s", strerror(ENOMEM));
	error = slice_read_section(slice, entries, diag);
	free(entries);
	result->nr_sections++;
	result->nr_keys += section->nr_keys;
	if (slice_section_is_idle(section)) {
		result->nr_idle = saturate_sum(result->nr_idle, section->nr_samples);
	} else {
		result->nr_samples = saturate_sum(result->nr_samples, section->nr_samples);
		result->weight = saturate_sum(result->weight, section->weight);
	}
	return error;
}

static int add_stacks(struct slice *slice, struct slice_check_result *result, const char *path,
		      struct diag *diag)
{
	struct stack_tree tree;
	int error = slice_read_stacks(slice, &tree, diag);

	if (error)
		return error;
	result->nr_stack_nodes = tree.nr_nodes;
	for (uint32_t i = 0; i < tree.nr_roots; i++)
		result->nr_stack_samples =
			saturate_sum(result->nr_stack_samples, tree.roots[i].nr_samples);
	stack_tree_deinit(&tree);
	if (result->nr_stack_samples == slice_header(slice)->nr_stack_samples)
		return 0;
	return diag_set_at(diag, -EILSEQ, path, 0,
			   "damaged: its call trees and its header have different sums of samples");
}

static int compare_sums(const struct oprof_slice_header *header,
			const struct slice_check_result *result, const char *path,
			struct diag *diag)
{
	const char *what = NULL;

	if (header->nr_samples != result->nr_samples)
		what = "samples";
	else if (header->nr_idle != result->nr_idle)
		what = "idle samples";
	else if (header->weight != result->weight)
		what = "weight";
	return what ? diag_set_at(diag, -EILSEQ, path, 0,
				  "damaged: its sections and its header have different sums of %s",
				  what)
		    : 0;
}

int slice_check(const char *path, struct slice_check_result *result, struct diag *diag)
{
	struct slice_check_result found = {0};
	const struct slice_section *sections;
	struct slice *slice;
	size_t nr_sections;
	int error = slice_open(&slice, path, diag);

	if (error)
		return error;
	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections && !error; i++)
		error = add_section(&sections[i], slice, &found, path, diag);
	if (!error)
		error = compare_sums(slice_header(slice), &found, path, diag);
	if (!error)
		error = add_stacks(slice, &found, path, diag);
	if (!error) {
		const struct oprof_slice_header *header = slice_header(slice);

		found.nr_bytes =
			header->weights.offset + header->weights.nr_bytes + header->stacks.nr_bytes;
		*result = found;
	}
	slice_close(slice);
	return error;
}
