// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/profiler.h"

#include "daemon/filing/recount.h"
#include "daemon/system/run_user.h"
#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RATE_NS UINT64_C(5000000000)
/* If a task waits longer than this, its time off CPU so far is reported. */
#define SETTLE_NS UINT64_C(60000000000)
/* Limit of the time for removing files before the daemon looks for requests again. */
#define TIDY_NS UINT64_C(50000000)
/*
 * Limit of the time for removing files when a session ends or is saved. Readers ignore the files
 * that remain. If the session is continued, the next daemon removes them.
 */
#define LEAVE_NS UINT64_C(1000000000)
/*
 * Shortest time between two readings of kallsyms; each reading uses about 50 ms of CPU time. The
 * first reading, and readings for the symbols of call stacks, are not delayed.
 */
#define SYMBOLS_PAUSE_NS UINT64_C(10000000000)
/*
 * The live stack file may use 1/STACKS_SHARE of the budget: half as much as all live files together
 * may use.
 */
#define STACKS_SHARE 8

/* Returns whether the daemon must store the symbols of images of this kind in the session. */
static bool needs_symbols(enum oprof_image_kind kind)
{
	return kind == OPROF_IMAGE_KERNEL || kind == OPROF_IMAGE_IDLE ||
	       kind == OPROF_IMAGE_MODULE || kind == OPROF_IMAGE_VDSO;
}

static int profiler_place(void *context, const struct sample_key *key, struct placement *placement)
{
	struct profiler *profiler = context;
	struct placement_config config = {
		.source = profiler->source,
		.session = profiler->session,
		.separation = profiler->config.separation,
		.epoch = profiler->history.epoch,
		.thinned = profiler->thinned,
	};
	int error = placement_find(&config, key, placement);

	if (!error && needs_symbols(placement->identity.image_kind))
		profiler->symbols_due = true;
	return error;
}

static void profiler_set_aside(void *context)
{
	struct profiler *profiler = context;

	profiler->recount_due = true;
}

static void profiler_stacks_lost(void *context, uint64_t nr_stacks)
{
	struct profiler *profiler = context;
	struct stats *stats = &profiler->session->stats;

	stats_set(stats, STATS_STACKS_STORED, stats->values[STATS_STACKS_STORED] - nr_stacks);
	stats_add(stats, STATS_STACKS_LOST_FILE, nr_stacks);
}

/*
 * Counts the contents of the files again, if necessary. To be called between rounds only: while
 * samples are being added, the counters do not match the files.
 */
static void profiler_recount(struct profiler *profiler)
{
	struct recount sums;
	int error;

	if (!profiler->recount_due)
		return;
	error = recount_session(profiler->session->current_path, &sums);
	if (error && error != profiler->recount_error)
		log_error("cannot count the samples in %s: %s", profiler->session->current_path,
			  strerror(-error));
	profiler->recount_error = error;
	if (error)
		return; /* the next round tries again */
	profiler->recount_due = false;
	stats_recount(&profiler->session->stats, sums.stored, sums.idle, sums.weight, sums.stacks);
}

/* Returns the number of samples that the source has seen, plus those made from its switches. */
static uint64_t profiler_seen(const struct profiler *profiler)
{
	return profiler->source->ops->seen(profiler->source) + profiler->off_cpu.nr_seen;
}

static void profiler_read(void *context)
{
	struct profiler *profiler = context;

	if (profiler->source->ops->read)
		profiler->source->ops->read(profiler->source);
}

/* Recounts immediately. The history calls this function between rounds. */
static void profiler_recount_now(void *context)
{
	struct profiler *profiler = context;

	profiler->recount_due = true;
	profiler_recount(profiler);
}

static void profiler_begin_counters(struct profiler *profiler)
{
	struct source *source = profiler->source;
	struct source_counter counters[PROFILER_COUNTERS_MAX];
	size_t nr = source->ops->counters(source, counters, PROFILER_COUNTERS_MAX);

	stats_begin_source(&profiler->session->stats, profiler_seen(profiler), counters, nr);
	profiler->rate_since_ns = profiler->history.stretch.last.monotonic_ns;
	profiler->rate_seen = profiler->session->stats.values[STATS_SEEN];
	profiler->rate = 0;
}

