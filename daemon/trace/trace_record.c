// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_record.h"

#include <string.h>

/* The fixed parts of records in the kernel's layout, for the sample types in trace_record.h. */
struct tracepoint_record {
	struct perf_event_header header;
	uint64_t id, time;
	uint32_t raw_bytes;
	uint8_t raw[];
};
/* The size is computed with offsetof, because sizeof would include padding. */
#define TRACEPOINT_BYTES_MIN offsetof(struct tracepoint_record, raw)

struct sample_record {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, period, nr_chain;
	uint8_t chain[];
};

struct mapping_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, nr_bytes, offset;
	uint8_t file[24]; /* device and inode, or build-id */
	uint32_t protection, flags;
	char path[];
};

struct name_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];
};

/* A fork record or an exit record. */
struct task_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* The end of every record that is not a sample record. */
struct trailer {
	uint64_t time, id;
};

static uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

bool trace_record_id(const uint8_t *bytes, size_t nr_bytes, uint64_t *id)
{
	struct perf_event_header header;

	if (nr_bytes < sizeof(header) + sizeof(*id))
		return false;
	memcpy(&header, bytes, sizeof(header));
	*id = word_at(header.type == PERF_RECORD_SAMPLE ? bytes + sizeof(header)
							: bytes + nr_bytes - sizeof(*id));
	return true;
}

/*
 * Returns the offset of the time in a record; 0: the record is too short or of an unknown type, and
 * trace_record_parse refuses it.
 */
static size_t time_at(enum trace_record_kind kind, uint32_t type, size_t nr_bytes)
{
	if (kind != TRACE_RECORD_MAPPING && type != PERF_RECORD_SAMPLE)
		return 0;
	if (kind == TRACE_RECORD_TRACEPOINT)
		return offsetof(struct tracepoint_record, time);
	if (kind == TRACE_RECORD_SAMPLE)
		return offsetof(struct sample_record, time);
	switch (type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return offsetof(struct task_record, time);
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
		return nr_bytes > sizeof(struct trailer) ? nr_bytes - sizeof(struct trailer) : 0;
	default:
		return 0;
	}
}

bool trace_record_time(enum trace_record_kind kind, const uint8_t *bytes, size_t nr_bytes,
		       uint64_t *time)
{
	struct perf_event_header header;
	size_t at;

	if (nr_bytes < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	at = time_at(kind, header.type, nr_bytes);
	if (!at || nr_bytes < at + sizeof(*time))
		return false;
	*time = word_at(bytes + at);
	return true;
}

static bool parse_tracepoint(struct trace_perf_record *record, const uint8_t *bytes,
			     size_t nr_bytes)
{
	struct tracepoint_record from;

	if (nr_bytes < TRACEPOINT_BYTES_MIN)
		return false;
	memcpy(&from, bytes, TRACEPOINT_BYTES_MIN);
	if (from.raw_bytes > nr_bytes - TRACEPOINT_BYTES_MIN)
		return false;
	record->time = from.time;
	record->raw = bytes + TRACEPOINT_BYTES_MIN;
	record->nr_bytes = from.raw_bytes;
	return true;
}

static bool parse_sample(struct trace_perf_record *record, const uint8_t *bytes, size_t nr_bytes)
{
	struct sample_record from;

	if (nr_bytes < sizeof(from))
		return false;
	memcpy(&from, bytes, sizeof(from));
	if (from.nr_chain > (nr_bytes - sizeof(from)) / sizeof(uint64_t))
		return false;
	record->time = from.time;
	record->pid = (int32_t)from.pid;
	record->tid = (int32_t)from.tid;
	record->ip = from.ip;
	record->period = from.period;
	record->chain = bytes + sizeof(from);
	record->nr_chain = from.nr_chain;
	return true;
}

static bool parse_mapping(struct trace_perf_record *record, const uint8_t *bytes, size_t nr_bytes)
{
	struct mapping_record from;
	struct trailer trailer;
	const char *path = (const char *)bytes + sizeof(from);
	size_t nr_path;

	if (nr_bytes < sizeof(from) + sizeof(trailer))
		return false;
	memcpy(&from, bytes, sizeof(from));
	memcpy(&trailer, bytes + nr_bytes - sizeof(trailer), sizeof(trailer));
	nr_path = nr_bytes - sizeof(from) - sizeof(trailer);
	if (!memchr(path, '\0', nr_path) || from.nr_bytes > UINT64_MAX - from.start)
		return false;
	record->time = trailer.time;
	record->pid = (int32_t)from.pid;
	record->start = from.start;
	record->end = from.start + from.nr_bytes;
	record->offset = from.offset;
	record->path = path;
	return true;
}

static bool parse_name(struct trace_perf_record *record, const uint8_t *bytes, size_t nr_bytes)
{
	struct name_record from;
	struct trailer trailer;
	const char *name = (const char *)bytes + sizeof(from);

	if (nr_bytes < sizeof(from) + sizeof(trailer))
		return false;
	memcpy(&from, bytes, sizeof(from));
	memcpy(&trailer, bytes + nr_bytes - sizeof(trailer), sizeof(trailer));
	if (!memchr(name, '\0', nr_bytes - sizeof(from) - sizeof(trailer)))
		return false;
	record->kind = from.header.misc & PERF_RECORD_MISC_COMM_EXEC ? TRACE_RECORD_TASK_EXEC
								     : TRACE_RECORD_TASK_NAME;
	record->time = trailer.time;
	record->pid = (int32_t)from.pid;
	record->tid = (int32_t)from.tid;
	record->path = name;
	return true;
}

static bool parse_task(struct trace_perf_record *record, const uint8_t *bytes, size_t nr_bytes)
{
	struct task_record from;

	if (nr_bytes < sizeof(from) + sizeof(struct trailer))
		return false;
	memcpy(&from, bytes, sizeof(from));
	record->kind = from.header.type == PERF_RECORD_FORK ? TRACE_RECORD_TASK_BEGIN
							    : TRACE_RECORD_TASK_END;
	record->time = from.time;
	record->pid = (int32_t)from.pid;
	record->tid = (int32_t)from.tid;
	record->ppid = (int32_t)from.ppid;
	record->ptid = (int32_t)from.ptid;
	return true;
}

static bool parse_side_band(struct trace_perf_record *record, uint32_t type, const uint8_t *bytes,
			    size_t nr_bytes)
{
	switch (type) {
	case PERF_RECORD_MMAP2:
		return parse_mapping(record, bytes, nr_bytes);
	case PERF_RECORD_COMM:
		return parse_name(record, bytes, nr_bytes);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return parse_task(record, bytes, nr_bytes);
	default:
		return false;
	}
}

bool trace_record_parse(struct trace_perf_record *record, enum trace_record_kind kind,
			const uint8_t *bytes, size_t nr_bytes)
{
	struct perf_event_header header;

	if (nr_bytes < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	record->kind = kind;
	if (kind == TRACE_RECORD_MAPPING)
		return parse_side_band(record, header.type, bytes, nr_bytes);
	if (header.type != PERF_RECORD_SAMPLE)
		return false;
	return kind == TRACE_RECORD_SAMPLE ? parse_sample(record, bytes, nr_bytes)
					   : parse_tracepoint(record, bytes, nr_bytes);
}
