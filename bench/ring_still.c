// SPDX-License-Identifier: GPL-2.0-or-later
#define RING_PORT_H "bench/ring_port_still.h"
#include "bench/ring_still.h"

#include "ring/ring_write.h"

void ring_still_records(struct ring *ring, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		struct ring_slot slot;

		if (ring_reserve(ring, 5, 16, 4, &slot))
			continue;
		/* Makes the compiler compute the payload's address, as for copying a payload. */
		__asm__ volatile("" ::"r"(slot.payload));
		ring_commit(ring, &slot);
	}
}
