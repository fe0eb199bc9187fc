/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asking the daemon of a session folder for what it samples now: OPROF_REQUEST_RECENT. */
#ifndef CLIENT_CLIENT_RECENT_H
#define CLIENT_CLIENT_RECENT_H

#include "client/client.h"

#include <stdint.h>

enum client_separation {
	CLIENT_SEPARATE_SESSION, /* as the session's sample files are */
	CLIENT_SEPARATE_ALL,	 /* threads, CPUs and cgroups apart */
};

/* What was sampled lately. */
struct client_recent {
	int fd;			  /* of a slice (libdb/slice/slice.h): slice_open_fd() takes it */
	int64_t begin_ns, end_ns; /* its stretch, since 1970 */
	pid_t daemon;		  /* who answered; 0: not known */
};

/*
 * What the daemon of session_dir sampled in the last last_ns; the stretch is
 * shorter where its memory does not reach so far. 0, or as client_ask();
 * -EOPNOTSUPP it is an older daemon.
 */
int client_recent(const char *session_dir, uint64_t last_ns, enum client_separation separation,
		  const struct client_patience *patience, struct client_recent *recent,
		  struct diag *diag);

#endif
