/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that check themselves: their length and each of their words are computed from their
 * writer and their number.
 */
#ifndef STORM_RECORD_H
#define STORM_RECORD_H

#include <linux/types.h>

#include "ring/ring.h"

/* The writers: each may be interrupted by those after it. Also the event ids of the records. */
enum record_context { RECORD_TASK, RECORD_INTERRUPT, RECORD_NMI, RECORD_NR_CONTEXTS };

/*
 * Counts of one CPU and context, written by that writer alone. attempted is the number of the next
 * record.
 */
struct record_writer {
	u64 attempted, committed, cancelled, lost;
};

/* Counts of one CPU and context, written by the reader. */
struct record_reader {
	u64 nr_read, nr_torn;
	u64 next; /* least number that the next record may have */
};

/* Writes the next record of a context, slowly, so that it is interrupted. */
void record_write_nmi(struct ring *ring, struct record_writer *writer, enum record_context context);

/* Returns the bytes of the payload, of which at most room_bytes are available; 0: it is torn. */
u32 record_check(struct record_reader *reader, enum record_context context, const u8 *payload,
		 size_t room_bytes);

#endif
