// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client.h"

#include "client/message_head.h"
#include "lib/clock.h"
#include "lib/key_value.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define ERRNO_MAX 4095 /* largest errno of Linux */

static const char *const request_names[] = {
	[OPROF_REQUEST_STATUS] = "status",
	[OPROF_REQUEST_START] = "start",
	[OPROF_REQUEST_STOP] = "stop",
	[OPROF_REQUEST_DUMP] = "dump",
	[OPROF_REQUEST_RESET] = "reset",
	[OPROF_REQUEST_SAVE] = "save",
	[OPROF_REQUEST_SHUTDOWN] = "shutdown",
	[OPROF_REQUEST_SNAPSHOT] = "snapshot",
	[OPROF_REQUEST_RECENT] = "give recent samples",
};

/*
 * A socket's address holds at most 107 bytes, and session directories may have longer paths. The
 * address therefore names the directory by its descriptor, through /proc/self/fd.
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

static int not_ours(int error, const char *session_dir, struct diag *diag)
{
	return diag_set(diag, error,
			"cannot connect to the daemon of %s, which runs as another user: run "
			"the command as root (sudo)",
			session_dir);
}

/*
 * Connects to the daemon. Returns a descriptor or -errno. If the daemon hangs and its queue of
 * connections is full, connect() waits at most CLIENT_TIMEOUT_MS, even if timeout_ms is longer.
 */
