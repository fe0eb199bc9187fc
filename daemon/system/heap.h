/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Returns free memory to the kernel. Otherwise, the C library would keep it for months after a
 * peak, such as thousands of processes at the same time.
 */
#ifndef DAEMON_HEAP_H
#define DAEMON_HEAP_H

#include <stddef.h>

/* Free memory of the heap is returned to the kernel if there is more than this. */
#define HEAP_SPARE_BYTES ((size_t)4 << 20)

/*
 * Returns free memory to the kernel if there is more than spare_bytes. To be called about once a
 * minute. The result is 1 if memory was returned, otherwise 0.
 */
int heap_trim(size_t spare_bytes);

#endif
