// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_epoch.h"

#include "daemon/history/history_budget.h"
#include "daemon/history/history_counts.h"
#include "daemon/history/history_du.h"
#include "daemon/history/history_slices.h"
#include "daemon/history/leftover.h"
#include "daemon/history/live_slice.h"
#include "lib/log.h"
#include "libdb/slice/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MINUTE_NS   INT64_C(60000000000)
#define SHORTEST_NS INT64_C(30000000000) /* a shorter epoch continues through the next minute */
#define EARLY_NS    INT64_C(1000000000)
#define PARKED_MAX  16384 /* limit of closed files of an epoch; they take some MB of memory */

/* ---- due times ---- */

static bool other_minute(int64_t a_ns, int64_t b_ns)
{
	return a_ns / MINUTE_NS != b_ns / MINUTE_NS;
}

bool history_epoch_is_due(const struct history *history)
{
	const struct stretch *stretch = &history->stretch;

	if (stretch->last.monotonic_ns < history->retry_ns)
		return false;
	if (!stretch->sampling)
		return other_minute(stretch->last.realtime_ns, stretch->end_ns) &&
		       !history_counts_unchanged(history);
	return (other_minute(stretch->begin_ns, stretch->end_ns) &&
		stretch->end_ns - stretch->begin_ns >= SHORTEST_NS) ||
	       sample_cache_nr_parked(history->cache) > PARKED_MAX;
}

bool history_epoch_may_end(const struct history *history)
{
	const struct stretch *stretch = &history->stretch;

	return stretch->last.monotonic_ns >= history->retry_ns &&
	       !history_counts_unchanged(history) &&
	       stretch->end_ns - stretch->begin_ns >= EARLY_NS;
}

/* ---- closing ---- */

struct slice_gathering {
	struct history *history;
	struct live_slice *live;
};

static int gather_file(const char *path, void *context)
{
	const struct slice_gathering *gathering = context;
	const struct history *history = gathering->history;
	const char *folder = history->session->current_path;

	if (history->config.between)
		history->config.between(history->config.context);
	return live_slice_add(gathering->live, folder, path + strlen(folder) + 1,
			      history->files.epoch_closed);
}

static uint64_t stacks_lost(const struct history *history)
{
	uint64_t nr = 0;

	for (enum daemon_counter i = STATS_STACKS_LOST_DISK; i <= STATS_STACKS_LOST_MEMORY; i++)
		nr += history->session->stats.values[i] - history_counts_value(history, i);
	return nr;
}

/*
 * Call when the number of samples in the epoch is known. Stacks that are neither in the trees nor
 * counted as lost were lost when the daemon was killed: counts them as lost.
 */
static void settle_stacks(const struct history *history, const struct live_slice *live)
{
	struct stats *stats = &history->session->stats;
	uint64_t accounted;

	if (live->nr_stacks != stats->values[STATS_STACKS_STORED] - history->held_stacks)
		history->config.recount(history->config.context);
	accounted = live->nr_stacks + stacks_lost(history);
	/* Without a stack file the session keeps no stacks. */
	if ((live->has_stacks || live->stacks_damaged) && live->nr_samples > accounted)
		stats_add(stats, STATS_STACKS_LOST_FILE, live->nr_samples - accounted);
}

/* Adds the stacks of the epoch to `live`. Call this after its samples were collected. */
static int gather_stacks(struct history *history, struct live_slice *live)
{
	int error;

	if (!history->stacks)
		return 0;
	if (history->config.between)
		history->config.between(history->config.context);
	error = live_slice_add_stacks(live, history->session->current_path,
				      history->files.epoch_closed);
	if (error)
		return error;
	if (live->stacks_damaged)
		stack_keep_set_aside(history->stacks, "found when its epoch was closed");
	if (history->config.between)
		history->config.between(history->config.context);
	return 0;
}

static int gather(struct history *history, struct live_slice *live)
{
	struct slice_gathering gathering = {history, live};
	int error = live_slice_init(live);

	if (error)
		return error;
	error = sample_cache_visit_epoch(history->cache, gather_file, &gathering);
	if (!error)
		error = gather_stacks(history, live);
	if (error) {
		live_slice_deinit(live);
		return error;
	}
	/* A mismatch means that a file is damaged, or was removed by another program. */
	if (live->nr_samples + live->nr_idle != history_counts_held(history) - history->held)
		history->config.recount(history->config.context);
	if (history->stacks)
		settle_stacks(history, live);
	return 0;
}

/*
 * Writes `live` as a slice and adds the slice to the list. The caller has set info's level, epochs
 * and times.
 */
