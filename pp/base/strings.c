// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/strings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash ^ hash >> 32;
}

/* Returns the slot that contains `text`, or the empty slot into which `text` must be put. */
static char **find_slot(const struct strings *strings, const char *text)
{
	size_t mask = strings->nr_slots - 1;
	size_t index = (size_t)hash_text(text) & mask;

	while (strings->slots[index] && strcmp(strings->slots[index], text) != 0)
		index = (index + 1) & mask;
	return &strings->slots[index];
}

/* Makes room for one more text, keeping the table at most three quarters full. */
static int make_room(struct strings *strings)
{
	struct strings bigger = {.nr_used = strings->nr_used};

	if (strings->nr_used < strings->nr_slots / 4 * 3)
		return 0;
	bigger.nr_slots = strings->nr_slots ? strings->nr_slots * 2 : FIRST_SLOTS;
	bigger.slots = calloc(bigger.nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (size_t i = 0; i < strings->nr_slots; i++)
		if (strings->slots[i])
			*find_slot(&bigger, strings->slots[i]) = strings->slots[i];
	free(strings->slots);
	*strings = bigger;
	return 0;
}

const char *strings_keep(struct strings *strings, const char *text)
{
	char **slot;

	if (make_room(strings))
		return NULL;
	slot = find_slot(strings, text);
	if (!*slot) {
		*slot = strdup(text);
		strings->nr_used += *slot != NULL;
	}
	return *slot;
}

void strings_deinit(struct strings *strings)
{
	for (size_t i = 0; i < strings->nr_slots; i++)
		free(strings->slots[i]);
	free(strings->slots);
	*strings = (struct strings){0};
}
