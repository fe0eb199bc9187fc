// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tracer that uses perf_event_open. It reads records from the kernel's rings, converts them to
 * the trace's layout and writes them to the daemon's own rings (trace_channel.h).
 */
#include "daemon/tracer/tracer_perf_internal.h"

#include "daemon/trace/trace_channel.h"
#include "daemon/trace/trace_clock.h"
#include "daemon/trace/trace_sample.h"
#include "daemon/trace/trace_tasks.h"
#include "lib/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COMMON_PID_OFFSET 4u /* in raw records */

/* ---- records ---- */

static void bad(struct tracer_perf *tracer, unsigned int cpu)
{
	tracer->lost_bad++;
	trace_channel_lose(tracer->channel, cpu, 1);
}

static bool number_of(const struct tracepoint_field *field, const struct trace_perf_record *record,
		      int64_t *number)
{
	const uint8_t *bytes;
	size_t nr_bytes;

	if (!tracepoint_value(field, record->raw, record->nr_bytes, &bytes, &nr_bytes))
		return false;
	*number = (int64_t)tracepoint_number(field, bytes);
	return true;
}

static void take_entry(struct tracer_perf *tracer, const struct trace_perf_record *record)
{
	uint64_t args[TRACE_SYSCALL_NR_ARGS] = {0};
	const uint8_t *bytes;
	size_t nr_bytes;
	uint32_t nr_payload, event;
	uint8_t *payload;
	int64_t number;

	if (!number_of(tracer->entry.id, record, &number) ||
	    !tracepoint_value(tracer->entry.rest, record->raw, record->nr_bytes, &bytes,
			      &nr_bytes) ||
	    nr_bytes != (size_t)TRACE_SYSCALL_NR_ARGS * tracer->entry.rest->element_bytes) {
		bad(tracer, record->cpu);
		return;
	}
	for (unsigned int i = 0; i < TRACE_SYSCALL_NR_ARGS; i++)
		args[i] = tracepoint_number(tracer->entry.rest,
					    bytes + (size_t)i * tracer->entry.rest->element_bytes);
	event = trace_syscalls_entry(tracer->syscalls, number, &nr_payload);
	payload = trace_channel_reserve(tracer->channel, record->cpu, event, record->time,
					nr_payload);
	if (!payload)
		return;
	trace_syscalls_write_entry(tracer->syscalls, number, args, payload);
	trace_channel_commit(tracer->channel);
}

static void take_exit(struct tracer_perf *tracer, const struct trace_perf_record *record)
{
	uint32_t nr_payload, event;
	uint8_t *payload;
	int64_t number, ret;

	if (!number_of(tracer->exit.id, record, &number) ||
	    !number_of(tracer->exit.rest, record, &ret)) {
		bad(tracer, record->cpu);
		return;
	}
	event = trace_syscalls_exit(tracer->syscalls, number, &nr_payload);
	payload = trace_channel_reserve(tracer->channel, record->cpu, event, record->time,
					nr_payload);
	if (!payload)
		return;
	trace_syscalls_write_exit(tracer->syscalls, number, ret, payload);
	trace_channel_commit(tracer->channel);
}

static void take_other(struct tracer_perf *tracer, const struct trace_perf_record *record)
{
	const struct trace_layout *layout = &tracer->layouts[record->event];
	const int64_t nr_bytes = trace_layout_bytes(layout, record->raw, record->nr_bytes);
	uint8_t *payload;

	if (nr_bytes < 0) {
		bad(tracer, record->cpu);
		return;
	}
	payload = trace_channel_reserve(tracer->channel, record->cpu, layout->event.id,
					record->time, (uint32_t)nr_bytes);
	if (!payload)
		return;
	trace_layout_write(layout, record->raw, record->nr_bytes, payload);
	trace_channel_commit(tracer->channel);
}

static void take_sample(struct tracer_perf *tracer, const struct trace_perf_record *record)
{
	const uint32_t nr_bytes = trace_sample_bytes(record);
	uint8_t *payload;

	if (!nr_bytes)
		return; /* executable memory without a file */
	payload = trace_channel_reserve(tracer->channel, record->cpu,
					tracer->sample_id + trace_sample_event(record),
					record->time, nr_bytes);
	if (!payload)
		return;
	trace_sample_write(record, payload);
	trace_channel_commit(tracer->channel);
}

