/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decoded record of a perf ring: perf_parse makes it of raw bytes, perf_order sorts
 * the records by time and perf_state applies them. Pointers point into the raw bytes
 * and are valid as long as these are.
 */
#ifndef DAEMON_PERF_ITEM_H
#define DAEMON_PERF_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oprof/sample_file.h"

struct perf_item {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t type;	  /* PERF_RECORD_* */
	uint16_t misc;	  /* PERF_RECORD_MISC_* */
	uint16_t event;	  /* index of the event; UINT16_MAX: of no event (side-band) */
	int32_t pid,
		tid; /* -1: no longer known to the kernel; 0: idle, or of another pid namespace */
	uint32_t cpu;
	union {
		struct {
			uint64_t ip;
			uint64_t period;   /* weight */
			uint64_t cgroup;   /* 0: not recorded */
			uint64_t nr_chain; /* as the kernel gives it: with PERF_CONTEXT_* markers,
					      ip first */
			const uint64_t *chain;
			/* The user's registers (perf_regs.h), PERF_SAMPLE_REGS_ABI_*; 0: none. */
			uint64_t regs_abi;
			const uint64_t *regs; /* nr_regs of them */
			uint32_t nr_regs;
			uint32_t stack_bytes; /* bytes copied of the user's stack, from sp on */
			const uint8_t *stack;
		} sample;
		struct {
			uint64_t start, nr_bytes, file_offset; /* file_offset in bytes (pgoff) */
			struct oprof_image_identity
				identity; /* build-id, or dev, inode and inode generation */
			uint32_t prot, flags;
			const char *path; /* NUL-terminated; "//anon", "[vdso]", "/x (deleted)" */
		} mmap;
		struct {
			const char *name;
			bool exec;
		} comm;
		struct {
			int32_t ppid, ptid;
		} task; /* FORK and EXIT */
		struct {
			uint64_t id;
			const char *path;
		} cgroup;
		struct {
			uint64_t start;
			uint32_t nr_bytes;
			uint16_t kind; /* PERF_RECORD_KSYMBOL_TYPE_* */
			bool unregister;
			const char *name;
		} ksymbol;
		struct {
			bool out; /* true: the item's task leaves the CPU; false: it gets the CPU */
			bool preempted;
			int32_t next_pid,
				next_tid; /* next task if out, else previous; -1: unknown */
		} cpu_switch;
		struct {
			uint64_t nr;	/* LOST, LOST_SAMPLES */
			bool side_band; /* of a side-band ring: maps may be missing */
		} lost;
	} u;
};

#endif
