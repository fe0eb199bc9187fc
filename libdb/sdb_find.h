/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sdb_find_narrow() and sdb_find_wide() search the two lines of a pair together. Both functions
 * return the number of the first slot that has the key or is empty: 0 to 15 (0 to 7 in wide
 * tables). The slots of the line `home` have the first numbers, and the slots of the line `other`
 * have the following numbers. If there is no such slot, the functions return SDB_PAIR_NARROW
 * (SDB_PAIR_WIDE). Lines are filled from their start and are never emptied, so an empty slot ends
 * the search. The code has no branches, since a processor could not predict the slot.
 */
#ifndef LIBDB_SDB_FIND_H
#define LIBDB_SDB_FIND_H

#ifdef __SSE2__
#include "libdb/sdb_find_sse2.h"
#else
#include "libdb/sdb_find_any.h"
#endif

#endif
