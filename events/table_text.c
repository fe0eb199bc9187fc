// SPDX-License-Identifier: GPL-2.0-or-later
#include "events/table_text.h"

#include "lib/number.h"

#include <errno.h>
#include <string.h>

#define BLANKS " \t\r\v\f"

char *table_text_line(struct table_text *text)
{
	while (text->next && *text->next) {
		char *line = text->next;
		char *end = strchr(line, '\n');
		size_t indent = strspn(line, BLANKS);

		text->line++;
		text->next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		if (line[indent] != '\0' && line[indent] != '#')
			return line;
	}
	return NULL;
}

char *table_text_word(char **rest)
{
	char *word = *rest + strspn(*rest, BLANKS);
	size_t length = strcspn(word, BLANKS);

	if (!length)
		return NULL;
	*rest = word + length;
	if (word[length] != '\0') {
		word[length] = '\0';
		++*rest;
	}
	return word;
}

char *table_text_trim(char *rest)
{
	size_t length;

	rest += strspn(rest, BLANKS);
	length = strlen(rest);
	while (length && strchr(BLANKS, rest[length - 1]))
		rest[--length] = '\0';
	return rest;
}

int table_text_number(const struct table_text *text, const char *what, const char *word,
		      uint64_t max, uint64_t *value)
{
	int error = number_parse(word, max, value);

	if (error == -ERANGE)
		return table_text_error(text, -EINVAL, "%s %s is above %llu", what, word,
					(unsigned long long)max);
	if (error)
		return table_text_error(text, -EINVAL, "%s \"%s\" is not a number", what, word);
	return 0;
}

static struct table_field *find_field(struct table_field *fields, unsigned int nr_fields,
				      const char *word, size_t key_length)
{
	for (unsigned int i = 0; i < nr_fields; i++) {
		if (strlen(fields[i].key) == key_length && !memcmp(fields[i].key, word, key_length))
			return &fields[i];
	}
	return NULL;
}

static int read_field(const struct table_text *text, const char *word, struct table_field *fields,
		      unsigned int nr_fields)
{
	const char *colon = strchr(word, ':');
	struct table_field *field;

	if (!colon)
		return table_text_error(text, -EINVAL,
					"\"%s\" is not a field: write KEY:VALUE, or \" : \" "
					"before the description",
					word);
	field = find_field(fields, nr_fields, word, (size_t)(colon - word));
	if (!field)
		return table_text_error(text, -EINVAL, "unknown field \"%s\"", word);
	if (field->value)
		return table_text_error(text, -EINVAL, "field %s: is given twice", field->key);
	if (!colon[1])
		return table_text_error(text, -EINVAL, "field %s: has no value", field->key);
	field->value = colon + 1;
	return 0;
}

int table_text_fields(const struct table_text *text, char **rest, struct table_field *fields,
		      unsigned int nr_fields)
{
	const char *word;

	while ((word = table_text_word(rest)) && strcmp(word, ":")) {
		int error = read_field(text, word, fields, nr_fields);

		if (error)
			return error;
	}
	for (unsigned int i = 0; i < nr_fields; i++) {
		if (fields[i].required && !fields[i].value)
			return table_text_error(text, -EINVAL, "field %s: is missing",
						fields[i].key);
	}
	return 0;
}
