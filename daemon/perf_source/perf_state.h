/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's state as the perf source knows it, at the time of the item being applied: tasks
 * with their generations, address spaces, images, kernel code. Items are applied in time order;
 * samples become records.
 *
 * Elsewhere: rings (perf_ring), decoding (perf_parse), order (perf_order).
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
	const char *proc_path; /* NULL: "/proc"; tests use another folder */
	const char *sys_path;  /* NULL: "/sys" */
	bool kernel;	       /* kernel samples are possible: load kallsyms */
	bool want_switches;    /* write SWITCH records; false: ignore switches */
	bool want_cgroup;      /* paths of cgroups are needed, so scans collect them */
	/* A child process saves symbols that reports may not find later. */
	bool keep_images;
	bool read_apart;	 /* as in places_config */
	uint64_t keep_bytes_max; /* limit of the size of saved symbols in a session; 0: no limit */
	/*
	 * Called between the processes of a scan, so that the source can read its rings during a
	 * long scan. NULL: not called.
	 */
	void (*between)(void *context);
	void *between_context;
	unsigned int chain_depth; /* limit of a sample's callers; 0: no callers */
	/* Registers in samples, to walk stacks; NULL: stacks are not walked. */
	const struct perf_regs *regs;
	const char *code_path; /* folder of code tables for the walks; NULL: no folder */
	/*
	 * The items come from a recording, and proc_path is an artificial folder. Files are
	 * searched for once, under their paths on this machine, and stack walks wait for the code
	 * tables that they need.
	 */
	bool recorded;
};

int perf_state_create(struct perf_state **state, const struct perf_state_config *config,
		      struct diag *diag);
void perf_state_destroy(struct perf_state *state);

/*
 * Reads running processes from proc_path. If pids is NULL, reads all processes; otherwise, reads
 * the processes in pids with their threads, and all known processes that are in doubt. At the first
 * call, side-band rings must be recording and sampling must not have begun. Items that are older
 * than the scan of their process are then ignored, because the scan contains their effect; newer
 * items are applied. Call this again after losses of side-band and when CPUs come online. Returns 0
 * or -errno.
 */
int perf_state_scan(struct perf_state *state, const pid_t *pids, size_t nr_pids);

/*
 * Reports that side-band records between from_ns and until_ns were lost. The data that was
 * collected about a process before until_ns is then not used for samples at or after from_ns. These
 * samples are lost until the process is scanned again or execs. Several ranges are treated as one,
 * from the earliest beginning to the latest end: it is better to lose samples than to attribute
 * them to a wrong place.
 */
void perf_state_doubt(struct perf_state *state, uint64_t from_ns, uint64_t until_ns);

/*
 * Reports that switches between from_ns and until_ns were lost or not recorded. nr_records: the
 * number of lost records, or 0 if they were not recorded. The sink gets no switches in this range,
 * because they are incomplete. When items reach from_ns, the sink gets a record of the gap.
 */
void perf_state_lose_switches(struct perf_state *state, uint64_t from_ns, uint64_t until_ns,
			      uint64_t nr_records);
/*
 * To be called when all items up to time_ns have been applied. Reports a gap of switches that began
 * at or before time_ns and has not been reported yet.
 */
void perf_state_tell_switches_lost(struct perf_state *state, uint64_t time_ns);

/*
 * Applies one item. Samples are passed to the sink as CPU, TASK and SAMPLE records (CPU and TASK
 * only if they changed), or as LOST records with a reason.
 */
void perf_state_apply(struct perf_state *state, const struct perf_item *item);

/*
 * Requests the code table of a mapping, as soon as the mapping's record was read from a ring. The
 * record itself is applied later.
 */
void perf_state_early(struct perf_state *state, const struct perf_item *item);
/* Returns the number of tables that are requested and not yet available. */
unsigned int perf_state_tables_waiting(const struct perf_state *state);
/* Waits until the requested tables are available, at most timeout_ms or until a signal. */
void perf_state_wait_tables(struct perf_state *state, int timeout_ms);

/* For a recording: from now on, walks do not wait for tables. */
void perf_state_hurry(struct perf_state *state);

/*
 * Continues the keeper's work, such as handling its answers. Also reads the processes that could
 * not be read in time, a minute after the first attempt. Must be called once in each drain.
 */
void perf_state_tend(struct perf_state *state);

/* These functions correspond to those of source_ops (daemon/source.h). Counters never decrease. */
const struct image *perf_state_image(const struct perf_state *state, uint32_t cookie);
const char *perf_state_cgroup_path(const struct perf_state *state, uint64_t cgroup);
const char *perf_state_code_name(const struct perf_state *state, uint32_t cookie, uint64_t offset);
uint64_t perf_state_function(const struct perf_state *state, uint32_t cookie, uint64_t offset);
int perf_state_save_symbols(struct perf_state *state, const char *meta_path);
size_t perf_state_unread(const struct perf_state *state, struct source_unread *list, size_t room,
			 uint64_t *nr_late);
uint64_t perf_state_children_cpu_ns(const struct perf_state *state);
size_t perf_state_counters(const struct perf_state *state, struct source_counter *counters,
			   size_t room);

#endif
