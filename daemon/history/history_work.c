// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_work.h"

#include "daemon/history/history_counts.h"
#include "daemon/history/history_du.h"
#include "daemon/history/history_levels.h"
#include "daemon/history/history_slices.h"
#include "lib/log.h"
#include "libdb/slice/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGAIN_NS (600 * NS_PER_SECOND) /* pause after a failure */

struct merge_work {
	const struct history *history;
	struct history_group group;
};

/* ---- in the child ---- */

static int sync_and_publish(const struct history *history, int fd, const char *tmp,
			    const char *path)
{
	char *folder;
	int error = 0;
	int folder_fd;

	if (fsync(fd))
		return -errno;
	history_step(history);
	if (rename(tmp, path))
		return -errno;
	history_step(history);
	folder = history_slices_path(history, "");
	folder_fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (folder_fd < 0 || fsync(folder_fd))
		error = -errno;
	if (folder_fd >= 0)
		(void)close(folder_fd);
	free(folder);
	return error;
}

static int merge_to(const struct merge_work *work, const char *const *paths, const char *tmp,
		    const char *path, struct diag *diag)
{
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	uint64_t nr_bytes;
	int error;

	if (fd < 0)
		return diag_set(diag, -errno, "cannot make %s: %s", tmp, strerror(errno));
	history_step(work->history);
	error = slice_merge(paths, work->group.nr, work->group.into, fd, &nr_bytes, diag);
	history_step(work->history);
	if (!error) {
		error = sync_and_publish(work->history, fd, tmp, path);
		if (error)
			(void)diag_set(diag, error, "cannot write %s to disk: %s", path,
				       strerror(-error));
	}
	(void)close(fd);
	if (error)
		(void)unlink(tmp);
	return error;
}

/* Returns the first epoch of the first slice that is damaged; 0 if none is. */
static uint64_t find_damaged(const struct history_file *files, size_t nr)
{
	struct slice_check_result result;

	for (size_t i = 0; i < nr; i++) {
		int error = slice_check(files[i].path, &result, NULL);

		if (error == -EILSEQ || error == -EINVAL)
			return files[i].epoch_first;
	}
	return 0;
}

static int merge(void *context, struct history_job_result *result)
{
	const struct merge_work *work = context;
	const struct history *history = work->history;
	const struct history_file *files = &history->files.files[work->group.first];
	const char *paths[HISTORY_GROUP_MAX];
	char *path = NULL, *tmp = NULL;
	struct diag diag;
	char name[128];
	int error = -ENOMEM;

	result->du_bytes = history_du(history->session->current_path);
	for (size_t i = 0; i < work->group.nr; i++)
		paths[i] = files[i].path;
	history_file_name(name, sizeof(name), work->group.into, files[0].epoch_first,
			  files[work->group.nr - 1].epoch_last);
	diag_clear(&diag);
	path = history_slices_path(history, name);
	if (path && asprintf(&tmp, "%s.tmp", path) >= 0)
		error = merge_to(work, paths, tmp, path, &diag);
	if (error == -EILSEQ || error == -EINVAL)
		result->damaged = find_damaged(files, work->group.nr);
	(void)snprintf(result->text, sizeof(result->text), "%s", diag_show(&diag));
	free(tmp);
	free(path);
	return error;
}

static int sync_slices(void *context, struct history_job_result *result)
{
	const struct history *history = context;
	int error, synced;

	result->du_bytes = history_du(history->session->current_path);
	/*
	 * Sync the names first: a slice refers by number to the names of functions whose code is in
	 * no file.
	 */
	error = name_table_sync(&history->session->names);
	synced = history_slices_sync(history);
	return error ? error : synced;
}

/* ---- in the daemon ---- */

static int begin_job(struct history *history, history_job_work *work, void *context)
{
	history->job_measured = history->slice_bytes + sample_cache_live_bytes(history->cache) +
				history_stack_bytes(history);
	/*
	 * If dead files are removed while du counts, its result cannot be compared with
	 * job_measured.
	 */
	if (sample_cache_dead(history->cache)->files.nr_nodes)
		history->job_measured = 0;
	return history_job_begin(&history->job, history->session->lock_fd, work, context);
}

