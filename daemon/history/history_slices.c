// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of slices in memory follows the folder: each change is first made in the folder, by one
 * rename or unlink, and then in the list. A kill between these two steps leaves a folder that the
 * next history_slices_list() can read. The folder may contain a file NAME.tmp, which is never
 * listed, or slices that are superseded by a merged slice. history_slices_list() removes both.
 */
#include "daemon/history/history_slices.h"

#include "daemon/filing/recount.h"
#include "lib/array.h"
#include "lib/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAMAGED_MAX    100
#define SYNC_EACH_MAX  64 /* with more slices, one sync of the file system is faster */
#define EXPIRED_FORMAT "expired.%" PRIu64 ".%" PRIu64 ".%" PRIu64 ".%" PRIu64 ".tmp"

char *history_slices_path(const struct history *history, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/" OPROF_SLICE_FOLDER "/%s", history->session->current_path, name) <
	    0)
		return NULL;
	return path;
}

/* ---- dropping ---- */

/*
 * A dropped slice is renamed before it is removed, and its new name contains the values of the
 * counters after the drop. After a kill at any point the samples are therefore counted as expired
 * exactly once.
 */
static void count_expired(struct history *history, const struct recount *totals)
{
	struct stats *stats = &history->session->stats;

	stats_set(stats, STATS_EXPIRED_IDLE, totals->idle);
	stats_set(stats, STATS_EXPIRED_WEIGHT, totals->weight);
	stats_set(stats, STATS_EXPIRED_STACKS, totals->stacks);
	stats_set(stats, STATS_EXPIRED, totals->stored);
}

static bool finish_expiry(struct history *history, const char *name)
{
	const uint64_t *values = history->session->stats.values;
	struct recount totals;
	char again[128];

	/* NOLINTNEXTLINE(cert-err34-c): the values are checked by formatting them again */
	if (sscanf(name, EXPIRED_FORMAT, &totals.stored, &totals.idle, &totals.weight,
		   &totals.stacks) != 4)
		return false;
	(void)snprintf(again, sizeof(again), EXPIRED_FORMAT, totals.stored, totals.idle,
		       totals.weight, totals.stacks);
	if (strcmp(again, name) != 0 || totals.stored < values[STATS_EXPIRED])
		return false;
	count_expired(history, &totals);
	return true;
}

static char *expired_path(const struct history *history, const struct history_file *file,
			  struct recount *totals)
{
	const uint64_t *values = history->session->stats.values;
	struct recount sums = {0};
	char name[128];

	/* The slice is damaged: use the counts of its header. */
	if (recount_slice(file->path, &sums))
		sums = (struct recount){.stored = file->nr_samples, .idle = file->nr_idle};
	totals->stored = values[STATS_EXPIRED] + sums.stored + sums.idle;
	totals->idle = values[STATS_EXPIRED_IDLE] + sums.idle;
	totals->weight = values[STATS_EXPIRED_WEIGHT] + sums.weight;
	totals->stacks = values[STATS_EXPIRED_STACKS] + sums.stacks;
	(void)snprintf(name, sizeof(name), EXPIRED_FORMAT, totals->stored, totals->idle,
		       totals->weight, totals->stacks);
	return history_slices_path(history, name);
}

static void forget(struct history *history, size_t i)
{
	struct history_files *files = &history->files;

	history->slice_bytes -= files->files[i].nr_bytes;
	free(files->files[i].path);
	files->nr_files--;
	memmove(&files->files[i], &files->files[i + 1],
		(files->nr_files - i) * sizeof(files->files[0]));
}

/*
 * Logs the error, unless the last drop had the same error. If the slice does not exist any more,
 * requests a new list.
 */
static void drop_failed(struct history *history, const struct history_file *file, int error)
{
	if (error == -ENOENT) {
		history->list_due = true;
		history->plan_ns = 0;
		return;
	}
	if (error != history->drop_error)
		log_error("cannot drop %s: %s", file->path, strerror(-error));
	history->drop_error = error;
}

bool history_slices_drop(struct history *history, size_t i)
{
	const struct history_file *file = &history->files.files[i];
	struct recount totals;
	char *path;

	path = expired_path(history, file, &totals);
	if (!path)
		return false;
	history_step(history);
	if (rename(file->path, path)) {
		drop_failed(history, file, -errno);
		free(path);
		return false;
	}
	history->drop_error = 0;
	history_step(history);
	count_expired(history, &totals);
	history_step(history);
	(void)unlink(path);
	free(path);
	forget(history, i);
	return true;
}

