/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the daemon has given up but its C library keeps: after a storm
 * (code maps read, thousands of processes) it would stay for months.
 */
#ifndef DAEMON_HEAP_H
#define DAEMON_HEAP_H

#include <stddef.h>

/* Unused memory that is not worth the giving back. */
#define HEAP_SPARE_BYTES ((size_t)4 << 20)

/* Give the kernel what is unused, if it is more than spare_bytes. Once a minute or so. 1: it was.
 */
int heap_trim(size_t spare_bytes);

#endif
