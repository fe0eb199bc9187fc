// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED_MAX 4096u

int image_table_init(struct image_table *table)
{
	*table = (struct image_table){.nr_told = 0};
	return node_hash_init(&table->entries);
}

static void entry_free(struct image_entry *entry)
{
	free(entry->image.path);
	free(entry);
}

void image_table_deinit(struct image_table *table)
{
	struct node *node;

	while ((node = node_hash_any(&table->entries))) {
		node_hash_remove(&table->entries, node);
		entry_free(node_owner(node, struct image_entry, node));
	}
	node_hash_deinit(&table->entries);
	free(table->told);
	*table = (struct image_table){.nr_told = 0};
}

static void unused_remove(struct image_table *table, struct image_entry *entry)
{
	*(entry->newer ? &entry->newer->older : &table->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &table->oldest) = entry->newer;
	entry->newer = NULL;
	entry->older = NULL;
	table->nr_unused--;
}

static void unused_add(struct image_table *table, struct image_entry *entry)
{
	entry->older = table->newest;
	if (table->newest)
		table->newest->newer = entry;
	else
		table->oldest = entry;
	table->newest = entry;
	table->nr_unused++;
	if (table->nr_unused <= UNUSED_MAX)
		return;
	entry = table->oldest;
	unused_remove(table, entry);
	node_hash_remove(&table->entries, &entry->node);
	entry_free(entry);
}

struct image_entry *image_get(struct image_entry *entry)
{
	if (!entry->nr_refs++ && !entry->image.cookie)
		unused_remove(entry->table, entry);
	return entry;
}

void image_put(struct image_entry *entry)
{
	if (!entry)
		return;
	assert(entry->nr_refs);
	if (!--entry->nr_refs && !entry->image.cookie)
		unused_add(entry->table, entry);
}

/* One identity for one content: with a build-id the rest says nothing. */
static void identity_normalize(struct oprof_image_identity *to,
			       const struct oprof_image_identity *from)
{
	memset(to, 0, sizeof(*to));
	if (!from)
		return;
	if (from->nr_build_id && from->nr_build_id <= OPROF_BUILD_ID_BYTES_MAX) {
		memcpy(to->build_id, from->build_id, from->nr_build_id);
		to->nr_build_id = from->nr_build_id;
		return;
	}
	to->dev = from->dev;
	to->inode = from->inode;
	to->inode_generation = from->inode_generation;
	to->mtime_ns = from->mtime_ns;
	to->size_bytes = from->size_bytes;
}

static bool identity_equal(const struct oprof_image_identity *a,
			   const struct oprof_image_identity *b)
{
	return a->nr_build_id == b->nr_build_id &&
	       !memcmp(a->build_id, b->build_id, sizeof(a->build_id)) && a->dev == b->dev &&
	       a->inode == b->inode && a->inode_generation == b->inode_generation &&
	       a->mtime_ns == b->mtime_ns && a->size_bytes == b->size_bytes;
}

/* A region's end is not hashed: image_table_get_region looks for any that suffices. */
static uint64_t key_hash(const struct image_key *key, const struct oprof_image_identity *identity)
{
	uint64_t hash = hash_number((uint64_t)key->kind << 32 | (uint32_t)key->tgid);

	hash = hash_number(hash ^ key->start);
	hash = hash_bytes(hash, key->path, strlen(key->path));
	hash = hash_bytes(hash, identity->build_id, identity->nr_build_id);
	return hash_number(hash ^ identity->dev ^ identity->inode << 20 ^
			   (uint64_t)identity->mtime_ns);
}

static bool entry_is(const struct image_entry *entry, const struct image_key *key,
		     const struct oprof_image_identity *identity)
{
	const struct image *image = &entry->image;

	return image->kind == key->kind && image->tgid == key->tgid && image->start == key->start &&
	       !strcmp(image->path, key->path) && identity_equal(&image->identity, identity);
}

static struct image_entry *entry_create(struct image_table *table, const struct image_key *key,
					const struct oprof_image_identity *identity, uint64_t hash)
{
	struct image_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->image.path = strdup(key->path);
	if (!entry->image.path) {
		free(entry);
		return NULL;
	}
	entry->image.kind = key->kind;
	entry->image.identity = *identity;
	entry->image.tgid = key->tgid;
	entry->image.start = key->start;
	entry->image.end = key->end;
	entry->table = table;
	entry->nr_refs = 1;
	node_hash_add(&table->entries, &entry->node, hash);
	table->nr_made++;
	return entry;
}

