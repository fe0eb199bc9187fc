/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs already, read from /proc: processes, their threads, executable
 * mappings and programs. Read while they run: they may end, exec and map
 * meanwhile. What changes after a scan's begin comes as records and is
 * applied on top; only a mixture of two programs must not come out.
 */
#ifndef DAEMON_PROC_SCAN_H
#define DAEMON_PROC_SCAN_H

#include "daemon/image/region.h"
#include "daemon/places/task.h"

/* All borrowed. */
struct proc_scan {
	const char *proc_path;
	const struct region_maker *regions;
	size_t *nr_spaces;
};

/*
 * Read one process into *scan (process_scan_destroy). 0; -ESRCH: gone, or
 * only waiting to be reaped; -ENOMEM. What may not be read (others'
 * processes) is left unknown.
 */
int proc_scan_process(const struct proc_scan *config, int32_t tgid, struct process_scan **scan);

/* Who forked it, or adopted it since; 0: not known. */
int32_t proc_scan_parent(const char *proc_path, int32_t tgid);

/* Pids in /proc now, ascending. */
struct pid_list {
	int32_t *pids;
	size_t nr_pids, room_pids;
};

int proc_scan_list(const char *proc_path, struct pid_list *list); /* 0 or -errno */
void pid_list_deinit(struct pid_list *list);

#endif
