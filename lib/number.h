/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses numbers in texts of users and other programs. */
#ifndef LIB_NUMBER_H
#define LIB_NUMBER_H

#include "lib/diag.h"

#include <stdint.h>

/*
 * Parses the whole text as a number from 0 to max: decimal, or hexadecimal after 0x. Signs,
 * blanks and octal numbers are refused. Returns 0, -EINVAL (not a number) or -ERANGE.
 */
int number_parse(const char *text, uint64_t max, uint64_t *value);

/* Like number_parse(), but only for decimal numbers, such as times and counts: 0x10 is refused. */
int number_parse_decimal(const char *text, uint64_t max, uint64_t *value);

/*
 * Parses a decimal size in bytes or, with the suffix K, M or G, in units of 2^10, 2^20 or 2^30
 * bytes. Returns 0 or an error, like number_parse().
 */
int number_parse_bytes(const char *text, uint64_t *nr_bytes);

/*
 * Parses `text`, the value of the option `option`: seconds since the start of a trace ("1.25").
 * Stores nanoseconds in *ns. Returns 0, or -EINVAL with diag set and *ns untouched.
 */
int number_parse_seconds(const char *option, const char *text, uint64_t *ns, struct diag *diag);

#endif
