/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sync worker: one kernel thread that each SYNC_INTERVAL_MS, or when
 * kicked, makes a pass (kmod/pass.h) over the CPUs' rings.
 */
#ifndef KMOD_SYNC_WORKER_H
#define KMOD_SYNC_WORKER_H

#include <linux/types.h>

#define SYNC_INTERVAL_MS 100

/* 0 or -errno. May sleep. */
int sync_worker_start(void);
/* After a last pass; references are all let go when it returns. Nobody samples any more. */
void sync_worker_stop(void);

/* A pass is wanted soon. Any context, from NMI on. */
void sync_worker_kick_nmi(void);

/* A whole pass that began after the call has ended, and the reader is woken. -EINTR. May sleep. */
int sync_worker_dump(void);

#endif
