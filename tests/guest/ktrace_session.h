/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace sessions of the module for tests in guests, by the calls of oprof/kmod_trace.h alone. The
 * packets of the rings are written to a trace folder, which the reader of trace folders (ctf/) must
 * then find undamaged.
 */
#ifndef TESTS_GUEST_KTRACE_SESSION_H
#define TESTS_GUEST_KTRACE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "ctf/reader.h"
#include "oprof/kmod_trace.h"

#define KTRACE_CONTROL "/dev/oprofile/"

/* Event ids; for the ids of kinds, see ktrace_kind_id(). */
enum {
	KTRACE_ID_UNKNOWN_ENTRY = 80,
	KTRACE_ID_UNKNOWN_EXIT,
	KTRACE_ID_GETPPID_ENTRY,
	KTRACE_ID_GETPPID_EXIT,
	KTRACE_ID_OPENAT_ENTRY,
	KTRACE_ID_OPENAT_EXIT,
	KTRACE_ID_SAMPLE,
	KTRACE_ID_NAMED,
	KTRACE_ID_NAMED_EXEC,
	KTRACE_NR_IDS,
};

struct ktrace_ring {
	int fd; /* -1: no such CPU */
	const uint8_t *map;
	uint64_t map_bytes;
};

/* A session with one channel. */
struct ktrace {
	int fd;
	uint8_t uuid[16];
	struct oprof_ktrace_info info;
	struct oprof_ktrace_channel channel;
	struct ktrace_ring *rings; /* indexed by CPU number */
};

uint32_t ktrace_kind_id(unsigned int kind);

/* Ends the program with a message on failure. mode: enum oprof_ktrace_mode. */
void ktrace_open(struct ktrace *trace, uint32_t mode, uint32_t sub_buffer_bytes,
		 uint32_t nr_sub_buffers, uint64_t flush_period_ns);
void ktrace_open_rings(struct ktrace *trace);
void ktrace_close(struct ktrace *trace); /* the rings, and fd if it is not -1 */

/* Returns 0 or -errno. */
int ktrace_call(int fd, unsigned long command, void *argument);
int ktrace_event(struct ktrace *trace, unsigned int kind,
		 const struct oprof_ktrace_compare *compare);
/*
 * Adds getppid, and openat with its file's name; other calls get unknown_id (or
 * OPROF_KTRACE_NO_EVENT).
 */
int ktrace_syscalls(struct ktrace *trace, bool want_unknown,
		    const struct oprof_ktrace_compare *getppid_exit,
		    const struct oprof_ktrace_compare *openat_entry);
int ktrace_samples(struct ktrace *trace, uint32_t type, uint64_t config, uint64_t number,
		   uint32_t depth);
/*
 * Adds a tracepoint ("SYSTEM/NAME") by perf: the first 56 bytes after the common fields, as
 * {int64_t id, uint64_t args[6]}. Returns -ENOENT if tracefs or the tracepoint is missing.
 */
int ktrace_named(struct ktrace *trace, const char *name);
/*
 * Adds sched:sched_switch by perf in the same way: its fields in sequence, whatever their offsets.
 */
int ktrace_named_switch(struct ktrace *trace);
/*
 * Adds sched:sched_process_exec by perf: its name as a sequence and as a string, and its numbers.
 */
int ktrace_named_exec(struct ktrace *trace);
int ktrace_only_tid(struct ktrace *trace, uint64_t tid);

/* Sums over all CPUs. */
struct oprof_ktrace_counts ktrace_counts(struct ktrace *trace);
uint64_t ktrace_lost(const struct oprof_ktrace_counts *counts);

/* ---- folders ---- */

struct ktrace_folder {
	char path[64];
	struct ctf_writer *writer;
	unsigned int *files; /* indexed by CPU */
	struct ctf_trace trace;
};

/* Creates a folder for this trace. */
void ktrace_folder_open(struct ktrace_folder *folder, const struct ktrace *trace);
void ktrace_folder_close(struct ktrace_folder *folder);
/* Stores the packets that NEXT returns, until no ring has more. Returns their number. */
uint64_t ktrace_drain(struct ktrace *trace, struct ktrace_folder *folder);
/* Stores the packets that RANGE finds; they stay in the rings. */
uint64_t ktrace_snapshot(struct ktrace *trace, struct ktrace_folder *folder);

/* Counts of the trace reader. */
struct ktrace_found {
	uint64_t nr_records, lost, lost_by[OPROF_NR_LOST];
	uint64_t overwritten; /* packets: gaps in their numbers */
	uint64_t nr_before;   /* packets before the first of each file */
	uint64_t nr_faults;   /* damaged, cut or disordered packets, and errors: must be 0 */
	uint64_t nr_of[KTRACE_NR_IDS]; /* records, by id */
};

/* Reads the folder and removes it. look is called for each record; it may be NULL. */
struct ktrace_found ktrace_read(struct ktrace_folder *folder,
				void (*look)(const struct ctf_record *record, void *context),
				void *context);
/* Returns the value of the field called name, or NULL if there is none. */
const struct ctf_value *ktrace_value(const struct ctf_record *record, const char *name);

#endif
