/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Returns free memory to the kernel. The C library would keep it for months after a peak (many
 * code maps read, thousands of processes).
 */
#ifndef DAEMON_HEAP_H
#define DAEMON_HEAP_H

#include <stddef.h>

/* Less free memory than this is not worth returning. */
#define HEAP_SPARE_BYTES ((size_t)4 << 20)

/*
 * Returns free memory to the kernel if there is more than spare_bytes; call it about once a minute.
 * The result is 1 if memory was returned, else 0.
 */
int heap_trim(size_t spare_bytes);

#endif
