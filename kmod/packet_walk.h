/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the entries of a packet of a CPU's ring (oprof/packet.h, kmod/entry.h),
 * one by one. This code does not depend on the kernel, because a unit test
 * compiles it in user space.
 *
 * Even if the packet is damaged, no byte outside the packet is read, and each
 * returned entry lies completely within the packet.
 */
#ifndef KMOD_PACKET_WALK_H
#define KMOD_PACKET_WALK_H

#include <linux/types.h>

#include "kmod/entry.h"

struct packet_walk {
	const u8 *at, *end, *packet;
	/* The stamp of the preceding record; before the first record, the packet's begin time. */
	u64 stamp;
	u64 last_stamp; /* stamp of the packet's end */
	u32 nr_records; /* number of records that the packet header states */
};

/*
 * `packet` must be aligned to 8 bytes. Returns 0, or -EBADMSG if it is not a
 * packet of this size; then only packet_walk_nr_records() may be called for
 * this walk.
 */
int packet_walk_begin(struct packet_walk *walk, const u8 *packet, u32 sub_buffer_bytes);

/* Returns 1 with the next entry's type, payload and stamp; 0 at the end; -EBADMSG if damaged. */
int packet_walk_next(struct packet_walk *walk, enum entry_type *type, const void **payload,
		     u64 *stamp);

/*
 * Returns the number of records that the packet's header states. If the packet
 * is damaged, at most this number of records is lost. Returns 1 if the header
 * itself is damaged, because a packet has at least one record.
 */
u32 packet_walk_nr_records(const struct packet_walk *walk);

#endif
