/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests recent samples from the daemon of a session directory: OPROF_REQUEST_RECENT. */
#ifndef CLIENT_CLIENT_RECENT_H
#define CLIENT_CLIENT_RECENT_H

#include "client/client.h"

#include <stdint.h>

/*
 * A time range, which begins last_ns before now and ends until_ns before now. until_ns is less
 * than last_ns. If until_ns is 0, the range ends now.
 */
struct client_span {
	uint64_t last_ns, until_ns;
};

/* The recent samples. */
struct client_recent {
	int fd;			  /* a slice (libdb/slice/slice.h), for slice_open_fd() */
	int64_t begin_ns, end_ns; /* time range of the slice, ns since 1970 */
	pid_t daemon;		  /* pid of the daemon that answered; 0: unknown */
};

/*
 * Gets the samples of span from the daemon of session_dir. The samples are separated by thread, CPU
 * and cgroup, whatever the session's separation is. The time range begins later if the daemon's
 * memory does not reach back far enough. Returns 0, or an error as client_ask(); -EOPNOTSUPP: the
 * daemon is older and does not support this request, or does not support until_ns. On success the
 * caller closes recent->fd.
 */
int client_recent(const char *session_dir, const struct client_span *span,
		  const struct client_patience *patience, struct client_recent *recent,
		  struct diag *diag);

/*
 * As client_recent(), but with the session's separation. Like client_ask_trusted(), sends the
 * request only to a daemon that runs as root or as this process's effective user.
 */
int client_recent_trusted(const char *session_dir, const struct client_span *span,
			  const struct client_patience *patience, struct client_recent *recent,
			  struct diag *diag);

#endif
