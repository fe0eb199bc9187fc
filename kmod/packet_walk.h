/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The entries in a packet of a CPU's ring (oprof/packet.h, kmod/entry.h), one
 * by one. Pure: a test of user space compiles it too.
 *
 * Whatever is in the packet, nothing beyond it is read, and an entry that is
 * returned lies in it as a whole.
 */
#ifndef KMOD_PACKET_WALK_H
#define KMOD_PACKET_WALK_H

#include <linux/types.h>

#include "kmod/entry.h"

struct packet_walk {
	const u8 *at, *end, *packet;
	u64 stamp;	/* of the record before; at first the packet's begin */
	u64 last_stamp; /* the packet's end */
};

/* packet: aligned to 8. -EBADMSG: not a packet of this size. */
int packet_walk_begin(struct packet_walk *walk, const u8 *packet, u32 sub_buffer_bytes);

/* The next: 1 with type, payload and stamp; 0: no more; -EBADMSG: can't be read on. */
int packet_walk_next(struct packet_walk *walk, enum entry_type *type, const void **payload,
		     u64 *stamp);

/* Records that a packet says it has: bound of what is lost where it can't be read on. */
u32 packet_walk_nr_records(const struct packet_walk *walk);

#endif
