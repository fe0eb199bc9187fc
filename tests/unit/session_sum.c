// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/session_sum.h"

#include "libdb/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "libdb/slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct summing {
	struct session_sum *sum;
	uint64_t epoch_closed;
};

static void tell_damage(struct session_sum *sum, const char *path, const struct diag *diag)
{
	if (!sum->nr_damaged++)
		(void)snprintf(sum->first_damage, sizeof(sum->first_damage), "%s: %s", path,
			       diag ? diag->text : "a name that is none");
}

static void slice_damaged(const char *path, const struct diag *diag, void *context)
{
	tell_damage(context, path, diag);
}

static int sum_live(const char *path, const struct sample_name *name, const struct diag *why,
		    void *context)
{
	struct summing *summing = context;
	struct session_sum *sum = summing->sum;
	struct sdb_check_result checked;
	struct sdb_image image;
	struct diag diag;
	int error;

	if (strstr(path, ".damaged"))
		return 0;
	if (!name) {
		tell_damage(sum, path, why);
		return 0;
	}
	diag_clear(&diag);
	error = sdb_image_load(path, &image, &diag);
	if (error) {
		/* A kill before the first page was written: nothing is in it. */
		if (error != -ENODATA)
			tell_damage(sum, path, &diag);
		return 0;
	}
	if (!(image.header.flags & OPROF_SDB_EPOCHS) ||
	    image.header.epoch > summing->epoch_closed) {
		if (sdb_check(path, &checked, &diag))
			tell_damage(sum, path, &diag);
		sum->nr_live_files++;
		sum->live_samples += image.nr_samples;
		if (image.header.image_kind == OPROF_IMAGE_IDLE)
			sum->nr_idle += image.nr_samples;
		else
			sum->nr_samples += image.nr_samples;
	}
	sdb_image_deinit(&image);
	return 0;
}

static void sum_slice(struct session_sum *sum, const char *path)
{
	struct slice_check_result checked;
	struct diag diag;

	diag_clear(&diag);
	if (slice_check(path, &checked, &diag)) {
		tell_damage(sum, path, &diag);
		return;
	}
	sum->nr_slices++;
	sum->nr_samples += checked.nr_samples;
	sum->nr_idle += checked.nr_idle;
}

int session_sum(struct session_sum *sum, const char *session_path)
{
	struct summing summing = {.sum = sum};
	struct history_files history;
	int error;

	memset(sum, 0, sizeof(*sum));
	error = history_files_list(&history, session_path, slice_damaged, sum);
	if (error)
		return error;
	for (size_t i = 0; i < history.nr_files; i++)
		if (!history.files[i].superseded)
			sum_slice(sum, history.files[i].path);
	summing.epoch_closed = history.epoch_closed;
	history_files_deinit(&history);
	return sample_name_walk(session_path, sum_live, &summing);
}
