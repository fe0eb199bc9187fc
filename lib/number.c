// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/number.h"

#include <errno.h>
#include <stdbool.h>

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

int number_parse(const char *text, uint64_t max, uint64_t *value)
{
	unsigned int base = 10;
	bool too_big = false;
	uint64_t sum = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		unsigned int digit = (unsigned int)digit_value(*text);

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			too_big = true;
	}
	if (too_big || sum > max)
		return -ERANGE;
	*value = sum;
	return 0;
}
