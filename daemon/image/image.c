// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/image.h"

#include "unwind/code_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of images without references that are kept. This limit applies separately to
 * images with a cookie and to images without a cookie.
 */
#define UNUSED_MAX 4096u

const struct image image_off_cpu = {
	.cookie = OPROF_IMAGE_COOKIE_OFF_CPU,
	.kind = OPROF_IMAGE_OFF_CPU,
	.path = (char[]){"[off-cpu]"},
};

int image_table_init(struct image_table *table)
{
	*table = (struct image_table){.last_cookie = OPROF_IMAGE_NONE};
	if (node_hash_init(&table->entries))
		return -ENOMEM;
	if (node_hash_init(&table->cookies)) {
		node_hash_deinit(&table->entries);
		return -ENOMEM;
	}
	return 0;
}

static void list_add(struct image_list *list, struct image_entry *entry)
{
	entry->newer = NULL;
	entry->older = list->newest;
	if (list->newest)
		list->newest->newer = entry;
	else
		list->oldest = entry;
	list->newest = entry;
	list->nr++;
}

static void list_remove(struct image_list *list, struct image_entry *entry)
{
	*(entry->newer ? &entry->newer->older : &list->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &list->oldest) = entry->newer;
	entry->newer = NULL;
	entry->older = NULL;
	list->nr--;
}

static void entry_free(struct image_entry *entry)
{
	code_table_close(entry->code);
	free(entry->image.path);
	free(entry);
}

static void forget_retired(struct image_table *table, struct image_entry *entry)
{
	list_remove(&table->retired, entry);
	node_hash_remove(&table->cookies, &entry->cookie_node);
	entry_free(entry);
}

void image_table_deinit(struct image_table *table)
{
	struct node *node;

	while (table->retired.oldest)
		forget_retired(table, table->retired.oldest);
	while ((node = node_hash_any(&table->entries))) {
		node_hash_remove(&table->entries, node);
		entry_free(node_owner(node, struct image_entry, node));
	}
	node_hash_deinit(&table->entries);
	node_hash_deinit(&table->cookies);
	*table = (struct image_table){.last_cookie = OPROF_IMAGE_NONE};
}

/*
 * Removes an image that will not be used again. An image without a cookie is freed now; an image
 * with a cookie is kept in `retired` until image_table_release().
 */
static void entry_retire(struct image_table *table, struct image_entry *entry)
{
	node_hash_remove(&table->entries, &entry->node);
	if (entry->image.cookie)
		list_add(&table->retired, entry);
	else
		entry_free(entry);
}

static struct image_list *list_of(const struct image_entry *entry)
{
	struct image_table *table = entry->table;

	return entry->image.cookie ? &table->told_unused : &table->unused;
}

/*
 * Returns whether the image is a region of one process. Such an image is not kept for later use,
 * because the region ends with the process.
 */
static bool is_of_a_process(const struct image_entry *entry)
{
	return entry->image.tgid;
}

static void unused_add(struct image_table *table, struct image_entry *entry)
{
	struct image_list *list = list_of(entry);

	if (is_of_a_process(entry)) {
		entry_retire(table, entry);
		return;
	}
	list_add(list, entry);
	if (list->nr <= UNUSED_MAX)
		return;
	entry = list->oldest;
	list_remove(list, entry);
	entry_retire(table, entry);
}

struct image_entry *image_get(struct image_entry *entry)
{
	if (!entry->nr_refs++)
		list_remove(list_of(entry), entry);
	return entry;
}

void image_put(struct image_entry *entry)
{
	if (!entry)
		return;
	assert(entry->nr_refs);
	if (!--entry->nr_refs)
		unused_add(entry->table, entry);
}

void image_table_release(struct image_table *table,
			 void (*gone)(const struct image *image, void *context), void *context)
{
	while (table->retired.oldest) {
		struct image_entry *entry = table->retired.oldest;

		table->nr_released++;
		gone(&entry->image, context);
		forget_retired(table, entry);
	}
}

/*
 * Copies an identity. If the identity has a build-id, clears all other fields of the copy, so that
 * equal contents have equal identities.
 */
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

/*
 * The end of a region is not hashed, since image_table_get_region accepts any region that is long
 * enough.
 */
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

/*
 * Finds a region that reaches at least to the end of `key`. *grew: a region with a cookie exists,
 * but is too short.
 */
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
	if (table->last_cookie == OPROF_IMAGE_COOKIE_OFF_CPU - 1)
		return OPROF_IMAGE_NONE;
	if (!entry->nr_refs)
		list_remove(&table->unused, entry);
	entry->image.cookie = ++table->last_cookie;
	if (!entry->nr_refs)
		list_add(&table->told_unused, entry);
	node_hash_add(&table->cookies, &entry->cookie_node, hash_number(entry->image.cookie));
	table->nr_told++;
	return entry->image.cookie;
}

enum oprof_lost image_frame(struct image_entry *entry, uint64_t offset, enum oprof_mode mode,
			    struct oprof_frame *frame)
{
	frame->image = image_tell(entry);
	frame->mode = mode;
	frame->offset = offset;
	return frame->image ? OPROF_LOST_NR : OPROF_LOST_MEMORY;
}

struct image_entry *image_table_entry(const struct image_table *table, uint32_t cookie)
{
	struct node *node = node_hash_first(&table->cookies, hash_number(cookie));

	for (; node; node = node_hash_next(node)) {
		struct image_entry *entry = node_owner(node, struct image_entry, cookie_node);

		if (entry->image.cookie == cookie)
			return entry;
	}
	return NULL;
}

const struct image *image_table_find(const struct image_table *table, uint32_t cookie)
{
	struct image_entry *entry = image_table_entry(table, cookie);

	return entry ? &entry->image : NULL;
}

static void keep_again(struct node *node, void *context)
{
	struct image_entry *entry = node_owner(node, struct image_entry, cookie_node);

	(void)context;
	entry->keep_due_ns = 0;
	entry->keep_tries = 0;
	entry->keep_missing = false;
}

void image_table_keep_again(struct image_table *table)
{
	node_hash_walk(&table->cookies, keep_again, NULL);
}
