/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling a service manager that we are ready, alive and ending: datagrams
 * of lines KEY=VALUE to the socket $NOTIFY_SOCKET (sd_notify(3)). Without
 * that variable nothing is told and everything succeeds.
 */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct notify {
	int fd; /* -1: nobody to tell */
	struct sockaddr_un address;
	socklen_t address_bytes;
	uint64_t watchdog_ns; /* how often it wants to hear that we live; 0: never */
	uint64_t alive_ns;    /* when it heard last */
};

/*
 * Read $NOTIFY_SOCKET, $WATCHDOG_USEC and $WATCHDOG_PID, and take them out of
 * the environment: they are not our children's. 0, or -errno: the socket's
 * name is none that we know, or there is no socket; then nothing is told.
 */
int notify_init(struct notify *notify);
void notify_deinit(struct notify *notify);

void notify_ready(struct notify *notify);
void notify_stopping(struct notify *notify);
/* One line for people, in systemctl status. */
void notify_status(struct notify *notify, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Told at most four times in the time after which the manager gives up: call it often. */
void notify_alive(struct notify *notify, uint64_t now_ns);

/* The most that may be waited for something to do: wait_ms, or less for notify_alive. */
int notify_wait_ms(const struct notify *notify, int wait_ms);

#endif
