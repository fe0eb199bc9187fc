/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace that perf_event_open or the kernel module records. The chosen events of the whole machine
 * are written to a folder (doc/trace-folder.md), or are kept in memory for snapshots. In memory,
 * the newest records replace the oldest.
 *
 * Elsewhere: signals, commands, deciding how long to wait (oprof_tracer.c).
 */
#ifndef DAEMON_TRACER_H
#define DAEMON_TRACER_H

#include "daemon/trace/trace_choice.h"
#include "daemon/trace/trace_chunks.h"
#include "daemon/trace/trace_trigger.h"
#include "lib/diag.h"
#include "ring/ring.h"

#include <stdbool.h>
#include <stdint.h>

/* The recorder of the trace: the kernel module, or perf_event_open, which every kernel has. */
enum tracer_source {
	/*
	 * The module if it is loaded, permitted, and supports all that is chosen; otherwise perf.
	 */
	TRACER_AUTO,
	TRACER_PERF,
	TRACER_MODULE,
};

struct tracer_config {
	enum tracer_source source;
	const char *tracefs;		   /* borrowed, like all pointers here */
	const struct trace_choice *choice; /* has at least one event */
	const char *folder; /* folder that will be made for the trace; NULL: a flight recorder */
	/* if a trace exists at folder, moves it to folder.old; a trace at folder.old is removed */
	bool keep_old;
	/* sizes of each CPU's ring; both 0: default sizes */
	uint32_t sub_buffer_bytes, nr_sub_buffers;
	/* chunks of the trace in the folder; all 0: no chunks */
	struct trace_chunks_config chunks;
	/*
	 * Records only the processes `pids` and their children. If nr_pids is 0, records all
	 * processes. `tids` are the threads of the processes `pids`.
	 */
	const int32_t *pids, *tids;
	unsigned int nr_pids, nr_tids;
	const char *cgroup;   /* folder of the control group to record; NULL: everything */
	const uint32_t *uids; /* module only: records only these users; nr_uids 0: all users */
	unsigned int nr_uids;
	/* the choice must include the trigger's events; NULL: no conditions */
	struct trace_trigger *trigger;
	/*
	 * tracer_open and tracer_start call this function until recording has started. If it
	 * returns true, they stop, even in the middle of reading /proc, and return -ECANCELED. May
	 * be NULL.
	 */
	bool (*is_cancelled)(void);
};

/* Default sizes of a flight recorder. */
#define TRACER_FLIGHT_NR_SUB_BUFFERS   4u
#define TRACER_FLIGHT_SUB_BUFFER_BYTES (1u << 20)

/*
 * Every event that the kernel reported is in the folder or counted as lost. The folder also has the
 * nr_state records of the machine's state.
 */
struct tracer_counts {
	uint64_t nr_records; /* records in the folder or in memory, of events and of the state */
	/* Part of nr_records: the state at the beginning of the trace and of each chunk. */
	uint64_t nr_state;
	/* Lost because the kernel's ring was full or (module only) already finalised. */
	uint64_t lost_kernel;
	uint64_t lost_nested;	/* module only: nested too deeply, or the writer was killed */
	uint64_t lost_room;	/* no room in a buffer, record too long, or out of memory */
	uint64_t lost_bad;	/* records that do not match their tracepoint */
	uint64_t lost_disk;	/* records in packets not written to disk, as far as known */
	uint64_t ring_errors;	/* damaged rings of the kernel; the losses are unknown */
	uint64_t packet_errors; /* packets that the writer refused: a fault of oprof */
	/* Part of nr_records: records that got the timestamp of the record before them. */
	uint64_t nr_late;
	uint64_t nr_packets, nr_bytes; /* written */
	uint64_t chunks_failed;	       /* chunks that could not be compressed or removed */
	uint64_t unjudged;     /* events that no condition checked: out of memory, or a full ring */
	uint64_t nr_throttled; /* number of times that the kernel took no samples for a while */
	/*
	 * Flight recorder only: records of tasks and mappings that were removed from memory for
	 * lack of space although a later snapshot may need them.
	 */
	uint64_t forgotten;
};

