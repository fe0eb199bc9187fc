// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_internal.h"

#include "daemon/history/leftover.h"
#include "lib/log.h"
#include "libdb/slice/slice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MINUTE_NS     INT64_C(60000000000)
#define SHORTEST_NS   INT64_C(30000000000) /* a first stretch of less waits for the next minute */
#define LIVE_SHARE    4			   /* of the budget, for live files */
#define EARLY_NS      INT64_C(1000000000)
#define PARKED_MAX    16384 /* closed files of an epoch; some MB of memory */
#define SYNC_EACH_MAX 64    /* above it one sync of the file system is quicker */
#define DAMAGED_MAX   100

char *history_path(const struct history *history, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/" OPROF_SLICE_FOLDER "/%s", history->session->current_path, name) <
	    0)
		return NULL;
	return path;
}

int history_init(struct history *history, struct session *session,
		 const struct history_config *config)
{
	struct moment now;

	memset(history, 0, sizeof(*history));
	history->config = *config;
	if (!history->config.now)
		history->config.now = moment_now;
	history->session = session;
	history->config.now(&now);
	stretch_init(&history->stretch, &now);
	return history_job_init(&history->job);
}

void history_deinit(struct history *history)
{
	history_end(history);
	history_job_deinit(&history->job);
}

void history_end(struct history *history)
{
	/* Who saves the session is not to keep what is half done, or done twice. */
	if (history_job_kill(&history->job) && history->job_first)
		(void)history_list(history);
	history->job_first = history->job_last = 0;
	history->reserved_bytes = 0;
	history_files_deinit(&history->files);
	memset(&history->files, 0, sizeof(history->files));
	history->slice_bytes = history->fixed_bytes = 0;
	history->nr_begin = 0;
	history->epoch = history->epoch_synced = 0;
	history->cache = NULL;
}

