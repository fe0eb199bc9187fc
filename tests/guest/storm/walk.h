/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records in a packet of a ring, one by one. */
#ifndef STORM_WALK_H
#define STORM_WALK_H

#include "tests/guest/storm/record.h"

/* What does not look like a packet, or like its records: counted as torn, once. */
void walk_packet(struct record_reader readers[RECORD_NR_CONTEXTS], const u8 *packet,
		 u32 sub_buffer_bytes);

#endif
