// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tracer that uses the kernel module. The module records to its own rings, whose packets are
 * moved to the folder unchanged. The daemon reads the machine's state and writes it to a separate
 * stream.
 */
#include "daemon/tracer/trace_kmod_internal.h"

#include "daemon/system/thread_list.h"
#include "daemon/trace/trace_tasks.h"
#include "lib/clock.h"
#include "lib/log.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define STATE_FILE	"state"
#define STATE_SUB_BYTES (64u << 10)
#define STATE_NR_SUBS	2u
#define LIST_TRIES	10u

/* ---- opening ---- */

/* Describes the clock. The origin is the time since 1970 at which the clock's stamp was 0. */
static void describe_clock(struct ctf_clock *clock, const struct oprof_ktrace_info *info)
{
	if (!info->counter) {
		trace_describe_clock(clock);
		return;
	}
	*clock = (struct ctf_clock){.name = "counter",
				    .description = "the time-stamp counter",
				    .freq_hz = info->freq_hz};
	trace_describe_origin(
		clock, (int64_t)(info->realtime_ns - (uint64_t)((unsigned __int128)info->stamp *
								NS_PER_SECOND / info->freq_hz)));
}

static int describe(struct trace_kmod *kmod, struct diag *diag)
{
	struct ctf_trace *trace = &kmod->base.trace;
	int error = tracer_describe(&kmod->base, diag);

	if (error)
		return error;
	describe_clock(&trace->clock, &kmod->ktrace.info);
	for (unsigned int i = 0; i < kmod->base.machine.nr_envs; i++)
		if (!strcmp(kmod->base.machine.envs[i].name, "oprof_source"))
			kmod->base.machine.envs[i].text = "module";
	trace->events = kmod->events.events;
	trace->nr_events = kmod->events.nr_events;
	return 0;
}

static int add_channel(struct trace_kmod *kmod, struct diag *diag)
{
	struct oprof_ktrace_channel config = {
		.mode = kmod->base.config.folder ? OPROF_KTRACE_DISCARD : OPROF_KTRACE_OVERWRITE,
		.sub_buffer_bytes = kmod->base.config.sub_buffer_bytes,
		.nr_sub_buffers = kmod->base.config.nr_sub_buffers,
		.stream_id = TRACER_STREAM};
	int error;

	memcpy(config.uuid, kmod->base.trace.uuid, sizeof(config.uuid));
	error = ktrace_add_channel(&kmod->ktrace, &config, diag);
	return error ? error : ktrace_events_add(&kmod->events, &kmod->ktrace, diag);
}

/* Opens a channel for the machine's state at the beginning of a snapshot, or of each chunk. */
static int open_state(const struct trace_kmod *kmod, struct trace_channel **state,
		      struct ctf_writer *writer, struct diag *diag)
{
	struct trace_channel_config config = {.mode = RING_DISCARD,
					      .sub_buffer_bytes = STATE_SUB_BYTES,
					      .nr_sub_buffers = STATE_NR_SUBS,
					      .stream_id = TRACER_STREAM,
					      .nr_cpus = 1,
					      .name = STATE_FILE};
	int error;

	memcpy(config.uuid, kmod->base.trace.uuid, sizeof(config.uuid));
	error = trace_channel_create(state, &config, diag);
	if (!error)
		trace_channel_write_to(*state, writer);
	return error;
}

static int open_folder(struct trace_kmod *kmod, struct diag *diag)
{
	const int error = tracer_open_folder(&kmod->base, diag);

	return error || !kmod->base.writer
		       ? error
		       : open_state(kmod, &kmod->state, kmod->base.writer, diag);
}

static void tell_no_mappings(const char *why)
{
	log_warning("the trace will not contain all programs and mappings that begin from now on, "
		    "and programs may have no names: %s",
		    why);
}

static uint64_t oldest(void *context)
{
	struct trace_kmod *kmod = context;

	return kmod->is_lent ? kmod->oldest : ktrace_oldest(&kmod->ktrace);
}

/*
 * Opens the mappings. A failure is only logged, because a trace without mappings is still useful.
 */
