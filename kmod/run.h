/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of the module: from the opening of the buffer to its closing. During
 * a run, sampling can be enabled and disabled. A run opens the parts in order
 * and closes them in reverse. Each part has a function pair open/close, which
 * allocates and frees memory but starts no writer. Sources of samples also
 * have a function pair enable/disable.
 *
 * All functions may sleep. A mutex in run.c serialises them.
 */
#ifndef KMOD_RUN_H
#define KMOD_RUN_H

#include <linux/types.h>

#include "kmod/settings.h"

/*
 * To be called when the buffer is opened. Returns 0; -EBUSY: a run is already
 * open; -EINVAL; -ENOMEM; or the error of a part that could not be opened.
 */
int run_open(const struct settings *settings);
/* To be called when the buffer is closed. Ends the run and frees all its resources. */
void run_close(void);
bool run_is_open(void);

/*
 * Starts or stops sampling. Returns 0, also if nothing changes; -EINVAL: no
 * run is open, or settings_check() fails; -EBUSY: a counter is not available;
 * or another error.
 */
int run_enable(bool enable);
bool run_is_enabled(void);

/*
 * After this call, counters with a frequency take fewer samples: 1/thinning of
 * the normal number (settings_thin()). Each run begins with thinning 1.
 * -EINVAL: no run is open. If a counter cannot be created again, its error is
 * returned and sampling is disabled.
 */
int run_thin(u64 thinning);
u64 run_thinning(void);

/*
 * Waits for a pass of the worker. When this function returns 0, all earlier
 * samples are in the buffer or counted as lost. -EINVAL: no run is open;
 * -EINTR.
 */
int run_dump(void);

#endif
