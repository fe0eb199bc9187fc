// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_sample.h"

#include <string.h>

#define NUMBER(field_name)                                                                         \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 32, .base = 10,           \
		.is_signed = true                                                                  \
	}
#define WIDE(field_name, shown_in)                                                                 \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 64, .base = (shown_in)    \
	}
#define CHAIN(field_name)                                                                          \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_SEQUENCE, .bits = 64, .base = 16,          \
		.length_bits = 16                                                                  \
	}

static const struct ctf_field sample_fields[] = {
	NUMBER("tid"),
	NUMBER("pid"), /* */
	/* how much was counted since the last sample: ns, cycles or other events */
	WIDE("period", 10),
	WIDE("ip", 16),
	CHAIN("callchain_kernel"),
	CHAIN("callchain_user"),
};
struct sample_payload {
	int32_t tid, pid;
	uint64_t period, ip;
} __attribute__((packed));

static const struct ctf_field mapping_fields[] = {
	NUMBER("pid"),
	WIDE("start", 16),
	WIDE("end", 16),
	WIDE("offset", 16),
	{.name = "path", .kind = CTF_FIELD_STRING},
};
struct mapping_payload {
	int32_t pid;
	uint64_t start, end, offset;
} __attribute__((packed));

static const struct ctf_field begin_fields[] = {
	NUMBER("tid"),
	NUMBER("pid"),
	NUMBER("parent_tid"),
	NUMBER("parent_pid"),
};
struct begin_payload {
	int32_t tid, pid, parent_tid, parent_pid;
} __attribute__((packed));

static const struct ctf_field exec_fields[] = {
	NUMBER("tid"),
	{.name = "name", .kind = CTF_FIELD_STRING},
};

static const struct ctf_field end_fields[] = {NUMBER("tid"), NUMBER("pid")};
struct end_payload {
	int32_t tid, pid;
} __attribute__((packed));

#define EVENT(event_name, of)                                                                      \
	{                                                                                          \
		(event_name), (of), sizeof(of) / sizeof((of)[0])                                   \
	}
static const struct {
	const char *name;
	const struct ctf_field *fields;
	unsigned int nr_fields;
} known[TRACE_SAMPLE_NR_EVENTS] = {
	EVENT("oprof_sample", sample_fields),	 EVENT("oprof_mapping", mapping_fields),
	EVENT("oprof_task_begin", begin_fields), EVENT("oprof_task_exec", exec_fields),
	EVENT("oprof_task_end", end_fields),
};

void trace_sample_events(struct ctf_event events[TRACE_SAMPLE_NR_EVENTS], uint32_t first_id,
			 uint32_t stream_id)
{
	for (unsigned int i = 0; i < TRACE_SAMPLE_NR_EVENTS; i++)
		events[i] = (struct ctf_event){.id = first_id + i,
					       .stream_id = stream_id,
					       .name = known[i].name,
					       .alignment = 1,
					       .nr_fields = known[i].nr_fields,
					       .fields = known[i].fields};
}

uint32_t trace_sample_event(const struct trace_perf_record *record)
{
	switch (record->kind) {
	case TRACE_RECORD_MAPPING:
		return 1;
	case TRACE_RECORD_TASK_BEGIN:
		return 2;
	case TRACE_RECORD_TASK_EXEC:
		return 3;
	case TRACE_RECORD_TASK_END:
		return 4;
	default:
		return 0;
	}
}

/* ---- call chains ---- */

enum chain_part { PART_KERNEL, PART_USER, NR_PARTS, PART_NONE = NR_PARTS };

/* Returns the part of the chain that begins after this marker. Addresses of guests are ignored. */
static enum chain_part part_behind(uint64_t mark)
{
	switch (mark) {
	case PERF_CONTEXT_KERNEL:
		return PART_KERNEL;
	case PERF_CONTEXT_USER:
		return PART_USER;
	default:
		return PART_NONE;
	}
}

/*
 * Copies the addresses of one part of the chain to `to`, if `to` is not NULL. Returns their number,
 * at most UINT16_MAX, the longest sequence.
 */
