// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer.h"

#include "ctf/chunk.h"
#include "ctf/writer.h"
#include "daemon/trace_channel.h"
#include "daemon/trace_layout.h"
#include "daemon/trace_perf.h"
#include "daemon/trace_sample.h"
#include "daemon/trace_state.h"
#include "daemon/trace_syscalls.h"
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND	 UINT64_C(1000000000)
#define SUB_BUFFER_BYTES (256u << 10)
#define NR_SUB_BUFFERS	 64u
#define STREAM		 0u
/* The kernel gives it this number: PROC_PID_INIT_INO. */
#define INITIAL_PID_NAMESPACE "pid:[4026531836]"
#define BOOT_ID_FILE	      "/proc/sys/kernel/random/boot_id"
/* Of compact record headers there are few: for tracepoints; what is above is the others'. */
#define FIRST_ID_EXTENDED (OPROF_EVENT_ESCAPE + 1)
#define NR_ENVS_MAX	  16u
/* Beside those of the choice: of system calls, samples, mappings. */
#define NR_OTHER_EVENTS 4u

struct call_tracepoint {
	struct tracepoint *tracepoint;
	const struct tracepoint_field *id, *rest; /* args of an entry, ret of an exit */
};

struct tracer {
	struct trace_perf_sink sink; /* first: it is the tracer's */
	struct tracer_config config;
	struct tracer_counts counts;

	/* Of the choice's events, by index; behind them the two of system calls, then samples and
	 * mappings. */
	struct trace_layout *layouts;
	size_t nr_layouts;
	struct trace_perf_event *events;
	unsigned int nr_events;
	char **names;			 /* of these, for messages */
	struct trace_syscalls *syscalls; /* NULL: not chosen */
	struct call_tracepoint entry, exit;
	uint32_t state_id, sample_id;
	uint64_t nr_state;  /* records of the state at the starts */
	uint64_t lost_perf; /* told by perf: of the kernel, and damaged ones */

	struct ctf_trace trace; /* what the folder's metadata says */
	struct ctf_event *trace_events;
	struct ctf_env envs[NR_ENVS_MAX];
	struct utsname machine;
	uint32_t stream;

