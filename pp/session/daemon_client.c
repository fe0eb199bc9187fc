// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/daemon_client.h"

#include "oprof/control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* What came over the socket; text has a NUL behind it. */
struct answer {
	struct oprof_message head;
	char text[OPROF_CONTROL_TEXT_MAX + 1];
	int fd; /* -1: none came */
};

/* A socket's name has room for 107 bytes: go by way of the folder's descriptor. */
static int connect_in(int dir_fd, int fd)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};

	(void)snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d/%s", dir_fd,
		       OPROF_CONTROL_NAME);
	while (connect(fd, (const struct sockaddr *)&name, sizeof(name)))
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int client_connect(const char *session_dir, int timeout_ms)
{
	struct timeval timeout = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};
	int dir_fd = open(session_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error;
	int fd;

	if (dir_fd < 0)
		return -errno;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	error = fd < 0 ? -errno : 0;
	/* Bounds the wait for a place in the queue of a daemon that hangs. */
	if (!error && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)))
		error = -errno;
	if (!error)
		error = connect_in(dir_fd, fd);
	(void)close(dir_fd);
	if (!error)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return error;
}

static int tell_not_connected(const char *session_dir, int error, struct diag *diag)
{
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
		return diag_set(diag, -ENOTCONN,
				"no daemon runs for the session folder %s; oprof start starts one",
				session_dir);
	case -EAGAIN: /* SO_SNDTIMEO: no place in its queue */
		return diag_set(diag, -ETIMEDOUT, "the daemon did not answer in time");
	case -EACCES:
	case -EPERM:
		return diag_set(diag, error,
				"the session folder %s and its daemon are another user's: run "
				"this as root (sudo)",
				session_dir);
	default:
		return diag_set(diag, error, "cannot reach the daemon of %s: %s", session_dir,
				strerror(-error));
	}
}

static int send_request(int fd, enum oprof_request request, const char *text)
{
	struct {
		struct oprof_message head;
		char text[256];
	} packet = {.head = {.magic = OPROF_CONTROL_MAGIC,
			     .version = OPROF_CONTROL_VERSION,
			     .request = (uint16_t)request}};
	size_t nr_text = strlen(text);
	ssize_t nr;

	if (nr_text > sizeof(packet.text))
		return -EMSGSIZE;
	memcpy(packet.text, text, nr_text);
	packet.head.size_bytes = (uint32_t)nr_text;
	do {
		nr = send(fd, &packet, sizeof(packet.head) + nr_text, MSG_NOSIGNAL);
	} while (nr < 0 && errno == EINTR);
	return nr < 0 ? -errno : 0;
}

/* 0: the answer is there; -ETIMEDOUT; -EINTR: patience has ended. */
static int wait_readable(int fd, const struct daemon_patience *patience)
{
	struct pollfd waits[] = {{.fd = fd, .events = POLLIN},
				 {.fd = patience->wake_fd, .events = POLLIN}};
	int nr;

	do { /* a signal begins the wait anew; none comes without end */
		nr = poll(waits, 2, patience->timeout_ms);
	} while (nr < 0 && errno == EINTR);
	if (nr < 0)
		return -errno;
	if (!nr)
		return -ETIMEDOUT;
	return waits[0].revents ? 0 : -EINTR;
}

/* The one descriptor of message, -1: there is none. There is room for no other. */
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

