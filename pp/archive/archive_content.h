/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects all files that another machine needs for reports on a selection: the samples as closed
 * slices, whose format does not depend on the machine; the sessions' meta folders; the binaries
 * that have samples or callers; and the debug files of these binaries.
 *
 * The archive has the same paths as this machine: ARCHIVE/usr/bin/perl,
 * ARCHIVE/var/lib/oprofile/samples/current/history/.... So ARCHIVE can be given to -R as the root
 * folder. The file ARCHIVE/oprof-archive has the path of the session directory.
 */
#ifndef PP_ARCHIVE_CONTENT_H
#define PP_ARCHIVE_CONTENT_H

#include "lib/diag.h"
#include "pp/archive/archive_writer.h"
#include "pp/profile/profile.h"
#include "pp/selection/selection.h"
#include "pp/session/archive_reader.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct archive_content {
	const struct selection *selection;     /* with one side: not a comparison */
	const char *session_dir;	       /* like selection_options.session_dir */
	const struct profile_options *options; /* settings of the search for binaries */
	struct archive_writer *writer;	       /* NULL: files are only listed */
	/* Receives the name of each added file, one in each line. NULL: no list is written. */
	FILE *list;
	/* Called for each file that is left out, with the reason in *diag. */
	void (*skip)(const char *path, const struct diag *diag);
	/*
	 * The results of archive_content_add(). nr_missing counts binaries that were not available.
	 */
	size_t nr_binaries, nr_debug_files, nr_missing;
};

/* Adds everything. Returns 0, or -errno with diag: the archive is then unusable. */
int archive_content_add(struct archive_content *content, struct diag *diag);

#endif
