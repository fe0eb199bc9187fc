/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decoded record of a perf ring. perf_parse makes it from raw bytes, perf_order sorts the
 * records by time, and perf_state applies them. Pointers point into the raw bytes and are valid as
 * long as these.
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
	uint16_t event;	  /* index of the event; UINT16_MAX: the record has no event (side-band) */
	/* -1: no longer known to the kernel; 0: idle, or in another pid namespace. */
	int32_t pid, tid;
	uint32_t cpu;
	union {
		struct {
			uint64_t ip;
			uint64_t period; /* weight */
			uint64_t cgroup; /* 0: not recorded */
			/* As the kernel wrote it: with PERF_CONTEXT_* markers, ip first. */
			uint64_t nr_chain;
			const uint64_t *chain;
			/* The user's registers (perf_regs.h), PERF_SAMPLE_REGS_ABI_*; 0: none. */
			uint64_t regs_abi;
			const uint64_t *regs; /* nr_regs registers */
			uint32_t nr_regs;
			/* Size of the copy of the user's stack, which begins at sp. */
			uint32_t stack_bytes;
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
			/* The next task if out is true, else the previous one; -1: unknown. */
			int32_t next_pid, next_tid;
		} cpu_switch;
		struct {
			uint64_t nr;	/* LOST, LOST_SAMPLES */
			bool side_band; /* lost by a side-band ring: mappings may be missing */
		} lost;
	} u;
};

#endif