	struct trace_perf *perf;
	struct trace_channel *channel;
	struct ctf_writer *writer;
	struct trace_chunks chunks; /* zeroed: the trace has none */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* ---- records on their way ---- */

static void bad(struct tracer *tracer, unsigned int cpu)
{
	tracer->counts.lost_bad++;
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

static void take_entry(struct tracer *tracer, const struct trace_perf_record *record)
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

static void take_exit(struct tracer *tracer, const struct trace_perf_record *record)
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

static void take_other(struct tracer *tracer, const struct trace_perf_record *record)
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

static void take_sample(struct tracer *tracer, const struct trace_perf_record *record)
{
	const uint32_t nr_bytes = trace_sample_bytes(record);
	uint8_t *payload;

	if (!nr_bytes)
		return; /* executable, but no file's */
	payload = trace_channel_reserve(tracer->channel, record->cpu,
					tracer->sample_id + (record->kind == TRACE_RECORD_MAPPING),
					record->time, nr_bytes);
	if (!payload)
		return;
	trace_sample_write(record, payload);
	trace_channel_commit(tracer->channel);
}

static void take(struct trace_perf_sink *sink, const struct trace_perf_record *record)
{
	struct tracer *tracer = (struct tracer *)(void *)sink;

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
	struct tracer *tracer = (struct tracer *)(void *)sink;

	tracer->lost_perf += nr;
	trace_channel_lose(tracer->channel, cpu, nr);
}

/* ---- what is recorded ---- */

static uint32_t id_of(size_t i)
{
	/* Behind the compact ones, the extended: the three between are taken. */
	return i <= OPROF_EVENT_COMPACT_MAX
		       ? (uint32_t)i
		       : (uint32_t)(i - OPROF_EVENT_COMPACT_MAX - 1 + FIRST_ID_EXTENDED);
}

static void add_samples(struct tracer *tracer)
{
	tracer->events[tracer->nr_events++] =
		(struct trace_perf_event){.name = "sample",
					  .kind = TRACE_RECORD_SAMPLE,
					  .samples_hz = tracer->config.choice->samples_hz};
	tracer->events[tracer->nr_events++] = (struct trace_perf_event){
		.name = "mappings, which samples need", .kind = TRACE_RECORD_MAPPING};
}

static int name_event(struct tracer *tracer, const char *system, const char *name, uint32_t id,
		      const char *filter)
{
	char *text;

	if (asprintf(&text, "%s:%s", system, name) < 0)
		return -ENOMEM;
	tracer->names[tracer->nr_events] = text;
	tracer->events[tracer->nr_events++] =
		(struct trace_perf_event){.name = text, .id = id, .filter = filter};
	return 0;
}

static int add_layout(struct tracer *tracer, const struct trace_chosen *chosen, struct diag *diag)
{
	struct trace_layout *layout = &tracer->layouts[tracer->nr_layouts];
	struct tracepoint *tracepoint;
	int error = tracepoint_read(&tracepoint, tracer->config.tracefs, chosen->system,
				    chosen->name, diag);

	if (!error)
		error = trace_layout_init(layout, tracepoint, id_of(tracer->nr_layouts), STREAM,
					  diag);
	if (error)
		return error;
	tracer->nr_layouts++;
	return name_event(tracer, chosen->system, chosen->name, tracepoint->id, chosen->filter);
}

static int add_call(struct tracer *tracer, struct call_tracepoint *call, const char *name,
		    const char *rest, const char *filter, struct diag *diag)
{
	int error = tracepoint_read(&call->tracepoint, tracer->config.tracefs, "raw_syscalls", name,
				    diag);

	if (error)
		return error;
	call->id = tracepoint_find(call->tracepoint, "id");
	call->rest = tracepoint_find(call->tracepoint, rest);
	if (!call->id || !call->rest)
		return diag_set(diag, -EINVAL, "raw_syscalls:%s has no fields id and %s here", name,
				rest);
	return name_event(tracer, "raw_syscalls", name, call->tracepoint->id, filter);
}

static int add_calls(struct tracer *tracer, const char *filter, struct diag *diag)
{
	int error = trace_syscalls_create(&tracer->syscalls, tracer->config.tracefs,
					  tracer->sample_id + TRACE_SAMPLE_NR_EVENTS, STREAM, diag);

	if (!error)
		error = add_call(tracer, &tracer->entry, "sys_enter", "args", filter, diag);
	if (!error)
		error = add_call(tracer, &tracer->exit, "sys_exit", "ret", filter, diag);
	return error;
}

static int choose_events(struct tracer *tracer, struct diag *diag)
{
	const struct trace_choice *choice = tracer->config.choice;
	const char *filter;
	int error = 0;

	tracer->layouts = calloc(choice->nr_events + 1, sizeof(*tracer->layouts));
	tracer->events = calloc(choice->nr_events + NR_OTHER_EVENTS, sizeof(*tracer->events));
	tracer->names = calloc(choice->nr_events + NR_OTHER_EVENTS, sizeof(*tracer->names));
	if (!tracer->layouts || !tracer->events || !tracer->names)
		return diag_set(diag, -ENOMEM, "no memory for %zu events", choice->nr_events);
	for (size_t i = 0; !error && i < choice->nr_events; i++)
		error = add_layout(tracer, &choice->events[i], diag);
	tracer->state_id = id_of(tracer->nr_layouts);
	if (tracer->state_id < FIRST_ID_EXTENDED)
		tracer->state_id = FIRST_ID_EXTENDED;
	tracer->sample_id = tracer->state_id + TRACE_STATE_NR_EVENTS;
	if (!error && trace_choice_has_syscalls(choice, &filter))
		error = add_calls(tracer, filter, diag);
	if (!error && choice->samples_hz)
		add_samples(tracer);
	return error;
}

/* ---- how it is described ---- */

static void add_env(struct tracer *tracer, const char *name, const char *text, int64_t number)
{
	tracer->envs[tracer->trace.nr_envs++] =
		(struct ctf_env){.name = name, .text = text, .number = number};
}

static void describe_machine(struct tracer *tracer)
{
	(void)uname(&tracer->machine);
	add_env(tracer, "hostname", tracer->machine.nodename, 0);
	add_env(tracer, "domain", "kernel", 0);
	add_env(tracer, "sysname", tracer->machine.sysname, 0);
	add_env(tracer, "kernel_release", tracer->machine.release, 0);
	add_env(tracer, "kernel_version", tracer->machine.version, 0);
	/* Whose names and fields these are: by this readers know what they see. */
	add_env(tracer, "tracer_name", "lttng-modules", 0);
	add_env(tracer, "tracer_major", NULL, 2);
	add_env(tracer, "tracer_minor", NULL, 13);
	add_env(tracer, "tracer_patchlevel", NULL, 0);
	add_env(tracer, "architecture_bit_width", NULL, (int64_t)(8 * sizeof(long)));
	add_env(tracer, "oprof_version", OPROF_VERSION, 0);
	add_env(tracer, "oprof_source", "perf", 0);
}

/* "0f1e2d3c-..." */
static bool parse_hex(const char *text, uint8_t *bytes, size_t nr_bytes)
{
	for (size_t i = 0; i < nr_bytes; text += 2, i++) {
		char digits[3] = "", *end;

		text += *text == '-';
		(void)strncat(digits, text, 2);
		bytes[i] = (uint8_t)strtoul(digits, &end, 16);
		if (end != digits + 2)
			return false;
	}
	return true;
}

/* When CLOCK_MONOTONIC was 0, in ns since 1970: of a few looks the one that nothing came between.
 */
static uint64_t monotonic_offset(void)
{
	uint64_t best = UINT64_MAX, offset = 0;

	for (unsigned int i = 0; i < 5; i++) {
		const uint64_t before = now_ns(CLOCK_MONOTONIC);
		const uint64_t since_1970 = now_ns(CLOCK_REALTIME);
		const uint64_t took = now_ns(CLOCK_MONOTONIC) - before;

		if (took < best) {
			best = took;
			offset = since_1970 - before - took / 2;
		}
	}
	return offset;
}

/* The boot's identity is the clock's: traces of one boot may be compared. */
static void describe_clock(struct ctf_clock *clock)
{
	uint64_t since_1970;
	char *text;

	*clock = (struct ctf_clock){
		.name = "monotonic", .description = "CLOCK_MONOTONIC", .freq_hz = NS_PER_SECOND};
	if (!file_read_text(BOOT_ID_FILE, 256, &text, NULL)) {
		clock->has_uuid = parse_hex(text, clock->uuid, sizeof(clock->uuid));
		free(text);
	}
	since_1970 = monotonic_offset();
	clock->offset_s = (int64_t)(since_1970 / NS_PER_SECOND);
	clock->offset = since_1970 % NS_PER_SECOND;
}

static int describe(struct tracer *tracer, struct diag *diag)
{
	struct ctf_trace *trace = &tracer->trace;
	const unsigned int nr_calls =
		tracer->syscalls ? trace_syscalls_nr_events(tracer->syscalls) : 0;

	if (getrandom(trace->uuid, sizeof(trace->uuid), 0) != (ssize_t)sizeof(trace->uuid))
		return diag_set(diag, -EIO, "no random number for the trace's identity");
	describe_clock(&trace->clock);
	describe_machine(tracer);
	tracer->trace_events = calloc(tracer->nr_layouts + TRACE_STATE_NR_EVENTS +
					      TRACE_SAMPLE_NR_EVENTS + nr_calls,
				      sizeof(*tracer->trace_events));
	if (!tracer->trace_events)
		return diag_set(diag, -ENOMEM, "no memory for the events' descriptions");
	for (size_t i = 0; i < tracer->nr_layouts; i++)
		tracer->trace_events[trace->nr_events++] = tracer->layouts[i].event;
	trace_state_events(tracer->trace_events + trace->nr_events, tracer->state_id, STREAM);
	trace->nr_events += TRACE_STATE_NR_EVENTS;
	trace_sample_events(tracer->trace_events + trace->nr_events, tracer->sample_id, STREAM);
	trace->nr_events += TRACE_SAMPLE_NR_EVENTS;
	for (unsigned int i = 0; i < nr_calls; i++)
		tracer->trace_events[trace->nr_events++] =
			*trace_syscalls_event(tracer->syscalls, i);
	tracer->stream = STREAM;
	trace->streams = &tracer->stream;
	trace->nr_streams = 1;
	trace->envs = tracer->envs;
	trace->events = tracer->trace_events;
	return 0;
}

/* ---- opening, closing ---- */

static int open_perf(struct tracer *tracer, struct diag *diag)
{
	const struct trace_perf_config config = {.events = tracer->events,
						 .nr_events = tracer->nr_events,
						 .ring_bytes =
							 (uint64_t)tracer->config.nr_sub_buffers *
							 tracer->config.sub_buffer_bytes,
						 .sink = &tracer->sink};

	tracer->sink.record = take;
	tracer->sink.lost = lose;
	return trace_perf_open(&tracer->perf, &config, diag);
}

static bool is_power_of_two(uint32_t value)
{
	return value && !(value & (value - 1));
}

static int open_channel(struct tracer *tracer, struct diag *diag)
{
	const struct tracer_config *from = &tracer->config;
	struct trace_channel_config config = {.mode = from->folder ? RING_DISCARD : RING_OVERWRITE,
					      .sub_buffer_bytes = from->sub_buffer_bytes,
					      .nr_sub_buffers = from->nr_sub_buffers,
					      .stream_id = STREAM,
					      .nr_cpus = trace_perf_nr_cpus(tracer->perf)};

	if (!is_power_of_two(from->nr_sub_buffers) || from->nr_sub_buffers < 2)
		return diag_set(
			diag, -EINVAL,
			"buffers and their sizes are powers of two, and of them at least 2: not %u",
			from->nr_sub_buffers);
	memcpy(config.uuid, tracer->trace.uuid, sizeof(config.uuid));
	return trace_channel_create(&tracer->channel, &config, diag);
}

/* Neither a trace that is being recorded is moved, nor one that is removed for it. */
static int check_unused(const char *folder, struct diag *diag)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool is_used = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		(void)close(fd);
	if (!is_used)
		return 0;
	return diag_set(diag, -EBUSY, "%s is being recorded to: choose another folder: -o DIR",
			folder);
}

static int move_away(const char *folder, const char *old, struct diag *diag)
{
	int error = check_unused(folder, diag);

	if (!error)
		error = check_unused(old, diag);
	if (error)
		return error;
	error = file_remove_tree(old);
	if (!error || error == -ENOENT)
		error = rename(folder, old) ? -errno : 0;
	if (error)
		return diag_set(diag, error,
				"cannot move the trace of before to %s: %s; choose another folder: "
				"-o DIR",
				old, strerror(-error));
	return 0;
}

/* What is no trace is not ours to move: the writer will tell. */
static int make_way(const char *folder, struct diag *diag)
{
	char *old;
	int error;

	if (!ctf_chunk_is_trace(folder))
		return 0;
	if (asprintf(&old, "%s.old", folder) < 0)
		return diag_set(diag, -ENOMEM, "no memory for a name");
	error = move_away(folder, old, diag);
	free(old);
	return error;
}

static int open_folder(struct tracer *tracer, struct diag *diag)
{
	const struct tracer_config *config = &tracer->config;
	int error;

	if (!trace_chunks_wanted(&config->chunks))
		return ctf_writer_open(&tracer->writer, config->folder, &tracer->trace, diag);
	error = ctf_writer_open_chunks(&tracer->writer, config->folder, &tracer->trace, diag);
	if (!error)
		trace_chunks_init(&tracer->chunks, &config->chunks, config->folder, tracer->writer,
				  now_ns(CLOCK_MONOTONIC));
	return error;
}

int tracer_open(struct tracer **tracer, const struct tracer_config *config, struct diag *diag)
{
	struct tracer *made = calloc(1, sizeof(*made));
	int error;

	*tracer = NULL;
	if (!made)
		return diag_set(diag, -ENOMEM, "no memory for a trace");
	made->config = *config;
	if (!config->nr_sub_buffers && !config->sub_buffer_bytes) {
		made->config.nr_sub_buffers = NR_SUB_BUFFERS;
		made->config.sub_buffer_bytes = SUB_BUFFER_BYTES;
	}
	error = choose_events(made, diag);
	if (!error)
		error = describe(made, diag);
	if (!error)
		error = open_perf(made, diag);
	if (!error)
		error = open_channel(made, diag);
	/* Last: nothing is made of a trace that cannot be. */
	if (!error && config->folder && config->keep_old)
		error = make_way(config->folder, diag);
	if (!error && config->folder)
		error = open_folder(made, diag);
	if (error) {
		(void)tracer_close(made, NULL);
		return error;
	}
	trace_channel_write_to(made->channel, made->writer);
	*tracer = made;
	return 0;
}

int tracer_close(struct tracer *tracer, struct diag *diag)
{
	int error;

	if (!tracer)
		return 0;
	trace_channel_destroy(tracer->channel);
	error = ctf_writer_close(tracer->writer, diag);
	trace_chunks_end(&tracer->chunks);
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
	free(tracer);
	return error;
}

/* ---- recording ---- */

/* Events have the machine's numbers of threads; /proc has those of its own namespace. */
static bool numbers_are_the_machines(void)
{
	char name[64] = "";

	return readlink("/proc/self/ns/pid", name, sizeof(name) - 1) < 0 ||
	       !strcmp(name, INITIAL_PID_NAMESPACE);
}

/* As it is at time or a little later. */
static int dump_state(struct tracer *tracer, uint64_t time, struct diag *diag)
{
	const uint64_t before = trace_channel_counts(tracer->channel).nr_records;
	struct trace_state_counts state;
	int error;

	if (!numbers_are_the_machines())
		return 0;
	/* The kernel's rings keep what comes meanwhile, which is later than this. */
	error = trace_state_dump(tracer->channel, "/proc", tracer->state_id, 0, time, &state);
	tracer->nr_state += trace_channel_counts(tracer->channel).nr_records - before;
	return error ? diag_set(diag, error, "cannot read /proc: %s", strerror(-error)) : 0;
}

int tracer_start(struct tracer *tracer, struct diag *diag)
{
	const uint64_t begin = now_ns(CLOCK_MONOTONIC);
	int error = trace_perf_enable(tracer->perf, true);

	if (error)
		return diag_set(diag, error, "cannot begin to record: %s", strerror(-error));
	return dump_state(tracer, begin, diag);
}

/* What came before now is in the chunk that ends; the next begins with the state of now. */
static int next_chunk(struct tracer *tracer, struct diag *diag)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);
	uint64_t last;
	int error;

	(void)trace_perf_read(tracer->perf, false); /* damage is counted */
	error = trace_channel_flush(tracer->channel, diag);
	if (!error)
		error = trace_chunks_next(&tracer->chunks, now, diag);
	if (error)
		return error;
	last = trace_channel_time(tracer->channel, 0);
	return dump_state(tracer, now > last ? now : last, diag);
}