/* Passes a record to the trigger. The thread's number has the same offset in all raw records. */
static void note(const struct tracer_perf *tracer, const struct trace_perf_record *from)
{
	struct trace_trigger_record record = {.event = tracer->trigger_events[from->event],
					      .cpu = from->cpu,
					      .tid = TRACE_TRIGGER_NO_TID,
					      .time = from->time,
					      .bytes = from->raw,
					      .nr_bytes = from->nr_bytes};

	if (from->nr_bytes >= COMMON_PID_OFFSET + sizeof(record.tid))
		memcpy(&record.tid, from->raw + COMMON_PID_OFFSET, sizeof(record.tid));
	trace_trigger_note(tracer->base.config.trigger, &record);
}

static struct tracer_perf *of_sink(struct trace_perf_sink *sink)
{
	return (struct tracer_perf *)(void *)((char *)sink - offsetof(struct tracer_perf, sink));
}

static void take(struct trace_perf_sink *sink, const struct trace_perf_record *record)
{
	struct tracer_perf *tracer = of_sink(sink);

	if (tracer->trigger_events && tracer->trigger_events[record->event] != TRACE_TRIGGER_NONE)
		note(tracer, record);
	if (record->kind != TRACE_RECORD_TRACEPOINT)
		take_sample(tracer, record);
	else if (record->event < tracer->nr_layouts)
		take_other(tracer, record);
	else if (record->event == tracer->nr_layouts)
		take_entry(tracer, record);
	else
		take_exit(tracer, record);
}

static void lose(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr)
{
	struct tracer_perf *tracer = of_sink(sink);

	tracer->lost_perf += nr;
	trace_channel_lose(tracer->channel, cpu, nr);
}

/* ---- opening, closing ---- */

/* Refuses options that only the module supports. */
static int check_perf(const struct tracer_config *config, struct diag *diag)
{
	if (config->nr_uids)
		return diag_set(
			diag, -EOPNOTSUPP,
			"--uid: performance events cannot be limited to users: load the kernel "
			"module (opcontrol --init), or choose processes (-p) or a control "
			"group (--cgroup)");
	if (config->nr_tids && config->cgroup)
		return diag_set(
			diag, -EINVAL,
			"-p cannot be combined with --cgroup without the kernel module: choose "
			"one");
	return 0;
}

static int open_perf(struct tracer_perf *tracer, struct diag *diag)
{
	const struct tracer_config *from = &tracer->base.config;
	const struct trace_memory memory = tracer_memory(from);
	const struct trace_perf_config config = {.events = tracer->events,
						 .nr_events = tracer->nr_events,
						 .ring_bytes = trace_memory_kernel_bytes(&memory),
						 .sink = &tracer->sink,
						 .tids = from->tids,
						 .nr_tids = from->nr_tids,
						 .cgroup = from->cgroup};

	tracer->sink.record = take;
	tracer->sink.lost = lose;
	return trace_perf_open(&tracer->perf, &config, diag);
}

static int open_channel(struct tracer_perf *tracer, struct diag *diag)
{
	const struct tracer_config *from = &tracer->base.config;
	struct trace_channel_config config = {.mode = from->folder ? RING_DISCARD : RING_OVERWRITE,
					      .sub_buffer_bytes = from->sub_buffer_bytes,
					      .nr_sub_buffers = from->nr_sub_buffers,
					      .stream_id = TRACER_STREAM,
					      .nr_cpus = trace_perf_nr_cpus(tracer->perf)};

	memcpy(config.uuid, tracer->base.trace.uuid, sizeof(config.uuid));
	return trace_channel_create(&tracer->channel, &config, diag);
}

static uint64_t oldest(void *context)
{
	struct tracer_perf *tracer = context;

	return trace_channel_held(tracer->channel, tracer->base.begin_ns).begin;
}

static int open_mappings(struct tracer_perf *tracer, struct diag *diag)
{
	struct trace_mappings_config config = {.stream_id = TRACER_STREAM,
					       .first_id = tracer->sample_id,
					       .oldest = oldest,
					       .context = tracer};

	if (!tracer_perf_keeps_tasks(tracer))
		return 0;
	memcpy(config.uuid, tracer->base.trace.uuid, sizeof(config.uuid));
	return trace_mappings_open(&tracer->base.mappings, &config, diag);
}