static uint16_t take_part(const struct trace_perf_record *record, enum chain_part wanted,
			  uint8_t *to)
{
	enum chain_part part = PART_NONE;
	uint16_t nr = 0;

	for (uint64_t i = 0; i < record->nr_chain; i++) {
		const uint8_t *at = record->chain + i * sizeof(uint64_t);
		uint64_t address;

		memcpy(&address, at, sizeof(address));
		if (address >= PERF_CONTEXT_MAX) {
			part = part_behind(address);
			continue;
		}
		if (part != wanted || nr == UINT16_MAX)
			continue;
		if (to)
			memcpy(to + (size_t)nr * sizeof(address), at, sizeof(address));
		nr++;
	}
	return nr;
}

static uint32_t sample_bytes(const struct trace_perf_record *record)
{
	uint32_t sum = sizeof(struct sample_payload);

	for (enum chain_part part = 0; part < NR_PARTS; part++)
		sum += (uint32_t)(sizeof(uint16_t) +
				  take_part(record, part, NULL) * sizeof(uint64_t));
	return sum;
}

static void write_sample(const struct trace_perf_record *record, uint8_t *payload)
{
	const struct sample_payload sample = {
		.tid = record->tid, .pid = record->pid, .period = record->period, .ip = record->ip};

	memcpy(payload, &sample, sizeof(sample));
	payload += sizeof(sample);
	for (enum chain_part part = 0; part < NR_PARTS; part++) {
		const uint16_t nr = take_part(record, part, payload + sizeof(nr));

		memcpy(payload, &nr, sizeof(nr));
		payload += sizeof(nr) + nr * sizeof(uint64_t);
	}
}

/* ---- mappings ---- */

/*
 * Returns whether a mapping's path names a file. Such a path begins with exactly one slash. The
 * kernel's "//anon", for an anonymous mapping, names no file.
 */
static bool is_file(const char *path)
{
	return path[0] == '/' && path[1] != '/';
}

static void write_mapping(const struct trace_perf_record *record, uint8_t *payload)
{
	const struct mapping_payload mapping = {.pid = record->pid,
						.start = record->start,
						.end = record->end,
						.offset = record->offset};

	memcpy(payload, &mapping, sizeof(mapping));
	memcpy(payload + sizeof(mapping), record->path, strlen(record->path) + 1);
}

/* ---- tasks ---- */

static void write_begin(const struct trace_perf_record *record, uint8_t *payload)
{
	const struct begin_payload begin = {.tid = record->tid,
					    .pid = record->pid,
					    .parent_tid = record->ptid,
					    .parent_pid = record->ppid};

	memcpy(payload, &begin, sizeof(begin));
}

static void write_exec(const struct trace_perf_record *record, uint8_t *payload)
{
	memcpy(payload, &record->tid, sizeof(record->tid));
	memcpy(payload + sizeof(record->tid), record->path, strlen(record->path) + 1);
}

static void write_end(const struct trace_perf_record *record, uint8_t *payload)
{
	const struct end_payload end = {.tid = record->tid, .pid = record->pid};

	memcpy(payload, &end, sizeof(end));
}

/* ---- all ---- */

uint32_t trace_sample_bytes(const struct trace_perf_record *record)
{
	switch (record->kind) {
	case TRACE_RECORD_SAMPLE:
		return sample_bytes(record);
	case TRACE_RECORD_MAPPING:
		if (!is_file(record->path))
			return 0;
		return (uint32_t)(sizeof(struct mapping_payload) + strlen(record->path) + 1);
	case TRACE_RECORD_TASK_BEGIN:
		return sizeof(struct begin_payload);
	case TRACE_RECORD_TASK_EXEC:
		return (uint32_t)(sizeof(record->tid) + strlen(record->path) + 1);
	case TRACE_RECORD_TASK_END:
		return sizeof(struct end_payload);
	default:
		return 0;
	}
}

void trace_sample_write(const struct trace_perf_record *record, uint8_t *payload)
{
	switch (record->kind) {
	case TRACE_RECORD_SAMPLE:
		write_sample(record, payload);
		break;
	case TRACE_RECORD_MAPPING:
		write_mapping(record, payload);
		break;
	case TRACE_RECORD_TASK_BEGIN:
		write_begin(record, payload);
		break;
	case TRACE_RECORD_TASK_EXEC:
		write_exec(record, payload);
		break;
	case TRACE_RECORD_TASK_END:
		write_end(record, payload);
		break;
	default:
		break;
	}
}