static void profiler_update_rate(struct profiler *profiler, uint64_t now_ns)
{
	uint64_t seen = profiler->session->stats.values[STATS_SEEN];
	uint64_t passed_ns = now_ns - profiler->rate_since_ns;

	if (passed_ns < RATE_NS)
		return;
	profiler->rate = (double)(seen - profiler->rate_seen) * 1e9 / (double)passed_ns;
	profiler->rate_since_ns = now_ns;
	profiler->rate_seen = seen;
}

static void profiler_update_counters(struct profiler *profiler, uint64_t now_ns)
{
	struct source *source = profiler->source;
	struct source_counter counters[PROFILER_COUNTERS_MAX];
	size_t nr = source->ops->counters(source, counters, PROFILER_COUNTERS_MAX);
	int mended = stats_mend(&profiler->session->stats);

	stats_update_source(&profiler->session->stats, profiler_seen(profiler), counters, nr);
	if (mended > 0)
		log_error("the session's meta/stats was truncated, or its disk failed: the daemon "
			  "has created a new file");
	profiler_update_rate(profiler, now_ns);
}

static void profiler_save_symbols(struct profiler *profiler)
{
	int error =
		profiler->source->ops->save_symbols(profiler->source, profiler->session->meta_path);

	profiler->symbols_due = false;
	if (error && error != profiler->symbols_error)
		log_warning("cannot store kernel symbols in the session: %s", strerror(-error));
	profiler->symbols_error = error;
}

/*
 * A report may be made after each round. The names that reports need for the samples of a round are
 * therefore written to the session before the round ends. Exception: if symbols were written less
 * than SYMBOLS_PAUSE_NS ago, names in newly sampled modules are written when this time has passed,
 * or at a dump.
 */
static void profiler_save_new_symbols(struct profiler *profiler, uint64_t now_ns)
{
	bool due = profiler->symbols_due && now_ns >= profiler->symbols_after_ns;

	if (profiler->stacks && stack_keep_wants_symbols(profiler->stacks))
		due = true;
	if (!due)
		return;
	profiler->symbols_after_ns = now_ns + SYMBOLS_PAUSE_NS;
	profiler_save_symbols(profiler);
}

static void profiler_info(struct profiler *profiler)
{
	const struct profiler_config *config = &profiler->config;
	struct run_info *info = &profiler->session->info;

	run_info_init(info);
	info->target = config->source.target == SOURCE_SYSTEM ? "system" : "processes";
	info->separation = config->separation;
	info->events = config->source.events;
	info->nr_events = config->source.nr_events;
}

static void profiler_release(void *context, uint32_t cookie)
{
	struct profiler *profiler = context;
	const struct image *image = profiler->source->ops->image(profiler->source, cookie);

	if (profiler->recent && image)
		recent_release(profiler->recent, image);
	if (profiler->cache)
		sample_cache_release(profiler->cache, cookie);
}

/* Discards recent samples, which belong to an earlier session. */
static void profiler_begin_recent(struct profiler *profiler)
{
	struct recent *recent = profiler->recent;

	if (!recent)
		return;
	profiler->round_ns = profiler->history.stretch.last.monotonic_ns;
	recent_clear(recent);
	recent_mark(recent, profiler->round_ns, &profiler->session->stats);
}

/*
 * Opens the history of a session that has just begun, sets the counters, and begins an epoch. To be
 * called before the session's files are opened. Returns 0 or -errno.
 */
static int profiler_begin_history(struct profiler *profiler, struct diag *diag)
{
	int damaged = history_open(&profiler->history, diag);

	if (damaged < 0)
		return damaged;
	profiler->recount_due |=
		damaged || profiler->session->killed || profiler->session->stats.damaged;
	profiler->session->killed = false;
	profiler_begin_counters(profiler);
	profiler_recount(profiler);
	return history_begin(&profiler->history, profiler->cache, diag);
}

static uint64_t profiler_stack_bytes_max(const struct profiler *profiler)
{
	uint64_t share =
		history_budget_on(profiler->session->path, profiler->config.history.budget_bytes) /
		STACKS_SHARE;

	return share < STACK_KEEP_BYTES_MAX ? share : STACK_KEEP_BYTES_MAX;
}

