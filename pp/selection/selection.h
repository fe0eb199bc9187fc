/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first stage of a report: from a profile specification to parts of
 * sessions (live sample files, sections of closed slices), grouped into
 * applications, images and classes. Looks at what parts are, not yet at their
 * samples, but for live files that a daemon may empty at any time.
 *
 * Inversion: parts come ordered by image, so that the next stage opens each
 * image once, however many applications, classes and slices used it.
 *
 * A differential profile has two sides, each with a specification of its own:
 * one selection holds both, each class once for each side.
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

/* -m: what is summed although it was sampled apart. */
enum selection_merge {
	MERGE_CPU = 1,
	MERGE_LIB = 2, /* dependent images count for themselves, not for their application */
	MERGE_TID = 4,
	MERGE_TGID = 8,
	MERGE_UNIT_MASK = 16,
	MERGE_CGROUP = 32,
	MERGE_ALL = 63,
};

struct selection_options {
	/* Found already: select_place_find(). */
	const char *session_dir;
	/* Where the sessions of a side are instead, of archive:; NULL: not. Borrowed. */
	const struct archive_place *archives[SPEC_SIDES_MAX];
	unsigned int merge;	/* MERGE_* */
	bool exclude_dependent; /* -x */
	enum rows_by by;	/* --by: what the rows are in the place of applications */
	bool whole_rows;	/* -f: groups by their paths */
	/* The last minutes from the daemon's memory, where it has them: session_recent.h. */
	bool ask_daemon;
	bool stacks; /* live call trees are read, too; the daemon's memory has none */
};

struct selection_session {
	char *name;
	char *path;			     /* <session dir>/samples/<name> */
	const struct archive_place *archive; /* that it is in; NULL: none. Borrowed */
	struct session_info info;
	struct session_parts parts;
};

/* What one specification chose; without sides there is one. */
struct selection_side {
	size_t first_session, nr_sessions; /* a session of both sides is there twice */
	bool timed;			   /* range was asked for */
	struct time_range range;
	bool whole; /* all that these sessions hold (in the range) */
	struct counters counters;
	bool shared;	   /* slices of both sides went to the other one */
	size_t nr_skipped; /* live files whose name or header makes no sense, and damaged slices */
};

/* By path, then identity: a binary that was replaced is another image. */
struct selection_image {
	const char *path; /* as shown: a path, a name, or "NAME (tgid:1 range:0x0-0x1)" */
	uint64_t identity;
	enum oprof_image_kind kind;
	size_t session; /* index of one that has the image */
	/* One of its parts: what slice_section_compare asks of the image. */
	const struct slice_section *section;
};

#define SELECTED_LIVE UINT32_MAX

struct selected_part {
	uint32_t image, app; /* indexes */
	uint32_t class;	     /* index of the class, + nr_classes on the second side */
	uint32_t session;
	uint32_t slice;	 /* index in the session's parts, or SELECTED_LIVE */
	uint32_t number; /* of the section in its slice, or of the live file in the parts */
};

struct selection {
	const struct spec *specs; /* of each side; the caller's, who keeps them */
	struct selection_options options;
	struct selection_session *sessions; /* those of the first side first */
	size_t nr_sessions;
	const char **apps; /* paths as shown, ascending */
	size_t nr_apps;
	/* In the order of slices; images whose keys mean something in their session only are apart
	 * by session, too. */
	struct selection_image *images;
	size_t nr_images;
	struct classes classes;
	struct selected_part *parts; /* by image, session, slice, number */
	size_t nr_parts;
	struct selected_part *idle; /* of idle CPUs: never in totals; image and app mean nothing */
	size_t nr_idle;
	struct selection_side sides[SPEC_SIDES_MAX];
	size_t nr_sides;
	bool whole;		/* all sides are */
	size_t nr_skipped;	/* of all sides */
	struct strings strings; /* owns apps, paths of images and the classes' strings */
};

/*
 * Select by nr_sides specs, one or two. skip is called for each file that
 * can't be understood. 0, -ENOENT when nothing matches on a side (diag: what
 * there is), -EINVAL when classes can't be made (classes_arrange) or the sides
 * can't be compared, -errno. *selection is to be deinited only after 0.
 */
int selection_make(struct selection *selection, const struct spec *specs, size_t nr_sides,
		   const struct selection_options *options,
		   void (*skip)(const char *path, const struct diag *diag), struct diag *diag);
void selection_deinit(struct selection *selection);

/* Columns of counts: each class on each side. */
static inline size_t selection_nr_columns(const struct selection *selection)
{
	return selection->classes.nr_classes * selection->nr_sides;
}

/* What part is; nr_samples, weight and nr_keys are known but for live files without epochs. */
const struct slice_section *selection_section(const struct selection *selection,
					      const struct selected_part *part);

/* The live file of part, or NULL: it is of a slice. */
const struct part_live *selection_live(const struct selection *selection,
				       const struct selected_part *part);
/* The slice of a part that is of one. */
const struct part_slice *selection_slice(const struct selection *selection,
					 const struct selected_part *part);

/*
 * What tells the class of section, which is of a session: merged, and with --by without
 * the field that became *row (else NULL). Texts are in strings; cgroup: as shown. 0 or -ENOMEM.
 */
int selection_class_key(const struct selection *selection, size_t session,
			const struct slice_section *section, const char *cgroup,
			struct strings *strings, struct class_key *key, const char **row);

/* Where it is, for messages: the live file or the slice. */
const char *selection_part_path(const struct selection *selection,
				const struct selected_part *part);

#endif
