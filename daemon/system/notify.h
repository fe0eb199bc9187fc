/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports to a service manager that the daemon is ready, alive or stopping: datagrams of lines
 * KEY=VALUE to the socket $NOTIFY_SOCKET (sd_notify(3)). If the variable is not set, nothing is
 * sent, and all functions succeed.
 */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct notify {
	int fd; /* -1: there is no service manager */
	struct sockaddr_un address;
	socklen_t address_bytes;
	uint64_t watchdog_ns; /* the manager expects a message at least this often; 0: never */
	uint64_t alive_ns;    /* time of the last message that the daemon is alive */
};

/*
 * Reads $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID, and removes them from the environment, so
 * that children do not inherit them. Returns 0, or -errno if the socket's name is not supported or
 * no socket can be made; then nothing is sent later.
 */
int notify_init(struct notify *notify);
void notify_deinit(struct notify *notify);

void notify_ready(struct notify *notify);
void notify_stopping(struct notify *notify);
/* Sends one line for people, which systemctl status shows. */
void notify_status(struct notify *notify, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Reports that the daemon is alive. May be called often: at most four messages are sent within the
 * watchdog's time limit.
 */
void notify_alive(struct notify *notify, uint64_t now_ns);

/*
 * Returns how long the caller may wait for work: wait_ms, or less if notify_alive is due earlier.
 */
int notify_wait_ms(const struct notify *notify, int wait_ms);

#endif
