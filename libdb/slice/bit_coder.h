/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bits and numbers in as few bytes as they are unexpected (doc/slice.md,
 * "Bits"): a binary arithmetic coder. One function codes in both directions,
 * so that what is written and what is read can't differ: a writer gives it
 * the bit, a reader anything, and both get the bit.
 *
 * Bytes may be hostile: whatever they are, each call ends and is in bounds.
 */
#ifndef LIBDB_BIT_CODER_H
#define LIBDB_BIT_CODER_H

#include "libdb/slice/slice_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often a bit was 1 where this model was asked, in 65536ths: learned on the way. */
struct bit_model {
	uint16_t ones;
	uint16_t nr_met; /* up to BIT_MET_MAX: what is new counts for less and less */
};

#define BIT_MET_MAX 60u

/* No bit costs more than 12 bits, or less than a 2800th. */
#define BIT_ONES_MIN 16u
#define BIT_ONES_MAX (65536u - BIT_ONES_MIN)

/* Numbers of one kind: the bits that they have, then the bits below the first. */
struct number_model {
	struct bit_model more[64];   /* than so many bits */
	struct bit_model top[65][8]; /* by number of bits, the three that follow the first */
	struct bit_model low[64];    /* by place */
};

struct bit_coder {
	uint32_t low, high; /* what is coded next lies between them, both included */
	uint16_t rates[BIT_MET_MAX +
		       1]; /* in 32768ths: how far a bit moves a model that met so many */
	/* A writer's; NULL: this is a reader. */
	struct slice_buffer *to;
	/* A reader's: what of the bytes is next, and the 32 bits before it. */
	const uint8_t *next, *end;
	uint32_t word;
	int error; /* -ENOMEM; a reader's -EILSEQ: there were too few bytes. Bits behind it mean
		      nothing */
};

void bit_model_init(struct bit_model *model, unsigned int ones); /* in 65536ths */
void number_model_init(struct number_model *model);

void bit_coder_write(struct bit_coder *coder, struct slice_buffer *to);
void bit_coder_read(struct bit_coder *coder, const uint8_t *bytes, size_t nr_bytes);
/* A writer's last bytes. A reader that has read all that was written is at end. */
void bit_coder_finish(struct bit_coder *coder);

/* Bits that both bounds have in common are settled: bytes of them go out, others come in. */
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
