/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sync worker: a kernel thread that makes a pass (kmod/pass.h) over the
 * CPUs' rings every SYNC_INTERVAL_MS, or when it is kicked.
 */
#ifndef KMOD_SYNC_WORKER_H
#define KMOD_SYNC_WORKER_H

#include <linux/types.h>

#define SYNC_INTERVAL_MS 100

/* 0 or -errno. May sleep. */
int sync_worker_start(void);
/* Makes a last pass and drops all references. Requires that nothing samples any more. */
void sync_worker_stop(void);

/* Requests a pass soon. Callable from any context, including NMI. */
void sync_worker_kick_nmi(void);

/*
 * Waits until a pass that began after the call has ended and the reader has
 * been woken. -EINTR. May sleep.
 */
int sync_worker_dump(void);

#endif
