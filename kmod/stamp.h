/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of a run: what stamps entries, and what that is in
 * CLOCK_MONOTONIC. The counter where it is constant and synchronised, unless
 * the module parameter clock says otherwise.
 */
#ifndef KMOD_STAMP_H
#define KMOD_STAMP_H

#include <linux/types.h>

#include "ring/ring.h"

/* At load. name: auto, counter, monotonic; -EINVAL: none of these; -EOPNOTSUPP: not trustworthy. */
int stamp_init(const char *name);

enum ring_clock stamp_clock(void);
const char *stamp_name(void); /* "counter" or "monotonic" */

/* Now, as entries are stamped. Callable from NMI. */
static inline u64 stamp_now(void)
{
	return ring_clock(stamp_clock());
}

/* The counter and CLOCK_MONOTONIC, at once: as tight as can be had. */
struct stamp_point;
void stamp_read_both(struct stamp_point *now);

/* The worker, at the begin of each pass: another pair of readings of both clocks. */
void stamp_anchor(void);
/* A stamp of since the anchor before the last, in ns. Rises with the stamp. Worker. */
u64 stamp_to_ns(u64 stamp);

#endif
