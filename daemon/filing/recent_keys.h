/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of the samples in memory (recent.h), each kept once and counted,
 * and the images they name that the source has released meanwhile.
 *
 * Not for: sample files; their keys are shorter (sample_key.h).
 */
#ifndef DAEMON_RECENT_KEYS_H
#define DAEMON_RECENT_KEYS_H

#include "daemon/system/node_hash.h"
#include "daemon/source.h"

#include <stdint.h>

#define RECENT_KEYS_MAX (1u << 15)

/* Everything that a sample was taken with but its place. No padding: compared as bytes. */
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
	uint32_t nr_entries; /* that have this key; 0: free */
	uint32_t next;	     /* in its bucket, or of the free: index + 1 */
};

struct recent_keys {
	struct recent_slot *slots;
	uint32_t *buckets;   /* index + 1 of their first slot */
	uint32_t free;	     /* index + 1 of the first of those given back */
	uint32_t nr_touched; /* slots from here on were never used */
	uint32_t nr_keys;
	struct node_hash images; /* that keys name: struct recent_image */
};

int recent_keys_init(struct recent_keys *keys); /* 0 or -ENOMEM */
void recent_keys_deinit(struct recent_keys *keys);

/* Index of key, for one entry more. -ENOSPC there are RECENT_KEYS_MAX; -ENOMEM. */
int64_t recent_keys_get(struct recent_keys *keys, const struct recent_key *key);
/* One entry has gone. */
void recent_keys_put(struct recent_keys *keys, uint32_t index);

/* The source gives image up: a copy, if any key names it. 0 or -ENOMEM. */
int recent_keys_release(struct recent_keys *keys, const struct image *image);
/* That copy, while a key names it; NULL: the source has it still. */
const struct image *recent_keys_image(const struct recent_keys *keys, uint32_t cookie);

#endif
