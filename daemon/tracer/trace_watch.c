// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_watch.h"

#include "daemon/trace/trace_clock.h"
#include "daemon/tracer/ktrace_events.h"
#include "daemon/tracer/trace_watch_internal.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define SUB_BYTES (64u << 10)
#define NR_SUBS	  16u
#define TIME_MASK ((UINT64_C(1) << OPROF_RECORD_TIME_BITS) - 1)

static const struct ctf_field entry_fields[] = {
	{.name = "id", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10, .is_signed = true}};
static const struct ctf_field exit_fields[] = {
	{.name = "id", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10, .is_signed = true},
	{.name = "ret", .kind = CTF_FIELD_INTEGER, .bits = 64, .base = 10, .is_signed = true}};

/* ---- which events ---- */

static int no_event(const char *system, const char *name, struct diag *diag)
{
	return diag_set(diag, -EOPNOTSUPP,
			"--snapshot-if: the module cannot watch event %s:%s: use --source=perf",
			system, name);
}

static void measure(struct watched *watched)
{
	for (unsigned int i = 0; i < watched->nr_fields; i++) {
		const struct ctf_field *field = &watched->fields[i];

		watched->has_string |= field->kind == CTF_FIELD_STRING;
		if (field->kind == CTF_FIELD_TEXT)
			watched->fixed_bytes += field->nr;
		else if (field->kind == CTF_FIELD_INTEGER)
			watched->fixed_bytes += field->bits / 8;
	}
}

void trace_watch_add_kind(struct trace_watch *watch, unsigned int kind, uint32_t event)
{
	struct watched *watched = &watch->events[watch->nr_events++];

	*watched = (struct watched){.kind = kind,
				    .event = event,
				    .fields = ktrace_kind(kind)->fields,
				    .nr_fields = ktrace_kind(kind)->nr_fields};
	measure(watched);
}

void trace_watch_add_calls(struct trace_watch *watch, bool is_exit, uint32_t event)
{
	watch->events[watch->nr_events++] = (struct watched){
		.kind = OPROF_KTRACE_NR_KINDS,
		.event = event,
		.fixed_bytes = is_exit ? sizeof(struct call_exit) : sizeof(struct call_entry),
		.fields = is_exit ? exit_fields : entry_fields,
		.nr_fields = is_exit ? 2 : 1};
}

/* Adds an event that the trigger needs. */
static int choose(struct trace_watch *watch, uint32_t event, const char *system, const char *name,
		  struct diag *diag)
{
	const unsigned int kind = ktrace_kind_find(&watch->ktrace.info, system, name);
	const bool is_exit = !strcmp(name, "sys_exit");

	/* Leave room for the event of switches and for the second event of system calls. */
	if (watch->nr_events + 2 > OPROF_EVENT_COMPACT_MAX)
		return diag_set(
			diag, -EOPNOTSUPP,
			"--snapshot-if: the conditions need more events than the module can "
			"watch: use --source=perf");
	if (kind != OPROF_KTRACE_NR_KINDS)
		trace_watch_add_kind(watch, kind, event);
	else if (!strcmp(system, "raw_syscalls") && watch->ktrace.info.syscalls)
		trace_watch_add_calls(watch, is_exit, event);
	else
		return no_event(system, name, diag);
	return 0;
}

static bool is_watched(const struct trace_watch *watch, unsigned int kind)
{
	for (uint32_t i = 0; i < watch->nr_events; i++)
		if (watch->events[i].kind == kind)
			return true;
	return false;
}

static int choose_all(struct trace_watch *watch, struct diag *diag)
{
	const char *system, *name;
	int error = 0;

	for (uint32_t i = 0; !error && trace_trigger_event(watch->trigger, i, &system, &name); i++)
		error = choose(watch, i, system, name, diag);
	if (!error && watch->nr_events && !is_watched(watch, OPROF_KTRACE_SCHED_SWITCH)) {
		if (ktrace_kind_find(&watch->ktrace.info, "sched", "sched_switch") ==
		    OPROF_KTRACE_NR_KINDS)
			return no_event("sched", "sched_switch", diag);
		trace_watch_add_kind(watch, OPROF_KTRACE_SCHED_SWITCH, TRACE_TRIGGER_NONE);
	}
	return error;
}

int trace_watch_lay_out(struct trace_watch *watch, bool is_trial, struct diag *diag)
{
	int error = 0;

	for (uint32_t i = 0; !error && i < watch->nr_events; i++)
		if (watch->events[i].event != TRACE_TRIGGER_NONE)
			error = trace_trigger_lay_out(watch->trigger, watch->events[i].event,
						      watch->events[i].fields,
						      watch->events[i].nr_fields, is_trial, diag);
	return error;
}

/* ---- opening ---- */

