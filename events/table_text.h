/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits a table's text (doc/events.md) into lines and words, and tracks the position for
 * messages. Internal to events/. The text is modified in place.
 */
#ifndef EVENTS_TABLE_TEXT_H
#define EVENTS_TABLE_TEXT_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

struct table_text {
	const char *file;  /* name for messages */
	unsigned int line; /* number of the last returned line, from 1 */
	char *next;	   /* the text not yet read */
	struct diag *diag; /* may be NULL */
};

/* Returns the next line that is neither empty nor a comment; NULL at the end. */
char *table_text_line(struct table_text *text);

/*
 * Returns the next word of *rest, and moves *rest to the text after it; NULL if
 * there is no word.
 */
char *table_text_word(char **rest);

/* Returns `rest` without leading and trailing blanks. */
char *table_text_trim(char *rest);

/* Parses a number from 0 to max. `what` is the number's name in messages. Returns 0 or -EINVAL. */
int table_text_number(const struct table_text *text, const char *what, const char *word,
		      uint64_t max, uint64_t *value);

/* Fills diag with file and line; returns error. */
#define table_text_error(text, error, ...)                                                         \
	diag_set_at((text)->diag, (error), (text)->file, (text)->line, __VA_ARGS__)

/* One "key:value" field of a line. value points into the text; NULL: the field is absent. */
struct table_field {
	const char *key;
	const char *value;
	bool required;
};

/*
 * Reads the words of *rest into fields, up to the word ":" (which is skipped)
 * or the end of the line. Returns 0, or -EINVAL if a field is unknown,
 * repeated, empty or missing.
 */
int table_text_fields(const struct table_text *text, char **rest, struct table_field *fields,
		      unsigned int nr_fields);

#endif
