/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking at the two lines of a pair at once: the number, 0 to 15 (7 in wide
 * tables), of the first slot that holds key or is empty; first those of the
 * line home, then those of other; NR_SLOTS when there is none. Lines fill
 * from their start and never empty, so that the first such slot is the
 * answer. Without branches: which slot it is can't be predicted.
 */
#ifndef LIBDB_SDB_FIND_H
#define LIBDB_SDB_FIND_H

#ifdef __SSE2__
#include "libdb/sdb_find_sse2.h"
#else
#include "libdb/sdb_find_any.h"
#endif

#endif
