/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of one session, in parts: live sample files, and sections of its closed slices.
 * struct slice_section describes both kinds of part.
 *
 * A time range selects whole slices, and also the live files, which together are treated as the
 * session's newest slice. A slice is ignored if its overlap with the range is too short: less than
 * 5 s, less than a tenth of the slice, and less than a tenth of the range.
 *
 * selection.h applies specifications and makes classes.
 */
#ifndef PP_SESSION_PARTS_H
#define PP_SESSION_PARTS_H

#include "lib/diag.h"
#include "lib/time_range.h"
#include "libdb/sdb.h"
#include "libdb/slice/slice.h"
#include "libdb/slice/stack_tree.h"
#include "pp/session/counters.h"
#include "session/session_info.h"
#include "pp/base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A closed slice that was selected. Its file stays open, since the daemon may unlink it. */
struct part_slice {
	struct slice *slice;
	char *path;
	enum oprof_slice_level level;
	int64_t begin_ns, end_ns;
};

/* A live file. */
struct part_live {
	struct slice_section section; /* its strings are in the parts' pool */
	char *path;
	/*
	 * The samples, which were read together with the slices. NULL: not read, because the file
	 * has no epochs or because options->wanted() returned false.
	 */
	struct sdb_image *samples;
	int64_t begin_ns, end_ns; /* first and last sample; 0: unknown */
};

struct session_parts {
	struct part_slice *slices; /* by epoch */
	size_t nr_slices;
	struct part_live *live; /* sorted by name; empty if outside the time range */
	size_t nr_live;
	bool has_live;		   /* the live files are in the time range */
	struct stack_tree *stacks; /* live call trees, if requested; NULL: none */

	int64_t begin_ns, end_ns;     /* extent of the selected parts; 0: unknown */
	int64_t nr_ns;		      /* sum of the selected parts' durations */
	int64_t oldest_ns, newest_ns; /* extent of the whole session; 0: empty or unknown */
	/*
	 * If nothing was selected: the end of the last samples before the range, and the beginning
	 * of the first samples after the range; 0: there are none.
	 */
	int64_t before_ns, after_ns;
	uint64_t epoch_closed; /* newest closed epoch; the live files' epochs are later */
	struct counters live_counters;
	bool of_session;	  /* live_counters also has the counters of all slices */
	size_t nr_damaged;	  /* slices left out, each reported to skip() */
	size_t nr_skipped;	  /* invalid live files, each reported to skip() */
	size_t nr_damaged_stacks; /* live call trees left out, reported to skip() */
	struct strings strings;
};

struct session_parts_options {
	const struct time_range *range; /* NULL: everything */
	/*
	 * Returns whether a live file may be needed. It may also return true for files that are not
	 * needed.
	 */
	bool (*wanted)(const struct slice_section *section, void *context);
	void *context;
	void (*skip)(const char *path, const struct diag *diag);
	bool stacks; /* whether to read live call trees, too */
};

/*
 * Reads the meta folder of the session at path, and the session's parts that are in the time range.
 * Starts again if the daemon closed or merged slices during the reading. Returns 0, also for an
 * empty session; -EAGAIN if slices changed during every attempt; -ENOMEM or -errno. `parts` and
 * `info` need a deinit also after an error.
 */
int session_parts_read(struct session_parts *parts, struct session_info *info, const char *path,
		       const struct session_parts_options *options, struct diag *diag);
void session_parts_deinit(struct session_parts *parts);

/*
 * Sums the counters of the selected parts. Without a time range, sums the counters of the whole
 * session, including expired slices. Returns 0 or -ENOMEM.
 */
int session_parts_count(const struct session_parts *parts, struct counters *counters);

/*
 * Adds a slice from another source. Takes ownership of slice, also on failure. name is used in
 * messages. Returns 0 or -ENOMEM.
 */
int session_parts_add_slice(struct session_parts *parts, struct slice *slice, const char *name);

/* Removes a slice, or the live files, from the selected parts. */
void session_parts_drop_slice(struct session_parts *parts, size_t index);
void session_parts_drop_live(struct session_parts *parts);

#endif
