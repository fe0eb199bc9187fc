/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One mmap ring of the kernel's performance events: counts the bytes that have arrived, copies them
 * and returns their room to the kernel. Records are not interpreted, except to pack them.
 *
 * The kernel writes data and data_head, the daemon writes data_tail. The kernel's release of
 * data_head pairs with our acquire: data up to head has been written. Our release of data_tail
 * pairs with the kernel's control dependency: data up to tail has been copied before the kernel
 * overwrites it.
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

/* Size of the largest possible record: sizes are 16-bit numbers and multiples of 8. */
#define PERF_RING_RECORD_MAX 65528

/*
 * Maps the ring of the event that is open at fd, with nr_pages (a power of two) of data. Returns 0;
 * -EPERM: the limit of locked memory is reached; or another -errno of mmap. The caller owns fd and
 * must leave it open; otherwise the kernel stops writing.
 */
int perf_ring_open(struct perf_ring *ring, int fd, unsigned int nr_pages);
void perf_ring_close(struct perf_ring *ring); /* a closed or zeroed ring may be closed again */

/*
 * Sets *nr_bytes to the number of bytes that can be read. Returns 0, or -EBADMSG if the kernel's
 * positions are inconsistent; the contents of the ring are then skipped.
 */
int perf_ring_used(struct perf_ring *ring, size_t *nr_bytes);

/*
 * Copies the oldest nr_bytes, which must be at most the result of perf_ring_used, and returns their
 * room to the kernel.
 */
void perf_ring_take(struct perf_ring *ring, void *to, size_t nr_bytes);

/*
 * Like perf_ring_take, but packs each record (perf_parse_pack), except a record that wraps around
 * the end of the ring. `to` must have room for nr_bytes. Returns the number of bytes written to it.
 */
size_t perf_ring_take_packed(struct perf_ring *ring, void *to, size_t nr_bytes,
			     const struct perf_layout *layout);

/* Returns whether the kernel may have had no room for a record while nr_bytes were used. */
bool perf_ring_tight(const struct perf_ring *ring, size_t nr_bytes);

#endif