static int open_mappings(struct trace_kmod *kmod, struct diag *diag)
{
	struct trace_mappings_config config = {.ktrace = &kmod->ktrace,
					       .stream_id = TRACER_STREAM,
					       .first_id = kmod->events.sample_id,
					       .writer = kmod->base.writer,
					       .oldest = oldest,
					       .context = kmod};
	int error;

	/*
	 * A flight recorder needs the mappings even if the trace has no samples, because the
	 * mappings' records also report tasks that ended.
	 */
	if (kmod->base.writer ? !kmod->base.config.choice->samples_hz
			      : !trace_state_is_the_machines())
		return 0;
	memcpy(config.uuid, kmod->base.trace.uuid, sizeof(config.uuid));
	error = trace_mappings_open(&kmod->base.mappings, &config, diag);
	if (error)
		tell_no_mappings(diag_show(diag));
	return 0;
}

/* ---- filters ---- */

static int add_threads(struct ktrace *ktrace, const struct thread_list *threads, struct diag *diag)
{
	uint64_t *ids = calloc(threads->nr_tids + 1, sizeof(*ids));
	int error;

	if (!ids)
		return diag_set(diag, -ENOMEM, "out of memory for a filter");
	for (size_t i = 0; i < threads->nr_tids; i++)
		ids[i] = (uint64_t)threads->tids[i];
	error = ktrace_filter(ktrace, OPROF_KTRACE_BY_TREE, ids, threads->nr_tids, diag);
	free(ids);
	return error;
}

/*
 * Limits recording to the chosen processes. When the filter has been set for all listed threads,
 * the module also records the threads that they start. A thread may, however, begin after the list
 * was read and before the filter was set. The list is therefore read again until no new thread is
 * found.
 */
static int follow_processes(const struct trace_kmod *kmod, struct ktrace *ktrace, struct diag *diag)
{
	struct thread_list before = {0}, threads = {0};
	bool is_same = false;
	int error = 0;

	if (!kmod->base.config.nr_pids)
		return 0;
	if (!trace_state_is_the_machines())
		return diag_set(
			diag, -EOPNOTSUPP,
			"-p: in this container, process ids differ from the ids that the module "
			"records; use --source=perf");
	for (unsigned int i = 0; !error && !is_same && i < LIST_TRIES; i++) {
		error = thread_list_read(&threads, NULL, kmod->base.config.pids,
					 kmod->base.config.nr_pids);
		if (error)
			(void)diag_set(diag, error, "cannot read /proc: %s", strerror(-error));
		else if (threads.nr_tids)
			error = add_threads(ktrace, &threads, diag);
		is_same = !error && thread_list_equal(&before, &threads);
		thread_list_deinit(&before);
		before = threads;
		threads = (struct thread_list){0};
	}
	if (!error && !before.nr_tids)
		error = diag_set(diag, -ESRCH, "-p: the processes have ended");
	if (!error && !is_same)
		log_warning("-p: threads begin faster than they can be listed: some threads may be "
			    "missing");
	thread_list_deinit(&before);
	return error;
}

static int filter_cgroup(const struct trace_kmod *kmod, struct ktrace *ktrace, struct diag *diag)
{
	const char *folder = kmod->base.config.cgroup;
	struct statfs system;
	struct stat info;
	uint64_t id;

	if (!folder)
		return 0;
	if (stat(folder, &info) || statfs(folder, &system))
		return diag_set(diag, -errno, "--cgroup %s: %s", folder,
				errno == ENOENT ? "there is no such control group"
						: strerror(errno));
	if (system.f_type != CGROUP2_SUPER_MAGIC)
		return diag_set(
			diag, -EOPNOTSUPP,
			"--cgroup %s is not in the unified hierarchy (cgroup2), which the module "
			"requires: use --source=perf",
			folder);
	id = info.st_ino;
	return ktrace_filter(ktrace, OPROF_KTRACE_BY_CGROUP, &id, 1, diag);
}

static int filter_users(const struct trace_kmod *kmod, struct ktrace *ktrace, struct diag *diag)
{
	uint64_t ids[OPROF_KTRACE_FILTER_IDS_MAX];
	const unsigned int nr = kmod->base.config.nr_uids;

	for (unsigned int i = 0; i < nr && i < OPROF_KTRACE_FILTER_IDS_MAX; i++)
		ids[i] = kmod->base.config.uids[i];
	return nr ? ktrace_filter(ktrace, OPROF_KTRACE_BY_UID, ids, nr, diag) : 0;
}

