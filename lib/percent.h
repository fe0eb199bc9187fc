/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentages in texts that people write: "1", "0.25". */
#ifndef LIB_PERCENT_H
#define LIB_PERCENT_H

#define PERCENT_BYTES 32

/*
 * The whole of text as a number from 0 to 100: digits, and after one point at most three more.
 * No sign, no blanks, no exponent, whatever the locale. 0, -EINVAL (not such a number), -ERANGE.
 */
int percent_parse(const char *text, double *percent);

/* As percent_parse() reads it, the shortest way, into text[PERCENT_BYTES]. */
void percent_format(double percent, char *text);

#endif
