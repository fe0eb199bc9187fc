/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of the samples in memory (recent.h). Each key is stored once, with the number of its
 * entries. Images that the source has released, and that keys still name, are copied here.
 *
 * Elsewhere: keys of sample files, which are shorter (sample_key.h).
 */
#ifndef DAEMON_RECENT_KEYS_H
#define DAEMON_RECENT_KEYS_H

#include "daemon/system/node_hash.h"
#include "daemon/source.h"

#include <stdint.h>

#define RECENT_KEYS_MAX (1u << 15)

/*
 * All properties of a sample except its place in the image. The struct has no padding, since keys
 * are compared as bytes.
 */
struct recent_key {
	uint32_t image; /* cookies */
	uint32_t app;
	uint64_t cgroup;
	int32_t tgid, tid;
	uint32_t cpu;
	uint16_t event;
	uint16_t mode; /* enum oprof_mode */
};

_Static_assert(sizeof(struct recent_key) == 32, "no padding");

struct recent_slot {
	struct recent_key key;
	uint32_t nr_entries; /* number of entries that have this key; 0: the slot is free */
	uint32_t next;	     /* next slot in its bucket or in the free list, as index + 1 */
};

struct recent_keys {
	struct recent_slot *slots;
	uint32_t *buckets;   /* index + 1 of the first slot of each bucket */
	uint32_t free;	     /* index + 1 of the first free slot that was used before */
	uint32_t nr_touched; /* slots below this index were used at least once */
	uint32_t nr_keys;
	struct node_hash images; /* images that keys name: struct recent_image */
};

int recent_keys_init(struct recent_keys *keys); /* returns 0 or -ENOMEM */
void recent_keys_deinit(struct recent_keys *keys);

/*
 * Counts one more entry with key and returns the key's index; -ENOSPC if there are already
 * RECENT_KEYS_MAX other keys; or -ENOMEM.
 */
int64_t recent_keys_get(struct recent_keys *keys, const struct recent_key *key);
/* Call when an entry with this key is dropped: counts one entry less. */
void recent_keys_put(struct recent_keys *keys, uint32_t index);

/* Call when the source releases `image`: copies it if a key names it. Returns 0 or -ENOMEM. */
int recent_keys_release(struct recent_keys *keys, const struct image *image);
/* Returns the copy of a released image that a key names; NULL: the source still has the image. */
const struct image *recent_keys_image(const struct recent_keys *keys, uint32_t cookie);

#endif
