// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/control_server.h"

#include "tests/fixture/descriptors.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct control_server *server;
static unsigned int nr_handled;
static uint64_t next_job; /* the handler's answer */

static uint64_t handle(void *context, const struct control_request *request,
		       struct control_answer *answer)
{
	(void)context;
	nr_handled++;
	if (request->request == OPROF_REQUEST_DUMP || request->request == OPROF_REQUEST_SAVE)
		return next_job;
	if (request->request == OPROF_REQUEST_RECENT) {
		answer->fd = memfd_create("answer", MFD_CLOEXEC);
		ck_assert_int_eq(write(answer->fd, "whole", 5), 5);
	}
	control_answer_add(answer, "state", "%u", request->request);
	if (request->request == OPROF_REQUEST_STATUS)
		for (unsigned int i = 0; i < 1000; i++)
			control_answer_add(answer, "filler", "%060u", i);
	return 0;
}

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(control_server_create(&server, "control", handle, NULL, NULL), 0);
}

static void teardown(void)
{
	control_server_destroy(server);
	test_folder_teardown();
}

static int connect_client(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control"};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void ask(int fd, uint16_t request)
{
	struct oprof_message head = {
		.magic = OPROF_CONTROL_MAGIC,
		.version = OPROF_CONTROL_VERSION,
		.request = request,
	};

	ck_assert_int_eq(send(fd, &head, sizeof(head), MSG_NOSIGNAL), sizeof(head));
}

/* Run the server until it has nothing left to do. */
static void run(void)
{
	struct pollfd ready = {.fd = control_server_poll_fd(server), .events = POLLIN};

	for (unsigned int i = 0; i < 10000 && poll(&ready, 1, 0) > 0; i++)
		control_server_run(server);
	ck_assert_int_eq(poll(&ready, 1, 0), 0); /* the server does not spin */
}

/* Read the answer's header. Returns false if no answer has come or the server has hung up. */
static bool answered(int fd, struct oprof_message *head)
{
	static char bytes[CONTROL_MESSAGE_BYTES_MAX];
	ssize_t nr = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (nr < (ssize_t)sizeof(*head))
		return false;
	memcpy(head, bytes, sizeof(*head));
	ck_assert_uint_eq(head->size_bytes + sizeof(*head), (size_t)nr);
	return true;
}

static bool hung_up(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

START_TEST(each_request_is_answered_once_in_order)
{
	struct oprof_message head;
	int fd = connect_client();

	for (unsigned int request = OPROF_REQUEST_START; request <= OPROF_REQUEST_STOP; request++)
		ask(fd, (uint16_t)request);
	run();
	ck_assert(answered(fd, &head));
	ck_assert_uint_eq(head.request, OPROF_REQUEST_START);
	ck_assert_int_eq(head.status, 0);
	ck_assert(answered(fd, &head));
	ck_assert_uint_eq(head.request, OPROF_REQUEST_STOP);
	ck_assert(!answered(fd, &head));
	(void)close(fd);
}
END_TEST

START_TEST(an_answer_that_waits_for_a_job_holds_up_its_own_client_only)
{
	struct oprof_message head;
	int waiting = connect_client();
	int other = connect_client();
	static struct control_answer done;

	next_job = 2;
	ask(waiting, OPROF_REQUEST_DUMP);
	ask(waiting, OPROF_REQUEST_START);
	run();
	ask(other, OPROF_REQUEST_START);
	run();
	ck_assert(answered(other, &head));
	ck_assert(!answered(waiting, &head));
	ck_assert_uint_eq(nr_handled, 2);
	control_answer_init(&done);
	control_server_finish(server, 1, 0, &done);
	ck_assert(!answered(waiting, &head));
	control_server_finish(server, 2, 0, &done);
	ck_assert(answered(waiting, &head));
	ck_assert_uint_eq(head.request, OPROF_REQUEST_DUMP);
	run();
	ck_assert(answered(waiting, &head));
	ck_assert_uint_eq(head.request, OPROF_REQUEST_START);
	(void)close(waiting);
	(void)close(other);
}
END_TEST

START_TEST(clients_of_one_job_are_answered_by_their_request)
{
	struct oprof_message head;
	int dump = connect_client();
	int save = connect_client();
	static struct control_answer done;

	next_job = 1;
	ask(dump, OPROF_REQUEST_DUMP);
	ask(save, OPROF_REQUEST_SAVE);
	run();
	control_answer_init(&done);
	control_server_finish(server, 1, OPROF_REQUEST_SAVE, &done);
	ck_assert(answered(save, &head));
	ck_assert_uint_eq(head.request, OPROF_REQUEST_SAVE);
	ck_assert(!answered(dump, &head));
	control_server_finish(server, 1, OPROF_REQUEST_DUMP, &done);
	ck_assert(answered(dump, &head));
	ck_assert(!answered(save, &head));
	(void)close(dump);
	(void)close(save);
}
END_TEST

START_TEST(a_client_that_leaves_while_it_waits_is_forgotten)
{
	static struct control_answer done;
	int fd = connect_client();

	next_job = 1;
	ask(fd, OPROF_REQUEST_DUMP);
	run();
	(void)close(fd);
	run();
	control_answer_init(&done);
	control_server_finish(server, 1, 0, &done);
	run();
}
END_TEST

/* What a client did before it disconnected. */
static const struct last_word {
	bool asks, takes, sends_empty;
} last_words[] = {
	{.asks = false},
	{.asks = true, .takes = true},
	{.asks = true, .takes = false},
	{.sends_empty = true},
};

START_TEST(a_client_that_leaves_is_closed_at_once)
{
	const struct last_word *last = &last_words[_i];
	const unsigned int before = nr_descriptors();
	struct oprof_message head;
	int fd = connect_client();

	run();
	if (last->asks)
		ask(fd, OPROF_REQUEST_START);
	run();
	if (last->takes)
		ck_assert(answered(fd, &head));
	if (last->sends_empty) {
		ck_assert_int_eq(send(fd, "", 0, MSG_NOSIGNAL), 0);
		run();
		ck_assert(hung_up(fd));
	}
	(void)close(fd);
	run();
	ck_assert_uint_eq(nr_descriptors(), before);
}
END_TEST

/* Returns the descriptor that came with an answer, or -1 if none. Detects more than one. */
static int take_descriptor(int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int) * 4)];
	} control;
	static char bytes[CONTROL_MESSAGE_BYTES_MAX];
	struct iovec part = {bytes, sizeof(bytes)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *head;
	int taken;

	if (recvmsg(fd, &message, MSG_DONTWAIT) <= 0)
		return -1;
	head = CMSG_FIRSTHDR(&message);
	if (!head)
		return -1;
	ck_assert_uint_eq(head->cmsg_len, CMSG_LEN(sizeof(int)));
	memcpy(&taken, CMSG_DATA(head), sizeof(taken));
	return taken;
}

