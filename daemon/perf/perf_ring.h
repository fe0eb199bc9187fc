/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One mmap ring of the kernel's performance events: how much has come, copy
 * it out, give the room back. Knows nothing of what records mean.
 *
 * Who touches what: the kernel writes data and data_head, we write data_tail.
 * Its release of data_head pairs with our acquire: data up to head is
 * written. Our release of data_tail pairs with its control dependency: data
 * up to tail has been copied before the kernel writes over it.
 */
#ifndef DAEMON_PERF_RING_H
#define DAEMON_PERF_RING_H

#include "daemon/perf/perf_parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: closed */
	const uint8_t *data;
	size_t data_bytes;   /* power of two */
	size_t mapped_bytes; /* page and data */
};

/* The largest record there can be: its size is a 16-bit multiple of 8. */
#define PERF_RING_RECORD_MAX 65528

/*
 * Map the ring of the event open at fd, nr_pages (a power of two) of data.
 * 0; -EPERM: no locked memory left; or another -errno of mmap. fd stays the
 * caller's, and must stay open for the kernel to write.
 */
int perf_ring_open(struct perf_ring *ring, int fd, unsigned int nr_pages);
void perf_ring_close(struct perf_ring *ring); /* also of a closed or zeroed one */

/*
 * Bytes to read: -EBADMSG when the kernel's positions make no sense; then
 * what the ring holds is skipped.
 */
int perf_ring_used(struct perf_ring *ring, size_t *nr_bytes);

/* Copy the oldest nr_bytes (at most perf_ring_used) to to, and give them back to the kernel. */
void perf_ring_take(struct perf_ring *ring, void *to, size_t nr_bytes);

/*
 * The same, record by record, each as pack gives it (perf_parse.h); to has room for nr_bytes.
 * The bytes that it takes there.
 */
size_t perf_ring_take_packed(struct perf_ring *ring, void *to, size_t nr_bytes,
			     const struct perf_layout *layout);

/* With nr_bytes used: can the kernel have found no room for a record? */
bool perf_ring_tight(const struct perf_ring *ring, size_t nr_bytes);

#endif