static int publish(struct history *history, struct live_slice *live, struct slice_info *info)
{
	const struct run_info *session = &history->session->info;
	struct oprof_stats_entry begin[STATS_ENTRIES_MAX], end[STATS_ENTRIES_MAX];
	struct history_file file;
	uint64_t nr_blocks = 0;
	char *path = NULL;
	int error;

	info->nr_counters = stats_snapshot(&history->session->stats, end);
	history_counts_entries(history, end, info->nr_counters, begin);
	info->begin = begin;
	info->end = end;
	info->first_sample_ns = live->first_sample_ns;
	info->last_sample_ns = live->last_sample_ns;
	memcpy(info->boot_id, live->epoch_first ? live->boot_id : session->boot_id,
	       sizeof(info->boot_id));
	info->clock = session->clock;
	info->cpu_khz = session->cpu_khz;
	info->cpu_type = session->cpu_type;
	info->host = session->host;
	info->flags = live->flags;
	error = live_slice_publish(live, history->session->current_path, info, history->config.step,
				   &path, &nr_blocks);
	if (error)
		return error;
	file = (struct history_file){
		.path = path,
		.level = info->level,
		.epoch_first = info->epoch_first,
		.epoch_last = info->epoch_last,
		.begin_ns = info->begin_ns,
		.end_ns = info->end_ns,
		.nr_samples = live->nr_samples,
		.nr_idle = live->nr_idle,
		.nr_bytes = nr_blocks,
	};
	error = history_slices_append(history, &file);
	if (error) { /* a slice must be in the list to mark its epoch as closed */
		(void)unlink(path);
		free(path);
		return error;
	}
	memcpy(history->begin, end, sizeof(end));
	history->nr_begin = info->nr_counters;
	history_counts_begin(history);
	return 0;
}

static void begin_files(struct history *history, uint64_t epoch, bool all)
{
	history->epoch = epoch;
	sample_cache_begin_epoch(history->cache, epoch, all ? 0 : SAMPLE_CACHE_IDLE_EPOCHS);
	if (history->stacks)
		stack_keep_begin_epoch(history->stacks, epoch);
}

static void next_epoch(struct history *history, bool all)
{
	begin_files(history, history->epoch + 1, all);
	history->stretch.begin_ns = history->stretch.end_ns;
}

/*
 * Returns an upper limit of the slice's size: a slice takes less space than the files that it is
 * made of.
 */
static uint64_t slice_bytes_max(const struct history *history, const struct live_slice *live)
{
	uint64_t file_bytes =
		sample_cache_file_bytes(history->cache) + history_stack_bytes(history);

	return live->bytes_max < file_bytes ? live->bytes_max : file_bytes;
}

static int close_epoch(struct history *history, bool all)
{
	const struct stretch *stretch = &history->stretch;
	struct slice_info info = {
		.level = OPROF_SLICE_MINUTE,
		.epoch_first = history->epoch,
		.epoch_last = history->epoch,
		/*
		 * begin_ns is later than end_ns only if the clock was set back and the epoch could
		 * not be closed at that time.
		 */
		.begin_ns =
			stretch->begin_ns < stretch->end_ns ? stretch->begin_ns : stretch->end_ns,
		.end_ns = stretch->end_ns,
	};
	struct live_slice live = {.builder = NULL};
	int error = gather(history, &live);

	if (error)
		return error;
	(void)history_budget_make_room(history, slice_bytes_max(history, &live));
	do {
		error = publish(history, &live, &info);
	} while ((error == -ENOSPC || error == -EDQUOT) && history_budget_reclaim(history));
	live_slice_deinit(&live);
	if (!error) {
		next_epoch(history, all);
		history_step(history);
	}
	return error;
}

/* A failure that repeats each minute is logged only once, until the result changes. */
int history_epoch_close(struct history *history, bool all)
{
	int error = close_epoch(history, all);

	if (error) {
		history->close_errors++;
		history->retry_ns = history->stretch.last.monotonic_ns + (uint64_t)MINUTE_NS;
		if (error != history->close_error)
			log_error("cannot write the slice of the last minute: %s; its samples "
				  "remain in the live files",
				  strerror(-error));
	} else if (history->close_error) {
		log_info("slices are written again");
	}
	history->close_error = error;
	return error;
}

/* ---- the first epoch ---- */

/* Makes a slice of the live files that earlier runs left, and removes these files. */
static int close_leftovers(struct history *history, struct live_slice *live)
{
	struct slice_info info = {.level = OPROF_SLICE_MINUTE};
	int error =
		leftover_take(live, history->session->current_path, history->files.epoch_closed);

	if (error)
		return error;
	if (live->nr_damaged)
		history->config.recount(history->config.context);
	history->held_stacks = history_counts_value(history, STATS_STACKS_STORED);
	settle_stacks(history, live);
	if (live->epoch_first) {
		info.epoch_first = live->epoch_first;
		info.epoch_last = live->epoch_last;
		info.begin_ns = live->first_sample_ns ? live->first_sample_ns
						      : history->stretch.last.realtime_ns;
		info.end_ns =
			live->last_sample_ns > info.begin_ns ? live->last_sample_ns : info.begin_ns;
		(void)history_budget_make_room(history,
					       history_du(history->session->current_path) / 2);
		error = publish(history, live, &info);
	}
	if (!error)
		leftover_remove(live, history->session, history->config.step);
	return error;
}

static uint64_t first_epoch(const struct history *history, const struct live_slice *live)
{
	uint64_t last = history->files.epoch_closed;

	if (history->files.epoch_named > last)
		last = history->files.epoch_named;
	if (live->epoch_last > last)
		last = live->epoch_last;
	return last + 1;
}

int history_epoch_begin(struct history *history, struct sample_cache *cache, struct diag *diag)
{
	struct live_slice live;
	uint64_t epoch;
	int error = live_slice_init(&live);

	if (error)
		return diag_set(diag, error, "out of memory");
	error = close_leftovers(history, &live);
	epoch = first_epoch(history, &live);
	live_slice_deinit(&live);
	if (error)
		return diag_set(
			diag, error,
			"cannot make a slice from the files that an earlier run left in %s: %s",
			history->session->current_path, strerror(-error));
	history->cache = cache;
	begin_files(history, epoch, false);
	history_counts_begin(history);
	return 0;
}
