// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/number.h"

#include "lib/clock.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX UINT64_C(10000000000)

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

static int parse_digits(const char *text, unsigned int base, uint64_t max, uint64_t *value)
{
	bool too_big = false;
	uint64_t sum = 0;

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

int number_parse(const char *text, uint64_t max, uint64_t *value)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return parse_digits(text + 2, 16, max, value);
	return parse_digits(text, 10, max, value);
}

int number_parse_decimal(const char *text, uint64_t max, uint64_t *value)
{
	return parse_digits(text, 10, max, value);
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
	if (nr >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, nr);
	digits[nr] = '\0';
	error = number_parse_decimal(digits, UINT64_MAX >> shift, &value);
	if (!error)
		*nr_bytes = value << shift;
	return error;
}

int number_parse_seconds(const char *option, const char *text, uint64_t *ns, struct diag *diag)
{
	const char *dot = strchr(text, '.');
	const size_t nr_whole = dot ? (size_t)(dot - text) : strlen(text);
	char whole[24] = "0", part[10] = "000000000";
	uint64_t seconds, rest;

	if (nr_whole < sizeof(whole) && nr_whole)
		(void)snprintf(whole, sizeof(whole), "%.*s", (int)nr_whole, text);
	if (dot && strlen(dot + 1) < sizeof(part))
		memcpy(part, dot + 1, strlen(dot + 1));
	if (nr_whole >= sizeof(whole) || (dot && (!dot[1] || strlen(dot + 1) >= sizeof(part))) ||
	    (!nr_whole && !dot) || number_parse_decimal(whole, SECONDS_MAX, &seconds) ||
	    strspn(part, "0123456789") != sizeof(part) - 1)
		return diag_set(diag, -EINVAL,
				"%s=%s: give seconds since the beginning of the trace, such as "
				"1.25",
				option, text);
	rest = strtoull(part, NULL, 10);
	*ns = seconds * NS_PER_SECOND + rest;
	return 0;
}
