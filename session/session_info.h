/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metadata that the daemon writes for a session's sample files (oprof/session.h). This module
 * reads and writes meta/info, and reads meta/stats and meta/cgroups. Reports also work without
 * these files: missing values stay NULL or 0, and malformed lines are counted and skipped.
 *
 * Counters and cgroups change while the daemon runs; daemon/session/stats.h and cgroup_table.h
 * write them.
 */
#ifndef SESSION_SESSION_INFO_H
#define SESSION_SESSION_INFO_H

#include "lib/diag.h"
#include "oprof/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session_event {
	const char *name;
	bool frequency;
	uint64_t period_or_hz;
	uint32_t unit_mask;
	bool kernel, user;
	const char *description; /* never NULL */
};

/* A note: a statement about all samples of a run. Reports must show the note. */
struct session_note {
	const char *name, *text; /* never NULL */
};

struct session_cgroup {
	int64_t number;
	const char *path;
};

/* After reading, all strings point into info_text and cgroups_text. */
struct session_info {
	/* NULL: unknown */
	const char *version, *host, *boot_id, *source, *source_reason, *target, *cpu_type;
	const char *separation;
	uint32_t cpu_khz;   /* 0: unknown */
	uint32_t clock;	    /* clockid of the source's times */
	int64_t started_ns; /* start of the session's first run, ns since 1970 */
	struct session_event *events;
	size_t nr_events, room_events;
	struct session_note *notes;
	size_t nr_notes, room_notes;
	struct session_cgroup *cgroups;
	size_t nr_cgroups, room_cgroups;
	struct oprof_stats_entry *stats; /* the name in each entry is NUL-terminated */
	size_t nr_stats;
	size_t nr_bad_lines;
	char *info_text, *cgroups_text;
};

/*
 * Reads the meta folder of the session at session_path. Missing files are not an error. Returns 0;
 * -errno if a file cannot be read; -EILSEQ if stats has an unknown format. For both errors, diag
 * names the file. In all cases, *info has everything that could be read, and the caller must call
 * session_info_deinit().
 */
int session_info_load(struct session_info *info, const char *session_path, struct diag *diag);
void session_info_deinit(struct session_info *info);

/*
 * Reads only the file meta/info at `path`. If the file has an event several times, keeps all copies
 * of the event; session_info_load() keeps only the last copy. A missing file is not an error.
 */
int session_info_read(struct session_info *info, const char *path);
/* Writes meta/info atomically, without cgroups and counters. Returns 0 or -errno. */
int session_info_write(const struct session_info *info, const char *path);

#define SESSION_EVENT_BYTES 512
/*
 * Writes the event to line[SESSION_EVENT_BYTES], in the format of meta/info after "event INDEX ".
 */
void session_event_format(const struct session_event *event, char *line);

/*
 * Reads the names of cgroups again, because a daemon may have added some. Returns 0, or -errno if
 * reading fails; info then keeps the old names.
 */
int session_info_renew_cgroups(struct session_info *info, const char *session_path);

/* Returns the path of the cgroup with this number, or NULL. */
const char *session_info_cgroup(const struct session_info *info, int64_t number);

/* Returns the event of this name, or NULL if the session's configuration does not have it. */
const struct session_event *session_info_event(const struct session_info *info, const char *name);

/*
 * Returns whether the session's counters change. If the counters change, a daemon is writing, and
 * files that are read one after the other may disagree. If the function returns true, *now has only
 * the new counters, and the caller must call session_info_deinit() for it. Before the function
 * returns false, it waits half a second.
 */
bool session_info_changes(const struct session_info *info, const char *session_path,
			  struct session_info *now);

/* Returns the value of a counter; 0 if no counter has this name. */
uint64_t session_info_stat(const struct session_info *info, const char *name);
/* Returns the sum of the counters whose names begin with prefix. */
uint64_t session_info_sum(const struct session_info *info, const char *prefix);

#endif
