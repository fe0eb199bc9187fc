/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one session holds, in parts: live sample files, and sections of its
 * closed slices. The one place where reports tell live from closed data; a
 * part is described by the same struct slice_section, whatever it is.
 *
 * A stretch of time takes whole what it cuts: slices, and the live files,
 * which are together the newest stretch of a session. What reaches into it by
 * less than a tenth and by seconds only is left out.
 *
 * Not for: which parts a specification chooses, classes (selection.h).
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

/* A closed slice that is (part of) what was asked for. Open: it may be unlinked meanwhile. */
struct part_slice {
	struct slice *slice;
	char *path;
	enum oprof_slice_level level;
	int64_t begin_ns, end_ns;
};

/* A live file. */
struct part_live {
	struct slice_section section; /* strings in the parts' pool */
	char *path;
	/* What it held, read when the slices were listed; NULL: without epochs, still to be read.
	 */
	struct sdb_image *samples;
	int64_t begin_ns, end_ns; /* first and last sample; 0: not known */
};

struct session_parts {
	struct part_slice *slices; /* by epoch */
	size_t nr_slices;
	struct part_live *live; /* by name; none when the stretch is before them */
	size_t nr_live;
	bool has_live; /* the live files are in the stretch */
	struct stack_tree
		*stacks; /* their call trees, where those were asked for; NULL: there are none */

	int64_t begin_ns, end_ns;     /* of what was taken; 0: not known */
	int64_t nr_ns;		      /* its length, without what is missing between */
	int64_t oldest_ns, newest_ns; /* of all that the session holds; 0: nothing, not known */
	int64_t before_ns, after_ns;  /* nothing was taken: the nearest end before the stretch and
					 the nearest beginning behind it; 0: none */
	uint64_t epoch_closed;	      /* when this was read: what was live behind it */
	struct counters live_counters;
	bool of_session;	  /* the live counters are those of all slices, too */
	size_t nr_damaged;	  /* slices left out; each was told to skip() */
	size_t nr_skipped;	  /* live files that make no sense; each was told to skip() */
	size_t nr_damaged_stacks; /* live call trees left out; told to skip() */
	struct strings strings;
};

struct session_parts_options {
	const struct time_range *range; /* NULL: all */
	/* Whether a live file is worth reading: may say so of too many. */
	bool (*wanted)(const struct slice_section *section, void *context);
	void *context;
	void (*skip)(const char *path, const struct diag *diag);
	bool stacks; /* with live call trees */
};

/*
 * What the session at path holds in the stretch, and its meta folder. A
 * daemon may close and merge slices meanwhile: begins anew when it did. 0,
 * also when there is nothing; -EAGAIN it did so each time, -ENOMEM, -errno.
 * parts and info are to be deinited in any case.
 */
int session_parts_read(struct session_parts *parts, struct session_info *info, const char *path,
		       const struct session_parts_options *options, struct diag *diag);
void session_parts_deinit(struct session_parts *parts);

/*
 * Add up the counters of what was taken (without a stretch: of the whole
 * session, with what is expired). 0 or -ENOMEM.
 */
int session_parts_count(const struct session_parts *parts, struct counters *counters);

/* A slice from elsewhere, which parts own from now on, and its name for messages. 0 or -ENOMEM. */
int session_parts_add_slice(struct session_parts *parts, struct slice *slice, const char *name);

/* Leave out a slice, or the live files. */
void session_parts_drop_slice(struct session_parts *parts, size_t index);
void session_parts_drop_live(struct session_parts *parts);

#endif