int tracer_round(struct tracer *tracer, struct diag *diag)
{
	int error;

	(void)trace_perf_read(tracer->perf, false); /* damage is counted */
	error = trace_channel_drain(tracer->channel, false, 0, diag);
	if (!error && trace_chunks_are_due(&tracer->chunks, now_ns(CLOCK_MONOTONIC)))
		error = next_chunk(tracer, diag);
	trace_chunks_tidy(&tracer->chunks);
	return error;
}

int tracer_poll_fd(const struct tracer *tracer)
{
	return trace_perf_poll_fd(tracer->perf);
}

int tracer_stop(struct tracer *tracer, struct diag *diag)
{
	(void)trace_perf_enable(tracer->perf, false);
	(void)trace_perf_read(tracer->perf, true);
	return trace_channel_drain(tracer->channel, true, now_ns(CLOCK_MONOTONIC), diag);
}

int tracer_snapshot(struct tracer *tracer, const char *folder, struct diag *diag)
{
	struct ctf_writer *writer;
	int error = ctf_writer_open(&writer, folder, &tracer->trace, diag), closed;

	if (error)
		return error;
	(void)trace_perf_read(tracer->perf, false);
	error = trace_channel_snapshot(tracer->channel, writer, now_ns(CLOCK_MONOTONIC), diag);
	closed = ctf_writer_close(writer, error ? NULL : diag);
	return error ? error : closed;
}

struct tracer_counts tracer_counts(const struct tracer *tracer)
{
	const struct trace_channel_counts channel = trace_channel_counts(tracer->channel);
	const struct trace_perf_counts perf = trace_perf_counts(tracer->perf);
	struct ctf_writer_counts written = {0};
	struct tracer_counts counts = tracer->counts;

	if (tracer->writer)
		written = ctf_writer_counts(tracer->writer);
	counts.nr_records = channel.nr_records - written.lost_unwritten_records;
	counts.nr_state = tracer->nr_state;
	counts.lost_kernel = perf.lost;
	/* The channel was told of all but its own. */
	counts.lost_room = channel.lost - tracer->lost_perf - counts.lost_bad;
	counts.lost_bad += perf.bad_records;
	counts.lost_disk = written.lost_unwritten_records;
	counts.ring_errors = perf.ring_errors;
	counts.packet_errors = written.lost_refused_packets;
	counts.nr_late = channel.nr_late;
	counts.nr_packets = written.nr_packets;
	counts.nr_bytes = written.nr_bytes;
	return counts;
}
