// SPDX-License-Identifier: GPL-2.0-or-later
/* optrace profile: its temporary session, with programs that do nothing. */
#include "control/trace/optrace_profile.h"

#include "control/base/tool_path.h"
#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int remove_error; /* of file_remove_tree; 0: it is the product's */
static char *log_text;
static const char *program;    /* run in place of opimport and opreport */
static int signal_before_wait; /* sent to this process before its first waitpid(); 0: none */
static bool interrupt_wait;    /* the first waitpid() fails though no signal has come */

int __wrap_tool_path_find(const char *name, char *path, size_t room);
int __wrap_tool_path_find(const char *name, char *path, size_t room)
{
	(void)name;
	(void)snprintf(path, room, "%s", program);
	return 0;
}

pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	const int signal_nr = signal_before_wait;

	signal_before_wait = 0;
	if (signal_nr)
		(void)raise(signal_nr);
	if (interrupt_wait) {
		interrupt_wait = false;
		errno = EINTR;
		return -1;
	}
	return __real_waitpid(pid, status, options);
}

int __real_file_remove_tree(const char *path);
int __wrap_file_remove_tree(const char *path);
int __wrap_file_remove_tree(const char *path)
{
	const int error = __real_file_remove_tree(path);

	errno = 0; /* only the result counts */
	return remove_error ? remove_error : error;
}

static void setup(void)
{
	test_folder_setup();
	log_text = NULL;
	program = "/bin/true";
	ck_assert_int_eq(log_open("log"), 0);
}

static void teardown(void)
{
	free(log_text);
	test_folder_teardown();
}

static int profile(void)
{
	const char *argv[] = {"profile", NULL};
	const int status = optrace_profile(1, argv, "folder");

	ck_assert_int_eq(file_read_text("log", 1 << 16, &log_text, NULL), 0);
	return status;
}

static void expect(const char *part)
{
	ck_assert_msg(strstr(log_text, part) != NULL, "\"%s\" lacks \"%s\"", log_text, part);
}

START_TEST(a_session_that_cannot_be_removed_is_reported_with_the_reason)
{
	remove_error = -EBUSY;
	ck_assert_int_eq(setenv("TMPDIR", ".", 1), 0);
	ck_assert_int_eq(profile(), 0);
	expect("cannot remove ./oprof-profile.");
	expect(": Device or resource busy");
}
END_TEST

START_TEST(a_temporary_folder_with_too_long_a_path_is_refused_with_the_reason)
{
	static char folder[5000];

	memset(folder, 'a', sizeof(folder) - 1);
	ck_assert_int_eq(setenv("TMPDIR", folder, 1), 0);
	errno = 0;
	ck_assert_int_ne(profile(), 0);
	expect("the path in TMPDIR is too long");
}
END_TEST

static void make_program(const char *script)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	ck_assert_int_eq(file_replace("program", text, strlen(text), 0755), 0);
	program = "./program";
	ck_assert_int_eq(setenv("TMPDIR", ".", 1), 0);
}

START_TEST(a_signal_that_comes_before_the_wait_ends_the_program)
{
	make_program("exec sleep 20");
	signal_before_wait = SIGTERM;
	ck_assert_int_eq(profile(), 128 + SIGTERM);
}
END_TEST

START_TEST(a_wait_that_is_interrupted_by_no_signal_of_ours_ends_nothing)
{
	make_program("sleep 1");
	interrupt_wait = true;
	ck_assert_int_eq(profile(), 0);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("optrace_profile");

	log_init("optrace", LOG_LEVEL_INFO);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_session_that_cannot_be_removed_is_reported_with_the_reason);
	tcase_add_test(tc, a_temporary_folder_with_too_long_a_path_is_refused_with_the_reason);
	tcase_add_test(tc, a_signal_that_comes_before_the_wait_ends_the_program);
	tcase_add_test(tc, a_wait_that_is_interrupted_by_no_signal_of_ours_ends_nothing);
	return test_run(tc);
}
