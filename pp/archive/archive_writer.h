/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects files for another machine in a folder or in one compressed file (tar with pax headers,
 * zstd). Uses libarchive. An incomplete archive cannot be mistaken for a complete one: only when
 * all files have been added, a compressed file gets its name, and a folder gets its manifest.
 *
 * Not for choosing the files (archive_content.h).
 */
#ifndef PP_ARCHIVE_WRITER_H
#define PP_ARCHIVE_WRITER_H

#include "lib/diag.h"
#include "pp/session/archive_unpack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct archive_writer;

/*
 * Opens an archive for writing. If `path` ends in .tar.zst, the archive is a compressed file;
 * otherwise it is a folder. The folder is created, or must be empty (-EEXIST). Returns 0 or -errno
 * with diag.
 */
int archive_writer_open(struct archive_writer **writer, const char *path, struct diag *diag);

/*
 * Adds a file. `name` is its path in the archive: relative, without "..", and not yet used. The
 * path's folders are created. Returns 0, or -errno with diag; after an error nothing more can be
 * added. Returns -EINTR if a stop signal has arrived (stop_signal.h).
 */
int archive_writer_add_bytes(struct archive_writer *writer, const char *name, const void *bytes,
			     size_t nr_bytes, struct diag *diag);
/*
 * Adds the content of fd, with fd's modification time and its mode & 0755. A file that grows
 * during the copy is cut at its initial size; a file that shrinks causes an error (-EIO).
 */
int archive_writer_add_fd(struct archive_writer *writer, const char *name, int fd,
			  struct diag *diag);

/* Returns the total size of the added files in bytes, uncompressed. */
uint64_t archive_writer_nr_bytes(const struct archive_writer *writer);

/* Completes the archive. Returns 0 or -errno with diag. */
int archive_writer_finish(struct archive_writer *writer, struct diag *diag);
/*
 * Computes the sizes of the archive for which reports have limits. Call this function after
 * archive_writer_finish(). Returns false if the archive is a folder, which has no limits.
 */
bool archive_writer_extent(const struct archive_writer *writer, struct archive_extent *extent);
/*
 * Frees the writer; NULL is allowed. If the archive is not finished, removes the files and folders
 * that the writer created.
 */
void archive_writer_close(struct archive_writer *writer);

#endif
