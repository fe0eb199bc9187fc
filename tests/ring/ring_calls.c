// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring/ring_write.h"
#include "tests/ring/ring_calls.h"

int calls_reserve(struct ring *ring, uint32_t event_id, uint32_t payload_bytes, uint32_t align,
		  struct ring_slot *slot)
{
	return ring_reserve(ring, event_id, payload_bytes, align, slot);
}

void calls_commit(struct ring *ring, struct ring_slot *slot)
{
	ring_commit(ring, slot);
}
