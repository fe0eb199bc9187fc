// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/storm/record.h"

#include <linux/processor.h>

#include "ring/ring_write.h"

#define NR_WORDS_MAX 14u
/* One of so many slots is cancelled. */
#define CANCEL_EACH 19u

static u32 nr_words(enum record_context context, u64 number)
{
	return 2 + (u32)(number * 7 + context * 3) % (NR_WORDS_MAX - 1);
}

static u64 word_of(enum record_context context, u64 number, u32 index)
{
	return index ? (number << 8 | (u64)context << 4) * 0x9e3779b97f4a7c15ull + index : number;
}

void record_write_nmi(struct ring *ring, struct record_writer *writer, enum record_context context)
{
	u64 number = writer->attempted++;
	u32 i, k, nr = nr_words(context, number);
	struct ring_slot slot;
	u64 *words;

	if (ring_reserve(ring, context, nr * sizeof(u64), 8, &slot)) {
		writer->lost++;
		return;
	}
	words = (u64 *)slot.payload;
	for (i = 0; i < nr; i++) {
		WRITE_ONCE(words[i], word_of(context, number, i));
		for (k = 0; k < 8; k++)
			cpu_relax();
	}
	if (number % CANCEL_EACH == CANCEL_EACH - 1) {
		ring_cancel(ring, &slot);
		writer->cancelled++;
		return;
	}
	ring_commit(ring, &slot);
	writer->committed++;
}

u32 record_check(struct record_reader *reader, enum record_context context, const u8 *payload,
		 size_t room_bytes)
{
	const u64 *words = (const u64 *)payload;
	u64 number;
	u32 i, nr;

	if (room_bytes < sizeof(u64))
		goto torn;
	number = words[0];
	nr = nr_words(context, number);
	if (room_bytes < nr * sizeof(u64) || number < reader->next)
		goto torn;
	for (i = 1; i < nr; i++) {
		if (words[i] != word_of(context, number, i))
			goto torn;
	}
	reader->next = number + 1;
	reader->nr_read++;
	return nr * sizeof(u64);
torn:
	reader->nr_torn++;
	return 0;
}