static int client_connect(const char *session_dir, int timeout_ms, struct diag *diag)
{
	const int queue_ms = timeout_ms < CLIENT_TIMEOUT_MS ? timeout_ms : CLIENT_TIMEOUT_MS;
	struct timeval timeout = {.tv_sec = queue_ms / 1000, .tv_usec = queue_ms % 1000 * 1000};
	int dir_fd = open(session_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error;
	int fd;

	if (dir_fd < 0 && errno == ENOENT)
		return no_daemon(session_dir, diag);
	if (dir_fd < 0 && errno == EACCES)
		return not_ours(-errno, session_dir, diag);
	if (dir_fd < 0)
		return diag_set(diag, -errno, "cannot open %s: %s", session_dir, strerror(errno));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
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
	if (error == -EAGAIN)
		return diag_set(diag, -ETIMEDOUT, "the daemon of %s did not answer in time",
				session_dir);
	if (error == -EACCES || error == -EPERM)
		return not_ours(error, session_dir, diag);
	return diag_set(diag, error, "cannot reach the daemon of %s: %s", session_dir,
			strerror(-error));
}

/*
 * Accepts only a daemon that runs as this user or as root. SO_PEERCRED gives the user of the
 * listening process. The owner of the socket's file would be no proof: the file may be a symbolic
 * link to another daemon's socket.
 */
static int check_peer(int fd, const char *session_dir, struct client_answer *answer,
		      struct diag *diag)
{
	struct ucred peer = {.pid = 0};
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return diag_set(diag, -errno,
				"cannot find out which user runs the daemon of %s: %s", session_dir,
				strerror(errno));
	if (!peer.uid || peer.uid == geteuid())
		return 0;
	if (answer)
		answer->refused_uid = peer.uid;
	return diag_set(
		diag, -EACCES, "cannot use the daemon of %s: it runs as another user (uid %u): %s",
		session_dir, (unsigned int)peer.uid,
		geteuid() ? "run the command as that user" : "only that user can use the daemon");
}

static int send_question(int fd, enum oprof_request request, const char *text, struct diag *diag)
{
	size_t nr_text = text ? strlen(text) : 0;
	struct oprof_message question = message_head((uint16_t)request, 0, nr_text);
	struct iovec parts[2] = {{&question, sizeof(question)}, {NULL, nr_text}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = nr_text ? 2 : 1};
	ssize_t nr;

	if (nr_text > OPROF_CONTROL_TEXT_MAX)
		return diag_set(diag, -EMSGSIZE,
				"cannot send the request to the daemon: it is too long");
	/* sendmsg only reads the text, but struct iovec has no const. */
	parts[1].iov_base = (void *)(uintptr_t)text;
	do {
		nr = sendmsg(fd, &message, MSG_NOSIGNAL);
	} while (nr < 0 && errno == EINTR);
	if (nr < 0 && (errno == EPIPE || errno == ECONNRESET))
		return diag_set(diag, -errno, "the daemon ended before it answered");
	if (nr < 0)
		return diag_set(diag, -errno, "cannot send the request to the daemon: %s",
				strerror(errno));
	return 0;
}

/* Returns 0, -ETIMEDOUT, -EINTR (wake_fd is readable), or another -errno of poll(2). */
static int wait_readable(int fd, int wake_fd, int64_t deadline_ms)
{
	struct pollfd waits[] = {{.fd = fd, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
	int nr;

	do {
		int64_t left = deadline_ms - clock_monotonic_ms();

		nr = poll(waits, 2, left > 0 ? (int)left : 0);
	} while (nr < 0 && errno == EINTR);
	if (nr < 0)
		return -errno;
	if (!nr)
		return -ETIMEDOUT;
	return waits[0].revents ? 0 : -EINTR;
}

/*
 * Returns the descriptor in message, or -1 if there is none. message has room for only one
 * descriptor.
 */
static int take_descriptor(struct msghdr *message)
{
	const struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int fd;

	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/*
 * Receives one packet into *head and *answer; answer->text has OPROF_CONTROL_TEXT_MAX + 1 bytes.
 * If take_fd is false, the kernel closes a descriptor that comes with the packet.
 */
static int receive_answer(int fd, struct oprof_message *head, struct client_answer *answer,
			  bool take_fd, struct diag *diag)
{
	union { /* aligned as cmsg(3) requires */
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec parts[2] = {{head, sizeof(*head)}, {answer->text, OPROF_CONTROL_TEXT_MAX}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	ssize_t nr;
	int error;

	if (take_fd) {
		message.msg_control = control.bytes;
		/* Do not use CMSG_SPACE: it might leave room for a second descriptor. */
		message.msg_controllen = CMSG_LEN(sizeof(int));
	}
	do {
		nr = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	} while (nr < 0 && errno == EINTR);
	error = nr < 0 ? -errno : message_head_check(head, (size_t)nr);
	if (nr >= 0 && take_fd)
		answer->fd = take_descriptor(&message);
	if (nr == 0 || error == -ECONNRESET)
		return diag_set(diag, -ECONNRESET, "the daemon ended before it answered");
	if (error == -EPROTONOSUPPORT)
		return diag_set(diag, error,
				"the daemon uses version %u of the control socket's protocol, but "
				"this program uses version %u; use programs of the same "
				"installation",
				head->version, OPROF_CONTROL_VERSION);
	if (error == -EBADMSG || message.msg_flags & MSG_TRUNC)
		error = -EPROTO;
	if (error)
		return diag_set(diag, error, "the daemon's answer is not a valid message");
	answer->text[head->size_bytes] = '\0';
	return 0;
}

static int judge_answer(const struct oprof_message *head, const char *text,
			enum oprof_request request, struct diag *diag)
{
	char why[DIAG_TEXT_BYTES];

	if (head->request != request || head->status > 0 || head->status < -ERRNO_MAX)
		return diag_set(diag, -EPROTO, "the daemon's answer does not match the request");
	if (!head->status)
		return 0;
	if (key_value_find(text, "error", why, sizeof(why)))
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

/* Sends the request and waits until there is an answer to receive. */
static int ask_on(int fd, enum oprof_request request, const char *text,
		  const struct client_patience *patience, struct diag *diag)
{
	int64_t deadline_ms = clock_monotonic_ms() + patience->timeout_ms;
	int error = send_question(fd, request, text, diag);

	if (error)
		return error;
	error = wait_readable(fd, patience->wake_fd, deadline_ms);
	if (error && error != -ETIMEDOUT)
		return diag_set(diag, error, "cannot wait for the daemon's answer: %s",
				strerror(-error));
	if (error)
		return diag_set(diag, error,
				"the daemon (process %d) did not answer the request (%s) "
				"within %d s",
				(int)peer_pid(fd), request_names[request],
				patience->timeout_ms / 1000);
	return 0;
}

/*
 * Sends the request on fd and receives the answer. answer may be NULL, as in client_ask_trusted().
 */
static int get_answer(int fd, enum oprof_request request, const char *text,
		      const struct client_patience *patience, struct client_answer *answer,
		      struct diag *diag)
{
	struct oprof_message head = {0};
	struct client_answer got = {.fd = -1, .daemon = peer_pid(fd)};
	int error;

	got.text = malloc(OPROF_CONTROL_TEXT_MAX + 1);
	error = got.text ? ask_on(fd, request, text, patience, diag)
			 : diag_set(diag, -ENOMEM, "out of memory for the daemon's answer");
	if (!error)
		error = receive_answer(fd, &head, &got, answer, diag);
	if (!error)
		error = judge_answer(&head, got.text, request, diag);
	if (error || !answer)
		client_answer_deinit(&got);
	else
		*answer = got;
	return error;
}

/* is_trusted: only a daemon that check_peer() accepts gets the request. */
static int ask(const char *session_dir, enum oprof_request request, const char *text,
	       const struct client_patience *patience, bool is_trusted,
	       struct client_answer *answer, struct diag *diag)
{
	int fd = client_connect(session_dir, patience->timeout_ms, diag);
	int error;

	if (answer)
		answer->refused_uid = 0;
	if (fd < 0)
		return fd;
	error = is_trusted ? check_peer(fd, session_dir, answer, diag) : 0;
	if (!error)
		error = get_answer(fd, request, text, patience, answer, diag);
	(void)close(fd);
	return error;
}

int client_ask(const char *session_dir, enum oprof_request request, const char *text,
	       const struct client_patience *patience, struct client_answer *answer,
	       struct diag *diag)
{
	return ask(session_dir, request, text, patience, false, answer, diag);
}

int client_ask_trusted(const char *session_dir, enum oprof_request request, const char *text,
		       const struct client_patience *patience, struct client_answer *answer,
		       struct diag *diag)
{
	return ask(session_dir, request, text, patience, true, answer, diag);
}

void client_answer_deinit(struct client_answer *answer)
{
	free(answer->text);
	answer->text = NULL;
	if (answer->fd >= 0)
		(void)close(answer->fd);
	answer->fd = -1;
}

int client_probe(const char *session_dir, struct diag *diag)
{
	int fd = client_connect(session_dir, CLIENT_TIMEOUT_MS, diag);

	if (fd < 0)
		return fd;
	(void)close(fd);
	return 0;
}

/* Kernels before 5.3 have no pidfd_open; check every 10 ms instead. */
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

int client_wait_end(pid_t pid, int timeout_ms)
{
	int64_t deadline_ms = clock_monotonic_ms() + timeout_ms;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int error;

	if (fd < 0)
		return errno == ESRCH ? 0 : wait_end_slow(pid, deadline_ms);
	error = wait_readable(fd, -1, deadline_ms);
	(void)close(fd);
	return error;
}
