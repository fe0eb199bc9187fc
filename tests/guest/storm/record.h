/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that check themselves: their length and each of their words follow
 * from who wrote them and their number.
 */
#ifndef STORM_RECORD_H
#define STORM_RECORD_H

#include <linux/types.h>

#include "ring/ring.h"

/* Who writes: each is interrupted by those behind it. Also the records' event ids. */
enum record_context { RECORD_TASK, RECORD_INTERRUPT, RECORD_NMI, RECORD_NR_CONTEXTS };

/* Of one CPU and context; its own alone. attempted is the number of the next. */
struct record_writer {
	u64 attempted, committed, cancelled, lost;
};

/* Of one CPU and context; the reader's. */
struct record_reader {
	u64 nr_read, nr_torn;
	u64 next; /* its number is no less */
};

/* The next record of a context, written slowly, so that it is interrupted. */
void record_write_nmi(struct ring *ring, struct record_writer *writer, enum record_context context);

/* Bytes of the payload at payload, of which there are room_bytes at most; 0: it is torn. */
u32 record_check(struct record_reader *reader, enum record_context context, const u8 *payload,
		 size_t room_bytes);

#endif
