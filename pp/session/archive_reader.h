/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens an archive made by oparchive (archive_content.h) for a report. An archive is a folder,
 * which is read directly, or a compressed file, which is unpacked into a temporary folder below
 * TMPDIR. archive_place_deinit() removes this folder; if this process is killed, a child process
 * removes it.
 */
#ifndef PP_ARCHIVE_READER_H
#define PP_ARCHIVE_READER_H

#include "lib/diag.h"

#include <stdbool.h>

/* Name of the manifest. Its first line is this name and ARCHIVE_VERSION. */
#define ARCHIVE_MANIFEST "oprof-archive"
#define ARCHIVE_VERSION	 1

struct archive_place {
	char *path;	   /* path as the user gave it */
	char *root;	   /* prefix of the other machine's paths, like -R */
	char *session_dir; /* below root */
	bool unpacked;	   /* root is temporary, and removed by archive_place_deinit */
	bool partial;	   /* some samples are missing; counters count whole sessions */
};

/*
 * Opens the archive at path. Returns 0; -EINVAL: not an archive; -EPROTONOSUPPORT: made by a newer
 * version; an error of archive_unpack(); or -errno such as -ENOENT. diag has the reason. After an
 * error, `place` needs no deinit.
 */
int archive_place_open(struct archive_place *place, const char *path, struct diag *diag);
void archive_place_deinit(struct archive_place *place);

#endif