static int receive_answer(int fd, struct answer *answer)
{
	union { /* as cmsg(3) wants it aligned */
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec parts[2] = {{&answer->head, sizeof(answer->head)},
				 {answer->text, OPROF_CONTROL_TEXT_MAX}};
	struct msghdr message = {.msg_iov = parts,
				 .msg_iovlen = 2,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	ssize_t nr;

	do {
		nr = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	} while (nr < 0 && errno == EINTR);
	if (nr < 0)
		return -errno;
	answer->fd = take_descriptor(&message);
	if (!nr)
		return -ECONNRESET;
	if (nr < (ssize_t)sizeof(answer->head) || message.msg_flags & MSG_TRUNC ||
	    answer->head.magic != OPROF_CONTROL_MAGIC)
		return -EPROTO;
	if (answer->head.version != OPROF_CONTROL_VERSION)
		return -EPROTONOSUPPORT;
	if (answer->head.size_bytes != (size_t)nr - sizeof(answer->head))
		return -EPROTO;
	answer->text[answer->head.size_bytes] = '\0';
	return 0;
}

/* The rest of the first line that begins with key and a space; NULL: there is none. */
static const char *find_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	while (*text) {
		if (!strncmp(text, key, length) && text[length] == ' ')
			return text + length + 1;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return NULL;
}

static bool find_number(const char *text, const char *key, int64_t *number)
{
	const char *value = find_value(text, key);
	char *end;

	if (!value)
		return false;
	errno = 0;
	*number = strtoll(value, &end, 10);
	return !errno && end != value && (*end == '\n' || !*end);
}

/* What the daemon said of a request that it knows. */
static int judge_answer(const struct answer *answer, struct daemon_recent *recent,
			struct diag *diag)
{
	const char *why = find_value(answer->text, "error");

	if (answer->head.request != OPROF_REQUEST_RECENT || answer->head.status > 0)
		return diag_set(diag, -EPROTO, "the daemon answered something else than was asked");
	if (answer->head.status == -EOPNOTSUPP)
		return diag_set(diag, -EOPNOTSUPP,
				"the daemon that runs is older than this program and keeps no "
				"recent samples: start it anew");
	if (answer->head.status && why)
		return diag_set(diag, answer->head.status, "%.*s", (int)strcspn(why, "\n"), why);
	if (answer->head.status)
		return diag_set(diag, answer->head.status, "the daemon refused: %s",
				strerror(-answer->head.status));
	if (answer->fd < 0 || !find_number(answer->text, "begin_ns", &recent->begin_ns) ||
	    !find_number(answer->text, "end_ns", &recent->end_ns))
		return diag_set(diag, -EPROTO, "the daemon's answer lacks its samples");
	recent->fd = answer->fd;
	return 0;
}

static int tell_no_answer(int error, struct diag *diag)
{
	switch (error) {
	case -EPROTONOSUPPORT:
		return diag_set(diag, error,
				"the daemon speaks another version of the control socket: use "
				"programs of one installation");
	case -EPROTO:
		return diag_set(diag, error, "what came over the control socket is no answer");
	case -ECONNRESET:
	case -EPIPE:
		return diag_set(diag, error, "the daemon ended before it answered");
	case -ETIMEDOUT:
		return diag_set(diag, error, "the daemon did not answer in time");
	default:
		return diag_set(diag, error, "cannot ask the daemon: %s", strerror(-error));
	}
}

static pid_t peer_pid(int fd)
{
	struct ucred peer = {.pid = 0};
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ? 0 : peer.pid;
}

static int ask_on(int fd, const char *text, const struct daemon_patience *patience,
		  struct answer *answer, struct daemon_recent *recent, struct diag *diag)
{
	int error = send_request(fd, OPROF_REQUEST_RECENT, text);

	if (!error)
		error = wait_readable(fd, patience);
	if (!error)
		error = receive_answer(fd, answer);
	if (error)
		return tell_no_answer(error, diag);
	recent->daemon = peer_pid(fd);
	return judge_answer(answer, recent, diag);
}

int daemon_recent(const char *session_dir, uint64_t last_ns, enum daemon_separation separation,
		  const struct daemon_patience *patience, struct daemon_recent *recent,
		  struct diag *diag)
{
	struct answer *answer;
	char text[128];
	int error;
	int fd = client_connect(session_dir, patience->timeout_ms);

	if (fd < 0)
		return tell_not_connected(session_dir, fd, diag);
	answer = malloc(sizeof(*answer));
	if (!answer) {
		(void)close(fd);
		return diag_set(diag, -ENOMEM, "out of memory");
	}
	answer->fd = -1;
	(void)snprintf(text, sizeof(text), "last_ns %" PRIu64 "\n%s", last_ns,
		       separation == DAEMON_SEPARATE_ALL ? "separate all\n" : "");
	error = ask_on(fd, text, patience, answer, recent, diag);
	if (error && answer->fd >= 0)
		(void)close(answer->fd);
	free(answer);
	(void)close(fd);
	return error;
}

int daemon_probe(const char *session_dir, struct diag *diag)
{
	int fd = client_connect(session_dir, DAEMON_TIMEOUT_MS);

	if (fd < 0)
		return tell_not_connected(session_dir, fd, diag);
	(void)close(fd);
	return 0;
}
