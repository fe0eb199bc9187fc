/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A session's folder (doc/session.md):
 *
 *   <session dir>/control, lock	the daemon's socket and lock
 *   <session dir>/code/<identity>.code	code tables of binaries (unwind/code_table.h)
 *   <session dir>/samples/<session>/	"current", or a name given by --save
 *     {root}... {kern}... {anon:...}	sample files; names that begin with {
 *     meta/stats			struct oprof_stats_file, mmapped by the daemon
 *     meta/info			lines "key value": version, host, boot_id, source,
 *					source_reason, target, cpu_type, cpu_khz, separation,
 *					started (ns since 1970), clock; and per event "event INDEX
 *					NAME period|hz N UNITMASK KERNEL USER DESCRIPTION", and
 *					"note NAME TEXT"
 *     meta/cgroups			lines "NUMBER PATH": the CGROUP field of names
 *     meta/symbols/<identity>		symbols of the kernel and its modules
 *     meta/images/<identity>		bytes of images with no file (vdso), symbols of binaries
 *					that reports could not find later (containers, deleted
 *					files)
 *     meta/names			lines "NUMBER NAME", NAME with control characters and
 *					'\' as \xHH: functions of code without files
 *     history/LEVEL.FIRST.LAST.slice	closed slices (oprof/slice.h)
 *
 * <identity> is the 16 hex digits that sample-file names end in.
 */
#ifndef OPROF_SESSION_H
#define OPROF_SESSION_H

#include <stdint.h>

/* In the session directory, beside OPROF_CONTROL_NAME. */
#define OPROF_LOCK_NAME	   "lock"
#define OPROF_CODE_NAME	   "code"
#define OPROF_SAMPLES_NAME "samples"

/* The session that is written to, and the longest name of one that was saved. */
#define OPROF_SESSION_CURRENT	     "current"
#define OPROF_SESSION_NAME_BYTES_MAX 200

/* The folder meta of a session, beside OPROF_SLICE_FOLDER, and what is in it. */
#define OPROF_META_NAME	   "meta"
#define OPROF_STATS_NAME   "stats"
#define OPROF_INFO_NAME	   "info"
#define OPROF_CGROUPS_NAME "cgroups"
#define OPROF_NAMES_NAME   "names"
#define OPROF_SYMBOLS_NAME "symbols"
#define OPROF_IMAGES_NAME  "images"

/* Highest number in meta/names; 0, which is not in it: all names that there was no room for. */
#define OPROF_NAMES_MAX 131072u

/* Name of a note that reports show beside the kernel, in the place of what is to be done there. */
#define OPROF_NOTE_NO_KERNEL_SYMBOLS "no_kernel_symbols"

#define OPROF_STATS_MAGIC      "OPSTATS\n" /* 8 bytes, no NUL */
#define OPROF_STATS_VERSION    1
#define OPROF_STATS_NAME_BYTES 32

/*
 * One counter. Written by the daemon alone, one 64-bit store at a time, so
 * that a kill loses nothing; they add up over the runs of a session. Names:
 * seen, stored, idle, lost_kernel_ring ... lost_side_band (enum oprof_lost, in
 * its order), throttle_episodes, throttled_ns, weight_stored, late_records,
 * unknown_records, side_band_lost, mmap_records, ..., see doc/session.md.
 * seen = stored + idle + sum of lost_*.
 */
struct oprof_stats_entry {
	char name[OPROF_STATS_NAME_BYTES]; /* NUL padded */
	uint64_t value;
};

struct oprof_stats_file {
	uint8_t magic[8];
	uint32_t version;
	uint32_t nr_entries;
	struct oprof_stats_entry entries[];
};

#endif
