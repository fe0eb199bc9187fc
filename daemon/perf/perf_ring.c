// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_ring.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int perf_ring_open(struct perf_ring *ring, int fd, unsigned int nr_pages)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t mapped_bytes = (nr_pages + (size_t)1) * page_bytes;
	void *page = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	ring->page = page;
	ring->data = (const uint8_t *)page + page_bytes;
	ring->data_bytes = nr_pages * page_bytes;
	ring->mapped_bytes = mapped_bytes;
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->page)
		(void)munmap(ring->page, ring->mapped_bytes);
	memset(ring, 0, sizeof(*ring));
}

int perf_ring_used(struct perf_ring *ring, size_t *nr_bytes)
{
	/* Pairs with the kernel's barrier before the kernel stores data_head. */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail; /* only the daemon writes data_tail */

	*nr_bytes = (size_t)(head - tail);
	if (head - tail <= ring->data_bytes)
		return 0;
	*nr_bytes = 0;
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return -EBADMSG;
}

/* Copies nr_bytes from `position`. They may wrap around to the start of the data. */
static void ring_copy(const struct perf_ring *ring, uint64_t position, void *to, size_t nr_bytes)
{
	size_t index = (size_t)position & (ring->data_bytes - 1);
	size_t nr_first = ring->data_bytes - index;

	if (nr_first > nr_bytes)
		nr_first = nr_bytes;
	memcpy(to, ring->data + index, nr_first);
	memcpy((uint8_t *)to + nr_first, ring->data, nr_bytes - nr_first);
}

/*
 * Copies the record at `position` to `to` and packs it. left: number of bytes that can be read.
 * *nr_taken: size of the original record. Returns the size of the copy.
 */
static size_t ring_pack(const struct perf_ring *ring, uint64_t position, size_t left, void *to,
			const struct perf_layout *layout, size_t *nr_taken)
{
	size_t index = (size_t)position & (ring->data_bytes - 1);
	size_t nr_bytes = perf_parse_size(ring->data + index, left);

	/* If the size is invalid, copy all bytes unchanged: the parser counts the fault. */
	*nr_taken = nr_bytes ? nr_bytes : left;
	if (nr_bytes && index + nr_bytes <= ring->data_bytes)
		return perf_parse_pack(layout, ring->data + index, to);
	ring_copy(ring, position, to, *nr_taken);
	return *nr_taken;
}

size_t perf_ring_take_packed(struct perf_ring *ring, void *to, size_t nr_bytes,
			     const struct perf_layout *layout)
{
	uint64_t tail = ring->page->data_tail;
	size_t used = 0;

	assert(nr_bytes <= ring->data_bytes);
	for (size_t done = 0, nr; done < nr_bytes; done += nr)
		used += ring_pack(ring, tail + done, nr_bytes - done, (uint8_t *)to + used, layout,
				  &nr);
	/* Pairs with the kernel's read of data_tail, on which the kernel's later writes depend. */
	__atomic_store_n(&ring->page->data_tail, tail + nr_bytes, __ATOMIC_RELEASE);
	return used;
}

void perf_ring_take(struct perf_ring *ring, void *to, size_t nr_bytes)
{
	uint64_t tail = ring->page->data_tail;

	assert(nr_bytes <= ring->data_bytes);
	ring_copy(ring, tail, to, nr_bytes);
	/* Pairs with the kernel's read of data_tail, on which the kernel's later writes depend. */
	__atomic_store_n(&ring->page->data_tail, tail + nr_bytes, __ATOMIC_RELEASE);
}

bool perf_ring_tight(const struct perf_ring *ring, size_t nr_bytes)
{
	return nr_bytes + PERF_RING_RECORD_MAX >= ring->data_bytes;
}
