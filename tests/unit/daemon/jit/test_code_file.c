// SPDX-License-Identifier: GPL-2.0-or-later
/* What /proc reports of the process whose code files are read. */
#include "daemon/jit/code_file.h"

#include "tests/fixture/fake_proc.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TGID	  77
#define SECOND_NS INT64_C(1000000000)

/* Both clocks have fixed values. */
#define REALTIME_S  INT64_C(1700000000)
#define BOOTTIME_S  1000
#define SUSPENDED_S 5

static struct fake_proc proc;
static struct code_owner owner;

/* Called through the linker's --wrap. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	*now = (struct timespec){0};
	if (clock == CLOCK_REALTIME)
		now->tv_sec = REALTIME_S;
	else
		now->tv_sec = clock == CLOCK_BOOTTIME ? BOOTTIME_S : BOOTTIME_S - SUSPENDED_S;
	return 0;
}

static void setup(void)
{
	fake_proc_init(&proc);
	code_owner_init(&owner, TGID);
}

static void teardown(void)
{
	fake_proc_deinit(&proc);
}

static int read_owner(uint64_t since_ns)
{
	return code_owner_read(&owner, proc.path, since_ns);
}

static void print_status(const char *text)
{
	fake_proc_print(&proc, "77/status", "%s", text);
}

/* A process that began ago_s seconds ago. */
static void print_stat(int64_t ago_s)
{
	const long long ticks = (BOOTTIME_S - ago_s) * sysconf(_SC_CLK_TCK);

	fake_proc_print(
		&proc, "77/stat",
		"77 (a) b (c) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 %lld 23 24\n",
		ticks);
}

/* The monotonic time ago_s seconds ago; it does not count the time suspended. */
static uint64_t monotonic_ago(int64_t ago_s)
{
	return (uint64_t)((BOOTTIME_S - SUSPENDED_S - ago_s) * SECOND_NS);
}

static void expect_since(int64_t ago_s)
{
	ck_assert_int_eq(owner.since_ns, (REALTIME_S - ago_s) * SECOND_NS);
}

START_TEST(its_users_and_its_own_number_are_read)
{
	print_status("Name:\tUid:\nUid:\t1\t2\t3\t4\nNSpid:\t77\t12\t5\n");
	ck_assert_int_eq(read_owner(0), 0);
	for (unsigned int i = 0; i < CODE_OWNER_UIDS; i++)
		ck_assert_uint_eq(owner.uids[i], i + 1);
	ck_assert_int_eq(owner.inner_pid, 5);
	ck_assert_int_eq(owner.since_ns, 0);
	/* A process without a PID namespace of its own. */
	print_status("Uid:\t1\t2\t3\t4\nNSpid:\t77\n");
	ck_assert_int_eq(read_owner(0), 0);
	ck_assert_int_eq(owner.inner_pid, TGID);
}
END_TEST

static const struct {
	const char *status;
	int error;
	int32_t inner_pid;
} statuses[] = {
	{"Name:\tx\nNSpid:\t77\t12\n", -EINVAL, TGID},
	{"Uid:\t1\t2\t3\nNSpid:\t77\t12\n", -EINVAL, TGID},
	{"Uid:\nNSpid:\t77\t12\n", -EINVAL, TGID},
	{"xUid:\t1\t2\t3\t4\n", -EINVAL, TGID},
	{"", -EINVAL, TGID},
	{"Uid:\t1\t2\t3\t4\n", 0, TGID}, /* a kernel without namespaces */
	{"Uid:\t1\t2\t3\t4\nNSpid:\t77\t0\n", 0, TGID},
	{"Uid:\t1\t2\t3\t4\nNSpid:\t77\t2147483647\n", 0, INT32_MAX},
	{"Uid:\t1\t2\t3\t4\nNSpid:\t77\t2147483648\n", 0, TGID},
	{"Uid:\t1\t2\t3\t4\nNSpid:\t77\t-1\n", 0, TGID},
};

START_TEST(a_status_without_users_leaves_the_owner_as_it_was)
{
	const struct code_owner before = owner;

	print_status(statuses[_i].status);
	ck_assert_int_eq(read_owner(0), statuses[_i].error);
	ck_assert_int_eq(owner.inner_pid, statuses[_i].inner_pid);
	if (statuses[_i].error)
		ck_assert_mem_eq(&owner, &before, sizeof(owner));
	else
		ck_assert_uint_eq(owner.uids[3], 4);
}
END_TEST

START_TEST(a_process_that_has_gone_is_told)
{
	ck_assert_int_eq(read_owner(0), -ESRCH);
	/* The process ends after its status was read. */
	print_status("Uid:\t1\t2\t3\t4\n");
	ck_assert_int_eq(read_owner(0), 0);
	ck_assert_int_eq(owner.since_ns, 0);
}
END_TEST

START_TEST(it_runs_its_program_since_it_was_told_but_not_before_it_began)
{
	print_status("Uid:\t1\t2\t3\t4\n");
	print_stat(20);
	ck_assert_int_eq(read_owner(0), 0);
	expect_since(20);
	/* The machine may have been suspended since. */
	ck_assert_int_eq(read_owner(monotonic_ago(10)), 0);
	expect_since(10 + SUSPENDED_S);
	ck_assert_int_eq(read_owner(monotonic_ago(30)), 0);
	expect_since(20);
	fake_proc_print(&proc, "77/stat", "77 (a S 4 5\n");
	ck_assert_int_eq(read_owner(monotonic_ago(10)), 0);
	expect_since(10 + SUSPENDED_S);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("code_file");
	const int nr_statuses = sizeof(statuses) / sizeof(*statuses);

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, its_users_and_its_own_number_are_read);
	tcase_add_loop_test(tests, a_status_without_users_leaves_the_owner_as_it_was, 0,
			    nr_statuses);
	tcase_add_test(tests, a_process_that_has_gone_is_told);
	tcase_add_test(tests, it_runs_its_program_since_it_was_told_but_not_before_it_began);
	return test_run(tests);
}
