/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks a compressed archive of another user or machine, which may be hostile. A child process
 * that can only use the archive and a pipe decompresses and parses it (archive_stream.h). This
 * process creates the files, within limits of size, number and depth, and while enough room is
 * free on the disk.
 */
#ifndef PP_ARCHIVE_UNPACK_H
#define PP_ARCHIVE_UNPACK_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An archive may unpack to free_bytes plus `ratio` times its compressed size, but to no more than
 * bytes_max. Each file or folder counts as 4096 bytes in addition to its content. Holes of the
 * compressed file do not count as its size.
 */
struct archive_limits {
	uint64_t bytes_max;
	uint64_t free_bytes;
	unsigned int ratio;
	unsigned int nr_max;	   /* entries, and folders that only their paths name */
	unsigned int depth_max;	   /* folders on the path of a file */
	unsigned int seconds_base; /* CPU time of the child, in addition to that for the bytes */
	/*
	 * The time that the parent waits for bytes of the child, in all. An archive that is larger
	 * than 64 KB has one second more for each 64 KB.
	 */
	unsigned int wait_seconds;
	size_t memory_bytes; /* of the child */
};

extern const struct archive_limits archive_default_limits;

/* What an archive contains, as far as it counts towards the limits. */
struct archive_extent {
	uint64_t compressed; /* size of the compressed file in bytes */
	uint64_t nr_bytes;   /* of all content, and 4096 for each of nr */
	unsigned int nr;
	unsigned int depth; /* of the deepest file */
};

#define ARCHIVE_ENTRY_BYTES 4096 /* for each of nr */

/*
 * Returns whether reports accept an archive of this extent. If not, sets `what` to the limit that
 * it exceeds, such as "more than 5 files and folders".
 */
#define ARCHIVE_EXCESS_BYTES 128
bool archive_is_within(const struct archive_limits *limits, const struct archive_extent *extent,
		       char what[ARCHIVE_EXCESS_BYTES]);

/* Returns whether name is relative, without "..", and has no part longer than NAME_MAX. */
bool archive_name_is_good(const char *name);

/* Reports an invalid entry of the archive at path. name may have any length. Returns -EILSEQ. */
int archive_refuse_name(const char *path, const char *name, struct diag *diag);

/*
 * Unpacks the compressed file at fd (path: for messages) into folder, which must be empty. Files
 * get mode 0600; their names must be good. Files that were unpacked before an error stay in folder.
 * Returns 0; -EILSEQ: the archive is damaged or contains other names; -EFBIG: it exceeds a limit;
 * -ENOSPC: too little room is free; -ETIMEDOUT: the child makes the parent wait too long; or
 * another -errno. diag has the reason. The child has ended, unless it hangs in the file system of
 * the archive (-ETIMEDOUT).
 */
int archive_unpack(int fd, const char *path, const char *folder,
		   const struct archive_limits *limits, struct diag *diag);

/*
 * The second half of archive_unpack(): creates the files of a stream. nr_bytes: the compressed
 * size. Also returns -EPIPE, without diag: the stream ends early.
 */
int archive_unpack_stream(int stream, uint64_t nr_bytes, const char *path, const char *folder,
			  const struct archive_limits *limits, struct diag *diag);

#endif
