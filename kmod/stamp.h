/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of a run. Entries have stamps of this clock, which are converted to
 * CLOCK_MONOTONIC. The module parameter `clock` selects the clock. By default,
 * it is the CPU's cycle counter if this counter has a constant rate and is
 * synchronised among CPUs, else CLOCK_MONOTONIC.
 */
#ifndef KMOD_STAMP_H
#define KMOD_STAMP_H

#include <linux/types.h>

#include "ring/ring.h"

/*
 * To be called when the module is loaded. name is auto, counter or monotonic.
 * -EINVAL: another name; -EOPNOTSUPP: the counter is not reliable.
 */
int stamp_init(const char *name);

enum ring_clock stamp_clock(void);
const char *stamp_name(void); /* "counter" or "monotonic" */

/* Returns the present time on the run's clock. Callable from NMI. */
static inline u64 stamp_now(void)
{
	return ring_clock(stamp_clock());
}

/* Reads the counter and CLOCK_MONOTONIC at nearly the same time. */
struct stamp_point;
void stamp_read_both(struct stamp_point *now);

/* Reads both clocks again. The worker calls this at the start of each pass. */
void stamp_anchor(void);
/*
 * Converts a stamp to ns. The stamp must be later than the next-to-last call of
 * stamp_anchor(). A later stamp never gives a smaller result. Only the worker
 * may call this function.
 */
u64 stamp_to_ns(u64 stamp);

#endif
