// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/control_client.h"

#include "lib/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *const request_names[] = {
	[OPROF_REQUEST_STATUS] = "status",     [OPROF_REQUEST_START] = "start",
	[OPROF_REQUEST_STOP] = "stop",	       [OPROF_REQUEST_DUMP] = "dump",
	[OPROF_REQUEST_RESET] = "reset",       [OPROF_REQUEST_SAVE] = "save",
	[OPROF_REQUEST_SHUTDOWN] = "shutdown", [OPROF_REQUEST_SNAPSHOT] = "snapshot",
};

/*
 * A socket's name has room for 107 bytes only, and session folders may lie
 * deeper: go by way of the folder's descriptor.
 */
static int connect_in(int dir_fd, int fd)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};

	(void)snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d/%s", dir_fd,
		       OPROF_CONTROL_NAME);
	while (connect(fd, (const struct sockaddr *)&name, sizeof(name))) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int no_daemon(const char *session_dir, struct diag *diag)
{
	return diag_set(diag, -ENOTCONN,
			"no daemon runs for the session folder %s (opcontrol --start starts one)",
			session_dir);
}

static int control_connect(const char *session_dir, struct diag *diag)
{
	struct timeval timeout = {.tv_sec = CONTROL_TIMEOUT_MS / 1000};
	int dir_fd = open(session_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error;
	int fd;

	if (dir_fd < 0)
		return errno == ENOENT ? no_daemon(session_dir, diag)
				       : diag_set(diag, -errno, "cannot open %s: %s", session_dir,
						  strerror(errno));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	/* Bounds the wait for a place in the queue of a daemon that hangs. */
	if (fd >= 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	error = fd < 0 ? -errno : connect_in(dir_fd, fd);
	(void)close(dir_fd);
	if (!error)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	if (error == -ENOENT || error == -ECONNREFUSED)
		return no_daemon(session_dir, diag);
	if (error == -EACCES || error == -EPERM)
		return diag_set(diag, error,
				"the daemon of %s is another user's: run this as root (sudo)",
				session_dir);
	return diag_set(diag, error, "cannot reach the daemon of %s: %s", session_dir,
			strerror(-error));
}

static int send_question(int fd, enum oprof_request request, const char *text, struct diag *diag)
{
	size_t nr_text = text ? strlen(text) : 0;
	struct oprof_message question = {
		.magic = OPROF_CONTROL_MAGIC,
		.version = OPROF_CONTROL_VERSION,
		.request = (uint16_t)request,
		.size_bytes = (uint32_t)nr_text,
	};
	struct iovec parts[2] = {{&question, sizeof(question)}, {NULL, nr_text}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = nr_text ? 2 : 1};
	ssize_t nr;

	if (nr_text > OPROF_CONTROL_TEXT_MAX)
		return diag_set(diag, -EMSGSIZE, "the request's text is too long");
	/* sendmsg only reads it; struct iovec has no const. */
	parts[1].iov_base = (void *)(uintptr_t)text;
	do {
		nr = sendmsg(fd, &message, MSG_NOSIGNAL);
	} while (nr < 0 && errno == EINTR);
	if (nr < 0)
		return diag_set(diag, -errno, "cannot ask the daemon: %s", strerror(errno));
	return 0;
}

static int wait_readable(int fd, int64_t deadline_ms)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	int nr;

	do {
		int64_t left = deadline_ms - clock_monotonic_ms();

		nr = poll(&wait, 1, left > 0 ? (int)left : 0);
	} while (nr < 0 && errno == EINTR);
	if (nr < 0)
		return -errno;
	return nr ? 0 : -ETIMEDOUT;
}

/* The header into *head, the text into *text (malloc'ed). */
static int receive_answer(int fd, struct oprof_message *head, char **text, struct diag *diag)
{
	char *room = malloc(OPROF_CONTROL_TEXT_MAX + 1);
	struct iovec parts[2] = {{head, sizeof(*head)}, {room, OPROF_CONTROL_TEXT_MAX}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	ssize_t nr;

	if (!room)
		return diag_set(diag, -ENOMEM, "no memory for the daemon's answer");
	do {
		nr = recvmsg(fd, &message, 0);
	} while (nr < 0 && errno == EINTR);
	if (nr == 0 || (nr < 0 && errno == ECONNRESET)) {
		free(room);
		return diag_set(diag, -ECONNRESET, "the daemon ended before it answered");
	}
	/* Of another version only magic and version are known to be where they are. */
	if (nr >= (ssize_t)sizeof(*head) && head->magic == OPROF_CONTROL_MAGIC &&
	    head->version != OPROF_CONTROL_VERSION) {
		room[0] = '\0';
		*text = room;
		return 0;
	}
	if (nr < (ssize_t)sizeof(*head) || (message.msg_flags & MSG_TRUNC) ||
	    head->magic != OPROF_CONTROL_MAGIC || head->size_bytes != (size_t)nr - sizeof(*head)) {
		int error = nr < 0 ? -errno : -EPROTO;

		free(room);
		return diag_set(diag, error, "what came over the control socket is no answer");
	}
	room[head->size_bytes] = '\0';
	*text = room;
	return 0;
}

bool control_text_find(const char *text, const char *key, char *value, size_t nr_bytes)
{
	size_t length = strlen(key);

	while (text && *text) {
		size_t line = strcspn(text, "\n");

		if (line >= length && !memcmp(text, key, length) &&
		    (line == length || text[length] == ' ')) {
			size_t skip = line == length ? length : length + 1;

			(void)snprintf(value, nr_bytes, "%.*s", (int)(line - skip), text + skip);
			return true;
		}
		text += line;
		text += *text == '\n';
	}
	return false;
}

static int judge_answer(const struct oprof_message *head, const char *text,
			enum oprof_request request, struct diag *diag)
{
	char why[DIAG_TEXT_BYTES];

	if (head->version != OPROF_CONTROL_VERSION)
		return diag_set(diag, -EPROTONOSUPPORT,
				"the daemon speaks version %u of the control socket, this program "
				"version %u: use programs of one installation",
				head->version, OPROF_CONTROL_VERSION);
	if (head->request != request || head->status > 0)
		return diag_set(diag, -EPROTO, "the daemon answered something else than was asked");
	if (!head->status)
		return 0;
	if (control_text_find(text, "error", why, sizeof(why)))
		return diag_set(diag, head->status, "%s", why);
	return diag_set(diag, head->status, "the daemon refused to %s: %s", request_names[request],
			strerror(-head->status));
}

static pid_t peer_pid(int fd)
{
	struct ucred peer = {.pid = 0};
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ? 0 : peer.pid;
}

static int ask_on(int fd, enum oprof_request request, const char *text, int timeout_ms,
		  struct control_answer *answer, struct diag *diag)
{
	int64_t deadline_ms = clock_monotonic_ms() + timeout_ms;
	struct oprof_message head = {0};
	char *answered = NULL;
	int error = send_question(fd, request, text, diag);

	if (error)
		return error;
	error = wait_readable(fd, deadline_ms);
	if (error)
		return diag_set(diag, error,
				"the daemon, process %d, did not answer (%s) within %d s",
				(int)peer_pid(fd), request_names[request], timeout_ms / 1000);
	error = receive_answer(fd, &head, &answered, diag);
	if (!error)
		error = judge_answer(&head, answered, request, diag);
	if (error) {
		free(answered);
		return error;
	}
	*answer = (struct control_answer){peer_pid(fd), answered};
	return 0;
}

int control_ask(const char *session_dir, enum oprof_request request, const char *text,
		int timeout_ms, struct control_answer *answer, struct diag *diag)
{
	int fd = control_connect(session_dir, diag);
	int error;

	if (fd < 0)
		return fd;
	error = ask_on(fd, request, text, timeout_ms, answer, diag);
	(void)close(fd);
	return error;
}

void control_answer_deinit(struct control_answer *answer)
{
	free(answer->text);
	answer->text = NULL;
}

/* Kernels before 5.3 have no pidfd: look every 10 ms. */
static int wait_end_slow(pid_t pid, int64_t deadline_ms)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	while (!kill(pid, 0) || errno == EPERM) {
		if (clock_monotonic_ms() > deadline_ms)
			return -ETIMEDOUT;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

int control_wait_end(pid_t pid, int timeout_ms)
{
	int64_t deadline_ms = clock_monotonic_ms() + timeout_ms;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int error;

	if (fd < 0)
		return errno == ESRCH ? 0 : wait_end_slow(pid, deadline_ms);
	error = wait_readable(fd, deadline_ms);
	(void)close(fd);
	return error;
}