static int open_all(struct tracer *base, struct diag *diag)
{
	struct tracer_perf *tracer = (struct tracer_perf *)base;
	int error = check_perf(&base->config, diag);

	if (!error)
		error = tracer_perf_choose(tracer, diag);
	if (!error)
		error = open_perf(tracer, diag);
	if (!error)
		error = open_channel(tracer, diag);
	if (!error)
		error = open_mappings(tracer, diag);
	if (!error)
		error = tracer_open_folder(base, diag);
	if (!error)
		trace_channel_write_to(tracer->channel, base->writer);
	return error;
}

static void close_all(struct tracer *base)
{
	struct tracer_perf *tracer = (struct tracer_perf *)base;

	trace_channel_destroy(tracer->channel);
	trace_perf_close(tracer->perf);
	for (size_t i = 0; i < tracer->nr_layouts; i++)
		trace_layout_deinit(&tracer->layouts[i]);
	for (unsigned int i = 0; tracer->names && i < tracer->nr_events; i++)
		free(tracer->names[i]);
	trace_syscalls_destroy(tracer->syscalls);
	tracepoint_destroy(tracer->entry.tracepoint);
	tracepoint_destroy(tracer->exit.tracepoint);
	free(tracer->layouts);
	free(tracer->events);
	free(tracer->names);
	free(tracer->trace_events);
	free(tracer->trigger_events);
}

/* ---- recording ---- */

/*
 * Allocates the rings of a flight recorder when the recorder is opened, because lack of memory can
 * still be reported at this time.
 */
static int prepare_rings(struct tracer_perf *tracer, struct diag *diag)
{
	const unsigned int nr_cpus = trace_perf_nr_cpus(tracer->perf);

	for (unsigned int i = 0; !tracer->base.writer && i < nr_cpus; i++) {
		const int error = trace_perf_has_cpu(tracer->perf, i)
					  ? trace_channel_prepare(tracer->channel, i)
					  : 0;

		if (error)
			return diag_set(diag, error, "cannot make the buffers of CPU %u: %s", i,
					strerror(-error));
	}
	return 0;
}

/*
 * Called while /proc is read: reads the kernel's rings, which would otherwise become full. Returns
 * whether to continue.
 */
static bool read_meanwhile(void *context)
{
	struct tracer_perf *tracer = context;
	int error;

	(void)trace_perf_read(tracer->perf, false);
	error = trace_channel_drain(tracer->channel, false, 0, &tracer->disk_diag);
	tracer->disk_error = tracer->disk_error ? tracer->disk_error : error;
	return !tracer_is_cancelled(&tracer->base);
}

/*
 * Writes the machine's state to writer, before the contents of the rings. The state consists of the
 * tasks in `tasks` or, if tasks is NULL, of the tasks in /proc. Returns 0 or -errno.
 */
static int tell_state(struct tracer_perf *tracer, struct ctf_writer *writer,
		      const struct trace_tasks *tasks, struct trace_state_config *how,
		      uint64_t *nr_records)
{
	struct trace_state_counts state = {0};
	int error;

	*nr_records = 0;
	if (!trace_state_is_the_machines())
		return 0;
	how->proc_path = "/proc";
	how->first_id = tracer->state_id;
	how->in_front = true;
	error = trace_channel_state_begin(tracer->channel, writer);
	if (error)
		return error;
	error = tasks ? trace_tasks_dump(tasks, tracer->channel, how, &state)
		      : trace_state_dump(tracer->channel, how, &state);
	trace_channel_state_end(tracer->channel);
	*nr_records = trace_state_nr_records(&state);
	return error;
}

