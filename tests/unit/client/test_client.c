// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client.h"

#include "tests/fixture/control_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* The answer of the test's server to its one request. */
struct reply {
	uint32_t magic;
	uint16_t version;
	uint16_t request; /* 0: the request's number */
	int32_t status;
	uint32_t extra_size; /* added to the size given */
	const char *text;
	enum {
		REPLY_NORMAL,
		REPLY_SHORT,
		REPLY_CLOSE,
		REPLY_SILENT,
		REPLY_ECHO,
		REPLY_UNREAD,
		REPLY_SIGNALS,
	} kind;
};

static const struct reply good = {.magic = OPROF_CONTROL_MAGIC, .version = OPROF_CONTROL_VERSION};
static struct client_answer answer;
static char dir[512];
static pid_t server;

static void set_up(void)
{
	test_dir_set_up();
	(void)snprintf(dir, sizeof(dir), "%s", test_dir);
	answer = (struct client_answer){.fd = -1};
	server = 0;
}

static void tear_down(void)
{
	if (server) {
		(void)kill(server, SIGKILL);
		(void)waitpid(server, NULL, 0);
	}
	client_answer_deinit(&answer);
	test_dir_tear_down();
}

static void serve(int listener, const struct reply *reply, pid_t client)
{
	struct {
		struct oprof_message head;
		char text[1024];
	} message;
	struct pollfd question = {.fd = accept(listener, NULL, NULL), .events = POLLIN};
	int fd = question.fd;
	size_t nr_text = reply->text ? strlen(reply->text) : 0;
	ssize_t nr;

	if (reply->kind == REPLY_UNREAD)
		_exit(poll(&question, 1, 10000) != 1);
	nr = recv(fd, &message, sizeof(message), 0);
	if (nr < (ssize_t)sizeof(message.head) || reply->kind == REPLY_CLOSE)
		_exit(1);
	if (reply->kind == REPLY_SILENT)
		(void)pause();
	while (reply->kind == REPLY_SIGNALS && getppid() == client && !kill(client, SIGUSR1))
		(void)poll(NULL, 0, 1);
	if (reply->kind == REPLY_ECHO)
		nr_text = message.head.size_bytes;
	else if (nr_text)
		memcpy(message.text, reply->text, nr_text);
	message.head.magic = reply->magic;
	message.head.version = reply->version;
	if (reply->request)
		message.head.request = reply->request;
	message.head.status = reply->status;
	message.head.size_bytes = (uint32_t)nr_text + reply->extra_size;
	(void)send(fd, &message, reply->kind == REPLY_SHORT ? 7 : sizeof(message.head) + nr_text,
		   0);
	_exit(0);
}

static int listen_in(const char *session_dir)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = OPROF_CONTROL_NAME};
	int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(chdir(session_dir), 0);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&name, sizeof(name)), 0);
	ck_assert_int_eq(listen(fd, 4), 0);
	ck_assert_int_eq(fchdir(before), 0);
	(void)close(before);
	return fd;
}

static void begin_server(const struct reply *reply)
{
	const pid_t client = getpid();
	int fd = listen_in(dir);

	server = fork();
	ck_assert_int_ge(server, 0);
	if (!server)
		serve(fd, reply, client);
	(void)close(fd);
}

static int ask(const char *text, int timeout_ms, int wake_fd)
{
	const struct client_patience patience = {timeout_ms, wake_fd};

	return client_ask(dir, OPROF_REQUEST_STATUS, text, &patience, &answer, &diag);
}

static int ask_with(const struct reply *reply, const char *text, int timeout_ms)
{
	begin_server(reply);
	return ask(text, timeout_ms, -1);
}

START_TEST(another_users_daemon_is_asked_only_by_requests_that_the_user_typed)
{
	const struct client_patience patience = {1, -1};
	int listener;
	int fd;
	char byte;

	if (geteuid())
		return; /* only root can become another user */
	listener = listen_in(dir);
	/* The kernel takes the user from listen(). */
	ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_eq(listen(listener, 4), 0);
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(
		client_ask_trusted(dir, OPROF_REQUEST_STATUS, NULL, &patience, &answer, &diag),
		-EACCES);
	assert_has(diag.text,
		   "it runs as another user (uid 65534): only that user can use the daemon");
	ck_assert_uint_eq(answer.refused_uid, 65534);
	fd = accept(listener, NULL, NULL);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(recv(fd, &byte, 1, 0), 0);
	(void)close(fd);
	/* opcontrol, run by root, controls what operf of a user began. */
	ck_assert_int_eq(ask(NULL, 1, -1), -ETIMEDOUT);
	fd = accept(listener, NULL, NULL);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(recv(fd, &byte, 1, 0), 1);
	(void)close(fd);
	(void)close(listener);
}
END_TEST

