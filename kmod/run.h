/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of the module: from the opening of the buffer to its closing, with
 * sampling enabled and disabled between. Puts the parts together in their
 * order and takes them apart in reverse; each part has open/close (memory,
 * nothing written yet), and what samples has enable/disable.
 *
 * All functions may sleep. They exclude each other by a mutex of run.c.
 */
#ifndef KMOD_RUN_H
#define KMOD_RUN_H

#include <linux/types.h>

#include "kmod/settings.h"

/* The buffer is being opened. -EBUSY: it is open; -EINVAL, -ENOMEM, or what kept a part. */
int run_open(const struct settings *settings);
/* ... or closed: nothing of the run is left. */
void run_close(void);
bool run_is_open(void);

/* -EINVAL: not open; -EBUSY: a counter can't be had; or its error. Already so: 0. */
int run_enable(bool enable);
bool run_is_enabled(void);

/*
 * From now on one of thinning samples of counters with a frequency
 * (settings_thin()); each run begins with 1. -EINVAL: not open; or what keeps a counter from
 * being had anew: then sampling is disabled.
 */
int run_thin(u64 thinning);
u64 run_thinning(void);

/* All samples taken before are in the buffer, or counted lost, when it returns. -EINVAL: not open.
 */
int run_dump(void);

#endif
