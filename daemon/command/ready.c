// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/ready.h"

#include "lib/file.h"
#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ready_init(struct ready *ready, int fd, struct diag *diag)
{
	ready->told_fd = fd;
	ready->parent_fd = -1;
	if (fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC))
		return diag_set(diag, -EBADF, "--ready-fd=%d is not open", fd);
	return 0;
}

/* Waits for the line that the child writes, and exits. show: whether to show an error. */
static void __attribute__((noreturn)) parent_wait(int fd, bool show)
{
	char line[DIAG_FILE_BYTES + DIAG_TEXT_BYTES + 64];
	size_t used = 0;
	ssize_t nr;

	while (used < sizeof(line) - 1) {
		nr = read(fd, line + used, sizeof(line) - 1 - used);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			break;
		used += (size_t)nr;
	}
	line[used] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (!strcmp(line, "ok"))
		exit(EXIT_SUCCESS);
	if (!show)
		exit(EXIT_FAILURE);
	if (!strncmp(line, "error ", 6))
		log_error("%s", line + 6);
	else
		log_error("the daemon ended before it was ready");
	exit(EXIT_FAILURE);
}

int ready_detach(struct ready *ready, struct diag *diag)
{
	int pipe_fds[2];
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		int error = errno;

		(void)close(pipe_fds[0]);
		(void)close(pipe_fds[1]);
		return diag_set(diag, -error, "cannot detach: %s", strerror(error));
	}
	if (pid) {
		(void)close(pipe_fds[1]);
		parent_wait(pipe_fds[0], ready->told_fd < 0);
	}
	(void)close(pipe_fds[0]);
	ready->parent_fd = pipe_fds[1];
	(void)setsid();
	return 0;
}

static bool ready_tell(int *fd, const char *line)
{
	if (*fd < 0)
		return false;
	/* Errors are ignored: the daemon runs even if the reader of the line has ended. */
	(void)file_write_all(*fd, line, strlen(line));
	(void)close(*fd);
	*fd = -1;
	return true;
}

static void detach_standard_fds(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)dup2(fd, STDIN_FILENO);
	(void)dup2(fd, STDOUT_FILENO);
	(void)dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

void ready_ok(struct ready *ready)
{
	if (ready->parent_fd >= 0)
		detach_standard_fds();
	(void)ready_tell(&ready->told_fd, "ok\n");
	(void)ready_tell(&ready->parent_fd, "ok\n");
}

int ready_fail(struct ready *ready, const char *text)
{
	char line[DIAG_FILE_BYTES + DIAG_TEXT_BYTES + 32];
	bool told;

	(void)snprintf(line, sizeof(line), "error %s", text);
	line[strcspn(line, "\n")] = '\0';
	line[sizeof(line) - 2] = '\0'; /* leave room for the newline */
	(void)snprintf(line + strlen(line), 2, "\n");
	told = ready_tell(&ready->told_fd, line);
	return ready_tell(&ready->parent_fd, line) || told;
}
