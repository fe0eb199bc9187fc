// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/percent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define THOUSAND 1000u
#define DIGITS	 "0123456789"

/* Computes thousandths of a percent, so that formatting and parsing are exact inverses. */
static unsigned int thousandths(const char *whole, size_t nr_whole, const char *part,
				size_t nr_part)
{
	unsigned int value = 0;

	for (size_t i = 0; i < nr_whole && value <= 100 * THOUSAND; i++)
		value = value * 10 + (unsigned int)(whole[i] - '0');
	for (size_t i = 0; i < 3 && value <= 100 * THOUSAND; i++)
		value = value * 10 + (i < nr_part ? (unsigned int)(part[i] - '0') : 0);
	return value;
}

int percent_parse(const char *text, double *percent)
{
	size_t nr_whole = strspn(text, DIGITS);
	const char *part = text + nr_whole + (text[nr_whole] == '.');
	size_t nr_part = strspn(part, DIGITS);
	unsigned int value;

	if (!nr_whole || part[nr_part] || nr_part > 3 || (part != text + nr_whole && !nr_part))
		return -EINVAL;
	if (nr_whole > 6)
		return -ERANGE;
	value = thousandths(text, nr_whole, part, nr_part);
	if (value > 100 * THOUSAND)
		return -ERANGE;
	*percent = (double)value / THOUSAND;
	return 0;
}

void percent_format(double percent, char *text)
{
	unsigned int value = (unsigned int)(percent * THOUSAND + 0.5);
	size_t used;

	(void)snprintf(text, PERCENT_BYTES, "%u.%03u", value / THOUSAND, value % THOUSAND);
	used = strlen(text);
	while (text[used - 1] == '0')
		text[--used] = '\0';
	if (text[used - 1] == '.')
		text[--used] = '\0';
}
