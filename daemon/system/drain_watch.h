/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakes a source when a drain is due: a descriptor is readable (a half-full ring, the module's
 * buffer), a second has passed, or the profiled processes have ended. Uses an epoll set with
 * edge-triggered events, because the event of a task that has ended stays readable.
 */
#ifndef DAEMON_DRAIN_WATCH_H
#define DAEMON_DRAIN_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct drain_watch {
	int epoll_fd; /* the caller polls it; -1: closed */
	int timer_fd;
	struct drain_watch_process {
		pid_t pid;
		int fd; /* -1: the process has ended, or the kernel has no pidfds */
		bool running;
	} * processes;
	size_t nr_processes;
};

/* Returns 0 or -errno; -ESRCH: one of the processes does not exist. */
int drain_watch_open(struct drain_watch *watch, const pid_t *pids, size_t nr_pids);
void drain_watch_close(struct drain_watch *watch);

/*
 * From now on, the epoll set also becomes readable when fd does. Closing fd removes it from the
 * set. Returns 0 or -errno.
 */
int drain_watch_add(struct drain_watch *watch, int fd);

/* Handles all pending events, without waiting. Returns whether a second has passed. */
bool drain_watch_take(struct drain_watch *watch);

/* Returns whether all watched processes have ended; false if no processes are watched. */
bool drain_watch_ended(const struct drain_watch *watch);

#endif
