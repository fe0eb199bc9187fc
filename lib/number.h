/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in texts that people and other programs write. */
#ifndef LIB_NUMBER_H
#define LIB_NUMBER_H

#include "lib/diag.h"

#include <stdint.h>

/*
 * The whole of text as a number from 0 to max: decimal, or hexadecimal behind
 * 0x. No sign, no blanks, no octal. 0, -EINVAL (not a number) or -ERANGE.
 */
int number_parse(const char *text, uint64_t max, uint64_t *value);

/* A size: a decimal number of bytes, or of 2^10, 2^20, 2^30 with K, M, G behind it. As above. */
int number_parse_bytes(const char *text, uint64_t *nr_bytes);

/*
 * Seconds since a trace's begin, "1.25", of the option's value, into ns. 0 or
 * -EINVAL and diag; *ns is untouched then.
 */
int number_parse_seconds(const char *option, const char *text, uint64_t *ns, struct diag *diag);

#endif
