// SPDX-License-Identifier: GPL-2.0-or-later
/* optop as its users see it, on a terminal; a daemon of the test's own answers. */
#include "daemon/command/control_server.h"

#include "lib/file.h"
#include "tests/fixture/terminal.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/top_slice.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The daemon answers slowly while a file of this name exists. */
#define SLOW_NAME "slow"
#define SLOW_MS	  1500
/* Its first answer has no samples if a file of this name exists. */
#define EMPTY_NAME "empty"

static char program[4096];
static pid_t daemon_pid;
static struct terminal terminal;

static uint64_t handle(void *context, const struct control_request *request,
		       struct control_answer *answer)
{
	(void)context;
	if (request->request != OPROF_REQUEST_RECENT || !request->separate_all) {
		control_answer_fail(answer, -EOPNOTSUPP, "not here");
		return 0;
	}
	if (!access(SLOW_NAME, F_OK))
		(void)poll(NULL, 0, SLOW_MS);
	answer->fd = unlink(EMPTY_NAME) ? top_slice_make() : top_slice_make_empty();
	control_answer_add(answer, "begin_ns", "%" PRId64, TOP_SLICE_BEGIN_NS);
	control_answer_add(answer, "end_ns", "%" PRId64, TOP_SLICE_END_NS);
	return 0;
}

/* Serves as the daemon; closes told once it listens. */
__attribute__((noreturn)) static void serve(int told)
{
	struct control_server *server;
	struct pollfd ready = {.events = POLLIN};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (control_server_create(&server, "control", handle, NULL, NULL))
		_exit(1);
	ready.fd = control_server_poll_fd(server);
	(void)close(told);
	while (poll(&ready, 1, -1) >= 0)
		control_server_run(server);
	_exit(1);
}

static void start_daemon(void)
{
	int pipes[2];
	char byte;

	ck_assert_int_eq(pipe(pipes), 0);
	daemon_pid = fork();
	ck_assert_int_ge(daemon_pid, 0);
	if (!daemon_pid)
		serve(pipes[1]);
	(void)close(pipes[1]);
	ck_assert_int_eq(read(pipes[0], &byte, 1), 0);
	(void)close(pipes[0]);
}

static void stop_daemon(void)
{
	if (daemon_pid > 0) {
		(void)kill(daemon_pid, SIGKILL);
		(void)waitpid(daemon_pid, NULL, 0);
	}
	daemon_pid = 0;
}

static void setup(void)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");

	(void)snprintf(program, sizeof(program), "%s/optop", top ? top : ".");
	test_folder_setup();
	top_slice_make_symbols("samples/current/meta");
	start_daemon();
}

static void teardown(void)
{
	stop_daemon();
	test_folder_teardown();
}

static void start(int lines, int columns, const char *option)
{
	const char *const argv[] = {program, "--session-dir=.", "--delay=0.1", option, NULL};

	terminal_start(&terminal, lines, columns, argv);
}

static void quit(void)
{
	int status;

	terminal_send(&terminal, "q");
	status = terminal_end(&terminal);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	ck_assert(terminal_is_sane(&terminal));
	terminal_close(&terminal);
}

START_TEST(a_screen_of_80_by_24_shows_all_views_by_their_keys)
{
	start(24, 80, NULL);
	ck_assert(terminal_wait(&terminal, " 60.00%  3.10%       600 hot_function"));
	ck_assert(terminal_wait(&terminal, "testhost"));
	ck_assert(terminal_wait(&terminal, "samples 1000 (100/s)  idle 33.3 %  lost 30"));
	ck_assert(terminal_wait(&terminal, "q quit  h help"));
	terminal_send(&terminal, "i");
	ck_assert(terminal_wait(&terminal, " 90.00%  1.90%       900 vmlinux"));
	ck_assert(terminal_wait_gone(&terminal, "hot_function"));
	terminal_send(&terminal, "a");
	ck_assert(terminal_wait(&terminal, "/usr/bin/load"));
	terminal_send(&terminal, "t");
	ck_assert(terminal_wait(&terminal, "100.101 "));
	terminal_send(&terminal, "p");
	ck_assert(terminal_wait(&terminal, "900 100 "));
	terminal_send(&terminal, "c");
	ck_assert(terminal_wait(&terminal, "/a.service"));
	terminal_send(&terminal, "u");
	ck_assert(terminal_wait(&terminal, "CPU 1"));
	ck_assert(terminal_wait(&terminal, "62.5 %"));
	terminal_send(&terminal, "\t"); /* back to the first */
	ck_assert(terminal_wait(&terminal, "hot_function"));
	quit();
}
END_TEST

START_TEST(the_event_is_switched)
{
	start(24, 80, "--view=programs");
	ck_assert(terminal_wait(&terminal, "cpu-clock at 99 Hz (1 of 2)"));
	terminal_send(&terminal, "e");
	ck_assert(terminal_wait(&terminal, "off-cpu, time (2 of 2)"));
	ck_assert(terminal_wait(&terminal, "100.00%    4ms      3000 /usr/bin/save"));
	terminal_send(&terminal, "e");
	ck_assert(terminal_wait(&terminal, "/usr/bin/load"));
	quit();
}
END_TEST