bool history_work_find_group(const struct history *history, struct history_group *group)
{
	const struct stretch *stretch = &history->stretch;

	return stretch->last.monotonic_ns >= history->merge_ns &&
	       stretch_is_settled(stretch, HISTORY_SETTLED_NS) &&
	       history_levels_due(&history->files, stretch->last.realtime_ns,
				  stretch_settled_ns(stretch), group);
}

uint64_t history_work_group_bytes(const struct history *history, const struct history_group *group)
{
	uint64_t nr_bytes = 0;

	for (size_t i = 0; i < group->nr; i++)
		nr_bytes += history->files.files[group->first + i].nr_bytes;
	return nr_bytes;
}

bool history_work_merge(struct history *history, const struct history_group *group)
{
	struct merge_work work = {.history = history, .group = *group};
	const struct history_file *files = &history->files.files[group->first];

	if (begin_job(history, merge, &work))
		return false;
	history->job_first = files[0].epoch_first;
	history->job_last = files[group->nr - 1].epoch_last;
	history->reserved_bytes = history_work_group_bytes(history, group);
	return true;
}

bool history_work_sync(struct history *history)
{
	uint64_t now_ns = history->stretch.last.monotonic_ns;

	if (now_ns < history->sync_ns || history->epoch_synced >= history->files.epoch_closed)
		return false;
	history->sync_ns = now_ns + HISTORY_SYNC_NS;
	history->job_synced = history->files.epoch_closed;
	return !begin_job(history, sync_slices, history);
}

void history_work_list_again(struct history *history)
{
	int error = history_slices_list(history);

	history->list_due = error < 0;
	if (error >= 0)
		history_counts_absent(history);
}

/* A damaged slice contains no usable samples and would make each merge fail. */
static void set_aside_damaged(struct history *history, uint64_t epoch)
{
	const struct history_files *files = &history->files;

	for (size_t i = 0; i < files->nr_files; i++)
		if (files->files[i].epoch_first == epoch) {
			history_slices_set_aside(history, files->files[i].path,
						 "its samples cannot be read");
			history_work_list_again(history);
			return;
		}
}

/* Call when no merge runs: cancels the reservation of disk space for a merge. */
static void forget_merge(struct history *history)
{
	history->job_first = history->job_last = 0;
	history->reserved_bytes = 0;
}

static void merge_ended(struct history *history, const struct history_job_result *result)
{
	forget_merge(history);
	history_work_list_again(history);
	if (!result->error) {
		history->plan_ns = 0; /* more merges may be due */
		return;
	}
	history->merge_errors++;
	history->merge_ns = history->stretch.last.monotonic_ns + AGAIN_NS;
	log_error("cannot merge slices: %s",
		  result->text[0] ? result->text : strerror(-result->error));
	if (result->damaged)
		set_aside_damaged(history, result->damaged);
}

static void sync_ended(struct history *history, int error)
{
	history->plan_ns = 0; /* merges may be due: they have waited for the sync */
	if (error)
		log_error("cannot write slices to disk: %s", strerror(-error));
	else if (history->epoch_synced < history->job_synced)
		history->epoch_synced = history->job_synced;
}

void history_work_ended(struct history *history, const struct history_job_result *result)
{
	if (history->job_first)
		merge_ended(history, result);
	else
		sync_ended(history, result->error);
}

void history_work_end_merge_of(struct history *history, uint64_t epoch)
{
	if (!history->job_first || epoch < history->job_first || epoch > history->job_last)
		return;
	(void)history_job_kill(&history->job);
	forget_merge(history);
	history_work_list_again(history);
}

void history_work_kill(struct history *history)
{
	if (history_job_kill(&history->job) && history->job_first)
		(void)history_slices_list(history);
	forget_merge(history);
}
