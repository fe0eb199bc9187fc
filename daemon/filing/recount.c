// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/recount.h"

#include "libdb/slice/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "libdb/slice/slice.h"
#include "libdb/stacks/stack_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

struct recount_walk {
	uint64_t epoch_closed;
	struct recount sums;
};

/*
 * Returns whether the error means that the file has no readable samples: it has a bad format, is
 * truncated, is empty or was removed.
 */
static bool holds_nothing(int error)
{
	return error == -EINVAL || error == -EILSEQ || error == -EPROTONOSUPPORT || error == -EIO ||
	       error == -ENODATA || error == -ENOENT;
}

static bool is_clock(const char *event)
{
	return !strcmp(event, "cpu-clock") || !strcmp(event, "task-clock");
}

/*
 * Converts a weight to events. For a clock with a frequency, the unit of weights in files is one
 * sample: the kernel converts the frequency to a fixed period. (If samples are thinned, one stored
 * sample may have the weight of several samples.)
 */
static uint64_t weight_of(const char *event, uint32_t flags, uint64_t period_or_hz, uint64_t weight)
{
	if (flags & OPROF_SDB_FREQUENCY && period_or_hz &&
	    (!(flags & OPROF_SDB_WEIGHTED) || is_clock(event)))
		return weight * (NS_PER_S / period_or_hz);
	return weight;
}

static int count_file(const char *path, const struct sample_name *name, const struct diag *diag,
		      void *context)
{
	struct recount_walk *walk = context;
	struct sdb_image image;
	int error;

	(void)diag;
	if (!name) /* this is not a sample file, or it was renamed because it is damaged */
		return 0;
	error = sdb_image_load(path, &image, NULL);
	if (error)
		return holds_nothing(error) ? 0 : error;
	if (image.header.epoch && image.header.epoch <= walk->epoch_closed) {
		; /* the samples of this file are also in a slice */
	} else if (image.header.image_kind == OPROF_IMAGE_IDLE) {
		walk->sums.idle += image.nr_samples;
	} else {
		walk->sums.stored += image.nr_samples;
		walk->sums.weight += weight_of(image.event, image.header.flags,
					       image.header.period_or_hz, image.weight);
	}
	sdb_image_deinit(&image);
	return 0;
}

int recount_slice(const char *path, struct recount *sums)
{
	const struct slice_section *sections;
	struct slice *slice;
	size_t nr_sections;
	int error = slice_open(&slice, path, NULL);

	if (error)
		return error;
	sums->stacks += slice_header(slice)->nr_stack_samples;
	sections = slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections; i++) {
		const struct slice_section *section = &sections[i];

		if (section->image_kind == OPROF_IMAGE_IDLE) {
			sums->idle += section->nr_samples;
			continue;
		}
		sums->stored += section->nr_samples;
		sums->weight += weight_of(section->event, section->flags, section->period_or_hz,
					  section->weight);
	}
	slice_close(slice);
	return 0;
}

/* Ignores damaged files: they are reported elsewhere. */
static void pass_damaged(const char *path, const struct diag *diag, void *context)
{
	(void)path;
	(void)diag;
	(void)context;
}

static int count_slices(const char *session_path, struct recount_walk *walk)
{
	struct history_files files;
	int error = history_files_list(&files, session_path, pass_damaged, NULL);

	if (error)
		return error;
	for (size_t i = 0; i < files.nr_files && !error; i++) {
		if (files.files[i].superseded)
			continue;
		error = recount_slice(files.files[i].path, &walk->sums);
		if (holds_nothing(error))
			error = 0;
	}
	walk->epoch_closed = files.epoch_closed;
	history_files_deinit(&files);
	return error;
}

/* Counts the samples of the live stack file. */
static int count_live_stacks(const char *session_path, struct recount_walk *walk)
{
	struct stack_tree tree;
	uint64_t epoch;
	char *path;
	int error;

	if (asprintf(&path, "%s/" OPROF_STACK_FILE, session_path) < 0)
		return -ENOMEM;
	error = stack_file_load(path, &tree, &epoch, NULL);
	free(path);
	if (error)
		return holds_nothing(error) || error == -EISDIR ? 0 : error;
	for (uint32_t i = 0; epoch > walk->epoch_closed && i < tree.nr_nodes; i++)
		walk->sums.stacks += tree.nodes[i].nr_samples;
	stack_tree_deinit(&tree);
	return 0;
}

int recount_session(const char *session_path, struct recount *sums)
{
	struct recount_walk walk = {0};
	int error = count_slices(session_path, &walk);

	if (!error)
		error = sample_name_walk(session_path, count_file, &walk);
	if (!error)
		error = count_live_stacks(session_path, &walk);
	if (!error)
		*sums = walk.sums;
	return error;
}
