/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out-of-line versions of the inline functions of ring/ring_write.h, so that a ring built without
 * one of its guards links with the same test objects.
 */
#ifndef TESTS_RING_RING_CALLS_H
#define TESTS_RING_RING_CALLS_H

#include "ring/ring.h"

int calls_reserve(struct ring *ring, uint32_t event_id, uint32_t payload_bytes, uint32_t align,
		  struct ring_slot *slot);
void calls_commit(struct ring *ring, struct ring_slot *slot);
void ring_cancel(struct ring *ring, struct ring_slot *slot);
void ring_copy_string(uint8_t *to, const char *from, size_t n);

#endif
