// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/thread_list.h"

#include "lib/array.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int list_add(struct thread_list *list, pid_t tid)
{
	if (array_reserve(&list->tids, &list->room_tids, list->nr_tids, 1))
		return -ENOMEM;
	list->tids[list->nr_tids++] = tid;
	return 0;
}

static int add_process(struct thread_list *list, const char *proc_path, pid_t pid)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int error = 0;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s/%d/task", proc_path, (int)pid) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT || errno == ESRCH ? 0 : -errno;
	while (!error && (entry = readdir(dir))) {
		char *end;
		long tid = strtol(entry->d_name, &end, 10);

		if (tid > 0 && tid <= INT_MAX && !*end)
			error = list_add(list, (pid_t)tid);
	}
	(void)closedir(dir);
	return error;
}

static int compare_tids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a;
	pid_t right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

/* Sorts the list and removes duplicates, since a process may be given twice. */
static void list_sort(struct thread_list *list)
{
	size_t nr = 0;

	if (!list->nr_tids)
		return;
	qsort(list->tids, list->nr_tids, sizeof(*list->tids), compare_tids);
	for (size_t i = 0; i < list->nr_tids; i++)
		if (!nr || list->tids[nr - 1] != list->tids[i])
			list->tids[nr++] = list->tids[i];
	list->nr_tids = nr;
}

int thread_list_read(struct thread_list *list, const char *proc_path, const pid_t *pids,
		     size_t nr_pids)
{
	int error = 0;

	memset(list, 0, sizeof(*list));
	for (size_t i = 0; i < nr_pids && !error; i++)
		error = add_process(list, proc_path ? proc_path : "/proc", pids[i]);
	if (error)
		thread_list_deinit(list);
	else
		list_sort(list);
	return error;
}

void thread_list_deinit(struct thread_list *list)
{
	free(list->tids);
	memset(list, 0, sizeof(*list));
}

bool thread_list_equal(const struct thread_list *a, const struct thread_list *b)
{
	return a->nr_tids == b->nr_tids &&
	       (!a->nr_tids || !memcmp(a->tids, b->tids, a->nr_tids * sizeof(*a->tids)));
}
