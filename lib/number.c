// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/number.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

static unsigned int unit_shift(char c)
{
	switch (c) {
	case 'K':
	case 'k':
		return 10;
	case 'M':
	case 'm':
		return 20;
	case 'G':
	case 'g':
		return 30;
	default:
		return 0;
	}
}

int number_parse_bytes(const char *text, uint64_t *nr_bytes)
{
	size_t nr = strlen(text);
	unsigned int shift = nr ? unit_shift(text[nr - 1]) : 0;
	char digits[32];
	uint64_t value;
	int error;

	nr -= shift != 0;
	if (nr >= sizeof(digits) || (nr > 1 && (text[1] == 'x' || text[1] == 'X')))
		return -EINVAL;
	memcpy(digits, text, nr);
	digits[nr] = '\0';
	error = number_parse(digits, UINT64_MAX >> shift, &value);
	if (!error)
		*nr_bytes = value << shift;
	return error;
}