/*
 * Sets the filters of a session, which is either the trace's own session or the one that checks
 * conditions.
 */
static int set_filters(void *context, struct ktrace *ktrace, struct diag *diag)
{
	const struct trace_kmod *kmod = context;
	int error = follow_processes(kmod, ktrace, diag);

	if (!error)
		error = filter_cgroup(kmod, ktrace, diag);
	return error ? error : filter_users(kmod, ktrace, diag);
}

/* ---- opening, closing ---- */

static int open_all(struct tracer *base, struct diag *diag)
{
	struct trace_kmod *kmod = (struct trace_kmod *)base;
	int error = ktrace_open(&kmod->ktrace, KTRACE_PATH, diag);

	if (!error)
		error = set_filters(kmod, &kmod->ktrace, diag);
	if (!error)
		error = ktrace_events_init(&kmod->events, kmod->base.config.tracefs,
					   kmod->base.config.choice, &kmod->ktrace.info,
					   TRACER_STREAM, diag);
	if (!error)
		error = describe(kmod, diag);
	if (!error)
		error = add_channel(kmod, diag);
	if (!error)
		error = open_folder(kmod, diag);
	if (!error)
		error = open_mappings(kmod, diag);
	/*
	 * trace_watch_open must be last, because it makes the conditions use the layouts of the
	 * module's records.
	 */
	if (!error && kmod->base.config.trigger)
		error = trace_watch_open(&kmod->watch, kmod->base.config.trigger, set_filters, kmod,
					 diag);
	return error;
}

static void close_all(struct tracer *base)
{
	struct trace_kmod *kmod = (struct trace_kmod *)base;

	trace_watch_close(kmod->watch);
	trace_channel_destroy(kmod->state);
	ktrace_close(&kmod->ktrace);
	ktrace_events_deinit(&kmod->events);
}

/* ---- recording ---- */

static bool is_wanted(void *kmod)
{
	return !tracer_is_cancelled(&((const struct trace_kmod *)kmod)->base);
}

/*
 * Writes the state at `stamp` to the channel `state`. The state consists of the tasks in `tasks`
 * or, if tasks is NULL, of the present tasks in /proc.
 */
static int tell_state(struct trace_kmod *kmod, struct trace_channel *state, uint64_t stamp,
		      const struct trace_tasks *tasks, struct trace_state_counts *counts,
		      struct diag *diag)
{
	const struct trace_state_config how = {.proc_path = "/proc",
					       .first_id = kmod->events.state_id,
					       .time = stamp,
					       .is_later = !kmod->base.writer,
					       .turn = is_wanted,
					       .context = kmod};
	struct diag why;
	int error;

	*counts = (struct trace_state_counts){0};
	if (!trace_state_is_the_machines())
		return 0;
	error = tasks ? trace_tasks_dump(tasks, state, &how, counts)
		      : trace_state_dump(state, &how, counts);
	if (error)
		(void)diag_set(diag, error,
			       "cannot record the tasks that existed at the beginning: %s",
			       strerror(-error));
	return diag_first(error, trace_channel_flush(state, &why), &why, diag);
}

/* Writes the state at the beginning of the trace or of a chunk. */
static int tell_begin(struct trace_kmod *kmod, uint64_t stamp, struct diag *diag)
{
	struct trace_state_counts counts;
	const int error = tell_state(kmod, kmod->state, stamp, NULL, &counts, diag);

	kmod->base.nr_state += trace_state_nr_records(&counts);
	return error;
}

static void start_mappings(struct trace_kmod *kmod)
{
	const int error = trace_mappings_start(kmod->base.mappings);

	if (error)
		tell_no_mappings(strerror(-error));
}