/* ---- what is there ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t nr = strlen(text), nr_end = strlen(end);

	return nr >= nr_end && !strcmp(text + nr - nr_end, end);
}

/* What kills left. No child is at work. */
static void remove_leftovers(struct history *history)
{
	char *path = history_path(history, "");
	DIR *folder = path ? opendir(path) : NULL;
	const struct dirent *entry;

	free(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (ends_with(entry->d_name, ".tmp")) {
			(void)history_finish_expiry(history, entry->d_name);
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
		}
	(void)closedir(folder);
}

void history_set_aside(struct history *history, const char *path, const char *why)
{
	unsigned int nr = 1;
	char *aside = NULL;

	while (asprintf(&aside, nr > 1 ? "%s.damaged.%u" : "%s.damaged", path, nr) >= 0 &&
	       !access(aside, F_OK) && nr++ < DAMAGED_MAX) {
		free(aside);
		aside = NULL; /* the next may find no memory */
	}
	log_error("slice %s is damaged (%s): set aside", path, why);
	if (aside && rename(path, aside))
		log_error("cannot rename %s: %s", path, strerror(errno));
	free(aside);
	history->damaged++;
}

static void found_damaged(const char *path, const struct diag *diag, void *context)
{
	if (ends_with(path, OPROF_SLICE_SUFFIX)) /* else none of ours, or set aside already */
		history_set_aside(context, path, diag_show(diag));
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

int history_list(struct history *history)
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

/* ---- what slices hold ---- */

static uint64_t stats_held(const struct history *history)
{
	const uint64_t *values = history->session->stats.values;

	return values[STATS_STORED] + values[STATS_IDLE];
}

/* Slices that are gone, and were not dropped: somebody removed them. */
void history_count_absent(struct history *history)
{
	const struct history_files *files = &history->files;
	const uint64_t *values = history->session->stats.values;
	uint64_t held = values[STATS_EXPIRED];
	uint64_t live, live_stacks;

	for (size_t i = 0; i < files->nr_files; i++)
		held += files->files[i].nr_samples + files->files[i].nr_idle;
	if (held == history->held)
		return;
	log_error("slices do not hold what they did: %" PRIu64 " samples now, %" PRIu64
		  " before; what is absent is lost",
		  held, history->held);
	live = stats_held(history) - history->held;
	live_stacks = values[STATS_STACKS_STORED] - history->held_stacks;
	history->config.recount(history->config.context);
	history->held = stats_held(history) - live;
	history->held_stacks = values[STATS_STACKS_STORED] - live_stacks;
}

/* ---- opening ---- */

/* The counters go on where the newest slice's ended. */
static void take_counters(struct history *history)
{
	const struct history_files *files = &history->files;
	const struct slice_info *info;
	struct slice *slice;
	size_t nr;

	history->nr_begin = 0;
	if (!files->nr_files ||
	    slice_open(&slice, files->files[files->nr_files - 1].path, NULL) != 0)
		return;
	info = slice_info(slice);
	nr = info->nr_counters < STATS_ENTRIES_MAX ? info->nr_counters : STATS_ENTRIES_MAX;
	for (size_t i = 0; i < nr; i++)
		history->begin[i] = info->end[i];
	history->nr_begin = nr;
	stats_catch_up(&history->session->stats, history->begin, nr);
	slice_close(slice);
}

int history_open(struct history *history, struct diag *diag)
{
	int error;

	history_end(history);
	error = history_list(history);
	if (error < 0)
		return diag_set(diag, error,
				"cannot read the slices in %s/" OPROF_SLICE_FOLDER ": %s",
				history->session->current_path, strerror(-error));
	take_counters(history);
	return error;
}

/* ---- an epoch's slice ---- */

/* A counter as it was when the epoch began. */
static uint64_t begin_value(const struct history *history, enum stats_counter counter)
{
	const char *name = history->session->stats.names[counter];

	for (size_t i = 0; i < history->nr_begin; i++)
		if (!strncmp(history->begin[i].name, name, OPROF_STATS_NAME_BYTES))
			return history->begin[i].value;
	return 0;
}

/* Anything that a slice would tell. */
static bool epoch_is_empty(const struct history *history)
{
	return begin_value(history, STATS_SEEN) == history->session->stats.values[STATS_SEEN];
}

/* The counters in the order of *end, as they were when the epoch began. */
static void begin_counters(const struct history *history, const struct oprof_stats_entry *end,
			   size_t nr, struct oprof_stats_entry *begin)
{
	for (size_t i = 0; i < nr; i++) {
		begin[i] = end[i];
		begin[i].value = 0;
		for (size_t k = 0; k < history->nr_begin; k++)
			if (!strncmp(history->begin[k].name, end[i].name, sizeof(end[i].name)))
				begin[i].value = history->begin[k].value;
	}
}

static int history_append(struct history *history, const struct slice_info *info,
			  const struct live_slice *live, char *path, uint64_t nr_blocks)
{
	struct history_files *files = &history->files;
	struct history_file *grown = realloc(files->files, (files->nr_files + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	files->files = grown;
	grown[files->nr_files++] = (struct history_file){
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
	files->epoch_closed = info->epoch_last;
	history->slice_bytes += nr_blocks;
	return 0;
}

/* info: level, epochs and stretch are filled. */
static int history_publish(struct history *history, struct live_slice *live,
			   struct slice_info *info)
{
	const struct run_info *session = &history->session->info;
	struct oprof_stats_entry begin[STATS_ENTRIES_MAX], end[STATS_ENTRIES_MAX];
	uint64_t nr_blocks = 0;
	char *path = NULL;
	int error;

	info->nr_counters = stats_snapshot(&history->session->stats, end);
	begin_counters(history, end, info->nr_counters, begin);
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
	error = history_append(history, info, live, path, nr_blocks);
	if (error) { /* what is not in the list would not be known to hold the epoch */
		(void)unlink(path);
		free(path);
		return error;
	}
	memcpy(history->begin, end, sizeof(end));
	history->nr_begin = info->nr_counters;
	history->held = stats_held(history);
	history->held_stacks = history->session->stats.values[STATS_STACKS_STORED];
	return 0;
}

struct gathering {
	struct history *history;
	struct live_slice *live;
};

static int gather_file(const char *path, void *context)
{
	const struct gathering *gathering = context;
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

	for (enum stats_counter i = STATS_STACKS_LOST_DISK; i <= STATS_STACKS_LOST_MEMORY; i++)
		nr += history->session->stats.values[i] - begin_value(history, i);
	return nr;
}

/*
 * The epoch's samples are known: a stack of them that is neither in the trees
 * nor told lost is so by a kill before it came there.
 */
static void settle_stacks(const struct history *history, const struct live_slice *live)
{
	struct stats *stats = &history->session->stats;
	uint64_t accounted;

	if (live->nr_stacks != stats->values[STATS_STACKS_STORED] - history->held_stacks)
		history->config.recount(history->config.context);
	accounted = live->nr_stacks + stacks_lost(history);
	/* Without a file none are kept. */
	if ((live->has_stacks || live->stacks_damaged) && live->nr_samples > accounted)
		stats_add(stats, STATS_STACKS_LOST_FILE, live->nr_samples - accounted);
}

/* Behind the samples of the epoch. */
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
	struct gathering gathering = {history, live};
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
	/* A file was removed under us, or is damaged. */
	if (live->nr_samples + live->nr_idle != stats_held(history) - history->held)
		history->config.recount(history->config.context);
	if (history->stacks)
		settle_stacks(history, live);
	return 0;
}

static void next_epoch(struct history *history, bool all)
{
	history->epoch++;
	sample_cache_begin_epoch(history->cache, history->epoch,
				 all ? 0 : SAMPLE_CACHE_IDLE_EPOCHS);
	if (history->stacks)
		stack_keep_begin_epoch(history->stacks, history->epoch);
	history->stretch.begin_ns = history->stretch.end_ns;
}

/* A slice takes less than the files that it is made of. */
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
		/* Only a clock that went back while a close failed gives the other order. */
		.begin_ns =
			stretch->begin_ns < stretch->end_ns ? stretch->begin_ns : stretch->end_ns,
		.end_ns = stretch->end_ns,
	};
	struct live_slice live = {.builder = NULL};
	int error = gather(history, &live);

	if (error)
		return error;
	(void)history_make_room(history, slice_bytes_max(history, &live));
	error = history_publish(history, &live, &info);
	live_slice_deinit(&live);
	if (!error) {
		next_epoch(history, all);
		history_step(history);
	}
	return error;
}

/* Tell what changes, not each minute the same. */
static int history_close_how(struct history *history, bool all)
{
	int error = close_epoch(history, all);

	if (error) {
		history->close_errors++;
		history->retry_ns = history->stretch.last.monotonic_ns + (uint64_t)MINUTE_NS;
		if (error != history->close_error)
			log_error("cannot close the last minute to a slice: %s; its samples stay "
				  "in live files",
				  strerror(-error));
	} else if (history->close_error) {
		log_info("minutes are closed to slices again");
	}
	history->close_error = error;
	return error;
}

int history_close(struct history *history)
{
	return history->epoch ? history_close_how(history, false) : -ENOENT;
}

/* ---- beginning ---- */

/* What earlier runs left in live files becomes a slice; the files go. */
static int close_leftovers(struct history *history, struct live_slice *live)
{
	struct slice_info info = {.level = OPROF_SLICE_MINUTE};
	int error =
		leftover_take(live, history->session->current_path, history->files.epoch_closed);

	if (error)
		return error;
	if (live->nr_damaged)
		history->config.recount(history->config.context);
	history->held_stacks = begin_value(history, STATS_STACKS_STORED);
	settle_stacks(history, live);
	if (live->epoch_first) {
		info.epoch_first = live->epoch_first;
		info.epoch_last = live->epoch_last;
		info.begin_ns = live->first_sample_ns ? live->first_sample_ns
						      : history->stretch.last.realtime_ns;
		info.end_ns =
			live->last_sample_ns > info.begin_ns ? live->last_sample_ns : info.begin_ns;
		(void)history_make_room(history, history_du(history->session->current_path) / 2);
		error = history_publish(history, live, &info);
	}
	if (!error)
		leftover_remove(live, history->session->current_path, history->config.step);
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

static void measure(struct history *history)
{
	history_set_budget(history);
	history_measured(history, history_du(history->session->current_path),
			 history->slice_bytes + history_stack_bytes(history));
}

int history_begin(struct history *history, struct sample_cache *cache, struct diag *diag)
{
	struct live_slice live;
	struct moment now;
	int error = live_slice_init(&live);

	if (error)
		return diag_set(diag, error, "out of memory");
	history->config.now(&now);
	stretch_begin(&history->stretch, &now);
	history_set_budget(history);
	error = close_leftovers(history, &live);
	if (error) {
		live_slice_deinit(&live);
		return diag_set(diag, error,
				"cannot close what an earlier run left in %s to a slice: %s",
				history->session->current_path, strerror(-error));
	}
	history->epoch = first_epoch(history, &live);
	live_slice_deinit(&live);
	history->cache = cache;
	sample_cache_begin_epoch(cache, history->epoch, SAMPLE_CACHE_IDLE_EPOCHS);
	if (history->stacks)
		stack_keep_begin_epoch(history->stacks, history->epoch);
	history->held = stats_held(history);
	history->held_stacks = history->session->stats.values[STATS_STACKS_STORED];
	history_count_absent(history);
	history->plan_ns = history->merge_ns = 0;
	history->sync_ns = now.monotonic_ns + HISTORY_SYNC_NS;
	measure(history);
	return 0;
}

/* ---- going on ---- */

void history_start(struct history *history)
{
	struct moment now;

	history->config.now(&now);
	(void)stretch_follow(&history->stretch, &now);
	stretch_start(&history->stretch, &now, epoch_is_empty(history));
}

void history_stop(struct history *history)
{
	struct moment now;

	history->config.now(&now);
	stretch_stop(&history->stretch, &now);
}

int64_t history_follow(struct history *history, bool *stepped)
{
	int64_t before = stretch_to_realtime(&history->stretch);
	struct moment now;

	history->config.now(&now);
	*stepped = stretch_follow(&history->stretch, &now) && history->stretch.sampling;
	return *stepped ? before : stretch_to_realtime(&history->stretch);
}

static bool other_minute(int64_t a_ns, int64_t b_ns)
{
	return a_ns / MINUTE_NS != b_ns / MINUTE_NS;
}

static bool close_is_due(const struct history *history)
{
	const struct stretch *stretch = &history->stretch;

	if (stretch->last.monotonic_ns < history->retry_ns)
		return false;
	if (!stretch->sampling)
		return other_minute(stretch->last.realtime_ns, stretch->end_ns) &&
		       !epoch_is_empty(history);
	return (other_minute(stretch->begin_ns, stretch->end_ns) &&
		stretch->end_ns - stretch->begin_ns >= SHORTEST_NS) ||
	       sample_cache_nr_parked(history->cache) > PARKED_MAX;
}

bool history_is_due(const struct history *history)
{
	return history->epoch && close_is_due(history);
}

static bool may_close_early(const struct history *history)
{
	const struct stretch *stretch = &history->stretch;

	return stretch->last.monotonic_ns >= history->retry_ns && !epoch_is_empty(history) &&
	       stretch->end_ns - stretch->begin_ns >= EARLY_NS;
}

/*
 * True: the epoch is to be closed before its minute is over. Its files are too
 * much with no slice left to drop; or they are much, and would make slices
 * go: a burst of threads must not cost weeks, as a slice it takes little.
 */
static bool keep_budget(struct history *history)
{
	uint64_t live_bytes = sample_cache_nr_bytes(history->cache) + history_stack_bytes(history);

	history_expire_old(history);
	if (live_bytes > history->budget_bytes / LIVE_SHARE && may_close_early(history))
		return true;
	if (history_make_room(history, sample_cache_file_bytes(history->cache) +
					       history_stack_bytes(history)))
		return false;
	/* It does not help where all else alone is too much. */
	return history->fixed_bytes < history->budget_bytes && may_close_early(history);
}

void history_run(struct history *history, bool stepped)
{
	if (!history->epoch)
		return;
	if (stepped) {
		if (!history_close_how(history, false))
			stretch_begin(&history->stretch, &history->stretch.last);
	} else if (close_is_due(history)) {
		(void)history_close_how(history, false);
	}
	if (keep_budget(history) && !history_close_how(history, true))
		(void)history_make_room(history, 0);
	history_plan(history);
}

/* ---- on disk ---- */

static int sync_path(const struct history *history, const char *path, int flags,
		     int (*sync)(int fd))
{
	int fd = session_open_path(history->session, path, O_RDONLY | flags);
	int error = 0;

	if (fd < 0) /* it may have been dropped or merged, by now */
		return fd == -ENOENT ? 0 : fd;
	if (sync(fd))
		error = -errno;
	(void)close(fd);
	return error;
}

int history_sync(const struct history *history)
{
	const struct history_files *files = &history->files;
	char *folder;
	size_t nr = 0;
	int first = 0;

	for (size_t i = 0; i < files->nr_files; i++)
		nr += files->files[i].epoch_last > history->epoch_synced;
	if (!nr)
		return 0;
	folder = history_path(history, "");
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

void history_synced(struct history *history, int error)
{
	history->epoch_synced = error ? 0 : history->files.epoch_closed;
}

void history_status(const struct history *history, struct control_answer *answer)
{
	const struct history_files *files = &history->files;
	int64_t oldest_ns = files->nr_files ? files->files[0].begin_ns : history->stretch.begin_ns;

	control_answer_add(answer, "epoch", "%" PRIu64, history->epoch);
	control_answer_add(answer, "slices", "%zu", files->nr_files);
	control_answer_add(answer, "oldest", "%" PRId64, oldest_ns);
	control_answer_add(answer, "history_bytes", "%" PRIu64, history_usage(history));
	control_answer_add(answer, "budget_bytes", "%" PRIu64, history->budget_bytes);
	control_answer_add(answer, "close_errors", "%" PRIu64, history->close_errors);
	control_answer_add(answer, "merge_errors", "%" PRIu64, history->merge_errors);
	control_answer_add(answer, "damaged_slices", "%" PRIu64, history->damaged);
	if (history->close_error)
		control_answer_add(answer, "warning",
				   "the last minute cannot be closed to a slice: %s; its samples "
				   "stay in live files",
				   strerror(-history->close_error));
}
