/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf_state that knows nothing and notes everything: for tests of what
 * stands below it. Every sample becomes a SAMPLE record as it is.
 */
#ifndef TESTS_FAKE_PERF_STATE_H
#define TESTS_FAKE_PERF_STATE_H

#include "daemon/perf_state.h"

#define FAKE_TYPES 32
#define FAKE_TIDS  16

struct fake_perf_state {
	uint64_t nr_items[FAKE_TYPES]; /* by type */
	uint64_t nr_disordered;	       /* items older than the one before */
	uint64_t newest_ns;
	uint64_t nr_scans, nr_doubts;
	size_t nr_scan_pids;
	unsigned int nr_between;   /* how often a scan has the rings read, some ms apart */
	uint64_t nr_items_in_scan; /* applied while the last one went on */
	bool kernel;		   /* as the config said */
	pid_t watched;		   /* the next three are of this process only */
	uint64_t watched_samples, watched_execs, watched_exits;
	uint64_t watched_build_ids; /* mappings that came with one */
	int32_t tids[FAKE_TIDS];    /* threads that samples were of */
	size_t nr_tids;
	uint64_t nr_chain_frames;
	const struct perf_regs *regs; /* as the config said */
	uint64_t nr_stacks;	      /* samples with registers and a copy of the stack */
	uint64_t nr_early;	      /* maps told early */
	uint64_t nr_waits;
	unsigned int nr_tables; /* that are waited for */
	uint64_t nr_cgroups;	/* samples with one */
	uint64_t weight;
	uint64_t nr_kernel_samples;
	uint64_t nr_switch_gaps, nr_switches_lost;
};

extern struct fake_perf_state fake_perf_state;

#endif
