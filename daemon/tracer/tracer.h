/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace, by perf_event_open or the kernel module: chosen events of the whole machine, recorded to
 * a folder (doc/trace-folder.md), or kept in memory, the oldest making room,
 * until a snapshot is taken.
 *
 * Not for: signals, commands, how long to wait (oprof_tracer.c).
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

/* Who records: the kernel module, or perf_event_open, which is everywhere. */
enum tracer_source {
	TRACER_AUTO, /* the module where it is loaded and has all that is chosen */
	TRACER_PERF,
	TRACER_MODULE,
};

struct tracer_config {
	enum tracer_source source;
	const char *tracefs;		   /* borrowed, as all */
	const struct trace_choice *choice; /* at least one event */
	const char *folder;		   /* of the trace, to be made; NULL: a flight recorder */
	bool keep_old; /* a trace that is there already is moved to folder.old, whose place it takes
			*/
	uint32_t sub_buffer_bytes, nr_sub_buffers; /* of each CPU; both 0: a choice */
	struct trace_chunks_config chunks;	   /* of the folder's; all 0: none */
	/* Only what these processes do, and those that they start; none: all. tids: their threads.
	 */
	const int32_t *pids, *tids;
	unsigned int nr_pids, nr_tids;
	const char *cgroup;   /* its folder: only what is done in it; NULL: all */
	const uint32_t *uids; /* only what these users do; none: all. The module's */
	unsigned int nr_uids;
	struct trace_trigger *trigger; /* its events are among the choice's; NULL: none */
};

/* The choice for a flight recorder. */
#define TRACER_FLIGHT_NR_SUB_BUFFERS   4u
#define TRACER_FLIGHT_SUB_BUFFER_BYTES (1u << 20)

/*
 * Each event that the kernel told of is in the folder or lost; beside them the folder holds the
 * nr_state records of the state at the start.
 */
struct tracer_counts {
	uint64_t nr_records;  /* in the folder, or in memory: events and state */
	uint64_t nr_state;    /* of them, the state at the start, and at each chunk's */
	uint64_t lost_kernel; /* the kernel's ring was full */
	uint64_t lost_nested; /* the module's: more interrupts in each other than it can tell apart
			       */
	uint64_t lost_room;   /* no room here, too long, or no memory */
	uint64_t lost_bad;    /* do not hold what their tracepoint says */
	uint64_t lost_disk;   /* in packets that the disk did not take, as far as they tell */
	uint64_t ring_errors; /* the kernel's ring was damaged: nobody knows what it held */
	uint64_t packet_errors;	       /* packets of ours that were refused: a fault of ours */
	uint64_t nr_late;	       /* of nr_records, with the stamp of the record before */
	uint64_t nr_packets, nr_bytes; /* written */
	uint64_t chunks_failed;	       /* not compressed, or not removed: they stay as they are */
	uint64_t unjudged;	       /* that no condition saw: no memory, or no room on the way */
	uint64_t nr_throttled;	       /* times that the kernel took no samples for a while */
	uint64_t forgotten; /* what became of tasks, mappings: for want of memory, too early */
};

/* Each record that was taken from memory is in the folder or not written. */
struct tracer_snapshot {
	uint64_t nr_records;   /* in the folder */
	uint64_t nr_unwritten; /* taken, but the folder does not hold them; 0 without an error */
	uint64_t nr_state;     /* of both, those of the state */
	uint64_t lost;	       /* in the stretch that it holds, as far as its packets tell */
	uint64_t overwritten;  /* packets of it, before they could be written */
	uint64_t nr_packets, nr_bytes;
	uint64_t begin, end; /* CLOCK_MONOTONIC, ns: what it holds */
	bool is_part;	     /* it failed, and there is a folder all the same */
};

struct tracer_held {
	uint64_t nr_bytes;   /* memory of the rings, the kernel's not among it */
	uint64_t since, now; /* CLOCK_MONOTONIC, ns: all of this stretch is held */
};

struct tracer;

/* Open everything, record nothing yet. -errno with a remedy in diag. */
int tracer_open(struct tracer **tracer, const struct tracer_config *config, struct diag *diag);

/* Begin, with the state of the machine. 0 or -errno. */
int tracer_start(struct tracer *tracer, struct diag *diag);

/* Take what has come; when tracer_poll_fd is readable, and once in a while. An error of the disk.
 */
int tracer_round(struct tracer *tracer, struct diag *diag);
int tracer_poll_fd(const struct tracer *tracer);

/* The condition that became true in rounds since the last call: its text. NULL: none. */
const char *tracer_take_cause(struct tracer *tracer);

/* End recording, and take what has come. As above. */
int tracer_stop(struct tracer *tracer, struct diag *diag);

/* CPUs that came are recorded, too. 0, or -errno and diag: one is not. */
int tracer_follow_cpus(struct tracer *tracer, struct diag *diag);

/* What has come goes to the folder now, in packets that are not full. As above. */
int tracer_flush(struct tracer *tracer, struct diag *diag);

/*
 * What is in memory, with the state of the machine, into a folder to be made; of a round before.
 * A forked child may do it, and recording goes on: of rings of our own it has a copy, of the
 * module's the descriptors, through which one process reads at a time (tracer_lend). Flight
 * recorder only. 0, or -errno and diag: what could be written is in the folder then all the same,
 * and *taken and diag report it; nothing is left of a folder that no packet could be written to.
 */
int tracer_snapshot(struct tracer *tracer, const char *folder, struct tracer_snapshot *taken,
		    struct diag *diag);

/*
 * True before a child is forked that takes a snapshot, false when it has ended, whether by itself
 * or not. Between, nothing is read of what both have, and tracer_held's since stays as it was.
 */
void tracer_lend(struct tracer *tracer, bool lends);

struct tracer_held tracer_held(struct tracer *tracer);

struct tracer_sizes {
	uint32_t sub_buffer_bytes, nr_sub_buffers; /* of each CPU */
	unsigned int nr_cpus;			   /* recorded now */
};

struct tracer_sizes tracer_sizes(const struct tracer *tracer);

/* The kernel's, those of system calls by two. */
unsigned int tracer_nr_events(const struct tracer *tracer);

struct tracer_counts tracer_counts(const struct tracer *tracer);

/* The folder is whole then, and on disk. The first error of that. NULL: nothing. */
int tracer_close(struct tracer *tracer, struct diag *diag);

#endif