static int start(struct tracer *base, struct diag *diag)
{
	struct trace_kmod *kmod = (struct trace_kmod *)base;
	int error = kmod->watch ? trace_watch_start(kmod->watch, diag) : 0;
	uint64_t stamp;

	/*
	 * A flight recorder starts the mappings first, so that it knows all tasks that end from now
	 * on.
	 */
	if (!kmod->base.writer)
		start_mappings(kmod);
	stamp = ktrace_now(&kmod->ktrace);
	if (!error)
		error = ktrace_start(&kmod->ktrace, diag);
	kmod->base.begin_ns = clock_monotonic_ns();
	if (!kmod->base.writer)
		return error; /* each snapshot writes the state at its beginning */
	/*
	 * The mappings are started before the state is read, so that mappings made in the meantime
	 * are not missed.
	 */
	start_mappings(kmod);
	/* Records that arrive while the state is read stay in the module's rings. */
	return error ? error : tell_begin(kmod, stamp, diag);
}

static int next_chunk(struct trace_kmod *kmod, struct diag *diag)
{
	const uint64_t stamp = ktrace_now(&kmod->ktrace);
	int error = ktrace_flush(&kmod->ktrace, kmod->base.writer, diag);

	if (!error)
		error = trace_mappings_flush(kmod->base.mappings, diag);
	if (error || !trace_chunks_next(&kmod->base.chunks, clock_monotonic_ns()))
		return error;
	/* The module's rings continue to fill while /proc is read, so they are emptied first. */
	error = ktrace_drain(&kmod->ktrace, kmod->base.writer, diag);
	return error ? error : tell_begin(kmod, stamp, diag);
}

static int do_round(struct tracer *base, struct diag *diag)
{
	struct trace_kmod *kmod = (struct trace_kmod *)base;
	int error = trace_mappings_round(kmod->base.mappings, diag), drained;
	struct diag why;

	if (kmod->watch)
		tracer_note_cause(base, trace_watch_round(kmod->watch));
	if (!kmod->base.writer)
		return error;
	drained = ktrace_drain(&kmod->ktrace, kmod->base.writer, &why);
	error = diag_first(error, drained, &why, diag);
	if (!error && trace_chunks_are_due(&kmod->base.chunks, clock_monotonic_ns()))
		error = next_chunk(kmod, diag);
	trace_chunks_tidy(&kmod->base.chunks);
	return error;
}

static int poll_fd(const struct tracer *base)
{
	const struct trace_kmod *kmod = (const struct trace_kmod *)base;

	/*
	 * A flight recorder's rings are not read in rounds, and would always be readable when they
	 * are full. So only the rings for conditions are polled.
	 */
	if (!kmod->base.writer)
		return kmod->watch ? trace_watch_poll_fd(kmod->watch) : -1;
	return kmod->ktrace.fd;
}

static int stop(struct tracer *base, struct diag *diag)
{
	struct trace_kmod *kmod = (struct trace_kmod *)base;
	struct diag why;
	int error;

	ktrace_stop(&kmod->ktrace);
	error = trace_mappings_stop(kmod->base.mappings, diag);
	if (!kmod->base.writer)
		return error;
	return diag_first(error, ktrace_finish(&kmod->ktrace, kmod->base.writer, &why), &why, diag);
}

static int flush(struct tracer *base, struct diag *diag)
{
	struct trace_kmod *kmod = (struct trace_kmod *)base;
	const int error = trace_mappings_flush(kmod->base.mappings, diag);
	struct diag why;

	if (!kmod->base.writer)
		return error;
	return diag_first(error, ktrace_flush(&kmod->ktrace, kmod->base.writer, &why), &why, diag);
}

static int follow_cpus(struct tracer *base, struct diag *diag)
{
	/*
	 * Only the mappings must follow the CPUs, because the module itself records CPUs that come
	 * online.
	 */
	return trace_mappings_follow_cpus(base->mappings, diag);
}

/* ---- snapshots ---- */

static int add_state(struct trace_kmod *kmod, struct ctf_writer *writer, uint64_t begin,
		     struct trace_state_counts *counts, struct diag *diag)
{
	struct trace_channel *state;
	int error = open_state(kmod, &state, writer, diag);

	if (error)
		return error;
	error = tell_state(kmod, state, begin, trace_mappings_tasks(kmod->base.mappings, begin),
			   counts, diag);
	trace_channel_destroy(state);
	return error;
}

