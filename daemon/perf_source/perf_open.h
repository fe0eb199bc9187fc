/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens performance events with the features that this kernel supports and that this user may use.
 * These features are determined once, by a probe with an event of this process, so that all events
 * of a run have the same format.
 */
#ifndef DAEMON_PERF_OPEN_H
#define DAEMON_PERF_OPEN_H

#include "daemon/perf/perf_regs.h"
#include "daemon/source.h"

#include <linux/perf_event.h>

/*
 * Features of newer kernels, in the order in which the probe removes them: the newest first, so
 * that as few as possible are removed.
 */
enum perf_feature {
	PERF_FEATURE_LOST = 1 << 0,	     /* PERF_FORMAT_LOST, Linux 6.0 */
	PERF_FEATURE_BUILD_ID = 1 << 1,	     /* build-ids in MMAP2 records, Linux 5.12 */
	PERF_FEATURE_CGROUP = 1 << 2,	     /* CGROUP records, 5.7 */
	PERF_FEATURE_SAMPLE_CGROUP = 1 << 3, /* cgroup of each sample, Linux 5.7 */
	/* records of BPF programs that are loaded or unloaded, Linux 5.1 */
	PERF_FEATURE_KSYMBOL = 1 << 4,
	/*
	 * Configured depth of call chains, Linux 4.8; without this feature, the kernel's limit
	 * applies.
	 */
	PERF_FEATURE_MAX_STACK = 1 << 5,
	PERF_FEATURE_MMAP2 = 1 << 6,	 /* 3.16 */
	PERF_FEATURE_COMM_EXEC = 1 << 7, /* 3.16 */
	/*
	 * Copies of the user's registers and stack in samples, Linux 3.7; without this feature, the
	 * kernel follows frame pointers.
	 */
	PERF_FEATURE_USER_STACK = 1 << 8,
	PERF_FEATURES_END = 1 << 9,
};

/* perf_event_open(2): returns a descriptor or -errno. May change attr->size. */
typedef int perf_open_fn(struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags);

struct perf_open {
	perf_open_fn *open;
	const struct source_config *config;    /* borrowed */
	unsigned int features;		       /* PERF_FEATURE_* that are requested */
	uint32_t attr_bytes;		       /* attr.size that this kernel accepts */
	uint64_t sample_type;		       /* sample_type of events that take samples */
	uint64_t side_type;		       /* sample_type of side-band events */
	uint64_t switch_type;		       /* sample_type of events that record switches */
	unsigned int sample_pages, side_pages; /* data pages of the rings */
	unsigned int switch_pages;
	/* User's registers, to walk stacks by tables; NULL: the kernel follows frame pointers. */
	const struct perf_regs *regs;
	uint32_t stack_bytes;  /* size of the copy of a stack, if regs is not NULL */
	bool user_only;	       /* kernel mode was requested, but is refused */
	unsigned int thinning; /* events with a frequency take 1 of this many samples */
};

/*
 * Determines features, sample_type, user_only and the rings' sizes for config on nr_cpus CPUs. fn
 * replaces the system call; NULL: the system call. Returns 0, or -errno with a remedy in diag.
 */
int perf_open_init(struct perf_open *open, const struct source_config *config, unsigned int nr_cpus,
		   perf_open_fn *fn, struct diag *diag);

/*
 * These functions open an event for a thread (-1: all) on a CPU. The event takes samples, records
 * side-band, or records task switches. A side-band event is enabled when it is opened; the other
 * events must be enabled later. The functions return a descriptor, or -errno with diag. Two errors
 * have no diag: -ESRCH if the thread has ended, and -ENODEV if the CPU is offline. For a hardware
 * event, -ENODEV means that the machine has no such counter, and has a diag.
 */
int perf_open_samples(struct perf_open *open, size_t event, pid_t tid, int cpu, struct diag *diag);
int perf_open_side_band(struct perf_open *open, pid_t tid, int cpu, struct diag *diag);
int perf_open_switches(struct perf_open *open, pid_t tid, int cpu, struct diag *diag);

/* Reduces the size of the copies of stacks until enough of them fit into a CPU's ring. */
void perf_open_fit_stacks(struct perf_open *open);
/* Returns the size of a copy of a stack: as configured, or the default. */
uint32_t perf_open_stack_bytes(const struct source_config *config);

/*
 * Returns the value for attr.sample_period or attr.sample_freq if the thinning is open->thinning.
 */
uint64_t perf_open_rate(const struct perf_open *open, const struct event_choice *event);

#endif
