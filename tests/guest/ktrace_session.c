// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/ktrace_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void die(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	exit(2);
}

int ktrace_call(int fd, unsigned long command, void *argument)
{
	return ioctl(fd, command, argument) ? -errno : 0;
}

uint32_t ktrace_kind_id(unsigned int kind)
{
	return kind < OPROF_EVENT_COMPACT_MAX ? kind : kind + 10;
}

/* ---- sessions ---- */

static void add_channel(struct ktrace *trace, uint32_t mode, uint32_t sub_buffer_bytes,
			uint32_t nr_sub_buffers, uint64_t flush_period_ns)
{
	trace->channel = (struct oprof_ktrace_channel){.mode = mode,
						       .sub_buffer_bytes = sub_buffer_bytes,
						       .nr_sub_buffers = nr_sub_buffers,
						       .stream_id = 7,
						       .flush_period_ns = flush_period_ns};
	memcpy(trace->channel.uuid, trace->uuid, sizeof(trace->uuid));
	if (ktrace_call(trace->fd, OPROF_KTRACE_CHANNEL, &trace->channel))
		die("a channel");
}

void ktrace_open_rings(struct ktrace *trace)
{
	for (uint32_t cpu = 0; cpu < trace->info.nr_cpus; cpu++) {
		struct oprof_ktrace_ring call = {.channel = trace->channel.channel, .cpu = cpu};
		struct ktrace_ring *ring = &trace->rings[cpu];
		void *map;

		ring->fd = -1;
		if (ktrace_call(trace->fd, OPROF_KTRACE_RING, &call))
			continue; /* not possible */
		map = mmap(NULL, call.map_bytes, PROT_READ, MAP_SHARED, call.fd, 0);
		if (map == MAP_FAILED)
			die("a ring's mapping");
		*ring = (struct ktrace_ring){call.fd, map, call.map_bytes};
	}
}

void ktrace_open(struct ktrace *trace, uint32_t mode, uint32_t sub_buffer_bytes,
		 uint32_t nr_sub_buffers, uint64_t flush_period_ns)
{
	static uint8_t nr;

	memset(trace, 0, sizeof(*trace));
	trace->fd = open(KTRACE_CONTROL OPROF_KTRACE_FILE, O_RDWR | O_CLOEXEC);
	if (trace->fd < 0 || ktrace_call(trace->fd, OPROF_KTRACE_INFO, &trace->info))
		die("a session");
	memset(trace->uuid, 0xa5, sizeof(trace->uuid));
	trace->uuid[0] = ++nr;
	trace->rings = calloc(trace->info.nr_cpus, sizeof(*trace->rings));
	if (!trace->rings)
		die("memory");
	add_channel(trace, mode, sub_buffer_bytes, nr_sub_buffers, flush_period_ns);
	ktrace_open_rings(trace);
}

void ktrace_close(struct ktrace *trace)
{
	for (uint32_t cpu = 0; cpu < trace->info.nr_cpus; cpu++) {
		struct ktrace_ring *ring = &trace->rings[cpu];

		if (ring->fd < 0)
			continue;
		(void)munmap((void *)(uintptr_t)ring->map, ring->map_bytes);
		(void)close(ring->fd);
	}
	free(trace->rings);
	if (trace->fd >= 0)
		(void)close(trace->fd);
}

int ktrace_event(struct ktrace *trace, unsigned int kind,
		 const struct oprof_ktrace_compare *compare)
{
	struct oprof_ktrace_event call = {
		.channel = trace->channel.channel, .kind = kind, .event_id = ktrace_kind_id(kind)};

	if (compare)
		call.compare = *compare;
	return ktrace_call(trace->fd, OPROF_KTRACE_EVENT, &call);
}

int ktrace_syscalls(struct ktrace *trace, bool want_unknown,
		    const struct oprof_ktrace_compare *getppid_exit,
		    const struct oprof_ktrace_compare *openat_entry)
{
	static struct oprof_ktrace_syscall calls[512];
	struct oprof_ktrace_syscalls call = {
		.channel = trace->channel.channel,
		.nr_calls = 512,
		.calls = (uintptr_t)calls,
		.unknown_entry_id = want_unknown ? KTRACE_ID_UNKNOWN_ENTRY : OPROF_KTRACE_NO_EVENT,
		.unknown_exit_id = want_unknown ? KTRACE_ID_UNKNOWN_EXIT : OPROF_KTRACE_NO_EVENT};

	memset(calls, 0, sizeof(calls));
	calls[SYS_getppid] = (struct oprof_ktrace_syscall){.is_known = 1,
							   .entry_id = KTRACE_ID_GETPPID_ENTRY,
							   .exit_id = KTRACE_ID_GETPPID_EXIT};
	if (getppid_exit)
		calls[SYS_getppid].exit = *getppid_exit;
	calls[SYS_openat] = (struct oprof_ktrace_syscall){.is_known = 1,
							  .entry_id = KTRACE_ID_OPENAT_ENTRY,
							  .exit_id = KTRACE_ID_OPENAT_EXIT,
							  .arg_bytes = {4, 0, 4, 2},
							  .strings = 2};
	if (openat_entry)
		calls[SYS_openat].entry = *openat_entry;
	return ktrace_call(trace->fd, OPROF_KTRACE_SYSCALLS, &call);
}

