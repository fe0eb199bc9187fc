/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module's counters (stats/, doc/kmod.md) that are shown with the daemon's own counters,
 * as "kmod_NAME". Their files stay open, since a daemon that has dropped its privileges cannot open
 * them.
 */
#ifndef DAEMON_KMOD_STATS_H
#define DAEMON_KMOD_STATS_H

#include "daemon/source.h"

#define KMOD_STATS_NR 20

struct kmod_stats {
	int fds[KMOD_STATS_NR]; /* -1: this module has no such counter */
	uint64_t values[KMOD_STATS_NR];
};

void kmod_stats_init(struct kmod_stats *stats);
/* Opens the counters' files. folder_fd: the folder of the control filesystem. */
void kmod_stats_open(struct kmod_stats *stats, int folder_fd);
void kmod_stats_close(struct kmod_stats *stats);

void kmod_stats_read(struct kmod_stats *stats);

/* Like source_ops.counters, with the values that were last read. */
size_t kmod_stats_counters(const struct kmod_stats *stats, struct source_counter *counters,
			   size_t room);

#endif
