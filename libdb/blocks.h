/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room on disk for files that are mapped, or written at once. 0 or -errno. */
#ifndef LIBDB_BLOCKS_H
#define LIBDB_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* All of bytes at from, whatever the signals. */
int blocks_write(int fd, const void *bytes, size_t nr_bytes, uint64_t from);

/* -EFBIG: a file may not be so long. Asked for first: going over the limit would be SIGXFSZ. */
int blocks_may_reach(uint64_t nr_bytes);

/*
 * Blocks for nr_bytes behind from, the end of the file: after this a store
 * there does not depend on the disk having room. Then zeros are written,
 * which makes the pages in the page cache at a quarter of the cost of
 * faulting each into it (on ext4).
 */
int blocks_allocate(int fd, uint64_t from, uint64_t nr_bytes);

#endif
