/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of a run. Entries are stamped with it, and stamps are converted
 * to CLOCK_MONOTONIC. The clock is the CPU's cycle counter if this counter has
 * a constant rate and is synchronised among CPUs, unless the module parameter
 * clock selects another.
 */
#ifndef KMOD_STAMP_H
#define KMOD_STAMP_H

#include <linux/types.h>

#include "ring/ring.h"

/*
 * At module load. name: auto, counter or monotonic. -EINVAL: another name;
 * -EOPNOTSUPP: the counter is not reliable.
 */
int stamp_init(const char *name);

enum ring_clock stamp_clock(void);
const char *stamp_name(void); /* "counter" or "monotonic" */

/* Returns the present time on the clock of stamps. Callable from NMI. */
static inline u64 stamp_now(void)
{
	return ring_clock(stamp_clock());
}

/* Reads the counter and CLOCK_MONOTONIC as close together as possible. */
struct stamp_point;
void stamp_read_both(struct stamp_point *now);

/* For the worker, at the start of each pass: reads both clocks again. */
void stamp_anchor(void);
/*
 * Converts a stamp to ns; the stamp must be later than the last but one call of
 * stamp_anchor(). A later stamp never gives a smaller result. For the worker.
 */
u64 stamp_to_ns(u64 stamp);

#endif