START_TEST(a_descriptor_goes_with_its_answer_and_none_stays)
{
	char text[6] = "";
	int fd = connect_client();
	unsigned int before;
	int taken;

	run();
	before = nr_descriptors();
	ask(fd, OPROF_REQUEST_RECENT);
	ask(fd, OPROF_REQUEST_START);
	run();
	ck_assert_uint_eq(nr_descriptors(), before);
	taken = take_descriptor(fd);
	ck_assert_int_ge(taken, 0);
	ck_assert_int_eq(pread(taken, text, 5, 0), 5);
	ck_assert_str_eq(text, "whole");
	ck_assert_int_eq(take_descriptor(fd), -1);
	(void)close(taken);
	(void)close(fd);
}
END_TEST

START_TEST(clients_that_take_no_descriptors_cost_none)
{
	struct oprof_message head;
	unsigned int before = nr_descriptors();
	int fd = connect_client();

	for (unsigned int i = 0; i < 4000; i++) { /* until the server hangs up */
		struct oprof_message question = {
			.magic = OPROF_CONTROL_MAGIC,
			.version = OPROF_CONTROL_VERSION,
			.request = OPROF_REQUEST_RECENT,
		};

		if (send(fd, &question, sizeof(question), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
		run();
	}
	while (answered(fd, &head)) /* reads only the text, not the descriptor */
		;
	ck_assert(hung_up(fd));
	(void)close(fd);
	run();
	ck_assert_uint_eq(nr_descriptors(), before);
}
END_TEST

START_TEST(descriptors_that_clients_send_are_not_taken)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = ""};
	struct oprof_message question = {
		.magic = OPROF_CONTROL_MAGIC,
		.version = OPROF_CONTROL_VERSION,
		.request = OPROF_REQUEST_START,
	};
	struct iovec part = {&question, sizeof(question)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct oprof_message head;
	int fd = connect_client();
	unsigned int before;

	run();
	before = nr_descriptors();
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	ck_assert_int_eq(sendmsg(fd, &message, MSG_NOSIGNAL), sizeof(question));
	run();
	ck_assert(answered(fd, &head));
	ck_assert_uint_eq(nr_descriptors(), before);
	(void)close(fd);
}
END_TEST

START_TEST(hostile_bytes_end_their_own_connection_only)
{
	static char bytes[CONTROL_MESSAGE_BYTES_MAX + 100];
	struct oprof_message head;
	int good = connect_client();
	int size = 1 << 20;

	srand(1);
	for (unsigned int i = 0; i < 200; i++) {
		int bad = connect_client();
		size_t nr_bytes = (size_t)rand() % sizeof(bytes);

		for (size_t j = 0; j < nr_bytes; j++)
			bytes[j] = (char)rand();
		(void)setsockopt(bad, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		(void)send(bad, bytes, nr_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
		run();
		ck_assert(!nr_bytes || hung_up(bad));
		(void)close(bad);
		run();
		ask(good, OPROF_REQUEST_START);
		run();
		ck_assert(answered(good, &head));
	}
	ck_assert_uint_eq(nr_handled, 200);
	(void)close(good);
}
END_TEST

START_TEST(another_version_is_told_ours)
{
	struct oprof_message head = {.magic = OPROF_CONTROL_MAGIC, .version = 77, .request = 3};
	int fd = connect_client();

	ck_assert_int_eq(send(fd, &head, sizeof(head), 0), sizeof(head));
	run();
	ck_assert(answered(fd, &head));
	ck_assert_int_eq(head.status, -EPROTONOSUPPORT);
	ck_assert_uint_eq(head.version, OPROF_CONTROL_VERSION);
	ck_assert_uint_eq(head.request, 3);
	ck_assert_uint_eq(nr_handled, 0);
	(void)close(fd);
}
END_TEST

START_TEST(a_client_that_takes_no_answers_is_hung_up_on)
{
	struct oprof_message head;
	int slow = connect_client();
	int other = connect_client();

	for (unsigned int i = 0; i < 64; i++) { /* 64 KB each: more than a socket holds */
		struct oprof_message question = {
			.magic = OPROF_CONTROL_MAGIC,
			.version = OPROF_CONTROL_VERSION,
			.request = OPROF_REQUEST_STATUS,
		};

		if (send(slow, &question, sizeof(question), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
		run();
	}
	while (answered(slow, &head))
		;
	ck_assert(hung_up(slow));
	ask(other, OPROF_REQUEST_START);
	run();
	ck_assert(answered(other, &head));
	(void)close(slow);
	(void)close(other);
}
END_TEST

START_TEST(the_client_silent_longest_makes_room_for_a_new_one)
{
	struct oprof_message head;
	int fds[CONTROL_CLIENTS_MAX];
	int late;

	for (unsigned int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		fds[i] = connect_client();
		run();
	}
	ask(fds[0], OPROF_REQUEST_START);
	run();
	ck_assert(answered(fds[0], &head));
	late = connect_client();
	ask(late, OPROF_REQUEST_START);
	run();
	ck_assert(answered(late, &head));
	ck_assert(hung_up(fds[1]));
	ck_assert(!hung_up(fds[0]));
	for (unsigned int i = 0; i < CONTROL_CLIENTS_MAX; i++)
		(void)close(fds[i]);
	(void)close(late);
}
END_TEST

/* As in a child process that must not keep the daemon's connections open. */
START_TEST(a_server_that_is_forgotten_holds_no_connection_and_keeps_its_name)
{
	int fds[CONTROL_CLIENTS_MAX];
	pid_t pid;
	int status;

	for (unsigned int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		fds[i] = connect_client();
		run();
	}
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		const unsigned int before = nr_descriptors();

		control_server_forget(server);
		/* The server's own descriptors are those of the socket and of the epoll. */
		if (before - nr_descriptors() != CONTROL_CLIENTS_MAX + 2)
			_exit(1);
		_exit(access("control", F_OK) ? 2 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "the child ended with status %#x", (unsigned int)status);
	ck_assert_int_eq(WEXITSTATUS(status), 0); /* 1: descriptors are open; 2: no socket */
	for (unsigned int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		ck_assert(!hung_up(fds[i]));
		(void)close(fds[i]);
	}
}
END_TEST

START_TEST(other_users_are_refused)
{
	struct oprof_message head;
	int status;
	pid_t pid;

	if (geteuid() != 0)
		return; /* only root can change its user */
	ck_assert_int_eq(chmod(".", 0755), 0);
	ck_assert_int_eq(chmod("control", 0777), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		int fd;

		if (setuid(65534))
			_exit(9);
		fd = connect_client();
		ask(fd, OPROF_REQUEST_SHUTDOWN);
		if (recv(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
			_exit(8);
		_exit(head.status == -EACCES ? 0 : 7);
	}
	for (unsigned int i = 0; i < 1000 && waitpid(pid, &status, WNOHANG) == 0; i++) {
		struct pollfd ready = {.fd = control_server_poll_fd(server), .events = POLLIN};

		if (poll(&ready, 1, 10) > 0)
			control_server_run(server);
	}
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	ck_assert_uint_eq(nr_handled, 0);
}
END_TEST

START_TEST(a_stale_socket_is_replaced_and_the_name_goes_with_the_server)
{
	struct control_server *second;
	int fd;

	/* The second server takes the first one's socket for a stale one. */
	ck_assert_int_eq(control_server_create(&second, "control", handle, NULL, NULL), 0);
	fd = connect_client();
	control_server_run(second);
	control_server_destroy(second);
	ck_assert(hung_up(fd));
	ck_assert_int_ne(access("control", F_OK), 0);
	(void)close(fd);
}
END_TEST

START_TEST(a_path_too_long_for_a_socket_is_refused)
{
	struct control_server *second;
	struct diag diag;
	char path[200];

	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	ck_assert_int_eq(control_server_create(&second, path, handle, NULL, &diag), -ENAMETOOLONG);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("control_server");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_request_is_answered_once_in_order);
	tcase_add_test(tc, an_answer_that_waits_for_a_job_holds_up_its_own_client_only);
	tcase_add_test(tc, clients_of_one_job_are_answered_by_their_request);
	tcase_add_test(tc, a_client_that_leaves_while_it_waits_is_forgotten);
	tcase_add_loop_test(tc, a_client_that_leaves_is_closed_at_once, 0,
			    sizeof(last_words) / sizeof(last_words[0]));
	tcase_add_test(tc, a_descriptor_goes_with_its_answer_and_none_stays);
	tcase_add_test(tc, clients_that_take_no_descriptors_cost_none);
	tcase_add_test(tc, descriptors_that_clients_send_are_not_taken);
	tcase_add_test(tc, hostile_bytes_end_their_own_connection_only);
	tcase_add_test(tc, another_version_is_told_ours);
	tcase_add_test(tc, a_client_that_takes_no_answers_is_hung_up_on);
	tcase_add_test(tc, the_client_silent_longest_makes_room_for_a_new_one);
	tcase_add_test(tc, a_server_that_is_forgotten_holds_no_connection_and_keeps_its_name);
	tcase_add_test(tc, other_users_are_refused);
	tcase_add_test(tc, a_stale_socket_is_replaced_and_the_name_goes_with_the_server);
	tcase_add_test(tc, a_path_too_long_for_a_socket_is_refused);
	return test_run(tc);
}