START_TEST(a_daemon_of_the_same_user_is_trusted)
{
	const struct client_patience patience = {10000, -1};

	begin_server(&good);
	ck_assert_msg(!client_ask_trusted(dir, OPROF_REQUEST_STATUS, NULL, &patience, NULL, &diag),
		      "%s", diag_show(&diag));
}
END_TEST

START_TEST(an_answer_brings_its_text)
{
	struct reply reply = good;

	reply.text = "state running\nseen 12\n";
	ck_assert_msg(!ask_with(&reply, NULL, 10000), "%s", diag_show(&diag));
	ck_assert_str_eq(answer.text, reply.text);
	ck_assert_int_eq(answer.daemon, getpid()); /* the process that called listen() */
}
END_TEST

START_TEST(a_question_carries_its_text)
{
	struct reply reply = good;

	reply.kind = REPLY_ECHO;
	ck_assert_int_eq(ask_with(&reply, "name abc\n", 10000), 0);
	ck_assert_str_eq(answer.text, "name abc\n");
}
END_TEST

START_TEST(a_folder_with_a_very_long_name_works)
{
	size_t used = strlen(dir);

	for (int i = 0; i < 4; i++) {
		used += (size_t)snprintf(dir + used, sizeof(dir) - used, "/%080d", i);
		ck_assert_int_eq(file_make_dirs(dir, 0700), 0);
	}
	ck_assert_uint_gt(strlen(dir), sizeof(((struct sockaddr_un *)NULL)->sun_path));
	ck_assert_msg(!ask_with(&good, NULL, 10000), "%s", diag_show(&diag));
}
END_TEST

START_TEST(the_daemons_own_words_explain_a_refusal)
{
	struct reply reply = good;

	reply.status = -EEXIST;
	reply.text = "error there is a session of that name\n";
	ck_assert_int_eq(ask_with(&reply, NULL, 10000), -EEXIST);
	ck_assert_str_eq(diag.text, "there is a session of that name");
	ck_assert_ptr_null(answer.text);
}
END_TEST

START_TEST(another_version_is_told_by_its_number)
{
	struct reply reply = good;

	reply.version = 77;
	reply.extra_size = 5; /* the place of the size in another version is unknown */
	reply.status = -EPROTONOSUPPORT;
	ck_assert_int_eq(ask_with(&reply, NULL, 10000), -EPROTONOSUPPORT);
	assert_has(diag.text, "version 77");
}
END_TEST

static const struct reply bad_replies[] = {
	{.magic = 1, .version = OPROF_CONTROL_VERSION},
	{.magic = OPROF_CONTROL_MAGIC, .version = OPROF_CONTROL_VERSION, .extra_size = 5},
	{.magic = OPROF_CONTROL_MAGIC, .version = OPROF_CONTROL_VERSION, .kind = REPLY_SHORT},
	{.magic = OPROF_CONTROL_MAGIC, .version = OPROF_CONTROL_VERSION, .request = 6},
	{.magic = OPROF_CONTROL_MAGIC, .version = OPROF_CONTROL_VERSION, .status = 3},
	{.magic = OPROF_CONTROL_MAGIC, .version = OPROF_CONTROL_VERSION, .status = INT32_MIN},
};

START_TEST(what_is_no_answer_is_refused)
{
	ck_assert_int_eq(ask_with(&bad_replies[_i], NULL, 10000), -EPROTO);
	ck_assert_ptr_null(answer.text);
}
END_TEST

START_TEST(a_daemon_that_dies_instead_of_answering_is_told)
{
	struct reply reply = good;

	reply.kind = REPLY_CLOSE;
	ck_assert_int_eq(ask_with(&reply, NULL, 10000), -ECONNRESET);
	assert_has(diag.text, "ended before it answered");
}
END_TEST

START_TEST(a_daemon_that_ends_with_the_question_unread_is_told_as_ended)
{
	struct reply reply = good;

	reply.kind = REPLY_UNREAD;
	ck_assert_int_eq(ask_with(&reply, NULL, 10000), -ECONNRESET);
	assert_has(diag.text, "ended before it answered");
}
END_TEST

START_TEST(a_daemon_that_hangs_runs_into_the_timeout)
{
	struct reply reply = good;

	reply.kind = REPLY_SILENT;
	ck_assert_int_eq(ask_with(&reply, NULL, 50), -ETIMEDOUT);
	assert_has(diag.text, "did not answer");
}
END_TEST

/* The first signal's handler runs until the deadline has passed; later signals interrupt each
 * wait. */
static void outlast_deadline(int number)
{
	static bool was_there;

	(void)number;
	if (!was_there)
		(void)poll(NULL, 0, 60);
	was_there = true;
}

START_TEST(signals_do_not_prolong_the_timeout)
{
	const struct sigaction action = {.sa_handler = outlast_deadline};
	struct reply reply = good;

	reply.kind = REPLY_SIGNALS;
	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	ck_assert_int_eq(ask_with(&reply, NULL, 50), -ETIMEDOUT);
	assert_has(diag.text, "did not answer");
}
END_TEST