/* Opens the stack file, if samples have call chains. */
static int profiler_open_stacks(struct profiler *profiler)
{
	struct stack_keep_config config = {
		.session_path = profiler->session->current_path,
		.meta_path = profiler->session->meta_path,
		.source = profiler->source,
		.code = &profiler->attribution.code,
		.separation = profiler->config.separation,
		.place = profiler_place,
		.set_aside = profiler_stacks_lost,
		.context = profiler,
	};
	int error;

	if (!profiler->config.source.chain_depth)
		return 0;
	config.nr_bytes_max = profiler_stack_bytes_max(profiler);
	error = stack_keep_create(&profiler->stacks, &config);
	profiler->attribution.stacks = profiler->stacks;
	profiler->history.stacks = profiler->stacks;
	return error;
}

static void profiler_close_files(struct profiler *profiler)
{
	stack_keep_destroy(profiler->stacks);
	if (profiler->cache && !profiler->lost)
		(void)dead_files_tidy(sample_cache_dead(profiler->cache), LEAVE_NS);
	sample_cache_destroy(profiler->cache);
}

static int profiler_open_session(struct profiler *profiler, struct diag *diag)
{
	struct sample_cache_config cache = {
		.folder = profiler->session->current_path,
		.nr_files_max = sample_cache_room(),
		.place = profiler_place,
		.set_aside = profiler_set_aside,
		.context = profiler,
	};
	struct run_info *info = &profiler->session->info;
	int error;

	info->notes = profiler->notes;
	info->nr_notes =
		profiler->source->ops->notes(profiler->source, profiler->notes, SOURCE_NOTES_MAX);
	error = session_begin(profiler->session, profiler->config.begin, diag);
	if (error < 0)
		return error;
	if (error > 0)
		log_warning("%s", diag_show(diag));
	error = sample_cache_create(&profiler->cache, &cache);
	if (!error)
		error = profiler_open_stacks(profiler);
	if (error) {
		profiler_close_files(profiler);
		return diag_set(diag, error, "out of memory");
	}
	profiler->attribution.cache = profiler->cache;
	profiler->attribution.stats = &profiler->session->stats;
	code_keys_init(&profiler->attribution.code, profiler->source, &profiler->session->names);
	error = profiler_begin_history(profiler, diag);
	if (error) {
		profiler_close_files(profiler);
		return error;
	}
	profiler_begin_recent(profiler);
	profiler_save_symbols(profiler);
	return 0;
}

/*
 * Chooses the receiver of the source's records: off_cpu if time off CPU was requested, otherwise
 * attribution.
 */
static int profiler_open_sink(struct profiler *profiler, struct record_sink **sink)
{
	struct source_config *source = &profiler->config.source;

	*sink = &profiler->attribution.sink;
	for (size_t i = 0; i < source->nr_events; i++) {
		if (source->events[i].perf_type != EVENT_TYPE_SWITCHES)
			continue;
		source->want_switches = true;
		if (off_cpu_init(&profiler->off_cpu, *sink, (uint16_t)i))
			return -ENOMEM;
		*sink = &profiler->off_cpu.sink;
	}
	return 0;
}

static int profiler_init_history(struct profiler *profiler)
{
	struct history_config *config = &profiler->config.history;

	profiler->config.source.keep_bytes_max =
		history_budget_on(profiler->session->path, config->budget_bytes) /
		HISTORY_KEEP_SHARE;
	config->between = profiler_read;
	config->recount = profiler_recount_now;
	config->context = profiler;
	return history_init(&profiler->history, profiler->session, config);
}

/* Replaces the description of this machine by that of the machine from which the samples come. */
static void profiler_take_machine(struct profiler *profiler)
{
	struct run_info *info = &profiler->session->info;
	struct source_machine machine = {NULL, NULL};

	profiler->source->ops->machine(profiler->source, &machine);
	(void)snprintf(info->host, sizeof(info->host), "%s", machine.host ? machine.host : "");
	(void)snprintf(info->cpu_type, sizeof(info->cpu_type), "%s",
		       machine.cpu ? machine.cpu : "");
	memset(info->boot_id, 0, sizeof(info->boot_id));
	info->boot_id_text[0] = '\0';
	info->cpu_khz = 0;
}

static int profiler_open_source(struct profiler *profiler, struct record_sink *sink,
				struct diag *diag)
{
	struct source_choice *choice = &profiler->choice;
	struct run_info *info = &profiler->session->info;
	int error;

