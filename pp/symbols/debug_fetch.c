// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/debug_fetch.h"

#include "lib/children.h"
#include "lib/clock.h"
#include "lib/stop_signal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool gave_up;

bool debug_fetch_wanted(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls && !gave_up;
}

/* ---- the child ---- */

/* Types of the two functions of libdebuginfod that are looked up with dlsym. */
typedef void *begin_fn(void);
typedef int find_fn(void *client, const unsigned char *id, int nr_bytes, char **path);

static void write_path(int fd, const char *path)
{
	size_t nr_bytes = strlen(path);

	/* The path fits into the pipe, so one write is enough. */
	if (nr_bytes < PATH_MAX && write(fd, path, nr_bytes) != (ssize_t)nr_bytes)
		_exit(1);
}

static void ask_library(const struct buildid *id, int fd)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	begin_fn *begin = NULL;
	find_fn *find = NULL;
	char *path = NULL;
	void *client;

	if (library) {
		*(void **)&begin = dlsym(library, "debuginfod_begin");
		*(void **)&find = dlsym(library, "debuginfod_find_debuginfo");
	}
	client = begin && find ? begin() : NULL;
	if (client && find(client, id->bytes, (int)id->nr_bytes, &path) >= 0 && path)
		write_path(fd, path);
}

/* Uses /dev/null as stdout and stderr, so that libdebuginfod cannot write into the report. */
__attribute__((noreturn)) static void child_main(const struct buildid *id, int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
	}
	ask_library(id, fd);
	_exit(0);
}

/* ---- the parent ---- */

/*
 * poll() misses a stop signal that arrives just before the call, so check for signals at this
 * interval.
 */
#define LOOK_MS 500

/* Waits until there is something to read, or the child has ended. */
static int wait_for(int fd)
{
	int64_t end = clock_monotonic_ms() + DEBUG_FETCH_SECONDS * INT64_C(1000);
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	for (;;) {
		int64_t left = end - clock_monotonic_ms();
		int nr = poll(&poll_fd, 1, left > LOOK_MS ? LOOK_MS : left > 0 ? (int)left : 0);

		if (nr > 0)
			return 0;
		if (stop_signal_came())
			return -EINTR;
		if (left <= 0 || (nr < 0 && errno != EINTR))
			return -ETIMEDOUT;
	}
}

static int take_path(int fd, char **path)
{
	char text[PATH_MAX];
	int error = wait_for(fd);
	ssize_t nr = error ? 0 : read(fd, text, sizeof(text) - 1);

	if (error)
		return error;
	if (nr <= 0)
		return -ENOENT;
	*path = strndup(text, (size_t)nr);
	return *path ? 0 : -ENOMEM;
}

static void end_child(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)child_wait_ended(pid, NULL);
}

int debug_fetch(const struct buildid *id, char **path)
{
	int ends[2], error;
	pid_t pid;

	if (!id->nr_bytes || !debug_fetch_wanted())
		return -ENOENT;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		child_main(id, ends[1]);
	close(ends[1]);
	error = pid < 0 ? -errno : take_path(ends[0], path);
	close(ends[0]);
	if (pid > 0)
		end_child(pid);
	if (error == -ETIMEDOUT)
		gave_up = true;
	return error;
}
