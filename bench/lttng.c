// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/lttng.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS 60000 /* includes compiling the peer and starting LTTng's daemons */
#define ROUND_MS 10000

struct lttng {
	pid_t pid;
	int fd; /* socket connected to the peer's stdin and stdout */
};

/* Reads a line; returns false at the end of the file or after timeout_ms. */
static bool read_line(int fd, char *line, size_t size, int timeout_ms)
{
	size_t nr = 0;

	while (nr + 1 < size) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		ssize_t done = poll(&ready, 1, timeout_ms);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0 || read(fd, line + nr, 1) != 1)
			return false;
		if (line[nr] == '\n')
			break;
		nr++;
	}
	line[nr] = 0;
	return true;
}

static void run_script(int fd)
{
	const char *top = getenv("OPROF_TOP_SRCDIR");
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/bench/lttng_peer.sh", top ? top : ".");
	if (dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
		_exit(EXIT_FAILURE);
	(void)execl(path, path, (char *)NULL);
	perror(path);
	_exit(EXIT_FAILURE);
}

struct lttng *lttng_start(void)
{
	struct lttng *lttng = calloc(1, sizeof(*lttng));
	char line[64];
	int fds[2];

	if (!lttng)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		perror("bench: socketpair");
		free(lttng);
		return NULL;
	}
	lttng->fd = fds[0];
	lttng->pid = fork();
	if (!lttng->pid)
		run_script(fds[1]);
	(void)close(fds[1]);
	if (lttng->pid > 0 && read_line(lttng->fd, line, sizeof(line), START_MS) &&
	    strcmp(line, "ready") == 0)
		return lttng;
	(void)fprintf(stderr, "bench: LTTng-UST did not start: no peer\n");
	lttng_stop(lttng);
	return NULL;
}

double lttng_round(struct lttng *lttng, unsigned int nr_records)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%u\n", nr_records);

	if (send(lttng->fd, line, (size_t)length, MSG_NOSIGNAL) != length ||
	    !read_line(lttng->fd, line, sizeof(line), ROUND_MS))
		return 0;
	return strtod(line, NULL) / nr_records;
}

void lttng_stop(struct lttng *lttng)
{
	if (!lttng)
		return;
	/* The peer reads the end of the file and exits; then the script cleans up. */
	(void)shutdown(lttng->fd, SHUT_WR);
	if (lttng->pid > 0)
		(void)waitpid(lttng->pid, NULL, 0);
	(void)close(lttng->fd);
	free(lttng);
}
