/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample files for tests: a folder for one, and what it should hold. */
#ifndef TESTS_UNIT_MAKE_SDB_H
#define TESTS_UNIT_MAKE_SDB_H

#include "libdb/sdb.h"

#include <stddef.h>
#include <stdint.h>

struct expected_add {
	uint64_t key, nr_samples, weight;
};

/* Everything that was added, in order. */
struct expected {
	struct expected_add *adds;
	size_t nr_adds, room;
};

struct make_sdb {
	char folder[256];
	char path[300]; /* no file yet */
	struct sdb_identity identity;
	struct expected expected;
	uint64_t random; /* state of make_sdb_random */
};

/* A temporary folder, and the identity of a plain file. Asserts on failure. */
void make_sdb_init(struct make_sdb *make);
/* Removes the folder. */
void make_sdb_deinit(struct make_sdb *make);

/* Open make->path for writing; asserts that it works. */
struct sdb *make_sdb_open(const struct make_sdb *make);

/* Add, assert that it works, and remember. */
void make_sdb_add(struct make_sdb *make, struct sdb *db, uint64_t key, uint64_t nr_samples);

uint64_t make_sdb_random(struct make_sdb *make);

/* Patterns of keys that tables of others suffer from. */
enum key_pattern {
	KEYS_RANDOM,
	KEYS_SEQUENTIAL,
	KEYS_ALIGNED,
	KEYS_PAGES,
	KEYS_NODES,
	NR_PATTERNS
};
uint64_t make_sdb_key(struct make_sdb *make, enum key_pattern pattern, uint64_t i);

void expected_add(struct expected *expected, uint64_t key, uint64_t nr_samples, uint64_t weight);
void expected_deinit(struct expected *expected);

/*
 * Does the file hold what was added? 0, or 1 and why in text. With ignore !=
 * NULL its one add may be in the file or not.
 */
int expected_differs(const struct expected *expected, const char *path,
		     const struct expected_add *ignore, char *text, size_t nr_bytes);

/* Assert that the file passes sdb_check and holds what was added. */
void make_sdb_verify(const struct make_sdb *make);

/* The whole file, malloc'ed; and the other way. */
void *make_sdb_read(const char *path, size_t *nr_bytes);
void make_sdb_write(const char *path, const void *bytes, size_t nr_bytes);

#endif
