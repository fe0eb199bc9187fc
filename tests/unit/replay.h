/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The replayer: raw perf records into the perf source's input, as real rings
 * would bring them (perf_feed -> perf_state -> sink), and what came out of it
 * checked sample by sample. A stream is a text (tests/data/streams/, its
 * language below) or calls of the functions here; both make the same bytes.
 *
 * One directive or record a line; # begins a comment; numbers as in C.
 *
 *   cpus N			before all else; default 2
 *   event I [period=N]		fixed weight of event I's samples; default 1000000,
 *				0: as the records say (fields then need "period")
 *   fields NAME...		of identifier ip tid time cpu period callchain cgroup;
 *				default identifier ip tid time cpu
 *   proc PATH			folder for "/proc", beside the stream; default: an empty one
 *   scan [PID...]		perf_state_scan
 *   doubt FROM UNTIL		perf_state_doubt
 *   round T			all rings were read, the round having begun at T ns
 *   flush [T]			apply all (up to T); done at the end in any case
 *   counter NAME N		at the end the feed's or state's counter NAME is N
 *   RING RECORD [KEY=VALUE...] [size=N] [=> WANTED...]
 *   RING bytes HEX...		raw, a byte a word
 *
 * RING is cpuN (samples) or sideN (side-band) of CPU N. Common keys: time
 * pid tid (default pid) cpu misc event (index). size=N puts N into the header,
 * cut=N leaves only N bytes of the record. RECORD and its keys:
 *
 *   sample	ip [period cgroup] [mode=user|kernel|hv|guest-user|guest-kernel]
 *		[chain=N,N...: numbers or user, kernel]  default mode: by the ip's top bit
 *   mmap2, mmap  addr len pgoff path [prot=r-x] [flags=2] [maj min ino gen]
 *		[build-id=HEX]; a blank in path: %20
 *   comm	name [exec=1]
 *   fork, exit	[ppid ptid]
 *   cgroup	id path
 *   ksymbol	addr len name [kind=1] [unregister=1]
 *   lost, lost_samples	nr
 *   throttle, unthrottle
 *   typeN	[nr=bytes of body]: any other type
 *
 * Behind => stands what must become of the sample; it is found again by its
 * time, which must be its own. Keys: image=PATH+OFFSET (or "none"), app=PATH,
 * tgid tid cpu event weight cgroup, mode=user|kernel|idle|hv|guest,
 * chain=PATH+OFFSET,..., truncated=0|1, guessed=0|1, gen=LABEL (same label: the
 * same generation, other label: another), lost=REASON (no_task, no_mapping,
 * no_kernel_map, other_namespace, mode, bad_record, side_band). Every sample must have
 * its =>, and nothing may come out unexpected: that is checked.
 */
#ifndef TESTS_REPLAY_H
#define TESTS_REPLAY_H

#include "daemon/perf_feed.h"
#include "daemon/perf_state.h"

#include <stdio.h>

#define REPLAY_REPORT_BYTES 8192

struct replay_config {
	unsigned int nr_cpus;  /* 0: 2 */
	uint64_t sample_type;  /* 0: identifier, ip, tid, time, cpu */
	const char *proc_path; /* NULL: an empty folder */
	bool kernel;	       /* load kallsyms of proc_path (perf_state_config) */
	bool verbose;	       /* print what the sink gets */
};

struct replay {
	struct record_sink sink;
	struct perf_consumer consumer;
	struct perf_feed *feed;
	struct perf_state *state;
	struct perf_ids ids;
	struct replay_config config;
	char empty_path[32]; /* the empty folder */

	/* Context that the records of the sink set. */
	struct oprof_task task;
	uint32_t cpu;

	struct replay_wanted *wanted;
	size_t nr_wanted, room_wanted;
	struct replay_label *labels;
	size_t nr_labels;
	uint64_t nr_samples; /* put in */
	uint64_t nr_out;     /* SAMPLE records that came out */
	uint64_t lost[OPROF_LOST_NR];
	uint64_t nr_throttles; /* THROTTLE records that begin */

	unsigned int nr_failed;
	char report[REPLAY_REPORT_BYTES]; /* what failed, a line each */
};

/* config may be NULL. 0 or -errno. */
int replay_create(struct replay **replay, const struct replay_config *config);
void replay_destroy(struct replay *replay);

uint32_t replay_ring(const struct replay *replay, unsigned int cpu, bool side_band);

/*
 * Put one record: item's fields, the id of item->event (UINT16_MAX: that of
 * event 0). wanted: text as behind "=>", or NULL (then nothing is checked of
 * that sample but that it comes out once).
 */
void replay_item(struct replay *replay, uint32_t ring, const struct perf_item *item,
		 const char *wanted);
/* Put bytes as they are; a damaged sample's wanted text is announced by itself. */
void replay_want(struct replay *replay, uint64_t time_ns, const char *wanted);
void replay_bytes(struct replay *replay, uint32_t ring, const void *bytes, size_t nr_bytes);
void replay_round(struct replay *replay, uint64_t begin_ns);
void replay_flush(struct replay *replay, uint64_t until_ns);
/* The feed's or state's counter NAME; 0 when there is none. */
uint64_t replay_counter(const struct replay *replay, const char *name);

/*
 * Flush, then check that all that was wanted came, the counters, and seen =
 * samples out + lost. The number of failures; replay->report tells them.
 */
unsigned int replay_end(struct replay *replay);

/* Run a text. 0 when all is as it says; else report has why. */
int replay_file(const char *path, char *report, size_t nr_bytes);
int replay_text(const char *text, const char *name, char *report, size_t nr_bytes);

#endif
