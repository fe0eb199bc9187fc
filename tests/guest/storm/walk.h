/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the records in a packet of a ring. */
#ifndef STORM_WALK_H
#define STORM_WALK_H

#include "tests/guest/storm/record.h"

/* A damaged packet, or damaged records in it, count as torn once. */
void walk_packet(struct record_reader readers[RECORD_NR_CONTEXTS], const u8 *packet,
		 u32 sub_buffer_bytes);

#endif