START_TEST(a_filter_is_typed_kept_and_dropped)
{
	start(24, 80, NULL);
	ck_assert(terminal_wait(&terminal, "hot_function"));
	terminal_send(&terminal, "/colx");
	ck_assert(terminal_wait(&terminal, "no row contains the filter's text"));
	terminal_send(&terminal, "\177d");
	ck_assert(terminal_wait(&terminal, "/cold_"));
	ck_assert(terminal_wait(&terminal, "cold_function"));
	ck_assert(terminal_wait_gone(&terminal, "hot_function"));
	terminal_send(&terminal, "\r");
	ck_assert(terminal_wait(&terminal, "filter: cold"));
	terminal_send(&terminal, "\033");
	ck_assert(terminal_wait(&terminal, "hot_function"));
	terminal_send(&terminal, "/zzz");
	ck_assert(terminal_wait_gone(&terminal, "hot_function"));
	terminal_send(&terminal, "\033");
	ck_assert(terminal_wait(&terminal, "hot_function"));
	quit();
}
END_TEST

START_TEST(help_comes_and_goes)
{
	start(24, 80, NULL);
	ck_assert(terminal_wait(&terminal, "hot_function"));
	terminal_send(&terminal, "?");
	ck_assert(terminal_wait(&terminal, "twice the standard error"));
	ck_assert(terminal_wait(&terminal, "Any key closes the help"));
	ck_assert(terminal_wait_gone(&terminal, "hot_function"));
	terminal_send(&terminal, " ");
	ck_assert(terminal_wait(&terminal, "hot_function"));
	terminal_send(&terminal, " ");
	ck_assert(terminal_wait(&terminal, "[paused]"));
	quit();
}
END_TEST

START_TEST(the_screen_follows_the_terminal_s_size)
{
	start(24, 80, NULL);
	ck_assert(terminal_wait(&terminal, "hot_function"));
	terminal_resize(&terminal, 10, 50);
	ck_assert(terminal_wait(&terminal, "IMAGE"));
	terminal_resize(&terminal, 4, 20);
	ck_assert(terminal_wait(&terminal, "too small"));
	terminal_resize(&terminal, 40, 132);
	ck_assert(terminal_wait_gone(&terminal, "too small"));
	ck_assert(terminal_wait(&terminal, "hot_function"));
	quit();
}
END_TEST

START_TEST(a_daemon_that_goes_away_is_told_and_the_samples_stay)
{
	start(24, 80, NULL);
	ck_assert(terminal_wait(&terminal, "hot_function"));
	stop_daemon();
	ck_assert(terminal_wait(&terminal, "no daemon runs for the session folder .; oprof start"));
	ck_assert(terminal_wait(&terminal, "hot_function"));
	start_daemon();
	ck_assert(terminal_wait_gone(&terminal, "no daemon runs"));
	quit();
}
END_TEST

START_TEST(a_daemon_that_hangs_holds_no_key_for_long)
{
	start(24, 80, NULL);
	ck_assert(terminal_wait(&terminal, "hot_function"));
	ck_assert_int_eq(kill(daemon_pid, SIGSTOP), 0);
	ck_assert(terminal_wait(&terminal, "did not answer"));
	terminal_send(&terminal, "i");
	ck_assert(terminal_wait(&terminal, "900 vmlinux"));
	quit();
}
END_TEST

static void make_slow(void)
{
	ck_assert_int_eq(file_replace(SLOW_NAME, "", 0, 0600), 0);
}

START_TEST(a_slow_daemon_is_said_to_be_slow_and_its_answer_is_shown)
{
	make_slow();
	start(24, 80, NULL);
	ck_assert(terminal_wait(&terminal, "the daemon is slow"));
	ck_assert(terminal_wait(&terminal, "hot_function"));
	ck_assert(terminal_wait_gone(&terminal, "the daemon is slow"));
	quit();
}
END_TEST

START_TEST(signals_give_the_terminal_back)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int status;

		start(24, 80, NULL);
		ck_assert(terminal_wait(&terminal, "hot_function"));
		ck_assert(!terminal_is_sane(&terminal));
		ck_assert_int_eq(kill(terminal.child, signals[i]), 0);
		status = terminal_end(&terminal);
		ck_assert(WIFSIGNALED(status));
		ck_assert_int_eq(WTERMSIG(status), signals[i]);
		ck_assert(terminal_is_sane(&terminal));
		terminal_close(&terminal);
	}
}
END_TEST

/*
 * Store what optop prints on both streams. Returns its exit status. Reads a file, not a pipe: in a
 * build with AddressSanitizer, a child that was forked beside another thread may wait for ever for
 * a lock of the sanitizer, and would keep the pipe open.
 */
