/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first stage of a report: from a profile specification to sample files,
 * grouped into applications, images and classes. Looks at names only (and at
 * the headers of files whose names were too long to be written whole).
 *
 * Inversion: files come ordered by image, so that the next stage opens each
 * image once, however many applications and classes used it.
 */
#ifndef PP_SELECTION_H
#define PP_SELECTION_H

#include "pp/classes.h"
#include "pp/session_info.h"
#include "pp/spec.h"
#include "pp/strings.h"

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
	const char *session_dir; /* found already: session_dir_find() */
	unsigned int merge;	 /* MERGE_* */
	bool exclude_dependent;	 /* -x */
};

struct selection_session {
	char *name;
	char *path; /* <session dir>/samples/<name> */
	struct session_info info;
};

/* By path, then identity: a binary that was replaced is another image. */
struct selection_image {
	const char *path; /* as shown: a path, a name, or "NAME (tgid:1 range:0x0-0x1)" */
	uint64_t identity;
	size_t session; /* index of one that has the image */
};

struct selected_file {
	char *path;		    /* to open */
	uint32_t image, app, class; /* indexes */
	uint32_t session;
};

struct selection {
	struct selection_session *sessions;
	size_t nr_sessions;
	const char **apps; /* paths as shown, ascending */
	size_t nr_apps;
	struct selection_image *images; /* ascending */
	size_t nr_images;
	struct classes classes;
	struct selected_file *files; /* by image, application, class */
	size_t nr_files;
	char **idle_paths; /* sample files of idle CPUs: never in totals */
	size_t nr_idle_paths;
	bool whole;	   /* every sample file of these sessions */
	size_t nr_skipped; /* files whose name or header makes no sense; each was told to skip() */
	struct strings strings; /* owns apps, paths of images and the classes' strings */
};

/*
 * Select by spec. skip is called for each file that can't be understood.
 * 0, -ENOENT when nothing matches (diag: what there is), -EINVAL when classes
 * can't be made (classes_arrange), -errno. *selection is to be deinited only
 * after 0.
 */
int selection_make(struct selection *selection, const struct spec *spec,
		   const struct selection_options *options,
		   void (*skip)(const char *path, const struct diag *diag), struct diag *diag);
void selection_deinit(struct selection *selection);

#endif
