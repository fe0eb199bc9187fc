/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decoded record of a perf ring. perf_parse makes it from raw bytes, perf_order sorts the
 * records by time, and perf_state applies them. Pointers point into the raw bytes and are valid as
 * long as these bytes.
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
	/*
	 * -1: the kernel no longer knows the id; 0: the idle task, or a task of another pid
	 * namespace.
	 */
	int32_t pid, tid;
	uint32_t cpu;
	union {
		struct {
			uint64_t ip;
			uint64_t period; /* weight */
			uint64_t cgroup; /* 0: not recorded */
			/*
			 * The chain as the kernel wrote it: the ip first, with PERF_CONTEXT_*
			 * markers.
			 */
			uint64_t nr_chain;
			const uint64_t *chain;
			/*
			 * The user's registers (perf_regs.h). regs_abi: PERF_SAMPLE_REGS_ABI_*; 0:
			 * there are none.
			 */
			uint64_t regs_abi;
			const uint64_t *regs; /* nr_regs registers */
			uint32_t nr_regs;
			/* Size of the copy of the user's stack, which begins at sp. */
			uint32_t stack_bytes;
			const uint8_t *stack;
		} sample;
		struct {
			/* file_offset is in bytes (field pgoff of the record). */
			uint64_t start, nr_bytes, file_offset;
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
			/*
			 * The next task if out is true, otherwise the previous task; -1: unknown.
			 */
			int32_t next_pid, next_tid;
		} cpu_switch;
		struct {
			uint64_t nr; /* LOST, LOST_SAMPLES */
			/* true: a side-band ring lost these records, so mappings may be missing. */
			bool side_band;
		} lost;
	} u;
};

#endif
