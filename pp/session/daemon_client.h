/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asking the daemon of a session folder for what it samples now
 * (doc/control-socket.md). Commands nothing: that is opcontrol's.
 */
#ifndef PP_DAEMON_CLIENT_H
#define PP_DAEMON_CLIENT_H

#include "lib/diag.h"

#include <stdint.h>
#include <sys/types.h>

enum daemon_separation {
	DAEMON_SEPARATE_SESSION, /* as the session's sample files are */
	DAEMON_SEPARATE_ALL,	 /* threads, CPUs and cgroups apart */
};

#define DAEMON_TIMEOUT_MS 10000 /* where nothing else waits */

/* How long to wait for an answer. */
struct daemon_patience {
	int timeout_ms;
	int wake_fd; /* readable: wait no longer; -1: none */
};

/* What was sampled lately. */
struct daemon_recent {
	int fd;			  /* of a slice (libdb/slice/slice.h): slice_open_fd() takes it */
	int64_t begin_ns, end_ns; /* its stretch, since 1970 */
	pid_t daemon;		  /* who answered; 0: not known */
};

/*
 * What the daemon of session_dir sampled in the last last_ns; the stretch is
 * shorter where its memory does not reach so far. 0; -ENOTCONN no daemon runs
 * there; -EOPNOTSUPP it is an older one; -ETIMEDOUT; -EINTR wake_fd; -EPROTO; or
 * what it answered; diag says why.
 */
int daemon_recent(const char *session_dir, uint64_t last_ns, enum daemon_separation separation,
		  const struct daemon_patience *patience, struct daemon_recent *recent,
		  struct diag *diag);

/* 0 when a daemon runs there: it takes the call, and is asked nothing. Else as daemon_recent(). */
int daemon_probe(const char *session_dir, struct diag *diag);

#endif
