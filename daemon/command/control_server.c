// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/control_server.h"

#include "lib/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define REQUESTS_A_RUN 4 /* requests handled for one client before the next client's turn */

struct control_client {
	int fd;	      /* -1: free */
	uint64_t job; /* number of the job that the client waits for; 0: none */
	uint16_t request;
	/* The client is neither root nor the daemon's user: its first request is refused. */
	bool stranger;
	uint64_t used; /* value of server->clock at the client's last message */
};

struct control_server {
	int listen_fd, epoll_fd;
	control_handler *handler;
	void *context;
	uint64_t clock;
	struct control_client clients[CONTROL_CLIENTS_MAX];
	struct control_request request;
	struct control_answer answer;
	/* One byte more than the longest message, to detect longer ones. */
	char bytes[CONTROL_MESSAGE_BYTES_MAX + 1];
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

static void client_close(struct control_server *server, struct control_client *client)
{
	/* close() alone is not enough: a forked child may still have the connection open. */
	(void)epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, client->fd, NULL);
	(void)shutdown(client->fd, SHUT_RDWR);
	(void)close(client->fd);
	client->fd = -1;
	client->job = 0;
}

/*
 * Registers the client's events with epoll: its requests or, while the client waits for a job, only
 * the end of its connection. how: an operation of epoll_ctl().
 */
static int client_watch(struct control_server *server, struct control_client *client, int how)
{
	struct epoll_event event = {
		.events = client->job ? 0 : EPOLLIN,
		.data.u32 = (uint32_t)(client - server->clients),
	};

	return epoll_ctl(server->epoll_fd, how, client->fd, &event) ? -errno : 0;
}

