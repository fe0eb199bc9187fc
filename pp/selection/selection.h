/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first stage of a report: finds the parts of sessions that a profile specification selects
 * (live sample files, and sections of closed slices), and groups the parts into applications,
 * images and classes. This stage reads the descriptions of all parts, but the samples only of live
 * files, because a daemon may empty a live file at any time.
 *
 * Parts are ordered by image, so that the next stage opens each image only once, for all
 * applications, classes and slices that used it.
 *
 * A differential profile has two sides, each with its own specification. One selection contains
 * both sides, and each class exists on both sides.
 */
#ifndef PP_SELECTION_H
#define PP_SELECTION_H

#include "pp/session/archive_reader.h"
#include "pp/selection/classes.h"
#include "pp/selection/rows_by.h"
#include "session/session_info.h"
#include "pp/session/session_parts.h"
#include "pp/selection/spec.h"
#include "pp/base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -m: the separations over which samples are summed. */
enum selection_merge {
	MERGE_CPU = 1,
	MERGE_LIB = 2, /* the application of a dependent image is the image itself */
	MERGE_TID = 4,
	MERGE_TGID = 8,
	MERGE_UNIT_MASK = 16,
	MERGE_CGROUP = 32,
	MERGE_ALL = 63,
};

struct selection_options {
	/*
	 * Set by select_place_find(). session_dir: the path that messages show. session_at: the
	 * path by which the folder is read, or NULL if the folder is read by the path session_dir.
	 */
	const char *session_dir, *session_at;
	/* The archive that has a side's sessions; NULL: they are in session_dir. Borrowed. */
	const struct archive_place *archives[SPEC_SIDES_MAX];
	unsigned int merge;	/* MERGE_* */
	bool exclude_dependent; /* -x */
	enum rows_by by;	/* --by: the kind of rows */
	bool whole_rows;	/* -f: show whole paths of groups */
	/*
	 * Read the last minutes from the daemon's memory if possible (session_recent.h). If both
	 * sides include the daemon's session, both are read from memory, or both from files.
	 */
	bool ask_daemon;
	bool stacks; /* read live call trees, too; this disables ask_daemon */
};

struct selection_session {
	char *name;
	char *path;			     /* <session dir>/samples/<name> */
	const struct archive_place *archive; /* archive of the session; NULL: none. Borrowed */
	struct session_info info;
	struct session_parts parts;
	bool from_memory; /* parts are from the daemon's memory */
};

/*
 * The selection of one specification. A differential profile has two sides, other reports have one.
 */
struct selection_side {
	size_t first_session, nr_sessions; /* a session on both sides is listed twice */
	bool timed;			   /* the specification has a time range */
	struct time_range range;
	bool whole; /* everything in these sessions (and in the range) was selected */
	struct counters counters;
	bool shared;	   /* slices common to both sides were given to the other side */
	size_t nr_skipped; /* live files with an invalid name or header, and damaged slices */
};

/* Images differ by path, identity and kind: a binary that was replaced is a different image. */
struct selection_image {
	const char *path; /* as shown: a path, a name, or "NAME (tgid:1 range:0x0-0x1)" */
	uint64_t identity;
	enum oprof_image_kind kind;
	size_t session; /* index of a session that has the image */
	/* One of the image's parts, for slice_section_compare. */
	const struct slice_section *section;
};

#define SELECTED_LIVE UINT32_MAX

struct selected_part {
	uint32_t image, app; /* indexes */
	uint32_t class;	     /* index of the class, plus nr_classes on the second side */
	uint32_t session;
	uint32_t slice;	 /* index in the session's parts, or SELECTED_LIVE */
	uint32_t number; /* index of the section in its slice, or of the live file in the parts */
};

struct selection {
	const struct spec *specs; /* one for each side; borrowed from the caller */
	struct selection_options options;
	struct selection_session *sessions; /* the first side's sessions come first */
	size_t nr_sessions;
	const char **apps; /* paths as shown, sorted */
	size_t nr_apps;
	/*
	 * In the order of slice_section_compare(). The keys of some images are indexes in a
	 * session's table of names. Such an image is listed separately for each session.
	 */
	struct selection_image *images;
	size_t nr_images;
	struct classes classes;
	struct selected_part *parts; /* sorted by image, session, slice, number */
	size_t nr_parts;
	/* The parts with samples of idle CPUs; not in totals. Their image and app are not set. */
	struct selected_part *idle;
	size_t nr_idle;
	struct selection_side sides[SPEC_SIDES_MAX];
	size_t nr_sides;
	bool whole;		/* `whole` is set for all sides */
	size_t nr_skipped;	/* of all sides */
	struct strings strings; /* owns apps, image paths and the classes' strings */
};

/*
 * Makes the selection for nr_sides specs, one or two. First asks the session's daemon to store its
 * latest samples; this has no effect if no daemon runs, or if the daemon refuses this user. Calls
 * skip() for each invalid file, and for the session directory if the daemon does not answer.
 * Returns 0; -ENOENT if a side has no matching parts (diag lists what is available); -EINVAL if
 * classes cannot be made (classes_arrange) or the sides cannot be compared; or another -errno.
 * After an error, selection needs no deinit.
 */
int selection_make(struct selection *selection, const struct spec *specs, size_t nr_sides,
		   const struct selection_options *options,
		   void (*skip)(const char *path, const struct diag *diag), struct diag *diag);
void selection_deinit(struct selection *selection);

/* Returns the number of columns: classes times sides. */
static inline size_t selection_nr_columns(const struct selection *selection)
{
	return selection->classes.nr_classes * selection->nr_sides;
}

/*
 * Returns the description of `part`. If the part is a live file without epochs, the description's
 * fields nr_samples, weight and nr_keys are unknown.
 */
const struct slice_section *selection_section(const struct selection *selection,
					      const struct selected_part *part);

/* Returns the live file of `part`, or NULL if the part is in a slice. */
const struct part_live *selection_live(const struct selection *selection,
				       const struct selected_part *part);
/* Returns the slice of `part`, which must be in a slice. */
const struct part_slice *selection_slice(const struct selection *selection,
					 const struct selected_part *part);

/*
 * Makes the class key of section; fields that the user merges become "all". With --by, the field
 * that becomes the row is stored in *row; otherwise *row is NULL. Texts are stored in strings.
 * `cgroup` is the path as shown. Returns 0 or -ENOMEM.
 */
int selection_class_key(const struct selection *selection, size_t session,
			const struct slice_section *section, const char *cgroup,
			struct strings *strings, struct class_key *key, const char **row);

/* Returns the path of the live file or slice of `part`, for messages. */
const char *selection_part_path(const struct selection *selection,
				const struct selected_part *part);

#endif