	if (profiler->config.choice)
		*choice = *profiler->config.choice;
	else
		*choice = (struct source_choice){.ops = profiler->config.ops};
	error = source_choice_open(choice, &profiler->source, &profiler->config.source, sink, diag);
	if (error)
		return error;
	if (profiler->source->ops->machine)
		profiler_take_machine(profiler);
	info->source = profiler->source->name;
	info->source_reason = choice->reason;
	return 0;
}

int profiler_open(struct profiler *profiler, struct session *session,
		  const struct profiler_config *config, struct diag *diag)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct record_sink *sink;
	int error;

	memset(profiler, 0, sizeof(*profiler));
	profiler->config = *config;
	profiler->session = session;
	profiler->thinning = 1;
	profiler_info(profiler);
	error = attribution_init(&profiler->attribution, config->separation,
				 config->source.nr_events, nr_cpus > 0 ? (uint32_t)nr_cpus : 1);
	for (size_t i = 0; i < config->source.nr_events; i++)
		profiler->attribution.plain_periods[i] =
			placement_plain_period(&config->source.events[i]);
	if (!error)
		error = profiler_open_sink(profiler, &sink);
	if (!error)
		error = profiler_init_history(profiler);
	if (error) {
		attribution_deinit(&profiler->attribution);
		return diag_set(diag, error, "out of memory");
	}
	/*
	 * The source is opened before the session, because --fresh deletes the previous session,
	 * which must not happen if the source cannot be opened.
	 */
	if (recent_create(&profiler->recent))
		log_warning("out of memory for recent samples: they are in the sample files only");
	profiler->attribution.recent = profiler->recent;
	profiler->attribution.release = profiler_release;
	profiler->attribution.context = profiler;
	error = profiler_open_source(profiler, sink, diag);
	run_user_end_start();
	if (!error)
		error = profiler_open_session(profiler, diag);
	if (error) {
		if (profiler->source)
			profiler->source->ops->close(profiler->source);
		off_cpu_deinit(&profiler->off_cpu);
		history_deinit(&profiler->history);
		attribution_deinit(&profiler->attribution);
		recent_destroy(profiler->recent);
	}
	return error;
}

void profiler_close(struct profiler *profiler)
{
	(void)profiler_stop(profiler);
	if (!profiler->lost)
		(void)profiler_dump(profiler);
	history_deinit(&profiler->history);
	profiler_close_files(profiler);
	profiler->source->ops->close(profiler->source);
	off_cpu_deinit(&profiler->off_cpu);
	attribution_deinit(&profiler->attribution);
	recent_destroy(profiler->recent);
}

int profiler_start(struct profiler *profiler)
{
	int error = 0;

	if (profiler->running)
		return 0;
	error = profiler->source->ops->start(profiler->source);
	profiler->running = !error;
	if (!error) {
		history_start(&profiler->history);
		/* Counts the start as a round, so that the first round is not overdue. */
		profiler->drained_ns = profiler->history.stretch.last.monotonic_ns;
	}
	return error;
}

int profiler_stop(struct profiler *profiler)
{
	int error;

	if (!profiler->running)
		return 0;
	error = profiler->source->ops->stop(profiler->source);
	profiler->running = error != 0;
	if (!error)
		history_stop(&profiler->history);
	return error;
}

/*
 * Sets the time up to which the recent samples are complete. After a periodic drain, they are
 * certain to be complete only up to the time of the previous round.
 */
static void profiler_mark(struct profiler *profiler, enum source_drain how, uint64_t now_ns)
{
	uint64_t drained_ns = how == SOURCE_DRAIN_ALL ? now_ns : profiler->round_ns;

	if (profiler->recent)
		recent_mark(profiler->recent, drained_ns, &profiler->session->stats);
	profiler->round_ns = now_ns;
}