/* Sends a packet and, unless fd is -1, the descriptor fd. sendmsg() sends both or neither. */
static ssize_t packet_send(int to, void *bytes, size_t nr_bytes, int fd)
{
	union { /* cmsg(3) requires the alignment of struct cmsghdr */
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = ""};
	struct iovec part = {bytes, nr_bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void client_send(struct control_server *server, struct control_client *client,
			const struct control_answer *answer, uint16_t request)
{
	size_t nr_bytes = control_message_format(answer, request, server->bytes);
	ssize_t sent = packet_send(client->fd, server->bytes, nr_bytes, answer->fd);

	if (sent != (ssize_t)nr_bytes)
		/* The client has ended, or does not read its answers. */
		client_close(server, client);
}

static void client_refuse(struct control_server *server, struct control_client *client, int error,
			  const char *text)
{
	control_answer_init(&server->answer);
	control_answer_fail(&server->answer, error, text);
	client_send(server, client, &server->answer, server->request.request);
}

static void client_handle(struct control_server *server, struct control_client *client)
{
	uint64_t job;

	control_answer_init(&server->answer);
	client->request = server->request.request;
	job = server->handler(server->context, &server->request, &server->answer);
	if (!job)
		client_send(server, client, &server->answer, client->request);
	if (server->answer.fd >= 0)
		(void)close(server->answer.fd);
	if (!job)
		return;
	client->job = job;
	if (client_watch(server, client, EPOLL_CTL_MOD))
		client_close(server, client);
}

/*
 * Handles one packet. Returns false if no packet has arrived, or if the client is closed or waits
 * for a job.
 */
static bool client_receive(struct control_server *server, struct control_client *client)
{
	ssize_t nr = recv(client->fd, server->bytes, sizeof(server->bytes), MSG_DONTWAIT);

	if (nr < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (nr <= 0) {
		client_close(server, client);
		return false;
	}
	client->used = ++server->clock;
	if (client->stranger) {
		server->request.request = 0;
		(void)control_message_parse(server->bytes, (size_t)nr, &server->request);
		client_refuse(server, client, -EACCES,
			      "permission denied: only root and the daemon's user may control the "
			      "daemon");
		if (client->fd >= 0)
			client_close(server, client);
		return false;
	}
	switch (control_message_parse(server->bytes, (size_t)nr, &server->request)) {
	case 0:
		client_handle(server, client);
		break;
	case -EPROTONOSUPPORT:
		client_refuse(server, client, -EPROTONOSUPPORT,
			      "the daemon uses another version of the control protocol");
		break;
	case -EBADMSG:
		client_refuse(server, client, -EBADMSG,
			      "the request is malformed: wrong sizes or text");
		break;
	default:
		client_close(server, client);
		break;
	}
	return client->fd >= 0 && !client->job;
}

/* Returns whether client a should lose its connection before client b. b may be NULL. */
static bool client_goes_first(const struct control_client *a, const struct control_client *b)
{
	if (!b || a->stranger != b->stranger)
		return !b || a->stranger;
	return a->used < b->used;
}

/*
 * Returns a free element of server->clients. If there is none, closes the connection of one client
 * and returns the client's element. Clients that wait for a job are never chosen. Strangers
 * (clients that may not control the daemon) are chosen before other clients. Among several such
 * clients, the one with the oldest last message is chosen. Returns NULL if all clients wait for
 * jobs.
 */
static struct control_client *server_place(struct control_server *server)
{
	struct control_client *silent = NULL;

	for (unsigned int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		struct control_client *client = &server->clients[i];

		if (client->fd < 0)
			return client;
		if (!client->job && client_goes_first(client, silent))
			silent = client;
	}
	if (silent)
		client_close(server, silent);
	return silent;
}

/* Returns whether the peer may control the daemon: only root and the daemon's own user may. */
static bool peer_is_allowed(int fd)
{
	struct ucred peer;
	socklen_t nr_bytes = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &nr_bytes))
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}

static void server_accept(struct control_server *server)
{
	int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct control_client *client;

	if (fd < 0)
		return;
	client = server_place(server);
	if (!client) { /* all clients wait for jobs */
		(void)close(fd);
		return;
	}
	client->fd = fd;
	client->stranger = !peer_is_allowed(fd);
	client->job = 0;
	client->used = ++server->clock;
	if (client_watch(server, client, EPOLL_CTL_ADD))
		client_close(server, client);
}

void control_server_run(struct control_server *server)
{
	struct epoll_event events[CONTROL_CLIENTS_MAX + 1];
	int nr = epoll_wait(server->epoll_fd, events, CONTROL_CLIENTS_MAX + 1, 0);

	for (int i = 0; i < nr; i++) {
		struct control_client *client;

		if (events[i].data.u32 == CONTROL_CLIENTS_MAX) {
			server_accept(server);
			continue;
		}
		client = &server->clients[events[i].data.u32];
		if (client->fd < 0)
			continue;
		if (client->job) { /* the only possible event is the end of the connection */
			client_close(server, client);
			continue;
		}
		for (unsigned int j = 0; j < REQUESTS_A_RUN && client_receive(server, client); j++)
			;
	}
}

void control_server_finish(struct control_server *server, uint64_t job, uint16_t request,
			   const struct control_answer *answer)
{
	for (unsigned int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		struct control_client *client = &server->clients[i];

		if (client->fd < 0 || !client->job || client->job > job ||
		    (request && client->request != request))
			continue;
		client->job = 0;
		client_send(server, client, answer, client->request);
		if (client->fd >= 0 && client_watch(server, client, EPOLL_CTL_MOD))
			client_close(server, client);
	}
}

static int server_bind(struct control_server *server, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (unlink(path) && errno != ENOENT)
		return -errno;
	if (bind(server->listen_fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	/* The socket now exists, so control_server_destroy must remove its name. */
	(void)snprintf(server->path, sizeof(server->path), "%s", path);
	return listen(server->listen_fd, CONTROL_CLIENTS_MAX) ? -errno : 0;
}

static int server_open(struct control_server *server, const char *path)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = CONTROL_CLIENTS_MAX};
	int error;

	server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll_fd < 0)
		return -errno;
	server->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listen_fd < 0)
		return -errno;
	error = server_bind(server, path);
	if (error)
		return error;
	return epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, server->listen_fd, &event) ? -errno : 0;
}

int control_server_create(struct control_server **server, const char *path,
			  control_handler *handler, void *context, struct diag *diag)
{
	struct control_server *made = calloc(1, sizeof(*made));
	int error;

	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory");
	made->handler = handler;
	made->context = context;
	made->listen_fd = made->epoll_fd = -1;
	for (unsigned int i = 0; i < CONTROL_CLIENTS_MAX; i++)
		made->clients[i].fd = -1;
	error = server_open(made, path);
	if (error) {
		control_server_destroy(made);
		return diag_set(diag, error, "cannot make the control socket %s: %s", path,
				strerror(-error));
	}
	*server = made;
	return 0;
}

void control_server_unlink(struct control_server *server)
{
	if (server->path[0])
		(void)unlink(server->path);
	server->path[0] = '\0';
}

void control_server_forget(struct control_server *server)
{
	if (!server)
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
		if (server->clients[i].fd >= 0)
			(void)close(server->clients[i].fd);
	(void)close(server->listen_fd);
	(void)close(server->epoll_fd);
}

void control_server_destroy(struct control_server *server)
{
	if (!server)
		return;
	for (unsigned int i = 0; i < CONTROL_CLIENTS_MAX; i++)
		if (server->clients[i].fd >= 0)
			client_close(server, &server->clients[i]);
	control_server_unlink(server);
	if (server->listen_fd >= 0)
		(void)close(server->listen_fd);
	if (server->epoll_fd >= 0)
		(void)close(server->epoll_fd);
	free(server);
}

int control_server_poll_fd(const struct control_server *server)
{
	return server->epoll_fd;
}