/* Every record that was taken from memory is in the folder or counted as unwritten. */
struct tracer_snapshot {
	uint64_t nr_records; /* in the folder */
	/* records taken from memory, but not in the folder; 0 if no error occurred */
	uint64_t nr_unwritten;
	uint64_t nr_state; /* number of records of the state, written or not */
	/* records lost in the time range that was held, as far as the packets report losses */
	uint64_t lost;
	uint64_t overwritten; /* packets overwritten before they could be written */
	uint64_t nr_packets, nr_bytes;
	uint64_t begin, end; /* CLOCK_MONOTONIC, ns: the time range that was held */
	bool is_part;	     /* the snapshot failed, but left a folder */
};

struct tracer_held {
	uint64_t nr_bytes;   /* memory of the rings, without the kernel's rings */
	uint64_t since, now; /* CLOCK_MONOTONIC, ns: all records of this time range are held */
};

struct tracer;

/* Opens everything, but does not record yet. Returns 0 or -errno, with a remedy in diag. */
int tracer_open(struct tracer **tracer, const struct tracer_config *config, struct diag *diag);

/*
 * Closes a tracer whose trace is not wanted; does nothing if tracer is NULL. Removes the trace and,
 * if the tracer made the folder, the folder. Then moves back the trace that keep_old moved to
 * folder.old. A trace that was in folder.old before is lost.
 */
void tracer_discard(struct tracer *tracer);

/* Begins recording. For a trace on disk, also writes the machine's state. Returns 0 or -errno. */
int tracer_start(struct tracer *tracer, struct diag *diag);

/*
 * Reads available records; call it when tracer_poll_fd is readable, and regularly. Returns 0 or the
 * -errno of a disk error.
 */
int tracer_round(struct tracer *tracer, struct diag *diag);
int tracer_poll_fd(const struct tracer *tracer);

/*
 * Returns the text of the first condition that became true since the last call, or NULL. Conditions
 * are checked in rounds.
 */
const char *tracer_take_cause(struct tracer *tracer);

/* Ends recording and reads the remaining records. Returns the same as tracer_round. */
int tracer_stop(struct tracer *tracer, struct diag *diag);

/* Begins recording CPUs that came online. Returns 0, or -errno and diag if one is not recorded. */
int tracer_follow_cpus(struct tracer *tracer, struct diag *diag);

/*
 * Writes available records to the folder now, including packets that are not full. Returns the same
 * as tracer_round.
 */
int tracer_flush(struct tracer *tracer, struct diag *diag);

/*
 * Writes the records in memory, and the machine's state, to a new folder. The caller must call
 * tracer_round first. Flight recorder only. A forked child may call this function while recording
 * continues: the child has a copy of the daemon's own rings, and shares the module's descriptors,
 * which only one process may read at a time (tracer_lend). Returns 0, or -errno and diag. After an
 * error the folder has the packets that could be written, as *taken and diag report; if there are
 * none, the folder is removed.
 */
int tracer_snapshot(struct tracer *tracer, const char *folder, struct tracer_snapshot *taken,
		    struct diag *diag);

/*
 * If a child will take a snapshot, call this function with true before the fork, and with false
 * after the child has ended, even if the child was killed. Between the two calls, the tracer does
 * not read shared rings, and the value `since` of tracer_held does not change.
 */
void tracer_lend(struct tracer *tracer, bool lends);

struct tracer_held tracer_held(struct tracer *tracer);

struct tracer_sizes {
	uint32_t sub_buffer_bytes, nr_sub_buffers; /* of each CPU's ring */
	unsigned int nr_cpus;			   /* recorded at present */
};

struct tracer_sizes tracer_sizes(const struct tracer *tracer);

/*
 * Returns the number of recorded events. System calls count as two events; with perf, samples and
 * mappings also count.
 */
unsigned int tracer_nr_events(const struct tracer *tracer);

struct tracer_counts tracer_counts(const struct tracer *tracer);

/*
 * Completes the folder and writes it to disk. Returns 0 or the writer's error. If tracer is NULL,
 * does nothing.
 */
int tracer_close(struct tracer *tracer, struct diag *diag);

#endif
