// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/key_value.h"

#include "lib/number.h"

#include <stdio.h>
#include <string.h>

bool key_value_next(const char **text, struct key_value *line)
{
	size_t nr = strcspn(*text, "\n");
	const char *blank;

	if (!**text)
		return false;
	blank = memchr(*text, ' ', nr);
	line->key = *text;
	line->nr_key = blank ? (size_t)(blank - *text) : nr;
	line->value = blank ? blank + 1 : *text + nr;
	line->nr_value = (size_t)(*text + nr - line->value);
	*text += nr;
	*text += **text == '\n';
	return true;
}

bool key_value_is(const struct key_value *line, const char *key)
{
	return strlen(key) == line->nr_key && !memcmp(key, line->key, line->nr_key);
}

bool key_value_find(const char *text, const char *key, char *value, size_t nr_bytes)
{
	struct key_value line;

	while (key_value_next(&text, &line)) {
		if (!key_value_is(&line, key))
			continue;
		(void)snprintf(value, nr_bytes, "%.*s", (int)line.nr_value, line.value);
		return true;
	}
	return false;
}

uint64_t key_value_number(const char *text, const char *key, uint64_t missing)
{
	char value[32];
	uint64_t number;

	if (!key_value_find(text, key, value, sizeof(value)) ||
	    number_parse(value, UINT64_MAX, &number))
		return missing;
	return number;
}
