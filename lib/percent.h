/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses and formats percentages, such as "1" and "0.25". */
#ifndef LIB_PERCENT_H
#define LIB_PERCENT_H

#define PERCENT_BYTES 32

/*
 * Parses the whole text as a number from 0 to 100: digits, then optionally a point and one to
 * three digits. Signs, blanks and exponents are refused; the locale does not matter. Returns
 * 0, -EINVAL (not such a number) or -ERANGE.
 */
int percent_parse(const char *text, double *percent);

/* Writes to text[PERCENT_BYTES] the shortest text that percent_parse() parses as `percent`. */
void percent_format(double percent, char *text);

#endif
