// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/recent_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_BUCKETS (RECENT_KEYS_MAX * 2)

struct recent_image {
	struct node node;
	uint32_t cookie;
	/*
	 * Number of keys that name the image. A key that names the image twice, as image and as
	 * application, counts twice.
	 */
	uint32_t nr_keys;
	struct image *own; /* NULL: not released */
};

static struct recent_image *image_find(const struct recent_keys *keys, uint32_t cookie)
{
	struct node *node = node_hash_first(&keys->images, hash_number(cookie));

	for (; node; node = node_hash_next(node)) {
		struct recent_image *image = node_owner(node, struct recent_image, node);

		if (image->cookie == cookie)
			return image;
	}
	return NULL;
}

static int image_get(struct recent_keys *keys, uint32_t cookie)
{
	struct recent_image *image;

	if (cookie == OPROF_IMAGE_NONE)
		return 0;
	image = image_find(keys, cookie);
	if (!image) {
		image = calloc(1, sizeof(*image));
		if (!image)
			return -ENOMEM;
		image->cookie = cookie;
		node_hash_add(&keys->images, &image->node, hash_number(cookie));
	}
	image->nr_keys++;
	return 0;
}

static void image_destroy(struct recent_keys *keys, struct recent_image *image)
{
	node_hash_remove(&keys->images, &image->node);
	if (image->own)
		free(image->own->path);
	free(image->own);
	free(image);
}

static void image_put(struct recent_keys *keys, uint32_t cookie)
{
	struct recent_image *image = image_find(keys, cookie);

	if (image && --image->nr_keys == 0)
		image_destroy(keys, image);
}

static uint32_t *key_bucket(const struct recent_keys *keys, const struct recent_key *key)
{
	return &keys->buckets[hash_bytes(0, key, sizeof(*key)) & (NR_BUCKETS - 1)];
}

static int key_get_images(struct recent_keys *keys, const struct recent_key *key)
{
	int error = image_get(keys, key->image);

	if (error)
		return error;
	error = image_get(keys, key->app);
	if (error)
		image_put(keys, key->image);
	return error;
}

/* Returns a free slot's index + 1; 0: no slot is free. */
static uint32_t take_slot(struct recent_keys *keys)
{
	uint32_t taken = keys->free;

	if (taken)
		keys->free = keys->slots[taken - 1].next;
	else if (keys->nr_touched < RECENT_KEYS_MAX)
		taken = ++keys->nr_touched;
	return taken;
}

static int64_t key_add(struct recent_keys *keys, const struct recent_key *key, uint32_t *bucket)
{
	uint32_t taken;
	int error;

	if (keys->nr_keys == RECENT_KEYS_MAX)
		return -ENOSPC;
	error = key_get_images(keys, key);
	if (error)
		return error;
	taken = take_slot(keys);
	keys->nr_keys++;
	keys->slots[taken - 1] =
		(struct recent_slot){.key = *key, .nr_entries = 1, .next = *bucket};
	*bucket = taken;
	return taken - 1;
}

int64_t recent_keys_get(struct recent_keys *keys, const struct recent_key *key)
{
	uint32_t *bucket = key_bucket(keys, key);

	for (uint32_t at = *bucket; at; at = keys->slots[at - 1].next) {
		struct recent_slot *slot = &keys->slots[at - 1];

		if (memcmp(&slot->key, key, sizeof(*key)) != 0)
			continue;
		slot->nr_entries++;
		return at - 1;
	}
	return key_add(keys, key, bucket);
}

void recent_keys_put(struct recent_keys *keys, uint32_t index)
{
	struct recent_slot *slot = &keys->slots[index];
	uint32_t *at;

	if (--slot->nr_entries)
		return;
	for (at = key_bucket(keys, &slot->key); *at != index + 1; at = &keys->slots[*at - 1].next)
		;
	*at = slot->next;
	image_put(keys, slot->key.image);
	image_put(keys, slot->key.app);
	slot->next = keys->free;
	keys->free = index + 1;
	keys->nr_keys--;
}

int recent_keys_release(struct recent_keys *keys, const struct image *image)
{
	struct recent_image *named = image_find(keys, image->cookie);
	struct image *own;

	if (!named || named->own)
		return 0;
	own = malloc(sizeof(*own));
	if (!own)
		return -ENOMEM;
	*own = *image;
	own->path = strdup(image->path);
	if (!own->path) {
		free(own);
		return -ENOMEM;
	}
	named->own = own;
	return 0;
}

const struct image *recent_keys_image(const struct recent_keys *keys, uint32_t cookie)
{
	const struct recent_image *image = image_find(keys, cookie);

	return image ? image->own : NULL;
}

int recent_keys_init(struct recent_keys *keys)
{
	*keys = (struct recent_keys){0};
	/* Zeroed pages take no memory until they are used. */
	keys->slots = calloc(RECENT_KEYS_MAX, sizeof(*keys->slots));
	keys->buckets = calloc(NR_BUCKETS, sizeof(*keys->buckets));
	if (keys->slots && keys->buckets && !node_hash_init(&keys->images))
		return 0;
	free(keys->slots);
	free(keys->buckets);
	*keys = (struct recent_keys){0};
	return -ENOMEM;
}

void recent_keys_deinit(struct recent_keys *keys)
{
	struct node *node;

	while ((node = node_hash_any(&keys->images)))
		image_destroy(keys, node_owner(node, struct recent_image, node));
	node_hash_deinit(&keys->images);
	free(keys->slots);
	free(keys->buckets);
}
