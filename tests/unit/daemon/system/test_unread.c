// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/unread.h"

#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW_NS UINT64_C(1000000000000)

static struct fake_proc proc;
static struct unread unread;

static void setup(void)
{
	fake_proc_init(&proc);
	memset(&unread, 0, sizeof(unread));
}

static void teardown(void)
{
	fake_proc_deinit(&proc);
}

static struct unread_process process(int32_t pid, uint64_t start_ticks, uid_t uid)
{
	return (struct unread_process){.pid = pid, .start_ticks = start_ticks, .uid = uid};
}

static bool may_read(struct unread_process one, uint64_t now_ns)
{
	return unread_may_read(&unread, &one, now_ns);
}

static bool miss(struct unread_process one, uint64_t now_ns)
{
	return unread_miss(&unread, &one, 1, now_ns);
}

START_TEST(an_offender_is_not_read_for_a_minute)
{
	ck_assert(!unread_is_offender(&unread, 10));
	ck_assert(miss(process(10, 1, 1000), NOW_NS));
	ck_assert(unread_is_offender(&unread, 10));
	ck_assert(!may_read(process(10, 1, 1000), NOW_NS + UNREAD_TURN_NS - 1));
	ck_assert(may_read(process(10, 2, 1000), NOW_NS));
	ck_assert(may_read(process(11, 1, 1000), NOW_NS));
	ck_assert(may_read(process(10, 1, 1000), NOW_NS + UNREAD_TURN_NS));
	ck_assert(!miss(process(10, 1, 1000), NOW_NS + UNREAD_TURN_NS));
	ck_assert(!may_read(process(10, 1, 1000), NOW_NS + 2 * UNREAD_TURN_NS - 1));
	ck_assert_uint_eq(unread.nr_missed, 2);
	ck_assert_uint_eq(unread.nr_refused, 2);
}
END_TEST

START_TEST(an_offender_s_pause_doubles_up_to_a_limit)
{
	uint64_t now_ns = NOW_NS, pause_ns = UNREAD_TURN_NS;

	for (int i = 0; i < 100; i++) {
		(void)miss(process(10, 1, 1000), now_ns);
		ck_assert(!may_read(process(10, 1, 1000), now_ns + pause_ns - 1));
		now_ns += pause_ns;
		ck_assert(may_read(process(10, 1, 1000), now_ns));
		if (i < 6)
			pause_ns *= 2;
	}
}
END_TEST

START_TEST(a_process_that_can_be_read_again_is_no_offender)
{
	struct unread_process one = process(10, 1, 1000);

	(void)miss(one, NOW_NS);
	unread_good(&unread, &one, 2); /* another kind of read than the one that missed */
	ck_assert(unread_is_offender(&unread, 10));
	unread_good(&unread, &one, 1);
	ck_assert(!unread_is_offender(&unread, 10));
	ck_assert(miss(one, NOW_NS));
	ck_assert(may_read(one, NOW_NS + UNREAD_TURN_NS));
}
END_TEST

START_TEST(a_user_has_a_budget_for_each_minute)
{
	unread_wait(&unread, 1000, UNREAD_USER_NS - 1, NOW_NS);
	ck_assert(may_read(process(10, 1, 1000), NOW_NS));
	unread_wait(&unread, 1000, 1, NOW_NS + 1);
	ck_assert(!may_read(process(10, 1, 1000), NOW_NS + 1));
	ck_assert(may_read(process(11, 1, 1001), NOW_NS + 1));
	ck_assert(may_read(process(10, 1, 1000), NOW_NS + UNREAD_TURN_NS));
}
END_TEST

START_TEST(many_users_have_a_budget_together_but_root_has_its_own)
{
	for (uid_t uid = 1; uid <= 1000; uid++)
		unread_wait(&unread, uid, UNREAD_MACHINE_NS / 1000 + 1, NOW_NS);
	ck_assert(!may_read(process(10, 1, 5000), NOW_NS));
	ck_assert(may_read(process(11, 1, 0), NOW_NS));
	unread_wait(&unread, 0, UNREAD_USER_NS, NOW_NS);
	ck_assert(!may_read(process(11, 1, 0), NOW_NS));
	ck_assert(may_read(process(10, 1, 5000), NOW_NS + UNREAD_TURN_NS));
}
END_TEST

START_TEST(many_short_waits_add_up)
{
	for (uint64_t i = 0; i < UNREAD_USER_NS; i += UNREAD_USER_NS / 200) {
		ck_assert(may_read(process(10, 1, 1000), NOW_NS + i));
		unread_wait(&unread, 1000, UNREAD_USER_NS / 200, NOW_NS + i);
	}
	ck_assert(!may_read(process(10, 1, 1000), NOW_NS + UNREAD_USER_NS));
}
END_TEST

