/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens an archive of oparchive (archive_content.h) for a report. A folder is used as it is;
 * a compressed file is unpacked into a temporary folder below TMPDIR. archive_place_deinit
 * removes that folder; if this process is killed, a child process removes it.
 */
#ifndef PP_ARCHIVE_READER_H
#define PP_ARCHIVE_READER_H

#include "lib/diag.h"

#include <stdbool.h>

#define ARCHIVE_MANIFEST "oprof-archive" /* its first line: this name, ARCHIVE_VERSION */
#define ARCHIVE_VERSION	 1

struct archive_place {
	char *path;	   /* as given by the user */
	char *root;	   /* where the paths of the other machine begin: like -R */
	char *session_dir; /* below root */
	bool unpacked;	   /* root is temporary, and removed by archive_place_deinit */
	bool partial;	   /* some samples are missing, but counters are of whole sessions */
};

/*
 * Returns 0; -EINVAL: not an archive; -EPROTONOSUPPORT: made by a newer version; -EILSEQ: damaged,
 * or names lead out of the archive; or -errno such as -ENOENT or -ENOSPC. diag has the reason.
 * After an error, place needs no deinit.
 */
int archive_place_open(struct archive_place *place, const char *path, struct diag *diag);
void archive_place_deinit(struct archive_place *place);

/*
 * Unpacks the compressed file path into folder, which must be empty. Files get mode 0600;
 * their names must be relative. Files that were unpacked before an error stay in folder. Returns
 * the same errors as archive_place_open().
 */
int archive_unpack(const char *path, const char *folder, struct diag *diag);

#endif
