/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the lines and words of a table's text (doc/events.md), knowing where
 * it is for messages. Inside events/ only. The text is cut up in place.
 */
#ifndef EVENTS_TABLE_TEXT_H
#define EVENTS_TABLE_TEXT_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

struct table_text {
	const char *file;  /* for messages */
	unsigned int line; /* of the line last returned, from 1 */
	char *next;	   /* what is not read yet */
	struct diag *diag; /* may be NULL */
};

/* The next line that holds something; NULL at the end. Comments are skipped. */
char *table_text_line(struct table_text *text);

/* Cut the next word off *rest, which goes on behind it; NULL: there is none. */
char *table_text_word(char **rest);

/* *rest without the blanks round it. */
char *table_text_trim(char *rest);

/* A number from 0 to max; what is named in the message. 0 or -EINVAL. */
int table_text_number(const struct table_text *text, const char *what, const char *word,
		      uint64_t max, uint64_t *value);

/* Fill diag with file and line; returns error. */
#define table_text_error(text, error, ...)                                                         \
	diag_set_at((text)->diag, (error), (text)->file, (text)->line, __VA_ARGS__)

/* One "key:value" field of a line; value points into the text, NULL: not seen. */
struct table_field {
	const char *key;
	const char *value;
	bool required;
};

/*
 * Read the words of *rest into fields until the word ":" (skipped) or the
 * end. 0, or -EINVAL: unknown, repeated, empty or missing field.
 */
int table_text_fields(const struct table_text *text, char **rest, struct table_field *fields,
		      unsigned int nr_fields);

#endif