static int start(struct tracer *base, struct diag *diag)
{
	struct tracer_perf *tracer = (struct tracer_perf *)base;
	struct trace_state_config how = {.turn = read_meanwhile, .context = tracer};
	int error = prepare_rings(tracer, diag);

	/*
	 * Recording of mappings and tasks starts first, so that all tasks that end after the trace
	 * begins are known.
	 */
	if (!error && (error = trace_mappings_start(tracer->base.mappings)))
		(void)diag_set(diag, error, "cannot record the running tasks: %s",
			       strerror(-error));
	if (error)
		return error;
	tracer->base.begin_ns = how.time = clock_monotonic_ns();
	error = trace_perf_enable(tracer->perf, true);
	if (error)
		return diag_set(diag, error, "cannot start recording: %s", strerror(-error));
	if (!tracer->base.writer)
		return 0; /* each snapshot writes the state at its beginning */
	error = tell_state(tracer, tracer->base.writer, NULL, &how, &tracer->base.nr_state);
	return error ? diag_set(diag, error, "cannot read /proc: %s", strerror(-error)) : 0;
}

/*
 * Returns an earlier disk error that could not be reported when it occurred. If there was none,
 * returns the parameter `error`.
 */
static int take_error(struct tracer_perf *tracer, int error, struct diag *diag)
{
	if (tracer->disk_error) {
		error = tracer->disk_error;
		*diag = tracer->disk_diag;
		tracer->disk_error = 0;
	}
	return error;
}

/*
 * Begins the next chunk. Records from before this call are written to the old chunk. The new chunk
 * begins with the machine's state. The state's time is the time of this call or, if CPU 0's last
 * record is later, the time of that record.
 */
static int next_chunk(struct tracer_perf *tracer, struct diag *diag)
{
	const uint64_t now = clock_monotonic_ns();
	struct trace_state_config how = {
		.proc_path = "/proc", .first_id = tracer->state_id, .time = now};
	struct trace_state_counts state;
	int error;

	(void)trace_perf_read(tracer->perf, false); /* damage is counted */
	error = trace_channel_flush(tracer->channel, diag);
	if (error || !trace_chunks_next(&tracer->base.chunks, now) ||
	    !trace_state_is_the_machines())
		return error;
	error = trace_state_dump(tracer->channel, &how, &state);
	tracer->base.nr_state += trace_state_nr_records(&state);
	return error ? diag_set(diag, error, "cannot read /proc: %s", strerror(-error)) : 0;
}

/*
 * Checks the conditions up to the time (`before` - TRACE_SLACK_NS). To be called when the records
 * of all CPUs up to this time have been read.
 */
static void look_for_cause(struct tracer_perf *tracer, uint64_t before)
{
	const char *cause;

	if (!tracer->base.config.trigger)
		return;
	cause = trace_trigger_decide(tracer->base.config.trigger, before - TRACE_SLACK_NS);
	tracer_note_cause(&tracer->base, cause);
}

static int do_round(struct tracer *base, struct diag *diag)
{
	struct tracer_perf *tracer = (struct tracer_perf *)base;
	const uint64_t before = clock_monotonic_ns();
	int error;
	(void)trace_perf_read(tracer->perf, false); /* damage is counted */
	look_for_cause(tracer, before);
	/*
	 * Mappings and tasks are read after the other records, so that all mappings and tasks to
	 * which these records refer have been read.
	 */
	if (!tracer->base.writer)
		return trace_mappings_round(tracer->base.mappings, diag);
	error = trace_channel_drain(tracer->channel, false, 0, diag);
	if (!error && trace_chunks_are_due(&tracer->base.chunks, clock_monotonic_ns()))
		error = next_chunk(tracer, diag);
	trace_chunks_tidy(&tracer->base.chunks);
	return take_error(tracer, error, diag);
}

static int follow_cpus(struct tracer *base, struct diag *diag)
{
	const struct tracer_perf *tracer = (const struct tracer_perf *)base;
	const int error = trace_perf_follow_cpus(tracer->perf, diag);
	struct diag why;
	const int mapped = trace_mappings_follow_cpus(tracer->base.mappings, error ? &why : diag);

	return error ? error : mapped;
}

static int flush(struct tracer *base, struct diag *diag)
{
	struct tracer_perf *tracer = (struct tracer_perf *)base;

	if (!tracer->base.writer)
		return 0;
	(void)trace_perf_read(tracer->perf, false);
	return trace_channel_flush(tracer->channel, diag);
}

static int poll_fd(const struct tracer *base)
{
	const struct tracer_perf *tracer = (const struct tracer_perf *)base;

	return trace_perf_poll_fd(tracer->perf);
}