static int print(const char *options, char *text, size_t nr_bytes)
{
	char command[8192];
	size_t nr;
	FILE *out;
	int status;

	(void)snprintf(command, sizeof(command), "%s %s >printed 2>&1", program, options);
	status = system(command);
	out = fopen("printed", "re");
	ck_assert_ptr_nonnull(out);
	nr = fread(text, 1, nr_bytes - 1, out);
	text[nr] = '\0';
	(void)fclose(out);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(batch_mode_prints_text_with_all_symbols)
{
	static char text[65536];
	char *second;

	ck_assert_int_eq(print("--session-dir=. --once", text, sizeof(text)), 0);
	ck_assert_ptr_nonnull(strstr(text, "60.00%  3.10%       600 hot_function "));
	ck_assert_ptr_nonnull(strstr(text, "samples 1000 (100/s)"));
	ck_assert_ptr_null(strstr(text, "loading"));
	ck_assert_ptr_null(strchr(text, '\033'));
	ck_assert_int_eq(print("--session-dir=. -b -n 2 -d 0.1 -r 1", text, sizeof(text)), 0);
	second = strstr(text, "\n\noprof top");
	ck_assert_ptr_nonnull(second);
	ck_assert_ptr_nonnull(strstr(second, "hot_function"));
	ck_assert_ptr_null(strstr(text, "cold_function"));
}
END_TEST

START_TEST(one_answer_is_waited_for_on_a_machine_that_is_busy)
{
	static char text[65536];

	make_slow();
	ck_assert_int_eq(print("--session-dir=. --once", text, sizeof(text)), 0);
	ck_assert_ptr_nonnull(strstr(text, "hot_function"));
}
END_TEST

START_TEST(without_a_daemon_the_command_that_starts_one_is_told)
{
	static char text[4096];

	stop_daemon();
	ck_assert_int_eq(print("--session-dir=. --once", text, sizeof(text)), 1);
	ck_assert_ptr_nonnull(strstr(text, "oprof start"));
	ck_assert_int_eq(print("--session-dir=/no/such --once", text, sizeof(text)), 1);
	ck_assert_ptr_nonnull(strstr(text, "oprof start"));
}
END_TEST

START_TEST(an_event_that_is_not_there_is_told)
{
	static char text[65536];

	ck_assert_int_eq(print("--session-dir=. --once -e cycles", text, sizeof(text)), 1);
	ck_assert_ptr_nonnull(strstr(text, "no recent samples of event cycles"));
}
END_TEST

START_TEST(a_window_without_samples_does_not_end_batch_mode)
{
	static char text[65536];
	const char *lack;

	ck_assert_int_eq(file_replace(EMPTY_NAME, "", 0, 0600), 0);
	ck_assert_int_eq(print("--session-dir=. -b -n 2 -d 0.1 -e cpu-clock", text, sizeof(text)),
			 0);
	lack = strstr(text, "no recent samples of event cpu-clock");
	ck_assert_ptr_nonnull(lack);
	ck_assert_ptr_nonnull(strstr(lack, "hot_function"));
}
END_TEST

START_TEST(help_has_each_option_beside_its_text_in_80_columns)
{
	static char text[65536];
	char *next = text;

	ck_assert_int_eq(print("--help", text, sizeof(text)), 0);
	ck_assert_ptr_nonnull(strstr(text, "  -V, --view=VIEW "));
	(void)strsep(&next, "\n"); /* what optop is for */
	for (char *line; (line = strsep(&next, "\n"));)
		ck_assert_msg(strlen(line) < 80, "%s", line);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("optop");

	tcase_add_checked_fixture(tc, setup, teardown);
	if (terminal_works()) {
		tcase_add_test(tc, a_screen_of_80_by_24_shows_all_views_by_their_keys);
		tcase_add_test(tc, the_event_is_switched);
		tcase_add_test(tc, a_filter_is_typed_kept_and_dropped);
		tcase_add_test(tc, help_comes_and_goes);
		tcase_add_test(tc, the_screen_follows_the_terminal_s_size);
		tcase_add_test(tc, a_daemon_that_goes_away_is_told_and_the_samples_stay);
		tcase_add_test(tc, a_daemon_that_hangs_holds_no_key_for_long);
		tcase_add_test(tc, a_slow_daemon_is_said_to_be_slow_and_its_answer_is_shown);
		tcase_add_test(tc, signals_give_the_terminal_back);
	}
	tcase_add_test(tc, batch_mode_prints_text_with_all_symbols);
	tcase_add_test(tc, one_answer_is_waited_for_on_a_machine_that_is_busy);
	tcase_add_test(tc, without_a_daemon_the_command_that_starts_one_is_told);
	tcase_add_test(tc, an_event_that_is_not_there_is_told);
	tcase_add_test(tc, a_window_without_samples_does_not_end_batch_mode);
	tcase_add_test(tc, help_has_each_option_beside_its_text_in_80_columns);
	return test_run(tc);
}
