/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files put together for another machine: in a folder, or in one compressed
 * file (tar with pax headers, zstd), by libarchive. Whole or not there: a
 * compressed file gets its name when it is finished, a folder its manifest.
 *
 * Not for what is to be in it (archive_content.h).
 */
#ifndef PP_ARCHIVE_WRITER_H
#define PP_ARCHIVE_WRITER_H

#include "lib/diag.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct archive_writer;

/*
 * path: a file if it ends in .tar.zst, else a folder, which is made; one that
 * is there must be empty (-EEXIST).
 */
int archive_writer_open(struct archive_writer **writer, const char *path, struct diag *diag);

/*
 * Add a file called name, relative and without ".."; folders on its way come
 * by themselves. Each name once. 0 or -errno with diag: nothing more can be added. -EINTR: a
 * signal asks the process to end (stop_signal.h).
 */
int archive_writer_add_bytes(struct archive_writer *writer, const char *name, const void *bytes,
			     size_t nr_bytes, struct diag *diag);
/* From fd's start, its mode (without set-id bits) and time; what grows meanwhile is cut. */
int archive_writer_add_fd(struct archive_writer *writer, const char *name, int fd,
			  struct diag *diag);

uint64_t archive_writer_nr_bytes(const struct archive_writer *writer); /* of files, as they were */

/* Finish. */
int archive_writer_finish(struct archive_writer *writer, struct diag *diag);
/*
 * Give up, or free after finishing; NULL is fine. Removes all that was written and made, no more:
 * a folder that was there stays.
 */
void archive_writer_close(struct archive_writer *writer);

#endif
