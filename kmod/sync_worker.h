/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sync worker: a kernel thread that makes a pass (kmod/pass.h) over the
 * CPUs' rings every SYNC_INTERVAL_MS, or when a kick requests one.
 */
#ifndef KMOD_SYNC_WORKER_H
#define KMOD_SYNC_WORKER_H

#include <linux/types.h>

#define SYNC_INTERVAL_MS 100

/* Starts the thread. Returns 0 or -errno. May sleep. */
int sync_worker_start(void);
/*
 * Makes the last passes, which drop all references, and ends the thread.
 * Sampling must have ended before the call.
 */
void sync_worker_stop(void);

/* Requests a pass soon. Callable from any context, including NMI. */
void sync_worker_kick_nmi(void);

/*
 * Waits until a pass that began after the call has ended and has woken the
 * reader. Returns 0 or -EINTR. May sleep.
 */
int sync_worker_dump(void);

#endif
