/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The files of a session directory (doc/session.md):
 *
 *   <session dir>/control, lock	the daemon's socket and lock
 *   <session dir>/code/<identity>.code	code tables of binaries (unwind/code_table.h)
 *   <session dir>/samples/<session>/	"current", or a name given by --save
 *     {root}... {kern}... {anon:...}	sample files; their names begin with {
 *     meta/stats			struct oprof_stats_file, mmapped by the daemon
 *     meta/info			lines "key value": version, host, boot_id, source,
 *				source_reason, target, cpu_type, cpu_khz, separation,
 *				started (ns since 1970), clock; for each event "event INDEX
 *				NAME period|hz N UNITMASK KERNEL USER DESCRIPTION";
 *				and "note NAME TEXT"
 *     meta/cgroups			lines "NUMBER PATH": the CGROUP field of file names
 *     meta/symbols/<identity>		symbols of the kernel and its modules
 *     meta/images/<identity>		bytes of images with no file (vdso), and symbols of
 *				binaries that reports would not find by their path
 *				(containers, deleted files)
 *     meta/names			lines "NUMBER NAME": functions of code without files;
 *				in NAME, control characters and '\' are written as \xHH
 *     history/LEVEL.FIRST.LAST.slice	closed slices (oprof/slice.h)
 *
 * <identity> is the 16 hex digits at the end of sample-file names.
 */
#ifndef OPROF_SESSION_H
#define OPROF_SESSION_H

#include <stdint.h>

/* Files in the session directory, in addition to OPROF_CONTROL_NAME. */
#define OPROF_LOCK_NAME	   "lock"
#define OPROF_CODE_NAME	   "code"
#define OPROF_SAMPLES_NAME "samples"

/*
 * The name of the session that is being recorded, and the maximum length of a saved session's
 * name.
 */
#define OPROF_SESSION_CURRENT "current"
/*
 * Before a folder below samples/ is removed, it is renamed to a name in samples/ with this prefix.
 * No session has such a name.
 */
#define OPROF_SESSION_TRASH	     ".removed"
#define OPROF_SESSION_NAME_BYTES_MAX 200

/*
 * The folder "meta" of a session, and the files in it. A session also has the folder
 * OPROF_SLICE_FOLDER.
 */
#define OPROF_META_NAME	   "meta"
#define OPROF_STATS_NAME   "stats"
#define OPROF_INFO_NAME	   "info"
#define OPROF_CGROUPS_NAME "cgroups"
#define OPROF_NAMES_NAME   "names"
#define OPROF_SYMBOLS_NAME "symbols"
#define OPROF_IMAGES_NAME  "images"

/*
 * Highest number in meta/names. The number 0 is not in this file; it stands for all names that were
 * added when no number was left.
 */
#define OPROF_NAMES_MAX 131072u

/*
 * Name of the note that states why the kernel's symbols are missing. Reports print this note in the
 * line of the kernel's image, instead of advice about kernel symbols.
 */
#define OPROF_NOTE_NO_KERNEL_SYMBOLS "no_kernel_symbols"

#define OPROF_STATS_MAGIC      "OPSTATS\n" /* 8 bytes, no NUL */
#define OPROF_STATS_VERSION    1
#define OPROF_STATS_NAME_BYTES 32

/*
 * One counter. Only the daemon writes it, by single 64-bit stores, so that no count is lost if the
 * daemon is killed. All runs of a session add to the same counters. Names: seen, stored, idle,
 * lost_kernel_ring ... lost_unread (enum oprof_lost, in its order), throttle_episodes,
 * throttled_ns, weight_stored, late_records, unknown_records, side_band_lost, mmap_records, ...,
 * see doc/session.md. seen = stored + idle + sum of lost_*.
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
