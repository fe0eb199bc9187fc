// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses unit masks, which refine an event (the unit_masks files of doc/events.md). */
#include "events/event_table.h"

#include "lib/array.h"
#include "lib/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void unit_mask_destroy(struct event_unit_mask *mask)
{
	if (!mask)
		return;
	for (size_t i = 0; i < mask->nr_values; i++) {
		free(mask->values[i].name);
		free(mask->values[i].text);
	}
	free(mask->values);
	free(mask->name);
	free(mask);
}

const struct event_unit_mask *unit_mask_find(const struct event_table *table, size_t first,
					     const char *name)
{
	for (size_t i = first; i < table->nr_unit_masks; i++) {
		if (!strcmp(table->unit_masks[i]->name, name))
			return table->unit_masks[i];
	}
	return NULL;
}

static int parse_type(const struct table_text *text, const char *word,
		      enum event_unit_mask_type *type)
{
	static const char *const words[] = {
		[UNIT_MASK_MANDATORY] = "mandatory",
		[UNIT_MASK_BITMASK] = "bitmask",
		[UNIT_MASK_EXCLUSIVE] = "exclusive",
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(words[i], word)) {
			*type = (enum event_unit_mask_type)i;
			return 0;
		}
	}
	return table_text_error(text, -EINVAL,
				"type \"%s\" is not one of mandatory, bitmask, exclusive", word);
}

/*
 * The mask whose values are being read. default_word is checked at the end of
 * the mask, because this word may be the name of a later value.
 */
struct pending_mask {
	struct event_unit_mask *mask; /* NULL: no mask has begun */
	const char *default_word;
	unsigned int line;
};

static int begin_mask(struct event_table *table, struct table_text *text, char *line, size_t first,
		      struct pending_mask *pending)
{
	struct table_field fields[] = {
		{"name", NULL, true}, {"type", NULL, true}, {"default", NULL, true}};
	struct event_unit_mask *mask;
	int error = table_text_fields(text, &line, fields, 3);

	if (error)
		return error;
	if (unit_mask_find(table, first, fields[0].value))
		return table_text_error(text, -EINVAL, "unit mask %s is given twice",
					fields[0].value);
	error = array_reserve_bytes(&table->unit_masks, &table->unit_masks_room,
				    table->nr_unit_masks, 1, sizeof(struct event_unit_mask *));
	mask = error ? NULL : calloc(1, sizeof(*mask));
	if (!mask)
		return -ENOMEM;
	table->unit_masks[table->nr_unit_masks++] = mask;
	mask->name = strdup(fields[0].value);
	if (!mask->name)
		return -ENOMEM;
	*pending = (struct pending_mask){mask, fields[2].value, text->line};
	return parse_type(text, fields[1].value, &mask->type);
}

/* Splits "0xN text" or "0xN extra: name text"; *rest moves to the text. */
static int split_value(const struct table_text *text, char **rest, char **name)
{
	char *next = *rest + strspn(*rest, " \t");

	*name = NULL;
	if (strncmp(next, "extra:", 6) != 0)
		return 0;
	next += 6;
	if (*next != '\0' && *next != ' ' && *next != '\t')
		return table_text_error(text, -EINVAL,
					"\"extra:\" must be followed by a blank and a name for "
					"the value");
	*name = table_text_word(&next);
	if (!*name)
		return table_text_error(text, -EINVAL, "\"extra:\" is not followed by a name");
	*rest = next;
	return 0;
}

/*
 * Returns whether a value's name is valid: it must not look like a number, and
 * must not contain a separator of event choices.
 */
static bool value_name_valid(const char *name)
{
	for (const char *c = name; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
			return false;
	}
	return isalpha((unsigned char)*name);
}

static int check_new_value(const struct table_text *text, const struct event_unit_mask *mask,
			   uint64_t value, const char *name)
{
	if (name && !value_name_valid(name))
		return table_text_error(
			text, -EINVAL,
			"value name %s must be a letter, then letters, digits, - and _", name);
	for (size_t i = 0; i < mask->nr_values; i++) {
		const struct event_unit_mask_value *old = &mask->values[i];

		if (!name && !old->name && old->value == value)
			return table_text_error(text, -EINVAL, "value 0x%llx is given twice",
						(unsigned long long)value);
		if (name && old->name && !strcmp(name, old->name))
			return table_text_error(text, -EINVAL, "value name %s is given twice",
						name);
	}
	return 0;
}

static int append_value(struct event_unit_mask *mask, uint32_t value, const char *name,
			const char *description)
{
	struct event_unit_mask_value *values =
		realloc(mask->values, (mask->nr_values + 1) * sizeof(*values));
	struct event_unit_mask_value *new_value;

	if (!values)
		return -ENOMEM;
	mask->values = values;
	new_value = &values[mask->nr_values++];
	new_value->value = value;
	new_value->name = name ? strdup(name) : NULL;
	new_value->text = strdup(description);
	return new_value->text && (new_value->name || !name) ? 0 : -ENOMEM;
}

static int add_value(const struct table_text *text, struct event_unit_mask *mask, char *line)
{
	const char *word = table_text_word(&line);
	char *name = NULL;
	uint64_t value;
	int error = table_text_number(text, "value", word, UINT32_MAX, &value);

	if (!error)
		error = split_value(text, &line, &name);
	if (!error)
		error = check_new_value(text, mask, value, name);
	if (error)
		return error;
	line = table_text_trim(line);
	if (!*line)
		return table_text_error(text, -EINVAL, "value 0x%llx has no text",
					(unsigned long long)value);
	return append_value(mask, (uint32_t)value, name, line);
}

bool unit_mask_allows(const struct event_unit_mask *mask, uint64_t number)
{
	uint64_t all = 0;

	for (size_t i = 0; i < mask->nr_values; i++) {
		if (mask->values[i].value == number)
			return true;
		all |= mask->values[i].value;
	}
	return mask->type == UNIT_MASK_BITMASK && number && !(number & ~all);
}

static int end_mask(struct table_text *text, struct pending_mask *pending)
{
	struct event_unit_mask *mask = pending->mask;
	uint64_t number = 0;

	if (!mask)
		return 0;
	pending->mask = NULL;
	text->line = pending->line;
	if (!mask->nr_values)
		return table_text_error(text, -EINVAL, "unit mask %s has no values", mask->name);
	for (size_t i = 0; i < mask->nr_values; i++) {
		const char *name = mask->values[i].name;

		if (name && !strcmp(name, pending->default_word)) {
			mask->default_value = mask->values[i].value;
			return 0;
		}
	}
	if (number_parse(pending->default_word, UINT32_MAX, &number) ||
	    !unit_mask_allows(mask, number))
		return table_text_error(text, -EINVAL, "default %s is not a value of unit mask %s",
					pending->default_word, mask->name);
	mask->default_value = (uint32_t)number;
	return 0;
}

int unit_mask_parse_file(struct event_table *table, struct table_text *text)
{
	struct pending_mask pending = {NULL, NULL, 0};
	size_t first = table->nr_unit_masks;
	char *line;
	int error = 0;

	while (!error && (line = table_text_line(text))) {
		unsigned int number = text->line;
		bool indented = *line == ' ' || *line == '\t';

		if (indented && !pending.mask)
			return table_text_error(text, -EINVAL,
						"a value comes before any unit mask");
		if (indented) {
			error = add_value(text, pending.mask, line);
			continue;
		}
		error = end_mask(text, &pending);
		text->line = error ? text->line : number;
		if (!error)
			error = begin_mask(table, text, line, first, &pending);
	}
	return error ? error : end_mask(text, &pending);
}
