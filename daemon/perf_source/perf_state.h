/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the machine as the perf source knows it, at the time of the record being applied:
 * tasks with their generations, address spaces, images, kernel code. Items are applied in time
 * order; samples come out as records.
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
	bool kernel;	       /* kernel samples are possible: load kallsyms */
	bool want_switches;    /* write SWITCH records; false: ignore switches */
	bool want_cgroup;      /* paths of cgroups will be requested: scans collect them */
	bool keep_images;      /* a child process keeps symbols that reports would not find later */
	uint64_t keep_bytes_max; /* of kept symbols, in a session; 0: no limit */
	/*
	 * Called between the processes of a scan, which may take long, to read the rings. NULL:
	 * none.
	 */
	void (*between)(void *context);
	void *between_context;
	unsigned int chain_depth;     /* limit of a sample's callers; 0: none */
	const struct perf_regs *regs; /* in samples, to walk their stacks; NULL: none */
	const char *code_path;	      /* folder of code tables for the walks; NULL: none */
	/*
	 * The items come from a recording and proc_path is made up: files are looked up once,
	 * under their paths on this machine, and walks wait for the tables that they need.
	 */
	bool recorded;
};

int perf_state_create(struct perf_state **state, const struct perf_state_config *config,
		      struct diag *diag);
void perf_state_destroy(struct perf_state *state);

/*
 * Reads running processes from proc_path: all, or pids with their threads and all known processes
 * in doubt. Side-band rings must be recording before this and sampling must not have begun: items
 * older than a process's scan are then already part of it, newer items are replayed over it. Also
 * called after side-band losses and CPU hotplug. Returns 0 or -errno.
 */
int perf_state_scan(struct perf_state *state, const pid_t *pids, size_t nr_pids);

/*
 * Side-band records between from_ns and until_ns were lost. Knowledge of a process from before
 * until_ns is therefore no basis for its samples of from_ns or later: these are lost until a
 * scan, or the process's next exec, renews the knowledge. Several such ranges count as one, from
 * the earliest beginning to the latest end: losing samples is better than attributing them
 * wrongly.
 */
void perf_state_doubt(struct perf_state *state, uint64_t from_ns, uint64_t until_ns);

/*
 * Switches between from_ns and until_ns were lost (nr_records of them) or not recorded (0). No
 * switch of this range is reported, so that those reported are complete; the gap itself is
 * reported when items reach from_ns.
 */
void perf_state_lose_switches(struct perf_state *state, uint64_t from_ns, uint64_t until_ns,
			      uint64_t nr_records);
/* All items up to time_ns have been applied: reports such a gap now, if it began before. */
void perf_state_tell_switches_lost(struct perf_state *state, uint64_t time_ns);

/*
 * Applies one item. Samples reach the sink as CPU, TASK, SAMPLE records (CPU and TASK only when
 * they change), or as LOST records with their reason.
 */
void perf_state_apply(struct perf_state *state, const struct perf_item *item);

/* Requests the code table of a map that was read, but is not due yet. Does not apply the map. */
void perf_state_early(struct perf_state *state, const struct perf_item *item);
/* Returns the number of tables requested and not yet available. */
unsigned int perf_state_tables_waiting(const struct perf_state *state);
/* Waits for the requested code tables, at most timeout_ms or until a signal arrives. */
void perf_state_wait_tables(struct perf_state *state, int timeout_ms);

/* For a recording: walks no longer wait for tables. */
void perf_state_hurry(struct perf_state *state);

/* Housekeeping; to be called once a drain. Does not block. */
void perf_state_tend(struct perf_state *state);

/* As in source_ops (daemon/source.h). Counters only grow. */
const struct image *perf_state_image(const struct perf_state *state, uint32_t cookie);
const char *perf_state_cgroup_path(const struct perf_state *state, uint64_t cgroup);
const char *perf_state_code_name(const struct perf_state *state, uint32_t cookie, uint64_t offset);
uint64_t perf_state_function(const struct perf_state *state, uint32_t cookie, uint64_t offset);
int perf_state_save_symbols(struct perf_state *state, const char *meta_path);
size_t perf_state_counters(const struct perf_state *state, struct source_counter *counters,
			   size_t room);

#endif
