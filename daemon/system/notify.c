// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/notify.h"

#include "lib/number.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES	  512
#define ALIVE_PARTS	  4 /* number of messages that are sent within the manager's time limit */
#define NS_PER_MS	  UINT64_C(1000000)
#define WATCHDOG_USEC_MAX UINT64_C(1000000000000)

/* name: a path, or "@" and the name of an abstract socket. Returns 0 or -EINVAL. */
static int notify_address(struct notify *notify, const char *name)
{
	size_t length = strlen(name);

	if ((name[0] != '/' && name[0] != '@') || length < 2 ||
	    length >= sizeof(notify->address.sun_path))
		return -EINVAL;
	notify->address.sun_family = AF_UNIX;
	memcpy(notify->address.sun_path, name, length);
	if (name[0] == '@')
		notify->address.sun_path[0] = '\0';
	notify->address_bytes =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (name[0] == '/'));
	return 0;
}

static void notify_watchdog(struct notify *notify)
{
	const char *usec = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	uint64_t number;

	if (!usec || number_parse(usec, WATCHDOG_USEC_MAX, &number))
		return;
	notify->watchdog_ns = number * 1000;
	if (pid && (number_parse(pid, INT32_MAX, &number) || (pid_t)number != getpid()))
		notify->watchdog_ns = 0;
}

int notify_init(struct notify *notify)
{
	const char *name = getenv("NOTIFY_SOCKET");
	int error = 0;

	memset(notify, 0, sizeof(*notify));
	notify->fd = -1;
	if (name && *name) {
		error = notify_address(notify, name);
		if (!error)
			notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (!error && notify->fd < 0)
			error = -errno;
		if (!error)
			notify_watchdog(notify);
	}
	(void)unsetenv("NOTIFY_SOCKET");
	(void)unsetenv("WATCHDOG_USEC");
	(void)unsetenv("WATCHDOG_PID");
	return error;
}

void notify_deinit(struct notify *notify)
{
	if (notify->fd >= 0)
		(void)close(notify->fd);
	notify->fd = -1;
}

/* Errors are ignored, because the daemon must also run if no manager listens. */
static void notify_send(const struct notify *notify, const char *text)
{
	if (notify->fd < 0)
		return;
	(void)sendto(notify->fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
		     (const struct sockaddr *)&notify->address, notify->address_bytes);
}

void notify_ready(struct notify *notify)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "READY=1\nMAINPID=%d\n", (int)getpid());
	notify_send(notify, text);
}

void notify_stopping(struct notify *notify)
{
	notify_send(notify, "STOPPING=1\n");
}

void notify_status(struct notify *notify, const char *format, ...)
{
	char text[TEXT_BYTES] = "STATUS=";
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text + used, sizeof(text) - used - 1, format, args);
	va_end(args);
	/* A line break would end the value of STATUS. */
	text[strcspn(text, "\n")] = '\0';
	(void)strcat(text, "\n");
	notify_send(notify, text);
}

void notify_alive(struct notify *notify, uint64_t now_ns)
{
	if (!notify->watchdog_ns || now_ns - notify->alive_ns < notify->watchdog_ns / ALIVE_PARTS)
		return;
	notify->alive_ns = now_ns;
	notify_send(notify, "WATCHDOG=1\n");
}

int notify_wait_ms(const struct notify *notify, int wait_ms)
{
	uint64_t often_ms = notify->watchdog_ns / ALIVE_PARTS / NS_PER_MS;

	if (!notify->watchdog_ns || often_ms >= (uint64_t)wait_ms)
		return wait_ms;
	return often_ms ? (int)often_ms : 1;
}