/* Drains the source and does the other periodic work. Returns 0 or -errno of the source. */
static int profiler_drain(struct profiler *profiler, enum source_drain how)
{
	struct history *history = &profiler->history;
	bool stepped;
	int64_t to_realtime_ns = history_follow(history, &stepped);
	uint64_t now_ns = history->stretch.last.monotonic_ns;
	int error;

	sample_cache_begin_round(profiler->cache, now_ns, to_realtime_ns);
	if (profiler->stacks)
		stack_keep_begin_round(profiler->stacks, now_ns);
	if (profiler->config.source.want_switches &&
	    (stepped || now_ns - profiler->settled_ns >= SETTLE_NS || history_is_due(history)))
		how = SOURCE_DRAIN_ALL;
	error = profiler->source->ops->drain(profiler->source, how);
	if (how == SOURCE_DRAIN_ALL && profiler->config.source.want_switches) {
		off_cpu_settle(&profiler->off_cpu, now_ns);
		profiler->settled_ns = now_ns;
	}
	sample_cache_end_round(profiler->cache);
	profiler_save_new_symbols(profiler, now_ns);
	profiler_update_counters(profiler, now_ns);
	profiler_recount(profiler);
	profiler_mark(profiler, how, now_ns);
	history_run(history, stepped);
	if (error && error != profiler->drain_error)
		log_error("cannot read samples: %s", strerror(-error));
	profiler->drain_error = error;
	if (!error)
		profiler->drained_ns = now_ns;
	return error;
}

bool profiler_tidy(struct profiler *profiler)
{
	return dead_files_tidy(sample_cache_dead(profiler->cache), TIDY_NS);
}

int profiler_close_epoch(struct profiler *profiler)
{
	int error;

	if (profiler->lost)
		return -ENOENT;
	error = profiler_drain(profiler, SOURCE_DRAIN_ALL);
	return error ? error : history_close(&profiler->history);
}

void profiler_reap(struct profiler *profiler)
{
	history_reap(&profiler->history, false);
}

static const struct source_note thinned_note = {
	"thinned",
	"at times, fewer samples were taken to keep the CPU budget (--cpu-budget): each of these "
	"samples has a higher weight, and shares are computed from the weights"};

void profiler_note(struct profiler *profiler, const struct source_note *note)
{
	struct run_info *info = &profiler->session->info;
	int error;

	for (size_t i = 0; i < info->nr_notes; i++)
		if (!strcmp(info->notes[i].name, note->name))
			return;
	if (info->nr_notes == SOURCE_NOTES_MAX)
		return;
	profiler->notes[info->nr_notes++] = *note; /* info->notes points to these */
	error = session_tell_notes(profiler->session);
	if (error)
		log_warning("cannot store a note in the session: %s", strerror(-error));
}

/* Ends the epoch and begins one that stores weights. The source is not yet thinned. */
static int profiler_begin_thinned(struct profiler *profiler)
{
	int error = profiler_close_epoch(profiler);

	if (error)
		return error;
	profiler->thinned = true;
	profiler_note(profiler, &thinned_note);
	return 0;
}

/*
 * An epoch with thinned samples must store weights. Such an epoch therefore begins before the first
 * sample is omitted, and ends after the source has begun to take all samples again.
 */
int profiler_set_thinning(struct profiler *profiler, unsigned int thinning)
{
	const struct source_ops *ops = profiler->source->ops;
	int error = ops->set_thinning ? 0 : -EOPNOTSUPP;

	if (!error && thinning == profiler->thinning && (thinning > 1) == profiler->thinned)
		return 0;
	if (!error && thinning > 1 && !profiler->thinned)
		error = profiler_begin_thinned(profiler);
	if (!error)
		error = profiler_drain(profiler, SOURCE_DRAIN_ALL);
	if (!error && thinning != profiler->thinning)
		error = ops->set_thinning(profiler->source, thinning);
	if (error)
		return error;
	profiler->thinning = thinning;
	if (thinning > 1)
		return 0;
	error = profiler_close_epoch(profiler);
	profiler->thinned = error != 0;
	return error;
}

void profiler_round(struct profiler *profiler, enum source_drain how)
{
	if (!profiler->lost)
		(void)profiler_drain(profiler, how);
}

int profiler_dump(struct profiler *profiler)
{
	int error;

	if (profiler->lost)
		return -ENOENT;
	error = profiler_drain(profiler, SOURCE_DRAIN_ALL);
	profiler_save_symbols(profiler);
	return error;
}

int profiler_recent(struct profiler *profiler, const struct recent_span *span,
		    unsigned int separation, struct recent_stretch *stretch, struct diag *diag)
{
	struct recent_slice_config config = {
		.recent = profiler->recent,
		.source = profiler->source,
		.session = profiler->session,
		.separation = separation,
		.span = *span,
	};
	int fd;

	if (profiler->lost)
		return diag_set(diag, -ENOENT, "the session's folder no longer exists");
	if (!profiler->recent)
		return diag_set(diag, -ENOMEM, "out of memory for recent samples");
	(void)profiler_dump(profiler);
	config.to_realtime_ns = stretch_to_realtime(&profiler->history.stretch);
	fd = recent_slice_open(&config, stretch);
	return fd < 0 ? diag_set(diag, fd, "cannot send the recent samples: %s", strerror(-fd))
		      : fd;
}