static int stop(struct tracer *base, struct diag *diag)
{
	struct tracer_perf *tracer = (struct tracer_perf *)base;
	int error;

	(void)trace_perf_enable(tracer->perf, false);
	(void)trace_perf_read(tracer->perf, true);
	if (!tracer->base.writer)
		return trace_mappings_stop(tracer->base.mappings, diag);
	error = trace_channel_drain(tracer->channel, true, clock_monotonic_ns(), diag);
	return take_error(tracer, error, diag);
}

/* ---- snapshots ---- */

static int snapshot(struct tracer *base, struct ctf_writer *writer, struct tracer_snapshot *taken,
		    struct diag *diag)
{
	struct tracer_perf *tracer = (struct tracer_perf *)base;
	struct trace_state_config how = {.is_later = true};
	struct trace_mappings_counts mapped;
	struct trace_channel_written written;
	struct diag why;
	int error;

	taken->end = clock_monotonic_ns();
	/*
	 * Open packets are closed first, because the snapshot also contains these packets, and the
	 * oldest packet may be one of them.
	 */
	trace_channel_hold(tracer->channel, taken->end);
	taken->begin = how.time = trace_channel_held(tracer->channel, taken->end).begin;
	error = tell_state(tracer, writer,
			   trace_mappings_tasks(tracer->base.mappings, taken->begin), &how,
			   &taken->nr_state);
	if (error)
		(void)diag_set(diag, error,
			       "cannot record the tasks that existed at the beginning: %s",
			       strerror(-error));
	/* All parts are written, even if one of them fails. The first error is returned. */
	error = diag_first(
		error, trace_channel_snapshot(tracer->channel, writer, taken->end, &written, &why),
		&why, diag);
	error = diag_first(
		error,
		trace_mappings_snapshot(tracer->base.mappings, writer, taken->begin, &mapped, &why),
		&why, diag);
	taken->nr_records = written.nr_records + mapped.nr_records + taken->nr_state;
	taken->lost = written.lost + mapped.lost;
	return error;
}

static struct tracer_held held_now(struct tracer *base)
{
	struct tracer_perf *tracer = (struct tracer_perf *)base;
	const struct trace_channel_held held =
		trace_channel_held(tracer->channel, tracer->base.begin_ns);

	return (struct tracer_held){.nr_bytes = held.nr_bytes,
				    .since = tracer->base.writer ? tracer->base.begin_ns
								 : held.whole,
				    .now = clock_monotonic_ns()};
}

static unsigned int nr_cpus(const struct tracer *base)
{
	const struct tracer_perf *tracer = (const struct tracer_perf *)base;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < trace_perf_nr_cpus(tracer->perf); i++)
		nr += trace_perf_has_cpu(tracer->perf, i);
	return nr;
}

static unsigned int nr_events(const struct tracer *base)
{
	const struct tracer_perf *tracer = (const struct tracer_perf *)base;

	return tracer->nr_events;
}

static struct tracer_counts count_all(const struct tracer *base)
{
	const struct tracer_perf *tracer = (const struct tracer_perf *)base;
	const struct trace_channel_counts channel = trace_channel_counts(tracer->channel);
	const struct trace_perf_counts perf = trace_perf_counts(tracer->perf);

	return (struct tracer_counts){
		.nr_records = channel.nr_records,
		.lost_kernel = perf.lost,
		/*
		 * channel.lost includes the losses that lose() and bad() report to the channel.
		 * The other losses, which the channel itself counts, are lost_room.
		 */
		.lost_room = channel.lost - tracer->lost_perf - tracer->lost_bad,
		.lost_bad = tracer->lost_bad + perf.bad_records,
		.ring_errors = perf.ring_errors,
		.nr_late = channel.nr_late,
		.nr_throttled = perf.throttled,
	};
}

const struct tracer_ops tracer_perf_ops = {
	.nr_bytes = sizeof(struct tracer_perf),
	.open = open_all,
	.close = close_all,
	.start = start,
	.round = do_round,
	.poll_fd = poll_fd,
	.stop = stop,
	.follow_cpus = follow_cpus,
	.flush = flush,
	.snapshot = snapshot,
	.held = held_now,
	.nr_cpus = nr_cpus,
	.nr_events = nr_events,
	.counts = count_all,
};
