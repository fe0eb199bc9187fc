// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/trace/trace_args.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

static struct trace_args args;
static struct diag diag;

static void setup(void)
{
	trace_args_init(&args, TRACE_ARGS_DISCARD);
	diag_clear(&diag);
}

static void teardown(void)
{
	trace_args_deinit(&args);
}

static int take(enum trace_args_option option, const char *text)
{
	return trace_args_take(&args, NULL, option, text, &diag);
}

START_TEST(users_are_given_by_name_or_number)
{
	ck_assert_int_eq(take(TRACE_ARGS_UID, "root,4711,0x10"), 0);
	ck_assert_uint_eq(args.daemon.nr, 4);
	ck_assert_str_eq(args.daemon.args[1], "--uid=0");
	ck_assert_str_eq(args.daemon.args[2], "--uid=4711");
	ck_assert_str_eq(args.daemon.args[3], "--uid=16");
}
END_TEST

START_TEST(a_user_who_does_not_exist_is_named)
{
	char name[2000];

	ck_assert_int_eq(take(TRACE_ARGS_UID, "root,no-such-user,4711"), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "--uid no-such-user: "));
	ck_assert_int_eq(take(TRACE_ARGS_UID, "root,"), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "--uid : "));
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(take(TRACE_ARGS_UID, name), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "--uid aaa"));
}
END_TEST

START_TEST(what_chooses_processes_is_no_trace_of_the_whole_machine)
{
	ck_assert(!args.selective);
	ck_assert_int_eq(take(TRACE_ARGS_EVENTS, "default"), 0);
	ck_assert_int_eq(take(TRACE_ARGS_UID, "no-such-user"), -ENOENT);
	ck_assert(!args.selective);
	ck_assert_int_eq(take(TRACE_ARGS_PIDS, "1"), 0);
	ck_assert(args.selective);
	args.selective = false;
	ck_assert_int_eq(take(TRACE_ARGS_UID, "0"), 0);
	ck_assert(args.selective);
	args.selective = false;
	ck_assert_int_eq(take(TRACE_ARGS_CGROUP, "/"), 0);
	ck_assert(args.selective);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_args");
	TCase *tc = tcase_create("trace_args");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, users_are_given_by_name_or_number);
	tcase_add_test(tc, a_user_who_does_not_exist_is_named);
	tcase_add_test(tc, what_chooses_processes_is_no_trace_of_the_whole_machine);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
