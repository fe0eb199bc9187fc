/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches the two lines of a pair at once. Returns the number, 0 to 15 (7 in
 * wide tables), of the first slot that holds key or is empty, counting the
 * slots of line home first, then those of other; SDB_PAIR_NARROW
 * (SDB_PAIR_WIDE) if there is no such slot. Lines fill from their start and are
 * never emptied, so an empty slot ends the search. Without branches, since the
 * slot is unpredictable.
 */
#ifndef LIBDB_SDB_FIND_H
#define LIBDB_SDB_FIND_H

#ifdef __SSE2__
#include "libdb/sdb_find_sse2.h"
#else
#include "libdb/sdb_find_any.h"
#endif

#endif
