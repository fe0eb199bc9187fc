/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of the module: from the opening of the buffer to its closing. In
 * between sampling can be enabled and disabled. A run opens the parts in order
 * and closes them in reverse. Each part has open/close (memory; nothing is
 * written yet); sources of samples also have enable/disable.
 *
 * All functions may sleep. A mutex in run.c excludes them from each other.
 */
#ifndef KMOD_RUN_H
#define KMOD_RUN_H

#include <linux/types.h>

#include "kmod/settings.h"

/* For opening the buffer. -EBUSY: it is already open; -EINVAL, -ENOMEM, or a part's error. */
int run_open(const struct settings *settings);
/* For closing the buffer: nothing of the run remains. */
void run_close(void);
bool run_is_open(void);

/*
 * Returns 0, also if nothing changes; -EINVAL: no run, or settings_check();
 * -EBUSY: a counter is not available; or another error.
 */
int run_enable(bool enable);
bool run_is_enabled(void);

/*
 * Counters with a frequency now take only one of `thinning` samples
 * (settings_thin()); each run begins with 1. -EINVAL: no run. If a counter
 * cannot be created again, its error is returned and sampling is disabled.
 */
int run_thin(u64 thinning);
u64 run_thinning(void);

/*
 * When it returns 0, earlier samples are in the buffer or counted as lost.
 * -EINVAL: no run; -EINTR.
 */
int run_dump(void);

#endif
