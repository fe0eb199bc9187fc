/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the perf source knows of the machine at a moment of the records'
 * time: tasks with their generations, address spaces, images, kernel code.
 * Items are applied in time order; samples come out as records.
 *
 * Not for: rings, decoding, order (perf_ring, perf_parse, perf_order), files.
 */
#ifndef DAEMON_PERF_STATE_H
#define DAEMON_PERF_STATE_H

#include "daemon/perf/perf_item.h"
#include "daemon/perf/perf_regs.h"
#include "daemon/source.h"

struct perf_state;

struct perf_state_config {
	struct record_sink *sink;
	unsigned int nr_cpus;  /* possible CPUs */
	const char *proc_path; /* NULL: "/proc"; tests give a folder of their own */
	const char *sys_path;  /* NULL: "/sys" */
	bool kernel;	       /* kernel samples may come: load kallsyms */
	bool want_switches;    /* SWITCH records, or nothing of switches */
	bool want_cgroup;      /* paths of cgroups will be asked for: scans look for them */
	bool keep_images;      /* symbols that reports would not find: a child process keeps them */
	uint64_t keep_bytes_max; /* of those, in a session; 0: as many as may be */
	/* Called between the processes of a scan, which may take long: read the rings. NULL: not.
	 */
	void (*between)(void *context);
	void *between_context;
	unsigned int chain_depth; /* callers that a sample may have; 0: as many as come */
	const struct perf_regs
		*regs;	       /* samples have them: walk their stacks; NULL: they have not */
	const char *code_path; /* folder of code tables, for that; NULL: none */
	/*
	 * What comes is long over, and proc_path is made up: files are looked for where they lie
	 * here, once, and walks wait for the tables of what they go through.
	 */
	bool recorded;
};

int perf_state_create(struct perf_state **state, const struct perf_state_config *config,
		      struct diag *diag);
void perf_state_destroy(struct perf_state *state);

/*
 * Read the processes that run already (all, or pids with their threads and
 * what is known, but in doubt) from proc_path. The side-band rings must be recording before this,
 * sampling must not: items older than a process's scan are then already in it, newer ones are
 * replayed over it. Also after side-band losses and CPU hotplug.
 */
int perf_state_scan(struct perf_state *state, const pid_t *pids, size_t nr_pids);

/*
 * Side-band records of the time from_ns to until_ns were lost: what is known
 * of a process by records and scans of before until_ns is no ground for its
 * samples of from_ns or later. They are lost, until a scan, or the process's
 * next exec, tells anew. (Several such times count as one from the first's
 * beginning to the last's end: rather lost than wrong.)
 */
void perf_state_doubt(struct perf_state *state, uint64_t from_ns, uint64_t until_ns);

/*
 * Switches of the time from_ns to until_ns were lost (nr_records of them), or
 * not listened to (0): none of that time is told, so that what is told is
 * whole, and that it is not is told when the items reach from_ns.
 */
void perf_state_lose_switches(struct perf_state *state, uint64_t from_ns, uint64_t until_ns,
			      uint64_t nr_records);
/* All items up to time_ns have been applied: tell such a loss now, if it began before. */
void perf_state_tell_switches_lost(struct perf_state *state, uint64_t time_ns);

/* Apply one item; samples reach the sink as CPU, TASK, SAMPLE records (CPU and
 * TASK only when they change), or as LOST records with their reason. */
void perf_state_apply(struct perf_state *state, const struct perf_item *item);

/*
 * A map that was read, and whose time has not come: have the table of its code built.
 * Nothing else is made of it.
 */
void perf_state_early(struct perf_state *state, const struct perf_item *item);
/* Tables that were asked for, and are not there yet. */
unsigned int perf_state_tables_waiting(const struct perf_state *state);
/* Until the code tables asked for are there, but for timeout_ms at most, and no signal comes. */
void perf_state_wait_tables(struct perf_state *state, int timeout_ms);

/* Of a recording: walks wait for no tables from now on. */
void perf_state_hurry(struct perf_state *state);

/* Once a drain. Takes no time. */
void perf_state_tend(struct perf_state *state);

/* As source_ops has them (daemon/source.h). Counters only grow. */
const struct image *perf_state_image(const struct perf_state *state, uint32_t cookie);
const char *perf_state_cgroup_path(const struct perf_state *state, uint64_t cgroup);
const char *perf_state_code_name(const struct perf_state *state, uint32_t cookie, uint64_t offset);
uint64_t perf_state_function(const struct perf_state *state, uint32_t cookie, uint64_t offset);
int perf_state_save_symbols(struct perf_state *state, const char *meta_path);
size_t perf_state_counters(const struct perf_state *state, struct source_counter *counters,
			   size_t room);

#endif
