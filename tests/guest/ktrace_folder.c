// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the packets of a trace session to trace folders, and reads them with the trace reader. */
#include "tests/guest/ktrace_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf/writer.h"

#define NR_EVENTS_MAX 64
#define NO_FILE	      UINT32_MAX

/* ---- events, from the tables of the contract ---- */

#define INTEGER(type, text, shown)                                                                 \
	{.name = #text,                                                                            \
	 .kind = CTF_FIELD_INTEGER,                                                                \
	 .bits = 8 * sizeof(type),                                                                 \
	 .base = (shown),                                                                          \
	 .is_signed = (type)-1 < 1},
#define TEXT(text, bytes) {.name = #text, .kind = CTF_FIELD_TEXT, .bits = 8, .nr = (bytes)},
#define STRING(text)	  {.name = #text, .kind = CTF_FIELD_STRING, .bits = 8},
#define SEQUENCE(text)                                                                             \
	{.name = #text, .kind = CTF_FIELD_SEQUENCE, .bits = 64, .base = 16, .length_bits = 16},
#define ARRAY(text, number)                                                                        \
	{.name = #text, .kind = CTF_FIELD_ARRAY, .bits = 64, .base = 16, .nr = (number)},

#define FIELDS(KIND, kind, system, tracepoint, name)                                               \
	static const struct ctf_field fields_##kind[] = {                                          \
		OPROF_KTRACE_FIELDS_##kind(INTEGER, TEXT, STRING)};
OPROF_KTRACE_EVENTS(FIELDS)

static const struct ctf_field fields_none[1];
static const struct ctf_field fields_ret[] = {INTEGER(int64_t, ret, 10)};
static const struct ctf_field fields_unknown_entry[] = {INTEGER(int64_t, id, 10) ARRAY(args, 6)};
static const struct ctf_field fields_unknown_exit[] = {INTEGER(int64_t, id, 10)
							       INTEGER(int64_t, ret, 10)};
static const struct ctf_field fields_openat[] = {INTEGER(int32_t, dfd, 10) STRING(filename) INTEGER(
	int32_t, flags, 10) INTEGER(uint16_t, mode, 10)};
static const struct ctf_field fields_sample[] = {
	OPROF_KTRACE_FIELDS_sample(INTEGER) SEQUENCE(callchain_kernel) SEQUENCE(callchain_user)};

static const struct ctf_field fields_named_exec[] = {
	{.name = "bytes", .kind = CTF_FIELD_SEQUENCE, .bits = 8, .base = 16, .length_bits = 16},
	INTEGER(int32_t, pid, 10) INTEGER(int32_t, old_pid, 10) STRING(filename)};

#define EVENT(number, text, of, nr)                                                                \
	{                                                                                          \
		.id = (number), .stream_id = 7, .name = (text), .alignment = 1, .nr_fields = (nr), \
		.fields = (of)                                                                     \
	}
#define KIND(KIND, kind, system, tracepoint, name)                                                 \
	EVENT(OPROF_KTRACE_##KIND < OPROF_EVENT_COMPACT_MAX ? OPROF_KTRACE_##KIND                  \
							    : OPROF_KTRACE_##KIND + 10,            \
	      name, fields_##kind, sizeof(fields_##kind) / sizeof(fields_##kind[0])),

static const struct ctf_event events[] = {
	OPROF_KTRACE_EVENTS(KIND)
		EVENT(KTRACE_ID_UNKNOWN_ENTRY, "syscall_entry_unknown", fields_unknown_entry, 2),
	EVENT(KTRACE_ID_UNKNOWN_EXIT, "syscall_exit_unknown", fields_unknown_exit, 2),
	EVENT(KTRACE_ID_GETPPID_ENTRY, "syscall_entry_getppid", fields_none, 0),
	EVENT(KTRACE_ID_GETPPID_EXIT, "syscall_exit_getppid", fields_ret, 1),
	EVENT(KTRACE_ID_OPENAT_ENTRY, "syscall_entry_openat", fields_openat, 4),
	EVENT(KTRACE_ID_OPENAT_EXIT, "syscall_exit_openat", fields_ret, 1),
	EVENT(KTRACE_ID_SAMPLE, "sample", fields_sample, 7),
	EVENT(KTRACE_ID_NAMED, "raw_syscalls_sys_enter", fields_unknown_entry, 2),
	EVENT(KTRACE_ID_NAMED_EXEC, "sched_process_exec_by_perf", fields_named_exec, 4),
};
static const uint32_t streams[] = {7};

/* ---- writing ---- */

static void die(const char *what, const struct diag *diag)
{
	printf("# %s: %s\n", what, diag->text);
	exit(2);
}

void ktrace_folder_open(struct ktrace_folder *folder, const struct ktrace *trace)
{
	static unsigned int nr;
	struct diag diag = {.text = ""};

	memset(folder, 0, sizeof(*folder));
	(void)snprintf(folder->path, sizeof(folder->path), "/tmp/ktrace-%d-%u", (int)getpid(),
		       nr++);
	folder->trace = (struct ctf_trace){.clock = {.name = "monotonic",
						     .description = "of the test",
						     .freq_hz = trace->info.freq_hz},
					   .nr_streams = 1,
					   .streams = streams,
					   .nr_events = sizeof(events) / sizeof(events[0]),
					   .events = events};
	memcpy(folder->trace.uuid, trace->uuid, sizeof(trace->uuid));
	if (ctf_writer_open(&folder->writer, folder->path, &folder->trace, &diag))
		die("a trace folder", &diag);
	folder->files = malloc(trace->info.nr_cpus * sizeof(*folder->files));
	if (!folder->files)
		die("memory", &diag);
	for (uint32_t cpu = 0; cpu < trace->info.nr_cpus; cpu++)
		folder->files[cpu] = NO_FILE;
}

static void append(struct ktrace_folder *folder, const struct ktrace *trace, uint32_t cpu,
		   const struct oprof_ktrace_packet *packet)
{
	struct diag diag = {.text = ""};
	char name[32];
	int error = 0;

	if (folder->files[cpu] == NO_FILE) {
		(void)snprintf(name, sizeof(name), "channel_%u", cpu);
		error = ctf_writer_add_file(folder->writer, name, 7, &folder->files[cpu], &diag);
	}
	if (!error)
		error = ctf_writer_append(folder->writer, folder->files[cpu],
					  trace->rings[cpu].map + packet->map_offset, packet->bytes,
					  &diag);
	if (error)
		die("a packet", &diag);
}

uint64_t ktrace_drain(struct ktrace *trace, struct ktrace_folder *folder)
{
	struct oprof_ktrace_packet packet;
	uint64_t nr = 0;

	for (uint32_t cpu = 0; cpu < trace->info.nr_cpus; cpu++) {
		const int fd = trace->rings[cpu].fd;

		while (fd >= 0 && !ktrace_call(fd, OPROF_KTRACE_NEXT, &packet)) {
			append(folder, trace, cpu, &packet);
			(void)ktrace_call(fd, OPROF_KTRACE_PUT, NULL);
			nr++;
		}
	}
	return nr;
}

uint64_t ktrace_snapshot(struct ktrace *trace, struct ktrace_folder *folder)
{
	uint64_t nr = 0;

	for (uint32_t cpu = 0; cpu < trace->info.nr_cpus; cpu++) {
		const int fd = trace->rings[cpu].fd;
		struct oprof_ktrace_range range = {0, 0};

		if (fd < 0 || ktrace_call(fd, OPROF_KTRACE_RANGE, &range))
			continue;
		for (; range.from != range.to; range.from += trace->channel.sub_buffer_bytes) {
			struct oprof_ktrace_packet packet = {.position = range.from};

			if (ktrace_call(fd, OPROF_KTRACE_GET, &packet))
				continue; /* overwritten since, or never written */
			append(folder, trace, cpu, &packet);
			(void)ktrace_call(fd, OPROF_KTRACE_PUT_KEEP, NULL);
			nr++;
		}
	}
	return nr;
}

void ktrace_folder_close(struct ktrace_folder *folder)
{
	struct diag diag = {.text = ""};

	if (ctf_writer_close(folder->writer, &diag))
		die("a trace folder", &diag);
	free(folder->files);
}

/* ---- reading ---- */

static void add_stream(struct ktrace_found *found, const struct ctf_stream *stream)
{
	const struct ctf_stream_counts counts = ctf_stream_counts(stream);

	found->lost += counts.lost;
	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		found->lost_by[i] += counts.lost_by[i];
	found->overwritten += counts.lost_overwritten;
	found->nr_before += counts.nr_packets ? counts.seq_first : 0;
	found->nr_faults += counts.lost_damaged + counts.lost_cut + counts.nr_disordered;
}

static void take(struct ktrace_found *found, struct ctf_reader *reader,
		 void (*look)(const struct ctf_record *record, void *context), void *context)
{
	struct ctf_record record;
	struct diag diag;
	int status;

	while ((status = ctf_reader_next(reader, &record, &diag))) {
		if (status < 0) {
			if (!found->nr_faults++)
				printf("# %s\n", diag.text);
			continue;
		}
		found->nr_records++;
		found->nr_of[record.event->id]++;
		if (look)
			look(&record, context);
	}
}

struct ktrace_found ktrace_read(struct ktrace_folder *folder,
				void (*look)(const struct ctf_record *record, void *context),
				void *context)
{
	struct ktrace_found found = {0};
	struct ctf_reader *reader;
	struct diag diag = {.text = ""};
	char command[96];

	if (ctf_reader_open(&reader, folder->path, &diag))
		die("the reader", &diag);
	take(&found, reader, look, context);
	for (unsigned int i = 0; i < ctf_reader_nr_streams(reader); i++)
		add_stream(&found, ctf_reader_stream(reader, i));
	ctf_reader_close(reader);
	(void)snprintf(command, sizeof(command), "rm -r %s", folder->path);
	if (system(command))
		printf("# %s stays\n", folder->path);
	return found;
}

const struct ctf_value *ktrace_value(const struct ctf_record *record, const char *name)
{
	for (unsigned int i = 0; i < record->event->nr_fields; i++)
		if (!strcmp(record->event->fields[i].name, name))
			return &record->values[i];
	return NULL;
}
