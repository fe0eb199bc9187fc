/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads from /proc the running processes: their threads, executable mappings and programs.
 * Processes may end, exec or map files while they are read. Changes after the beginning of a scan
 * also arrive as records, which are applied after the scan. Therefore only one inconsistency must
 * be prevented here: a result with data of two programs.
 *
 * A user can make reads of the mappings and of the mapped files block. If config.regions->aliases
 * has a reader (daemon/system/slow_reader.h), this reader therefore performs these reads.
 */
#ifndef DAEMON_PROC_SCAN_H
#define DAEMON_PROC_SCAN_H

#include "daemon/image/region.h"
#include "daemon/places/task.h"

/* All pointers are borrowed. */
struct proc_scan {
	const char *proc_path;
	const struct region_maker *regions;
	size_t *nr_spaces;
};

/*
 * Reads one process into *scan (freed by process_scan_destroy). Returns 0; -ESRCH: the process has
 * ended, or is a zombie; or -ENOMEM. Data that the daemon may not read, such as other users'
 * mappings, is left unknown. If the mappings cannot be read in time, (*scan)->unread is set.
 */
int proc_scan_process(const struct proc_scan *config, int32_t tgid, struct process_scan **scan);

/* The function that reads a program and its mappings, for the list of the reader. */
slow_work proc_scan_look;

/* Returns the parent of tgid: the process that forked it, or adopted it later; 0: not known. */
int32_t proc_scan_parent(const char *proc_path, int32_t tgid);

/* The pids that are in /proc, in ascending order. */
struct pid_list {
	int32_t *pids;
	size_t nr_pids, room_pids;
};

int proc_scan_list(const char *proc_path, struct pid_list *list); /* 0 or -errno */
void pid_list_deinit(struct pid_list *list);

#endif
