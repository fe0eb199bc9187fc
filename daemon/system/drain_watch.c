// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/drain_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 32

/* Values of epoll_event.data: one of these, or KEY_PROCESS + index of the process. */
enum { KEY_RING, KEY_TIMER, KEY_PROCESS };

static int watch_fd(struct drain_watch *watch, int fd, uint64_t key)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = key};

	return epoll_ctl(watch->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int watch_timer(struct drain_watch *watch)
{
	const struct itimerspec second = {{1, 0}, {1, 0}};

	watch->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (watch->timer_fd < 0 || timerfd_settime(watch->timer_fd, 0, &second, NULL))
		return -errno;
	return watch_fd(watch, watch->timer_fd, KEY_TIMER);
}

static int watch_process(struct drain_watch *watch, pid_t pid)
{
	size_t index = watch->nr_processes;
	struct drain_watch_process *process = &watch->processes[index];

	process->pid = pid;
	process->running = true;
	process->fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process->fd < 0 && errno == ENOSYS)
		process->fd = -1; /* watch_look polls the process instead */
	else if (process->fd < 0)
		return -errno;
	watch->nr_processes++;
	return process->fd < 0 ? 0 : watch_fd(watch, process->fd, KEY_PROCESS + index);
}

int drain_watch_open(struct drain_watch *watch, const pid_t *pids, size_t nr_pids)
{
	int error;

	memset(watch, 0, sizeof(*watch));
	watch->timer_fd = -1;
	watch->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (watch->epoll_fd < 0)
		return -errno;
	watch->processes = calloc(nr_pids + 1, sizeof(*watch->processes));
	error = watch->processes ? watch_timer(watch) : -ENOMEM;
	for (size_t i = 0; i < nr_pids && !error; i++)
		error = watch_process(watch, pids[i]);
	if (error)
		drain_watch_close(watch);
	return error;
}

static void process_end(struct drain_watch_process *process)
{
	process->running = false;
	if (process->fd >= 0)
		(void)close(process->fd);
	process->fd = -1;
}

void drain_watch_close(struct drain_watch *watch)
{
	for (size_t i = 0; watch->processes && i < watch->nr_processes; i++)
		process_end(&watch->processes[i]);
	free(watch->processes);
	if (watch->timer_fd >= 0)
		(void)close(watch->timer_fd);
	if (watch->epoll_fd >= 0)
		(void)close(watch->epoll_fd);
	memset(watch, 0, sizeof(*watch));
	watch->epoll_fd = -1;
	watch->timer_fd = -1;
}

int drain_watch_add(struct drain_watch *watch, int fd)
{
	return watch_fd(watch, fd, KEY_RING);
}

/* Checks whether the processes still exist, if the kernel has no pidfds. */
static void watch_look(struct drain_watch *watch)
{
	for (size_t i = 0; i < watch->nr_processes; i++) {
		struct drain_watch_process *process = &watch->processes[i];

		if (process->running && process->fd < 0 && kill(process->pid, 0) && errno == ESRCH)
			process_end(process);
	}
}

/* Reads the timer, because a periodic timerfd wakes epoll again only after it was read. */
static void watch_tick(struct drain_watch *watch)
{
	uint64_t nr_ticks;

	if (read(watch->timer_fd, &nr_ticks, sizeof(nr_ticks)) == (ssize_t)sizeof(nr_ticks))
		watch_look(watch);
}

bool drain_watch_take(struct drain_watch *watch)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	bool ticked = false;
	int nr;

	do {
		nr = epoll_wait(watch->epoll_fd, events, EVENTS_AT_ONCE, 0);
		for (int i = 0; i < nr; i++) {
			uint64_t key = events[i].data.u64;

			if (key == KEY_TIMER)
				ticked = true;
			else if (key >= KEY_PROCESS)
				process_end(&watch->processes[key - KEY_PROCESS]);
		}
	} while (nr == EVENTS_AT_ONCE);
	if (ticked)
		watch_tick(watch);
	return ticked;
}

bool drain_watch_ended(const struct drain_watch *watch)
{
	for (size_t i = 0; i < watch->nr_processes; i++)
		if (watch->processes[i].running)
			return false;
	return watch->nr_processes;
}
