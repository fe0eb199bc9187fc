/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of lines "key value", as the control socket's answers are. Keys may come several times. */
#ifndef LIB_KEY_VALUE_H
#define LIB_KEY_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key_value {
	const char *key, *value; /* not terminated: in the text */
	size_t nr_key, nr_value;
};

/* The line at *text, which goes on to the next. False at the end. */
bool key_value_next(const char **text, struct key_value *line);

/* Is it this key? */
bool key_value_is(const struct key_value *line, const char *key);

/* The value of the first line of key, cut to nr_bytes; false: there is none. */
bool key_value_find(const char *text, const char *key, char *value, size_t nr_bytes);

/* That value as a whole number; missing when there is no such line, or it is none. */
uint64_t key_value_number(const char *text, const char *key, uint64_t missing);

#endif