START_TEST(a_daemon_that_takes_no_calls_runs_into_the_timeout)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int listener = listen_in(dir);
	int calls[16];
	size_t nr_calls = 0;
	int fd;

	(void)snprintf(name.sun_path, sizeof(name.sun_path), "%s/" OPROF_CONTROL_NAME, test_dir);
	do {
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		ck_assert_uint_lt(nr_calls, sizeof(calls) / sizeof(calls[0]));
		calls[nr_calls++] = fd;
	} while (!connect(fd, (const struct sockaddr *)&name, sizeof(name)));
	ck_assert_int_eq(ask(NULL, 50, -1), -ETIMEDOUT);
	assert_has(diag.text, "did not answer");
	while (nr_calls)
		(void)close(calls[--nr_calls]);
	(void)close(listener);
}
END_TEST

START_TEST(a_readable_wake_descriptor_ends_the_wait)
{
	struct reply reply = good;
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	(void)close(ends[1]);
	reply.kind = REPLY_SILENT;
	begin_server(&reply);
	ck_assert_int_eq(ask(NULL, 600000, ends[0]), -EINTR);
	ck_assert_ptr_null(answer.text);
	(void)close(ends[0]);
}
END_TEST

START_TEST(a_probe_finds_a_daemon_and_asks_nothing)
{
	int listener;
	int status;

	ck_assert_int_eq(client_probe(dir, &diag), -ENOTCONN);
	listener = listen_in(dir);
	ck_assert_int_eq(client_probe(dir, &diag), 0);
	server = fork();
	if (!server)
		serve(listener, &good, getppid());
	(void)close(listener);
	ck_assert_int_eq(waitpid(server, &status, 0), server);
	server = 0;
	ck_assert_int_eq(WEXITSTATUS(status), 1); /* no request came */
}
END_TEST

START_TEST(no_daemon_no_folder_and_a_dead_socket_are_all_not_connected)
{
	ck_assert_int_eq(ask(NULL, 1000, -1), -ENOTCONN);
	(void)close(listen_in(dir));
	ck_assert_int_eq(ask(NULL, 1000, -1), -ENOTCONN);
	(void)strcpy(dir, "/nonexistent/x");
	ck_assert_int_eq(ask(NULL, 1000, -1), -ENOTCONN);
}
END_TEST

START_TEST(a_text_that_is_too_long_is_not_sent)
{
	char *text = malloc(OPROF_CONTROL_TEXT_MAX + 2);

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', OPROF_CONTROL_TEXT_MAX + 1);
	text[OPROF_CONTROL_TEXT_MAX + 1] = '\0';
	ck_assert_int_eq(ask_with(&good, text, 1000), -EMSGSIZE);
	free(text);
}
END_TEST

START_TEST(the_end_of_a_process_is_waited_for)
{
	pid_t child = fork();

	if (!child)
		(void)pause();
	ck_assert_int_eq(client_wait_end(child, 20), -ETIMEDOUT);
	(void)kill(child, SIGKILL);
	ck_assert_int_eq(client_wait_end(child, 10000), 0);
	(void)waitpid(child, NULL, 0);
	ck_assert_int_eq(client_wait_end(child, 10000), 0);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("client");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, another_users_daemon_is_asked_only_by_requests_that_the_user_typed);
	tcase_add_test(cases, a_daemon_of_the_same_user_is_trusted);
	tcase_add_test(cases, an_answer_brings_its_text);
	tcase_add_test(cases, a_question_carries_its_text);
	tcase_add_test(cases, a_folder_with_a_very_long_name_works);
	tcase_add_test(cases, the_daemons_own_words_explain_a_refusal);
	tcase_add_test(cases, another_version_is_told_by_its_number);
	tcase_add_loop_test(cases, what_is_no_answer_is_refused, 0,
			    sizeof(bad_replies) / sizeof(bad_replies[0]));
	tcase_add_test(cases, a_daemon_that_dies_instead_of_answering_is_told);
	tcase_add_test(cases, a_daemon_that_ends_with_the_question_unread_is_told_as_ended);
	tcase_add_test(cases, a_daemon_that_hangs_runs_into_the_timeout);
	tcase_add_test(cases, signals_do_not_prolong_the_timeout);
	tcase_add_test(cases, a_daemon_that_takes_no_calls_runs_into_the_timeout);
	tcase_add_test(cases, a_readable_wake_descriptor_ends_the_wait);
	tcase_add_test(cases, a_probe_finds_a_daemon_and_asks_nothing);
	tcase_add_test(cases, no_daemon_no_folder_and_a_dead_socket_are_all_not_connected);
	tcase_add_test(cases, a_text_that_is_too_long_is_not_sent);
	tcase_add_test(cases, the_end_of_a_process_is_waited_for);
	return test_run(cases);
}
