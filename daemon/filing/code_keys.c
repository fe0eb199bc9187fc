// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/code_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Keys of names with larger numbers are looked up for each sample instead of remembered. No source
 * has so many names.
 */
#define KEYS_MAX (1u << 20)

void code_keys_init(struct code_keys *keys, const struct source *source, struct name_table *names)
{
	*keys = (struct code_keys){.source = source, .names = names};
}

void code_keys_deinit(struct code_keys *keys)
{
	free(keys->keys);
	*keys = (struct code_keys){.source = NULL};
}

/* Cookies are never reused, so the result for the last cookie stays valid. */
static bool is_named(struct code_keys *keys, uint32_t image)
{
	const struct image *found;

	if (image == keys->last_image)
		return keys->last_is_named;
	found = keys->source->ops->image(keys->source, image);
	keys->last_image = image;
	keys->last_is_named =
		found && (found->kind == OPROF_IMAGE_CODE || found->kind == OPROF_IMAGE_BPF);
	return keys->last_is_named;
}

static void keys_forget(struct code_keys *keys)
{
	if (keys->nr_keys)
		memset(keys->keys, 0, keys->nr_keys * sizeof(*keys->keys));
	keys->birth = keys->names->birth;
}

/*
 * Returns the element of keys->keys for number; NULL if the number is too large, or if out of
 * memory.
 */
static uint32_t *keys_place(struct code_keys *keys, uint64_t number)
{
	size_t nr = keys->nr_keys ? keys->nr_keys : 64;
	uint32_t *bigger;

	if (number < keys->nr_keys)
		return &keys->keys[number];
	if (number >= KEYS_MAX)
		return NULL;
	while (nr <= number)
		nr *= 2;
	bigger = realloc(keys->keys, nr * sizeof(*bigger));
	if (!bigger)
		return NULL;
	memset(bigger + keys->nr_keys, 0, (nr - keys->nr_keys) * sizeof(*bigger));
	keys->keys = bigger;
	keys->nr_keys = nr;
	return &keys->keys[number];
}

int code_keys_find(struct code_keys *keys, uint32_t image, uint64_t *offset)
{
	const char *name;
	uint32_t *place;
	int64_t key;

	if (!keys->source || !keys->source->ops->code_name || !is_named(keys, image))
		return 0;
	if (keys->birth != keys->names->birth)
		keys_forget(keys);
	if (*offset == NAME_TABLE_OTHER)
		return 1; /* this number stands for all names for which the source had no room */
	place = keys_place(keys, *offset);
	if (place && *place) {
		*offset = *place - 1;
		return 0;
	}
	name = keys->source->ops->code_name(keys->source, image, *offset);
	if (!name)
		return -ENXIO;
	key = name_table_number(keys->names, name);
	if (key < 0)
		return (int)key;
	/*
	 * NAME_TABLE_OTHER is not remembered, so that this function returns 1 for each sample with
	 * this key, and the caller counts the sample.
	 */
	if (place && key != NAME_TABLE_OTHER)
		*place = (uint32_t)key + 1;
	*offset = (uint64_t)key;
	return key == NAME_TABLE_OTHER;
}
