/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in lines "key value", such as the control socket's answers. A key may occur several
 * times.
 */
#ifndef LIB_KEY_VALUE_H
#define LIB_KEY_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key_value {
	const char *key, *value; /* point into the text, without a NUL */
	size_t nr_key, nr_value;
};

/*
 * Parses the line at *text and moves *text to the next line. Returns false at the end of the text.
 */
bool key_value_next(const char **text, struct key_value *line);

/* Returns whether the line has this key. */
bool key_value_is(const struct key_value *line, const char *key);

/*
 * Copies the value of the first line with this key, truncated to nr_bytes including the NUL.
 * Returns false if there is no such line.
 */
bool key_value_find(const char *text, const char *key, char *value, size_t nr_bytes);

/*
 * Returns the value of the first line with this key as an unsigned integer. Returns `missing` if
 * there is no such line or its value is not a number.
 */
uint64_t key_value_number(const char *text, const char *key, uint64_t missing);

#endif
