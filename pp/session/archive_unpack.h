/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks a compressed archive of another user or machine. The archive may be hostile, so a
 * confined child process decompresses and parses it; the child can use only the archive and a pipe
 * (archive_stream.h). This process creates the files, within limits of size, number and depth, and
 * only while the disk has enough free space.
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
	/* maximum number of entries, and of folders that are named only in the paths of entries */
	unsigned int nr_max;
	unsigned int depth_max; /* maximum number of folders on the path of a file */
	/* CPU time of the child; it gets more time in proportion to the bytes that it may unpack */
	unsigned int seconds_base;
	/*
	 * Sum of the times that the parent waits for bytes from the child. The limit is one second
	 * longer for each 64 KB of the archive.
	 */
	unsigned int wait_seconds;
	size_t memory_bytes; /* of the child */
};

extern const struct archive_limits archive_default_limits;

/* The sizes of an archive that struct archive_limits limits. */
struct archive_extent {
	uint64_t compressed; /* size of the compressed file in bytes */
	uint64_t nr_bytes;   /* size of all content, plus nr x ARCHIVE_ENTRY_BYTES */
	unsigned int nr;     /* number of files and folders */
	unsigned int depth;  /* number of folders on the path of the deepest file */
};

#define ARCHIVE_ENTRY_BYTES 4096 /* counted for each file and folder */

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
 * Returns 0; -EILSEQ: the archive is damaged or contains other names; -EFBIG: the archive exceeds a
 * limit; -ENOSPC: too little room is free; -ETIMEDOUT: the child makes the parent wait too long; or
 * another -errno. diag has the reason. When this function returns, the child has ended. Exception:
 * after -ETIMEDOUT, it may still hang in the file system of the archive.
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
