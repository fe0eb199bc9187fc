/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys with a value each: a growing array of them, and sorting it. */
#ifndef LIBDB_SDB_SORT_H
#define LIBDB_SDB_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sdb_pair {
	uint64_t key;
	uint64_t value;
};

struct sdb_pairs {
	struct sdb_pair *pairs;
	size_t nr_pairs;
	size_t room;
};

/* See to it that nr more can be put behind. 0 or -ENOMEM. */
int sdb_pairs_reserve(struct sdb_pairs *pairs, size_t nr);

/* By ascending key. 0 or -ENOMEM, with the order arbitrary. */
int sdb_pairs_sort(struct sdb_pairs *pairs);

void sdb_pairs_deinit(struct sdb_pairs *pairs);

#endif
