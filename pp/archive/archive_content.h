/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All files that another machine needs for reports on a selection: the samples as closed
 * slices, which are the same on every machine; the sessions' meta folders; the binaries that
 * have samples, and the debug files with their symbols.
 *
 * Paths in the archive are those of this machine: ARCHIVE/usr/bin/perl,
 * ARCHIVE/var/lib/oprofile/samples/current/history/..., so -R accepts the archive's root.
 * ARCHIVE/oprof-archive names the session folder.
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
	const struct selection *selection;     /* must have one side */
	const char *session_dir;	       /* like selection_options.session_dir */
	const struct profile_options *options; /* where to search for binaries */
	struct archive_writer *writer;	       /* NULL: files are only listed */
	/* receives the name of each added file, one per line; NULL: no list */
	FILE *list;
	/* Called for each file that is omitted, with the reason. */
	void (*skip)(const char *path, const struct diag *diag);
	/* results; nr_missing: binaries that were not available */
	size_t nr_binaries, nr_debug_files, nr_missing;
};

/* Adds everything. Returns 0, or -errno with diag: the archive is then unusable. */
int archive_content_add(struct archive_content *content, struct diag *diag);

#endif