int profiler_sync(const struct profiler *profiler)
{
	int error, names, synced;
	int fd;

	if (profiler->lost)
		return -ENOENT;
	/*
	 * The names are synced first, so that the names of all samples stored before this call are
	 * on disk before the samples. Samples stored during the call may be on disk without their
	 * names.
	 */
	names = name_table_sync(&profiler->session->names);
	error = sample_cache_sync(profiler->cache, profiler->session->current_fd);
	if (names && !error)
		error = names;
	synced = profiler->stacks ? stack_keep_sync(profiler->stacks) : 0;
	if (!error)
		error = synced;
	synced = history_sync(&profiler->history);
	if (!error)
		error = synced;
	fd = session_open_path(profiler->session, profiler->session->stats.path, O_RDONLY);
	if (fd < 0)
		return error ? error : fd;
	if (fdatasync(fd) && !error)
		error = -errno;
	(void)close(fd);
	return error;
}

void profiler_synced(struct profiler *profiler, int error)
{
	if (profiler->cache)
		sample_cache_synced(profiler->cache, error);
	history_synced(&profiler->history, error);
}

/*
 * Continues after a reset or save of the session: begins the new session's history. If the reset or
 * save failed, begins the old session again.
 */
static int profiler_begin_again(struct profiler *profiler, int error, struct diag *diag)
{
	struct diag again;

	if (error > 0)
		log_warning("%s", diag_show(diag));
	if (!profiler->session->open) {
		log_error("%s", diag_show(diag));
		diag_clear(&again);
		if (session_begin(profiler->session, SESSION_APPEND, &again) < 0) {
			log_error("%s", diag_show(&again));
			profiler->lost = true;
			return error < 0 ? error : -ENOENT;
		}
	}
	diag_clear(&again);
	if (profiler_begin_history(profiler, &again)) {
		log_error("%s", diag_show(&again));
		profiler->lost = true;
		return error < 0 ? error : -ENOENT;
	}
	profiler_begin_recent(profiler);
	profiler_save_symbols(profiler);
	return error < 0 ? error : 0;
}

/* To be called before the session's folder is removed or renamed. */
static void profiler_leave_session(struct profiler *profiler)
{
	history_end(&profiler->history);
	sample_cache_clear(profiler->cache);
	if (profiler->stacks)
		stack_keep_clear(profiler->stacks);
}

int profiler_reset(struct profiler *profiler, struct diag *diag)
{
	if (profiler->lost)
		return diag_set(diag, -ENOENT, "the session's folder no longer exists");
	(void)profiler_dump(profiler);
	profiler_leave_session(profiler);
	return profiler_begin_again(profiler, session_reset(profiler->session, diag), diag);
}

int profiler_save(struct profiler *profiler, const char *name, struct diag *diag)
{
	const uint64_t begin_ns = clock_monotonic_ns();
	int error = session_check_name(name, diag);

	if (error)
		return error;
	if (profiler->lost)
		return diag_set(diag, -ENOENT, "the session's folder no longer exists");
	(void)profiler_dump(profiler);
	while (profiler_tidy(profiler) && clock_monotonic_ns() - begin_ns < LEAVE_NS)
		profiler_read(profiler);
	profiler_leave_session(profiler);
	error = session_save(profiler->session, name, diag);
	return profiler_begin_again(profiler, error, diag);
}

void profiler_check_session(struct profiler *profiler)
{
	struct diag diag;
	int error;

	if (profiler->lost || !session_is_lost(profiler->session))
		return;
	log_error("the session %s was removed while the daemon was writing to it; starting a new "
		  "session there",
		  profiler->session->current_path);
	profiler_leave_session(profiler);
	diag_clear(&diag);
	error = session_recover(profiler->session, &diag);
	(void)profiler_begin_again(profiler, error, &diag);
}

bool profiler_ended(const struct profiler *profiler)
{
	return profiler->source->ops->ended(profiler->source);
}