static int add_events(struct trace_watch *watch)
{
	struct oprof_ktrace_syscalls calls = {.channel = watch->ktrace.channel.channel,
					      .unknown_entry_id = OPROF_KTRACE_NO_EVENT,
					      .unknown_exit_id = OPROF_KTRACE_NO_EVENT};
	bool has_calls = false;
	int error = 0;

	for (uint32_t i = 0; !error && i < watch->nr_events; i++) {
		const struct watched *watched = &watch->events[i];
		struct oprof_ktrace_event event = {
			.channel = calls.channel, .kind = watched->kind, .event_id = i};

		if (watched->kind != OPROF_KTRACE_NR_KINDS) {
			error = ioctl(watch->ktrace.fd, OPROF_KTRACE_EVENT, &event) ? -errno : 0;
			continue;
		}
		has_calls = true;
		if (watched->fields == exit_fields)
			calls.unknown_exit_id = i;
		else
			calls.unknown_entry_id = i;
	}
	if (!error && has_calls)
		error = ioctl(watch->ktrace.fd, OPROF_KTRACE_SYSCALLS, &calls) ? -errno : 0;
	return error;
}

static int open_session(struct trace_watch *watch, struct diag *diag)
{
	const struct oprof_ktrace_channel channel = {.mode = OPROF_KTRACE_DISCARD,
						     .sub_buffer_bytes = SUB_BYTES,
						     .nr_sub_buffers = NR_SUBS};
	int error;

	watch->cpus = calloc(watch->ktrace.info.nr_cpus + (size_t)1, sizeof(*watch->cpus));
	if (!watch->cpus)
		return diag_set(diag, -ENOMEM, "out of memory for conditions");
	for (uint32_t i = 0; i < watch->ktrace.info.nr_cpus; i++)
		watch->cpus[i].tid = TRACE_TRIGGER_NO_TID;
	error = ktrace_add_channel(&watch->ktrace, &channel, diag);
	if (error)
		return error;
	error = add_events(watch);
	return error ? diag_set(diag, error,
				"the module cannot watch the events of --snapshot-if: %s",
				strerror(-error))
		     : 0;
}

int trace_watch_open(struct trace_watch **watch, struct trace_trigger *trigger,
		     int (*filter)(void *context, struct ktrace *ktrace, struct diag *diag),
		     void *context, struct diag *diag)
{
	struct trace_watch *made = calloc(1, sizeof(*made));
	int error;

	*watch = NULL;
	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory for conditions");
	made->trigger = trigger;
	error = ktrace_open(&made->ktrace, KTRACE_PATH, diag);
	if (!error)
		error = choose_all(made, diag);
	if (!error)
		error = trace_watch_lay_out(made, true, diag);
	if (!error)
		error = open_session(made, diag);
	if (!error)
		error = filter(context, &made->ktrace, diag);
	if (error) {
		trace_watch_close(made);
		return error;
	}
	(void)trace_watch_lay_out(made, false, diag); /* the trial succeeded */
	*watch = made;
	return 0;
}

void trace_watch_close(struct trace_watch *watch)
{
	if (!watch)
		return;
	ktrace_close(&watch->ktrace);
	free(watch->cpus);
	free(watch);
}

int trace_watch_start(struct trace_watch *watch, struct diag *diag)
{
	return ktrace_start(&watch->ktrace, diag);
}

/* ---- records ---- */

struct record_walk {
	const uint8_t *bytes; /* of the packet */
	size_t next, end;
	uint64_t time;
	uint32_t id;
};

static bool take_header(struct record_walk *walk)
{
	uint32_t words[4];

	walk->next = (walk->next + OPROF_RECORD_HEADER_ALIGN - 1) &
		     ~(size_t)(OPROF_RECORD_HEADER_ALIGN - 1);
	if (walk->next + OPROF_RECORD_COMPACT_BYTES > walk->end)
		return false;
	memcpy(words, walk->bytes + walk->next, sizeof(words[0]));
	walk->id = words[0] & ((1u << OPROF_RECORD_ID_BITS) - 1);
	if (walk->id != OPROF_EVENT_ESCAPE) {
		uint64_t time = (walk->time & ~TIME_MASK) | words[0] >> OPROF_RECORD_ID_BITS;

		walk->time = time < walk->time ? time + TIME_MASK + 1 : time;
		walk->next += OPROF_RECORD_COMPACT_BYTES;
		return true;
	}
	if (walk->next + OPROF_RECORD_EXTENDED_BYTES > walk->end)
		return false;
	memcpy(words, walk->bytes + walk->next, sizeof(words));
	walk->id = words[1];
	walk->time = words[2] | (uint64_t)words[3] << 32;
	walk->next += OPROF_RECORD_EXTENDED_BYTES;
	return true;
}

/*
 * Computes the size of the payload at walk->next. Returns false if the payload would exceed
 * walk->end.
 */
static bool find_bytes(const struct record_walk *walk, uint32_t fixed_bytes, bool has_string,
		       size_t *nr)
{
	const size_t left = walk->end - walk->next;
	const uint8_t *nul;

	*nr = fixed_bytes;
	if (fixed_bytes > left)
		return false;
	if (!has_string)
		return true;
	nul = memchr(walk->bytes + walk->next + fixed_bytes, '\0', left - fixed_bytes);
	*nr = nul ? (size_t)(nul + 1 - (walk->bytes + walk->next)) : 0;
	return nul != NULL;
}

