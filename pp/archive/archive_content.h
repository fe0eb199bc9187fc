/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a selection takes to be reported on elsewhere: its samples, as closed
 * slices, which are the same on every machine; the sessions' meta folders; the
 * binaries that have samples, and the debug files that name their symbols.
 *
 * In the archive, paths are those of this machine: ARCHIVE/usr/bin/perl,
 * ARCHIVE/var/lib/oprofile/samples/current/history/..., so that its root is
 * what -R takes. ARCHIVE/oprof-archive says where the session folder is.
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
	const struct selection *selection;     /* of one side */
	const char *session_dir;	       /* as selection_options has it */
	const struct profile_options *options; /* where binaries are looked for */
	struct archive_writer *writer;	       /* NULL: only list */
	FILE *list;			       /* names that go in, a line each; NULL: none */
	/* Told of a file that is left out, and why. */
	void (*skip)(const char *path, const struct diag *diag);
	size_t nr_binaries, nr_debug_files, nr_missing; /* filled: binaries that could not be had */
};

/* All of it. 0 or -errno with diag: the archive is of no use. */
int archive_content_add(struct archive_content *content, struct diag *diag);

#endif