/* Returns how often the log has this text. */
static unsigned int nr_logged(const char *path, const char *message)
{
	unsigned int nr = 0;
	const char *next;
	char *text;

	ck_assert_int_eq(file_read_text(path, 65536, &text, NULL), 0);
	for (next = text; (next = strstr(next, message)); next++)
		nr++;
	free(text);
	return nr;
}

START_TEST(an_exhausted_budget_is_listed_and_logged_once_in_a_turn)
{
	char path[FAKE_PROC_PATH_BYTES];
	uid_t list[3];

	(void)snprintf(path, sizeof(path), "%s/log", proc.path);
	ck_assert_int_eq(log_open(path), 0);
	unread_wait(&unread, 1000, UNREAD_USER_NS - 1, NOW_NS);
	ck_assert_uint_eq(unread_exhausted(&unread, NOW_NS, list, 3), 0);
	for (int i = 0; i < 3; i++)
		unread_wait(&unread, 1000, 1, NOW_NS);
	unread_wait(&unread, UNREAD_NO_USER, UNREAD_USER_NS, NOW_NS);
	ck_assert_uint_eq(unread_exhausted(&unread, NOW_NS, list, 3), 1);
	ck_assert_uint_eq(list[0], 1000);
	unread_wait(&unread, 1001, UNREAD_MACHINE_NS, NOW_NS);
	ck_assert_uint_eq(unread_exhausted(&unread, NOW_NS, list, 1), 1);
	ck_assert_uint_eq(unread_exhausted(&unread, NOW_NS, list, 3), 3);
	ck_assert_uint_eq(list[0], UNREAD_NO_USER);
	ck_assert_uint_eq(unread_exhausted(&unread, NOW_NS + UNREAD_TURN_NS, list, 3), 0);
	ck_assert_uint_eq(nr_logged(path, "processes of user "), 2);
	ck_assert_uint_eq(nr_logged(path, "reads no mappings of processes of user 1000"), 1);
	ck_assert_uint_eq(nr_logged(path, "processes of users other than root"), 1);
	unread_wait(&unread, 1000, UNREAD_USER_NS, NOW_NS + UNREAD_TURN_NS);
	ck_assert_uint_eq(nr_logged(path, "reads no mappings of processes of user 1000"), 2);
}
END_TEST

START_TEST(processes_that_have_ended_do_not_use_up_the_budget_of_all_users)
{
	unread_wait(&unread, UNREAD_NO_USER, UNREAD_MACHINE_NS, NOW_NS);
	ck_assert(!may_read(process(10, 0, UNREAD_NO_USER), NOW_NS));
	ck_assert(may_read(process(10, 1, 1000), NOW_NS));
}
END_TEST

START_TEST(the_latest_offenders_that_still_run_are_listed)
{
	struct unread_process list[4], found;
	char path[32];

	for (int pid = 10; pid < 200; pid++) {
		fake_proc_process(&proc, pid, 0, NULL, "");
		(void)snprintf(path, sizeof(path), "%d/status", pid);
		fake_proc_print(&proc, path, "Name:\tx\nUid:\t%d\t0\t0\t0\n", 1000 + pid);
		unread_process_read(&found, proc.path, pid);
		ck_assert_uint_eq(found.uid, 1000 + (unsigned int)pid);
		ck_assert_uint_eq(found.start_ticks, (unsigned int)pid * 10);
		ck_assert_str_eq(found.name, "a) Z 1 (b");
		(void)miss(found, NOW_NS + (uint64_t)pid);
	}
	fake_proc_remove(&proc, 198);
	ck_assert_uint_eq(unread_list(&unread, proc.path, list, 2), 2);
	ck_assert_int_eq(list[0].pid, 199);
	ck_assert_int_eq(list[1].pid, 197);
}
END_TEST

START_TEST(names_of_others_have_no_control_characters)
{
	struct unread_process found;

	fake_proc_print(&proc, "10/stat", "10 (a\033[31m\n\302\233b) S 1\n");
	unread_process_read(&found, proc.path, 10);
	ck_assert_str_eq(found.name, "a?[31m??b");
	ck_assert_uint_eq(found.start_ticks, 0);
	ck_assert_uint_eq(found.uid, UNREAD_NO_USER);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unread");
	TCase *tests = tcase_create("unread");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, an_offender_is_not_read_for_a_minute);
	tcase_add_test(tests, an_offender_s_pause_doubles_up_to_a_limit);
	tcase_add_test(tests, a_process_that_can_be_read_again_is_no_offender);
	tcase_add_test(tests, a_user_has_a_budget_for_each_minute);
	tcase_add_test(tests, many_users_have_a_budget_together_but_root_has_its_own);
	tcase_add_test(tests, many_short_waits_add_up);
	tcase_add_test(tests, an_exhausted_budget_is_listed_and_logged_once_in_a_turn);
	tcase_add_test(tests, processes_that_have_ended_do_not_use_up_the_budget_of_all_users);
	tcase_add_test(tests, the_latest_offenders_that_still_run_are_listed);
	tcase_add_test(tests, names_of_others_have_no_control_characters);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
