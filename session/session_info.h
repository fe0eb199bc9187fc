/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the daemon writes beside a session's sample files: meta/info, and, to
 * be read only, meta/stats and meta/cgroups (oprof/session.h). Reports live
 * without any of them: what is missing stays NULL or 0, lines that make no
 * sense are counted and skipped.
 *
 * Not for: writing counters and cgroups, which change while the daemon runs
 * (daemon/session/stats.h, cgroup_table.h).
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

/* What was so of all samples of a run, and reports have to say. */
struct session_note {
	const char *name, *text; /* never NULL */
};

struct session_cgroup {
	int64_t number;
	const char *path;
};

/* Of one that was read, all texts are in info_text and cgroups_text. */
struct session_info {
	/* NULL: not known */
	const char *version, *host, *boot_id, *source, *source_reason, *target, *cpu_type;
	const char *separation;
	uint32_t cpu_khz;   /* 0: not known */
	uint32_t clock;	    /* of the source's times */
	int64_t started_ns; /* since 1970; of the session's first run */
	struct session_event *events;
	size_t nr_events, room_events;
	struct session_note *notes;
	size_t nr_notes, room_notes;
	struct session_cgroup *cgroups;
	size_t nr_cgroups, room_cgroups;
	struct oprof_stats_entry *stats; /* each name NUL-terminated */
	size_t nr_stats;
	size_t nr_bad_lines;
	char *info_text, *cgroups_text;
};

/*
 * The meta folder of the session at session_path. 0 also when there is none;
 * -errno when a file is there and can't be read, -EILSEQ for stats of another
 * make: diag says which. What could be read is in *info in any case.
 */
int session_info_load(struct session_info *info, const char *session_path, struct diag *diag);
void session_info_deinit(struct session_info *info);

/*
 * The file meta/info alone, at path, with every event that it names, also those that
 * session_info_load() takes for one. 0 also when there is none.
 */
int session_info_read(struct session_info *info, const char *path);
/* Write it, at once: all but cgroups and counters. 0 or -errno. */
int session_info_write(const struct session_info *info, const char *path);

#define SESSION_EVENT_BYTES 512
/* The event as meta/info has it behind "event INDEX ", into line[SESSION_EVENT_BYTES]. */
void session_event_format(const struct session_event *event, char *line);

/*
 * Read the names of cgroups again: a daemon has told more since. 0, or -errno of reading; what
 * was known stays then.
 */
int session_info_renew_cgroups(struct session_info *info, const char *session_path);

/* Path of a cgroup's number, NULL when it is not named. */
const char *session_info_cgroup(const struct session_info *info, int64_t number);

/* NULL when the session's configuration does not have it. */
const struct session_event *session_info_event(const struct session_info *info, const char *name);

/*
 * Whether the session's counters change while it is looked at: a daemon is at
 * work, and what was read one after the other need not agree. now (counters
 * only) is what they have become, and is to be deinited if so. Waits for some
 * milliseconds before it says no.
 */
bool session_info_changes(const struct session_info *info, const char *session_path,
			  struct session_info *now);

/* Value of a counter; 0 when it is not there. */
uint64_t session_info_stat(const struct session_info *info, const char *name);
/* Sum of those whose names begin with prefix. */
uint64_t session_info_sum(const struct session_info *info, const char *prefix);

#endif
