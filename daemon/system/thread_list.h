/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the threads of processes, from /proc. */
#ifndef DAEMON_THREAD_LIST_H
#define DAEMON_THREAD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct thread_list {
	pid_t *tids; /* sorted, without duplicates */
	size_t nr_tids, room_tids;
};

/*
 * Lists all threads that the processes have now. A process that has ended has no threads. Returns
 * 0, -ENOMEM, or -errno of reading proc_path (NULL: "/proc").
 */
int thread_list_read(struct thread_list *list, const char *proc_path, const pid_t *pids,
		     size_t nr_pids);
void thread_list_deinit(struct thread_list *list);
bool thread_list_equal(const struct thread_list *a, const struct thread_list *b);

#endif
