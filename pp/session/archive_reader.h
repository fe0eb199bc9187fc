/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An archive that oparchive made (archive_content.h), as a report reads it: a
 * folder as it is; a compressed file is unpacked to a folder of its own below
 * TMPDIR, which goes with deinit, or by a watching child when this process was killed.
 */
#ifndef PP_ARCHIVE_READER_H
#define PP_ARCHIVE_READER_H

#include "lib/diag.h"

#include <stdbool.h>

#define ARCHIVE_MANIFEST "oprof-archive" /* its first line: its name and ARCHIVE_VERSION */
#define ARCHIVE_VERSION	 1

struct archive_place {
	char *path;	   /* as it was given */
	char *root;	   /* where paths of the other machine begin: as -R */
	char *session_dir; /* below root */
	bool unpacked;	   /* root goes with it */
	bool partial;	   /* it holds less than the sessions did: counters are of all */
};

/*
 * -ENOENT, -EINVAL no archive, -EPROTONOSUPPORT one of a newer version, -EILSEQ damaged, or with
 * names that lead out of it, -ENOSPC, -errno; diag says which. *place is to be deinited after 0.
 */
int archive_place_open(struct archive_place *place, const char *path, struct diag *diag);
void archive_place_deinit(struct archive_place *place);

/*
 * Unpack the compressed file path into folder, which is empty: files of mode 0600 with relative
 * names. What was unpacked before an error stays. Errors as above.
 */
int archive_unpack(const char *path, const char *folder, struct diag *diag);

#endif