/* Writes all parts, even if one fails. Returns the first error. */
static int snapshot(struct tracer *base, struct ctf_writer *writer, struct tracer_snapshot *taken,
		    struct diag *diag)
{
	struct trace_kmod *kmod = (struct trace_kmod *)base;
	struct trace_mappings_counts mapped = {0};
	struct trace_state_counts state = {0};
	struct ktrace_taken held;
	struct diag why;
	int error = ktrace_snapshot(&kmod->ktrace, writer, &held, diag);

	taken->begin = ktrace_ns(&kmod->ktrace, held.begin);
	taken->end = ktrace_ns(&kmod->ktrace, held.end);
	error = diag_first(error, add_state(kmod, writer, held.begin, &state, &why), &why, diag);
	error = diag_first(
		error,
		trace_mappings_snapshot(kmod->base.mappings, writer, held.begin, &mapped, &why),
		&why, diag);
	taken->nr_state = trace_state_nr_records(&state);
	taken->lost = held.lost + mapped.lost + state.lost;
	taken->overwritten = held.overwritten;
	taken->nr_records = held.nr_records + mapped.nr_records + taken->nr_state;
	return error;
}

static uint64_t held_since(const struct trace_kmod *kmod)
{
	if (kmod->base.writer)
		return 0;
	return kmod->is_lent ? kmod->held_since : ktrace_held_since(&kmod->ktrace);
}

/*
 * Only one process can hold a ring's packet at a time. While a child reads the rings, the daemon
 * does not read them, but uses values that were saved before.
 */
static void lend(struct tracer *base, bool lends)
{
	struct trace_kmod *kmod = (struct trace_kmod *)base;

	if (lends) {
		kmod->held_since = held_since(kmod);
		kmod->oldest = ktrace_oldest(&kmod->ktrace);
	} else {
		ktrace_let_go(&kmod->ktrace);
	}
	kmod->is_lent = lends;
}

static struct tracer_held held_now(struct tracer *base)
{
	const struct trace_kmod *kmod = (const struct trace_kmod *)base;
	struct tracer_held held = {.nr_bytes = kmod->ktrace.nr_bytes,
				   .since = kmod->base.begin_ns,
				   .now = clock_monotonic_ns()};
	const uint64_t since = held_since(kmod);

	if (since)
		held.since = ktrace_ns(&kmod->ktrace, since);
	return held;
}

static unsigned int nr_cpus(const struct tracer *base)
{
	const struct ktrace *ktrace = &((const struct trace_kmod *)base)->ktrace;
	unsigned int nr = 0;

	for (uint32_t i = 0; i < ktrace->info.nr_cpus; i++)
		nr += ktrace->rings[i].fd >= 0;
	return nr;
}

static unsigned int nr_events(const struct tracer *base)
{
	const struct trace_kmod *kmod = (const struct trace_kmod *)base;

	return (unsigned int)kmod->events.nr_chosen + (kmod->events.syscalls ? 2 : 0);
}

static struct tracer_counts count_all(const struct tracer *base)
{
	const struct trace_kmod *kmod = (const struct trace_kmod *)base;
	const struct oprof_ktrace_counts from = ktrace_counts(&kmod->ktrace);

	return (struct tracer_counts){
		.nr_records = from.nr_records + base->nr_state,
		.lost_kernel = from.lost_by[OPROF_LOST_FULL] + from.lost_by[OPROF_LOST_STOPPED],
		.lost_nested = from.lost_by[OPROF_LOST_NESTED] + from.lost_by[OPROF_LOST_KILLED],
		.lost_room = from.lost_by[OPROF_LOST_TOO_BIG] +
			     (kmod->state ? trace_channel_counts(kmod->state).lost : 0),
		.unjudged = kmod->watch ? trace_watch_lost(kmod->watch) : 0,
	};
}

const struct tracer_ops trace_kmod_ops = {
	.nr_bytes = sizeof(struct trace_kmod),
	.open = open_all,
	.close = close_all,
	.start = start,
	.round = do_round,
	.poll_fd = poll_fd,
	.stop = stop,
	.follow_cpus = follow_cpus,
	.flush = flush,
	.snapshot = snapshot,
	.lend = lend,
	.held = held_now,
	.nr_cpus = nr_cpus,
	.nr_events = nr_events,
	.counts = count_all,
};
