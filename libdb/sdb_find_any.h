/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variant of sdb_find.h for all machines. Only sdb_find.h includes this header. */
#ifndef LIBDB_SDB_FIND_ANY_H
#define LIBDB_SDB_FIND_ANY_H

#include "libdb/sdb_format.h"

static inline unsigned int sdb_find_narrow_any(const uint64_t *home, const uint64_t *other,
					       uint64_t key)
{
	unsigned int found = 1u << SDB_PAIR_NARROW;

	for (unsigned int i = 0; i < SDB_LINE_NARROW; i++) {
		const unsigned int at_home =
			!home[i] | (home[i] >> OPROF_SDB_NARROW_COUNT_BITS == key);
		const unsigned int at_other =
			!other[i] | (other[i] >> OPROF_SDB_NARROW_COUNT_BITS == key);

		found |= at_home << i | at_other << (i + SDB_LINE_NARROW);
	}
	return (unsigned int)__builtin_ctz(found);
}

static inline unsigned int sdb_find_wide_any(const struct sdb_wide_slot *home,
					     const struct sdb_wide_slot *other, uint64_t key)
{
	unsigned int found = 1u << SDB_PAIR_WIDE;

	for (unsigned int i = 0; i < SDB_LINE_WIDE; i++) {
		const unsigned int at_home = !home[i].value | (home[i].key == key);
		const unsigned int at_other = !other[i].value | (other[i].key == key);

		found |= at_home << i | at_other << (i + SDB_LINE_WIDE);
	}
	return (unsigned int)__builtin_ctz(found);
}

#ifndef __SSE2__
#define sdb_find_narrow sdb_find_narrow_any
#define sdb_find_wide	sdb_find_wide_any
#endif

#endif
