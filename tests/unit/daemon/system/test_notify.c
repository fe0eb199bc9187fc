// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/notify.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS UINT64_C(1000000000)

static struct notify notify;
static int manager = -1;
static char got[1024];

/* A service manager of the test's own, at an abstract socket name. */
static void setup(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char name[64];
	int nr = snprintf(name, sizeof(name), "@oprof-test-notify-%d", (int)getpid());

	memcpy(address.sun_path, name, (size_t)nr);
	address.sun_path[0] = '\0';
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(manager, 0);
	ck_assert_int_eq(bind(manager, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)nr)),
			 0);
	ck_assert_int_eq(setenv("NOTIFY_SOCKET", name, 1), 0);
	ck_assert_int_eq(unsetenv("WATCHDOG_USEC"), 0);
	ck_assert_int_eq(unsetenv("WATCHDOG_PID"), 0);
}

static void teardown(void)
{
	notify_deinit(&notify);
	(void)close(manager);
}

static const char *hear(void)
{
	ssize_t nr = recv(manager, got, sizeof(got) - 1, 0);

	got[nr > 0 ? nr : 0] = '\0';
	return got;
}

START_TEST(the_manager_hears_that_we_are_ready_and_which_process)
{
	char expected[64];

	ck_assert_int_eq(notify_init(&notify), 0);
	notify_ready(&notify);
	ck_assert_int_gt(
		snprintf(expected, sizeof(expected), "READY=1\nMAINPID=%d\n", (int)getpid()), 0);
	ck_assert_str_eq(hear(), expected);
	notify_stopping(&notify);
	ck_assert_str_eq(hear(), "STOPPING=1\n");
}
END_TEST

START_TEST(a_status_is_one_line)
{
	char huge[2000];

	ck_assert_int_eq(notify_init(&notify), 0);
	notify_status(&notify, "all is %s", "well\nREADY=1");
	ck_assert_str_eq(hear(), "STATUS=all is well\n");
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	notify_status(&notify, "%s", huge);
	ck_assert_uint_gt(strlen(hear()), 400);
	ck_assert_ptr_eq(strchr(got, '\n'), got + strlen(got) - 1);
}
END_TEST

START_TEST(the_variables_are_not_left_to_children)
{
	ck_assert_int_eq(notify_init(&notify), 0);
	ck_assert_ptr_null(getenv("NOTIFY_SOCKET"));
	ck_assert_ptr_null(getenv("WATCHDOG_USEC"));
}
END_TEST

START_TEST(the_watchdog_hears_of_us_often_enough_and_not_all_the_time)
{
	ck_assert_int_eq(setenv("WATCHDOG_USEC", "20000000", 1), 0);
	ck_assert_int_eq(notify_init(&notify), 0);
	ck_assert_uint_eq(notify.watchdog_ns, 20 * NS);
	notify_alive(&notify, 100 * NS);
	ck_assert_str_eq(hear(), "WATCHDOG=1\n");
	notify_alive(&notify, 104 * NS);
	ck_assert_str_eq(hear(), "");
	notify_alive(&notify, 105 * NS);
	ck_assert_str_eq(hear(), "WATCHDOG=1\n");
	ck_assert_int_eq(notify_wait_ms(&notify, 1000), 1000);
	ck_assert_int_eq(notify_wait_ms(&notify, 60000), 5000);
}
END_TEST

START_TEST(a_watchdog_of_another_process_is_not_ours)
{
	ck_assert_int_eq(setenv("WATCHDOG_USEC", "20000000", 1), 0);
	ck_assert_int_eq(setenv("WATCHDOG_PID", "1", 1), 0);
	ck_assert_int_eq(notify_init(&notify), 0);
	notify_alive(&notify, 100 * NS);
	ck_assert_str_eq(hear(), "");
	ck_assert_int_eq(notify_wait_ms(&notify, 60000), 60000);
}
END_TEST

START_TEST(without_a_manager_nothing_is_told)
{
	ck_assert_int_eq(unsetenv("NOTIFY_SOCKET"), 0);
	ck_assert_int_eq(setenv("WATCHDOG_USEC", "20000000", 1), 0);
	ck_assert_int_eq(notify_init(&notify), 0);
	notify_ready(&notify);
	notify_alive(&notify, 100 * NS);
	notify_status(&notify, "nobody %s", "listens");
	ck_assert_str_eq(hear(), "");
}
END_TEST

START_TEST(a_name_that_is_no_socket_is_refused)
{
	char huge[300];

	memset(huge, 'x', sizeof(huge) - 1);
	huge[0] = '/';
	huge[sizeof(huge) - 1] = '\0';
	ck_assert_int_eq(setenv("NOTIFY_SOCKET", "vsock:2:1", 1), 0);
	ck_assert_int_eq(notify_init(&notify), -EINVAL);
	ck_assert_int_eq(setenv("NOTIFY_SOCKET", huge, 1), 0);
	ck_assert_int_eq(notify_init(&notify), -EINVAL);
	ck_assert_int_eq(setenv("NOTIFY_SOCKET", "/", 1), 0);
	ck_assert_int_eq(notify_init(&notify), -EINVAL);
	notify_ready(&notify); /* has no effect */
}
END_TEST

START_TEST(a_manager_that_went_away_stops_nobody)
{
	ck_assert_int_eq(notify_init(&notify), 0);
	(void)close(manager);
	manager = -1;
	notify_ready(&notify);
	notify_status(&notify, "still here");
	ck_assert_int_ge(notify.fd, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("notify");
	TCase *tc = tcase_create("notify");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_manager_hears_that_we_are_ready_and_which_process);
	tcase_add_test(tc, a_status_is_one_line);
	tcase_add_test(tc, the_variables_are_not_left_to_children);
	tcase_add_test(tc, the_watchdog_hears_of_us_often_enough_and_not_all_the_time);
	tcase_add_test(tc, a_watchdog_of_another_process_is_not_ours);
	tcase_add_test(tc, without_a_manager_nothing_is_told);
	tcase_add_test(tc, a_name_that_is_no_socket_is_refused);
	tcase_add_test(tc, a_manager_that_went_away_stops_nobody);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
