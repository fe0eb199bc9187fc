/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key by which the daemon finds the sample file of a sample. Fields that the separation does
 * not use are 0, so that equal keys have the same file. Two different keys may also have the same
 * file (if a region is removed and added again, it has two cookies).
 */
#ifndef DAEMON_SAMPLE_KEY_H
#define DAEMON_SAMPLE_KEY_H

#include <stdint.h>
#include <string.h>

/* The struct has no padding, because it is compared and hashed as bytes. */
struct sample_key {
	uint32_t image; /* cookie of the sample's own image */
	uint32_t app;	/* cookie of the application; OPROF_IMAGE_NONE: see kind */
	uint64_t cgroup;
	int32_t tgid, tid;
	uint32_t cpu;
	uint16_t event;
	uint16_t kind; /* enum sample_kind */
};

enum sample_kind {
	SAMPLE_OF_IMAGE,  /* stored under the image itself: no application */
	SAMPLE_OF_APP,	  /* filed under key.app */
	SAMPLE_OF_KERNEL, /* sample of a kernel thread, stored under the kernel */
	SAMPLE_OF_IDLE,
};

_Static_assert(sizeof(struct sample_key) == 32, "no padding");

static inline int sample_key_equal(const struct sample_key *a, const struct sample_key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static inline uint64_t sample_key_hash(const struct sample_key *key)
{
	uint64_t words[sizeof(*key) / sizeof(uint64_t)];
	uint64_t hash = 0;

	memcpy(words, key, sizeof(words));
	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

#endif