struct image_entry *image_table_get(struct image_table *table, const struct image_key *key)
{
	struct oprof_image_identity identity;
	struct node *node;
	uint64_t hash;

	identity_normalize(&identity, key->identity);
	hash = key_hash(key, &identity);
	for (node = node_hash_first(&table->entries, hash); node; node = node_hash_next(node)) {
		struct image_entry *entry = node_owner(node, struct image_entry, node);

		if (entry_is(entry, key, &identity) && entry->image.end == key->end)
			return image_get(entry);
	}
	return entry_create(table, key, &identity, hash);
}

/* The region that reaches to key's end; *grew: it was told, but did not reach as far. */
static struct image_entry *region_find(const struct image_table *table, const struct image_key *key,
				       uint64_t hash, bool *grew)
{
	const struct oprof_image_identity identity = {.nr_build_id = 0};
	struct node *node = node_hash_first(&table->entries, hash);

	*grew = false;
	for (; node; node = node_hash_next(node)) {
		struct image_entry *entry = node_owner(node, struct image_entry, node);

		if (!entry_is(entry, key, &identity))
			continue;
		if (entry->image.end >= key->end)
			return image_get(entry);
		*grew = *grew || entry->image.cookie;
	}
	return NULL;
}

static uint64_t room_to_grow(uint64_t nr_bytes)
{
	uint64_t room = 1;

	while (room < nr_bytes && room <= UINT64_MAX / 4)
		room *= 2;
	return room < nr_bytes ? nr_bytes : room;
}

struct image_entry *image_table_get_region(struct image_table *table, const char *name, pid_t tgid,
					   uint64_t start, uint64_t end)
{
	struct oprof_image_identity identity = {.nr_build_id = 0};
	struct image_key key = {
		.kind = OPROF_IMAGE_ANON, .path = name, .tgid = tgid, .start = start, .end = end};
	uint64_t hash = key_hash(&key, &identity);
	bool grew;
	struct image_entry *entry = region_find(table, &key, hash, &grew);

	if (entry)
		return entry;
	if (grew && room_to_grow(end - start) <= UINT64_MAX - start)
		key.end = start + room_to_grow(end - start);
	return entry_create(table, &key, &identity, hash);
}

struct image_entry *image_table_find_region(struct image_table *table, const char *name, pid_t tgid,
					    uint64_t start, uint64_t end)
{
	struct oprof_image_identity identity = {.nr_build_id = 0};
	struct image_key key = {
		.kind = OPROF_IMAGE_ANON, .path = name, .tgid = tgid, .start = start, .end = end};
	bool grew;

	return region_find(table, &key, key_hash(&key, &identity), &grew);
}

uint32_t image_tell(struct image_entry *entry)
{
	struct image_table *table = entry->table;

	if (entry->image.cookie)
		return entry->image.cookie;
	if (table->nr_told == table->room_told) {
		size_t room = table->room_told ? 2 * table->room_told : 64;
		struct image_entry **told = NULL;

		if (room < UINT32_MAX)
			told = realloc(table->told, room * sizeof(struct image_entry *));
		if (!told)
			return OPROF_IMAGE_NONE;
		table->told = told;
		table->room_told = room;
	}
	if (!entry->nr_refs)
		unused_remove(table, entry);
	table->told[table->nr_told++] = entry;
	entry->image.cookie = (uint32_t)table->nr_told;
	return entry->image.cookie;
}

struct image_entry *image_table_entry(const struct image_table *table, uint32_t cookie)
{
	if (cookie == OPROF_IMAGE_NONE || cookie > table->nr_told)
		return NULL;
	return table->told[cookie - 1];
}

const struct image *image_table_find(const struct image_table *table, uint32_t cookie)
{
	struct image_entry *entry = image_table_entry(table, cookie);

	return entry ? &entry->image : NULL;
}

void image_table_keep_again(struct image_table *table)
{
	for (size_t i = 0; i < table->nr_told; i++) {
		struct image_entry *entry = table->told[i];

		entry->keep_due_ns = 0;
		entry->keep_tries = 0;
		entry->keep_missing = false;
	}
}
