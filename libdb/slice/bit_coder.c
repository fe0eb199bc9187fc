// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/bit_coder.h"

#include <errno.h>
#include <string.h>

/* For this many bits after the leading 1, the model depends on all earlier bits. */
#define NR_TOP 3u

void bit_model_init(struct bit_model *model, unsigned int ones)
{
	ones = ones < BIT_ONES_MIN ? BIT_ONES_MIN : ones;
	model->ones = (uint16_t)(ones > BIT_ONES_MAX ? BIT_ONES_MAX : ones);
	model->nr_met = 0;
}

static void models_init(struct bit_model *models, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		bit_model_init(&models[i], 65536 / 2);
}

void number_model_init(struct number_model *model)
{
	models_init(model->more, 64);
	models_init(&model->top[0][0], sizeof(model->top) / sizeof(model->top[0][0]));
	models_init(model->low, 64);
}

/*
 * Begins coding. Each coded bit moves the estimate of its model towards the bit, by 1 / (nr_met +
 * 1.6) of the distance.
 */
static void begin(struct bit_coder *coder)
{
	*coder = (struct bit_coder){.high = UINT32_MAX};
	for (unsigned int i = 0; i <= BIT_MET_MAX; i++)
		coder->rates[i] = (uint16_t)(32768 * 5 / (5 * i + 8));
}

void bit_coder_write(struct bit_coder *coder, struct slice_buffer *to)
{
	begin(coder);
	coder->to = to;
}

static uint32_t next_byte(struct bit_coder *coder)
{
	if (coder->next < coder->end)
		return *coder->next++;
	coder->error = -EILSEQ;
	return 0;
}

void bit_coder_read(struct bit_coder *coder, const uint8_t *bytes, size_t nr_bytes)
{
	begin(coder);
	coder->next = bytes;
	coder->end = bytes + nr_bytes;
	for (unsigned int i = 0; i < sizeof(coder->word); i++)
		coder->word = coder->word << 8 | next_byte(coder);
}

static void put_byte(struct bit_coder *coder, uint32_t byte)
{
	uint8_t *to = slice_buffer_reserve(coder->to, 1);

	if (!to) {
		coder->error = -ENOMEM;
		return;
	}
	*to = (uint8_t)byte;
	coder->to->nr_bytes++;
}

void bit_coder_finish(struct bit_coder *coder)
{
	for (unsigned int i = 0; i < sizeof(coder->low) && !coder->error; i++)
		put_byte(coder, coder->low >> (24 - 8 * i) & 0xff);
}

void bit_coder_settle(struct bit_coder *coder)
{
	while (!((coder->low ^ coder->high) >> 24)) {
		if (coder->to)
			put_byte(coder, coder->high >> 24);
		else
			coder->word = coder->word << 8 | next_byte(coder);
		coder->low <<= 8;
		coder->high = coder->high << 8 | 0xff;
	}
}

uint64_t bit_code_number(struct bit_coder *coder, struct number_model *model, uint64_t value)
{
	const unsigned int nr_given = value ? 64u - (unsigned int)__builtin_clzll(value) : 0;
	unsigned int nr_bits = 0;
	uint64_t coded;

	while (nr_bits < 64 && bit_code(coder, &model->more[nr_bits], nr_given > nr_bits))
		nr_bits++;
	coded = nr_bits != 0;
	for (unsigned int i = nr_bits; i-- > 1;) {
		const bool is_top = nr_bits - i <= NR_TOP;
		struct bit_model *bit = is_top ? &model->top[nr_bits][coded] : &model->low[i - 1];

		coded = coded << 1 | bit_code(coder, bit, value >> (i - 1) & 1);
	}
	return coder->error ? 0 : coded;
}
