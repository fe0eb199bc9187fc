/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocates and writes file blocks. All functions return 0 or -errno. */
#ifndef LIBDB_BLOCKS_H
#define LIBDB_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* Writes all nr_bytes bytes at offset `from`. Continues after short writes and EINTR. */
int blocks_write(int fd, const void *bytes, size_t nr_bytes, uint64_t from);

/*
 * Returns 0, or -EFBIG if RLIMIT_FSIZE forbids a file of nr_bytes bytes. Call this before growing
 * a file: exceeding the limit would raise SIGXFSZ.
 */
int blocks_may_reach(uint64_t nr_bytes);

/*
 * Allocates blocks for nr_bytes at offset `from`, so that later stores to this range cannot fail
 * for lack of disk space. `from` must be the end of the file. Also writes zeros to the range, which
 * brings the pages into the page cache at a quarter of the cost of faulting in each page (on ext4).
 */
int blocks_allocate(int fd, uint64_t from, uint64_t nr_bytes);

#endif