static void take_record(struct trace_watch *watch, uint32_t cpu, const struct record_walk *walk,
			size_t nr_bytes, bool knows_switches)
{
	const struct watched *watched = &watch->events[walk->id];
	const struct trace_trigger_record record = {.event = watched->event,
						    .cpu = cpu,
						    .tid = watch->cpus[cpu].tid,
						    .time = ktrace_ns(&watch->ktrace, walk->time),
						    .bytes = walk->bytes + walk->next,
						    .nr_bytes = nr_bytes};

	if (watched->event != TRACE_TRIGGER_NONE)
		trace_trigger_note(watch->trigger, &record);
	/*
	 * The switch is an event of the thread that leaves the CPU; later events are of the next
	 * thread.
	 */
	if (knows_switches && watched->kind == OPROF_KTRACE_SCHED_SWITCH)
		memcpy(&watch->cpus[cpu].tid,
		       record.bytes +
			       offsetof(struct oprof_ktrace_payload_sched_switch, f_next_tid),
		       sizeof(watch->cpus[cpu].tid));
}

/* Passes the records of a packet to the trigger. Returns false if the packet is malformed. */
static bool walk_packet(struct trace_watch *watch, uint32_t cpu, struct record_walk *walk,
			bool knows_switches)
{
	while (take_header(walk)) {
		size_t nr_bytes = 0;
		bool is_whole = true;

		if (walk->id == OPROF_EVENT_PADDING)
			is_whole = find_bytes(walk, 0, true, &nr_bytes);
		else if (walk->id < watch->nr_events)
			is_whole = find_bytes(walk, watch->events[walk->id].fixed_bytes,
					      watch->events[walk->id].has_string, &nr_bytes);
		else if (walk->id != OPROF_EVENT_PADDING_EMPTY)
			return false;
		if (!is_whole)
			return false;
		if (walk->id < watch->nr_events)
			take_record(watch, cpu, walk, nr_bytes, knows_switches);
		walk->next += nr_bytes;
	}
	return true;
}

/*
 * A packet's header counts the losses up to the packet's end. Records may have been lost after the
 * packet's last record; or between its records, if a long record did not fit and a shorter one did.
 * A lost record may be a switch. Therefore the running thread is unknown from the beginning of a
 * packet with losses to the first switch in a later packet.
 */
void trace_watch_take_packet(struct trace_watch *watch, uint32_t cpu,
			     const struct oprof_ktrace_packet *packet)
{
	const struct ktrace_ring *ring = &watch->ktrace.rings[cpu];
	struct oprof_packet_header header;
	struct record_walk walk = {.next = sizeof(header)};
	bool has_lost, is_whole;

	if (packet->map_offset > ring->map_bytes ||
	    packet->bytes > ring->map_bytes - packet->map_offset || packet->bytes < sizeof(header))
		return;
	walk.bytes = ring->map + packet->map_offset;
	memcpy(&header, walk.bytes, sizeof(header));
	walk.time = header.time_begin;
	walk.end = (size_t)(header.content_bits / 8);
	if (walk.end > packet->bytes)
		return;
	has_lost = header.lost != watch->cpus[cpu].lost;
	watch->cpus[cpu].lost = header.lost;
	if (has_lost)
		watch->cpus[cpu].tid = TRACE_TRIGGER_NO_TID;
	is_whole = walk_packet(watch, cpu, &walk, !has_lost);
	if (has_lost || !is_whole)
		watch->cpus[cpu].tid = TRACE_TRIGGER_NO_TID;
}

const char *trace_watch_round(struct trace_watch *watch)
{
	const uint64_t before = ktrace_ns(&watch->ktrace, ktrace_now(&watch->ktrace));

	(void)ioctl(watch->ktrace.fd, OPROF_KTRACE_FLUSH);
	for (uint32_t cpu = 0; cpu < watch->ktrace.info.nr_cpus; cpu++) {
		const int fd = watch->ktrace.rings[cpu].fd;
		struct oprof_ktrace_packet packet;

		/*
		 * Read only the packets that existed at the flush. Otherwise a fast writer could
		 * delay the other CPUs and the check of the conditions.
		 */
		for (unsigned int i = 0; fd >= 0 && i < NR_SUBS; i++) {
			if (ioctl(fd, OPROF_KTRACE_NEXT, &packet))
				break;
			trace_watch_take_packet(watch, cpu, &packet);
			if (ioctl(fd, OPROF_KTRACE_PUT))
				break;
		}
	}
	return trace_trigger_decide(watch->trigger, before - TRACE_SLACK_NS);
}

int trace_watch_poll_fd(const struct trace_watch *watch)
{
	return watch->ktrace.fd;
}

uint64_t trace_watch_lost(const struct trace_watch *watch)
{
	const struct oprof_ktrace_counts counts = ktrace_counts(&watch->ktrace);
	uint64_t lost = 0;

	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		lost += counts.lost_by[i];
	return lost;
}