int ktrace_samples(struct ktrace *trace, uint32_t type, uint64_t config, uint64_t number,
		   uint32_t depth)
{
	struct oprof_ktrace_samples call = {.channel = trace->channel.channel,
					    .event_id = KTRACE_ID_SAMPLE,
					    .type = type,
					    .flags = OPROF_KTRACE_SAMPLE_KERNEL |
						     OPROF_KTRACE_SAMPLE_USER,
					    .config = config,
					    .number = number,
					    .depth = depth};

	return ktrace_call(trace->fd, OPROF_KTRACE_SAMPLES, &call);
}

static int tracepoint_id(const char *name, uint32_t *id)
{
	char path[128];
	FILE *file;
	int nr;

	(void)snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	file = fopen(path, "r");
	if (!file)
		return -ENOENT;
	nr = fscanf(file, "%u", id);
	(void)fclose(file);
	return nr == 1 ? 0 : -EINVAL;
}

/*
 * Returns the offset of a tracepoint's field: the common fields take 12 bytes on PREEMPT_RT, else
 * 8.
 */
static uint32_t offset_of(const char *name, const char *field)
{
	char path[128], line[256], wanted[64];
	uint32_t offset = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/format", name);
	(void)snprintf(wanted, sizeof(wanted), " %s", field);
	file = fopen(path, "r");
	while (file && !offset && fgets(line, sizeof(line), file)) {
		const char *found = strstr(line, wanted), *at = strstr(line, "offset:");

		if (found && at && strchr(";[", found[strlen(wanted)]))
			offset = (uint32_t)strtoul(at + strlen("offset:"), NULL, 10);
	}
	if (file)
		(void)fclose(file);
	return offset;
}

int ktrace_named_switch(struct ktrace *trace)
{
	static const char name[] = "sched/sched_switch";
	const struct oprof_ktrace_copy copies[] = {{.kind = OPROF_KTRACE_COPY_STRETCH,
						    .offset = offset_of(name, "prev_comm"),
						    .bytes = 16},
						   {.kind = OPROF_KTRACE_COPY_STRETCH,
						    .offset = offset_of(name, "prev_pid"),
						    .bytes = 8},
						   {.kind = OPROF_KTRACE_COPY_STRETCH,
						    .offset = offset_of(name, "prev_state"),
						    .bytes = 8},
						   {.kind = OPROF_KTRACE_COPY_STRETCH,
						    .offset = offset_of(name, "next_comm"),
						    .bytes = 16},
						   {.kind = OPROF_KTRACE_COPY_STRETCH,
						    .offset = offset_of(name, "next_pid"),
						    .bytes = 8}};
	struct oprof_ktrace_named call = {.channel = trace->channel.channel,
					  .event_id = KTRACE_ID_NAMED,
					  .nr_copies = 5,
					  .copies = (uintptr_t)copies};
	int error = tracepoint_id(name, &call.tracepoint);

	return error ? error : ktrace_call(trace->fd, OPROF_KTRACE_NAMED, &call);
}

int ktrace_named(struct ktrace *trace, const char *name)
{
	/* Skips the common fields. */
	const struct oprof_ktrace_copy copy = {
		.kind = OPROF_KTRACE_COPY_STRETCH, .offset = 8, .bytes = 56};
	struct oprof_ktrace_named call = {.channel = trace->channel.channel,
					  .event_id = KTRACE_ID_NAMED,
					  .nr_copies = 1,
					  .copies = (uintptr_t)&copy};
	int error = tracepoint_id(name, &call.tracepoint);

	return error ? error : ktrace_call(trace->fd, OPROF_KTRACE_NAMED, &call);
}

int ktrace_named_exec(struct ktrace *trace)
{
	static const char name[] = "sched/sched_process_exec";
	const uint32_t filename = offset_of(name, "filename"), pid = offset_of(name, "pid");
	const struct oprof_ktrace_copy copies[] = {
		{.kind = OPROF_KTRACE_COPY_SEQUENCE, .offset = filename, .bytes = 1},
		{.kind = OPROF_KTRACE_COPY_STRETCH, .offset = pid, .bytes = 8},
		{.kind = OPROF_KTRACE_COPY_STRING, .offset = filename}};
	struct oprof_ktrace_named call = {.channel = trace->channel.channel,
					  .event_id = KTRACE_ID_NAMED_EXEC,
					  .nr_copies = 3,
					  .copies = (uintptr_t)copies};
	int error = tracepoint_id(name, &call.tracepoint);

	return error ? error : ktrace_call(trace->fd, OPROF_KTRACE_NAMED, &call);
}

int ktrace_only_tid(struct ktrace *trace, uint64_t tid)
{
	struct oprof_ktrace_filter call = {
		.by = OPROF_KTRACE_BY_TID, .nr_ids = 1, .ids = (uintptr_t)&tid};

	return ktrace_call(trace->fd, OPROF_KTRACE_FILTER, &call);
}

struct oprof_ktrace_counts ktrace_counts(struct ktrace *trace)
{
	struct oprof_ktrace_counts counts = {.channel = trace->channel.channel,
					     .cpu = OPROF_KTRACE_ALL_CPUS};

	if (ktrace_call(trace->fd, OPROF_KTRACE_COUNTS, &counts))
		die("counts");
	return counts;
}

uint64_t ktrace_lost(const struct oprof_ktrace_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		sum += counts->lost_by[i];
	return sum;
}
