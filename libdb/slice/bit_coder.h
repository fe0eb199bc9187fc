/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adaptive binary arithmetic coder (doc/slice.md, "Bits"). A model predicts a bit or a number; the
 * better the prediction, the fewer bytes are written. Each function both encodes and decodes, so
 * that writer and reader cannot differ. A writer passes the bit to be encoded, and a reader passes
 * any value; the function returns the bit to both.
 *
 * The bytes may be hostile: every call terminates and stays within bounds.
 */
#ifndef LIBDB_BIT_CODER_H
#define LIBDB_BIT_CODER_H

#include "libdb/slice/slice_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Estimated probability that a bit is 1, in 65536ths. Each coded bit adapts the estimate. */
struct bit_model {
	uint16_t ones;
	uint16_t nr_met; /* bits coded so far, up to BIT_MET_MAX */
};

#define BIT_MET_MAX 60u

/* Limits of an estimate: coding one bit takes at most 12 bits, and at least 1/2800 of a bit. */
#define BIT_ONES_MIN 16u
#define BIT_ONES_MAX (65536u - BIT_ONES_MIN)

/*
 * The models of one kind of number: its number of bits is coded first, then the bits after the
 * leading 1.
 */
struct number_model {
	struct bit_model more[64]; /* more[i]: whether the number has more than i bits */
	/* top[n]: the three bits after the leading 1 of a number of n bits. */
	struct bit_model top[65][8];
	struct bit_model low[64]; /* low[i]: bit i of a number, if top[] has no model for it */
};

struct bit_coder {
	uint32_t low, high; /* bounds of the current interval, both included */
	/* rates[nr_met]: how far a bit moves a model, in 32768ths. */
	uint16_t rates[BIT_MET_MAX + 1];
	/* Writer only; NULL in a reader. */
	struct slice_buffer *to;
	/* Only in a reader: the bytes not yet read, and the last 32 bits that were read. */
	const uint8_t *next, *end;
	uint32_t word;
	/*
	 * 0 or -ENOMEM. In a reader also -EILSEQ: there were too few bytes, and all further bits
	 * are meaningless.
	 */
	int error;
};

void bit_model_init(struct bit_model *model, unsigned int ones); /* in 65536ths */
void number_model_init(struct number_model *model);

void bit_coder_write(struct bit_coder *coder, struct slice_buffer *to);
void bit_coder_read(struct bit_coder *coder, const uint8_t *bytes, size_t nr_bytes);
/*
 * Writes the last bytes of a writer: as many as a reader reads ahead. Thus a reader that has read
 * the last number has also read the last byte.
 */
void bit_coder_finish(struct bit_coder *coder);

/* Writes or skips the leading bytes that both bounds have in common. */
void bit_coder_settle(struct bit_coder *coder);

static inline bool bit_code(struct bit_coder *coder, struct bit_model *model, bool bit)
{
	const uint32_t range = coder->high - coder->low;
	const uint32_t middle = coder->low + (uint32_t)((uint64_t)range * model->ones >> 16);
	int32_t off;

	if (!coder->to)
		bit = coder->word <= middle;
	if (bit)
		coder->high = middle;
	else
		coder->low = middle + 1;
	off = (bit ? (int32_t)BIT_ONES_MAX : (int32_t)BIT_ONES_MIN) - model->ones;
	model->ones = (uint16_t)(model->ones + (off * coder->rates[model->nr_met] >> 15));
	model->nr_met = (uint16_t)(model->nr_met + (model->nr_met < BIT_MET_MAX));
	if (!((coder->low ^ coder->high) >> 24))
		bit_coder_settle(coder);
	return bit;
}

uint64_t bit_code_number(struct bit_coder *coder, struct number_model *model, uint64_t value);

#endif
