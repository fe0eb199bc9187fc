/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the records of a kernel's ring for a trace: tracepoints, samples with their call chains,
 * mappings, changes of tasks. One ring has records of several layouts. The kernel's number of the
 * event identifies the layout: it is the first word of a sample record and the last word of all
 * other records.
 *
 * Elsewhere: opening events and storing their numbers (trace_perf.c).
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
	TRACE_RECORD_MAPPING, /* a mapping of a file's code, or of other executable memory */
	/* Changes of tasks. The event that records mappings also records these, if configured. */
	TRACE_RECORD_TASK_BEGIN,
	TRACE_RECORD_TASK_NAME,
	/* The task executes another program. All other tasks of its process have ended. */
	TRACE_RECORD_TASK_EXEC,
	TRACE_RECORD_TASK_END,
};

/* Sample types of the events, by kind. All include PERF_SAMPLE_IDENTIFIER. */
#define TRACE_RECORD_TRACEPOINT_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)
#define TRACE_RECORD_SAMPLE_TYPE                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define TRACE_RECORD_MAPPING_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME)

/* A parsed record. Its pointers refer to the bytes of the raw record. */
struct trace_perf_record {
	unsigned int cpu;
	unsigned int event; /* index in the configuration's events */
	enum trace_record_kind kind;
	int32_t pid, tid; /* not set for tracepoints; for mappings only pid is set */
	uint64_t time;	  /* CLOCK_MONOTONIC */
	union {
		/*
		 * For mappings and tasks. This struct is the first member, so that an initializer
		 * zeroes the whole union.
		 */
		struct {
			int32_t ppid, ptid; /* the parent, for TRACE_RECORD_TASK_BEGIN */
			/* TRACE_RECORD_MAPPING */
			uint64_t start, end, offset;
			/*
			 * For a mapping, the path of its file; for TASK_NAME and TASK_EXEC, the
			 * name of the task; for other kinds NULL. The string ends with a NUL.
			 */
			const char *path;
		};
		/*
		 * For TRACE_RECORD_TRACEPOINT: the fields that the event's tracepoint describes,
		 * including pid and tid. raw is 4 bytes after an address that is a multiple of 8.
		 */
		struct {
			const uint8_t *raw;
			size_t nr_bytes;
		};
		/* TRACE_RECORD_SAMPLE */
		struct {
			uint64_t ip, period;
			/* nr_chain words of 8 bytes: addresses, and markers PERF_CONTEXT_* */
			const uint8_t *chain;
			uint64_t nr_chain;
		};
	};
};

/*
 * Finds the kernel's number of the event that wrote the record. Returns false if the record is too
 * short.
 */
bool trace_record_id(const uint8_t *bytes, size_t nr_bytes, uint64_t *id);

/*
 * Finds the time (CLOCK_MONOTONIC) of a record without parsing the rest, for callers that first
 * sort records. kind is the kind of the record's event. Returns false if the record is too short or
 * has no time.
 */
bool trace_record_time(enum trace_record_kind kind, const uint8_t *bytes, size_t nr_bytes,
		       uint64_t *time);

/*
 * Parses a record of nr_bytes. kind is the kind of the record's event. record->kind differs from
 * kind only if the record is of a task. The caller sets cpu and event and zeroes the rest. Returns
 * false if the record is malformed.
 */
bool trace_record_parse(struct trace_perf_record *record, enum trace_record_kind kind,
			const uint8_t *bytes, size_t nr_bytes);

#endif
