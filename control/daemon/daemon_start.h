/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts oprofiled or oprof-tracer: builds the command line, and reads a pipe on which the started
 * program reports that it is ready, or reports an error (doc/control-socket.md).
 */
#ifndef CONTROL_DAEMON_START_H
#define CONTROL_DAEMON_START_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DAEMON_PROFILER "oprofiled"
#define DAEMON_TRACER	"oprof-tracer"

#define DAEMON_READY_TIMEOUT_MS 60000

/* A command line being built. A lack of memory is recorded, and reported by daemon_start(). */
struct daemon_args {
	char **args; /* NULL-terminated */
	size_t nr, room;
	bool no_memory;
};

/* program: DAEMON_PROFILER or DAEMON_TRACER. */
void daemon_args_init(struct daemon_args *args, const char *program);
void daemon_args_deinit(struct daemon_args *args);
void daemon_args_add(struct daemon_args *args, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

enum daemon_kind {
	DAEMON_PRIVATE,	 /* a child process, which does not receive the terminal's signals */
	DAEMON_DETACHED, /* continues to run after this process has ended */
};

/*
 * Runs the daemon with args and waits until it is ready. With DAEMON_PRIVATE, sets *pid to the
 * child, for which the caller must wait; otherwise to 0. On failure the daemon has ended, and diag
 * has the reason. Returns 0 or -errno.
 *
 * signal_came returns the signal that asked this process to end, or 0 if there was none.
 * signal_came may be NULL if this process does not catch such signals. The start fails if a signal
 * arrives before the daemon is ready (-EINTR), or if the daemon is not ready within
 * DAEMON_READY_TIMEOUT_MS (-ETIMEDOUT). daemon_start then sends SIGTERM to the daemon, and SIGKILL
 * after 5 s. If the daemon became ready at the same time as the signal arrived, daemon_start sends
 * SIGTERM, but returns 0. The caller then ends the daemon as it does when a later signal arrives.
 */
int daemon_start(struct daemon_args *args, enum daemon_kind kind, int (*signal_came)(void),
		 pid_t *pid, struct diag *diag);

/* Replaces this process by the daemon. Returns only on failure: -errno with diag. */
int daemon_exec(struct daemon_args *args, struct diag *diag);

/*
 * Ends a private daemon and waits for it. Returns 0; -EIO if the daemon failed; or another -errno.
 * Fills diag on errors.
 */
int daemon_end(pid_t pid, struct diag *diag);

/* Interprets a private daemon's status from waitpid. Returns 0, or -EIO and diag. */
int daemon_judge_status(int status, struct diag *diag);

/* For daemon_start() and its tests: parses "ok" or "error TEXT". Returns 0, or -errno and diag. */
int daemon_ready_parse(const char *line, struct diag *diag);

#endif