/* ---- listing ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t nr = strlen(text), nr_end = strlen(end);

	return nr >= nr_end && !strcmp(text + nr - nr_end, end);
}

/* Removes the files that killed processes left. No child process may be running. */
static void remove_leftovers(struct history *history)
{
	char *path = history_slices_path(history, "");
	DIR *folder = path ? opendir(path) : NULL;
	const struct dirent *entry;

	free(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (ends_with(entry->d_name, ".tmp")) {
			(void)finish_expiry(history, entry->d_name);
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
		}
	(void)closedir(folder);
}

void history_slices_set_aside(struct history *history, const char *path, const char *why)
{
	unsigned int nr = 1;
	char *aside = NULL;

	while (asprintf(&aside, nr > 1 ? "%s.damaged.%u" : "%s.damaged", path, nr) >= 0 &&
	       !access(aside, F_OK) && nr++ < DAMAGED_MAX) {
		free(aside);
		aside = NULL; /* prevents a second free() if the next asprintf() fails */
	}
	log_error("slice %s is damaged (%s)%s%s", path, why,
		  aside ? "; renaming it to " : "; it keeps its name", aside ? aside : "");
	if (aside && rename(path, aside))
		log_error("cannot rename %s: %s", path, strerror(errno));
	free(aside);
	history->damaged++;
}

static void found_damaged(const char *path, const struct diag *diag, void *context)
{
	/* Files with another suffix are not slices, or are set aside already. */
	if (ends_with(path, OPROF_SLICE_SUFFIX))
		history_slices_set_aside(context, path, diag_show(diag));
}

static void remove_superseded(struct history *history)
{
	struct history_files *files = &history->files;
	size_t nr = 0;

	for (size_t i = 0; i < files->nr_files; i++) {
		struct history_file *file = &files->files[i];

		if (!file->superseded) {
			history->slice_bytes += file->nr_bytes;
			files->files[nr++] = *file;
			continue;
		}
		history_step(history);
		(void)unlink(file->path);
		free(file->path);
	}
	files->nr_files = nr;
}

int history_slices_list(struct history *history)
{
	struct history_files files;
	uint64_t damaged = history->damaged;
	int error;

	remove_leftovers(history);
	error = history_files_list(&files, history->session->current_path, found_damaged, history);
	if (error)
		return error;
	history_files_deinit(&history->files);
	history->files = files;
	history->slice_bytes = 0;
	remove_superseded(history);
	return history->damaged != damaged;
}

int history_slices_append(struct history *history, const struct history_file *file)
{
	struct history_files *files = &history->files;

	if (array_reserve(&files->files, &files->room_files, files->nr_files, 1))
		return -ENOMEM;
	files->files[files->nr_files++] = *file;
	files->epoch_closed = file->epoch_last;
	history->slice_bytes += file->nr_bytes;
	return 0;
}

/* ---- on disk ---- */

static int sync_path(const struct history *history, const char *path, int flags,
		     int (*sync)(int fd))
{
	int fd = session_open_path(history->session, path, O_RDONLY | flags);
	int error = 0;

	if (fd < 0) /* the daemon may have dropped or merged the slice after it forked this child */
		return fd == -ENOENT ? 0 : fd;
	if (sync(fd))
		error = -errno;
	(void)close(fd);
	return error;
}

int history_slices_sync(const struct history *history)
{
	const struct history_files *files = &history->files;
	char *folder;
	size_t nr = 0;
	int first = 0;

	for (size_t i = 0; i < files->nr_files; i++)
		nr += files->files[i].epoch_last > history->epoch_synced;
	if (!nr)
		return 0;
	folder = history_slices_path(history, "");
	if (!folder)
		return -ENOMEM;
	if (nr > SYNC_EACH_MAX) {
		first = sync_path(history, folder, O_DIRECTORY, syncfs);
		free(folder);
		return first;
	}
	for (size_t i = 0; i < files->nr_files; i++) {
		int error = files->files[i].epoch_last > history->epoch_synced
				    ? sync_path(history, files->files[i].path, 0, fdatasync)
				    : 0;

		if (error && !first)
			first = error;
	}
	if (!first)
		first = sync_path(history, folder, O_DIRECTORY, fsync);
	free(folder);
	return first;
}
