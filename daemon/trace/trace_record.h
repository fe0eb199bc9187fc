/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One record of a kernel's ring that a trace is made of: a tracepoint's, a
 * sample's with its call chain, a mapping's, what becomes of a task. They stand
 * in one ring in several layouts; the kernel's number of the event, which is the first word of the
 * one kind and the last of the other, tells which.
 *
 * Not for: opening events, whose number is whose (trace_perf.c).
 */
#ifndef DAEMON_TRACE_RECORD_H
#define DAEMON_TRACE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_record_kind {
	TRACE_RECORD_TRACEPOINT,
	TRACE_RECORD_SAMPLE,
	TRACE_RECORD_MAPPING, /* of a file's code, or of anything else that is executable */
	/* What an event of mappings tells, too, where it is asked. */
	TRACE_RECORD_TASK_BEGIN,
	TRACE_RECORD_TASK_NAME,
	TRACE_RECORD_TASK_EXEC, /* it runs another program, and is the only one of its process */
	TRACE_RECORD_TASK_END,
};

/* What the kernel is to write, by kind. All begin with PERF_SAMPLE_IDENTIFIER. */
#define TRACE_RECORD_TRACEPOINT_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)
#define TRACE_RECORD_SAMPLE_TYPE                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define TRACE_RECORD_MAPPING_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME)

/* Into the record's own bytes: good as long as they are. */
struct trace_perf_record {
	unsigned int cpu;
	unsigned int event; /* index in the configuration's events */
	enum trace_record_kind kind;
	int32_t pid, tid; /* not of a tracepoint; of a mapping pid alone */
	uint64_t time;	  /* CLOCK_MONOTONIC */
	union {
		/* Of a mapping and of tasks; first, so that all of it is zeroed. */
		struct {
			int32_t ppid, ptid; /* TRACE_RECORD_TASK_BEGIN: who began it */
			/* TRACE_RECORD_MAPPING */
			uint64_t start, end, offset;
			/* With its NUL; of TRACE_RECORD_TASK_NAME and _EXEC the name; else NULL. */
			const char *path;
		};
		/* TRACE_RECORD_TRACEPOINT: as its tracepoint describes it, pid and tid among its
		 * fields; 8-byte aligned less 4. */
		struct {
			const uint8_t *raw;
			size_t nr_bytes;
		};
		/* TRACE_RECORD_SAMPLE */
		struct {
			uint64_t ip, period;
			/* nr_chain words of 8 bytes: addresses, and PERF_CONTEXT_ marks */
			const uint8_t *chain;
			uint64_t nr_chain;
		};
	};
};

/* The kernel's number of the event that wrote a record of nr_bytes; false: it has none. */
bool trace_record_id(const uint8_t *bytes, size_t nr_bytes, uint64_t *id);

/*
 * When a record of an event of kind was written, CLOCK_MONOTONIC, without parsing the rest, for
 * those who put records in order first. False: it is too short, or of a type that has no time.
 */
bool trace_record_time(enum trace_record_kind kind, const uint8_t *bytes, size_t nr_bytes,
		       uint64_t *time);

/*
 * A record of nr_bytes, at least a header of such a size, of an event of kind, which the record's
 * own is but for tasks. record is zeroed but for cpu and event. False: no kernel writes such.
 */
bool trace_record_parse(struct trace_perf_record *record, enum trace_record_kind kind,
			const uint8_t *bytes, size_t nr_bytes);

#endif
