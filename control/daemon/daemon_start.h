/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting oprofiled, or oprof-tracer: its command line, and the pipe on which it says that
 * it is ready, or why not (doc/control-socket.md).
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

/* Arguments under way; a lack of memory is kept and told by daemon_start(). */
struct daemon_args {
	char **args; /* NULL behind the last */
	size_t nr, room;
	bool no_memory;
};

/* Of program: DAEMON_PROFILER or DAEMON_TRACER. */
void daemon_args_init(struct daemon_args *args, const char *program);
void daemon_args_deinit(struct daemon_args *args);
void daemon_args_add(struct daemon_args *args, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

enum daemon_kind {
	DAEMON_PRIVATE,	 /* a child of this process, out of reach of the terminal's signals */
	DAEMON_DETACHED, /* on its own, for all */
};

/*
 * Run oprofiled with args and wait until it is ready. *pid: of the child, to be
 * waited for (DAEMON_PRIVATE; else 0). On failure it has ended and diag says
 * why. 0 or -errno.
 */
int daemon_start(struct daemon_args *args, enum daemon_kind kind, pid_t *pid, struct diag *diag);

/* Become oprofiled with args: the same process. Returns only when that fails: -errno, diag. */
int daemon_exec(struct daemon_args *args, struct diag *diag);

/* Have a private daemon end and wait for that. 0; -EIO, diag: it did not end well. */
int daemon_end(pid_t pid, struct diag *diag);

/* What a private daemon's status from waitpid means: 0, or -EIO and diag. */
int daemon_judge_status(int status, struct diag *diag);

/* For daemon_start() and its tests: "ok", or "error TEXT" into diag. 0 or -errno. */
int daemon_ready_parse(const char *line, struct diag *diag);

#endif
