// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ktrace_filters [TEST]...: tests which events the filters of the module's trace sessions keep.
 * Requires the module's filesystem to be mounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/kmod_test.h"
#include "tests/guest/ktrace_load.h"

static int64_t number(const struct ctf_record *record, const char *name)
{
	return (int64_t)ktrace_value(record, name)->number;
}

struct sides {
	int64_t child;
	unsigned int nr_off, nr_on, nr_woken, nr_other;
};

static void look_at_sides(const struct ctf_record *record, void *context)
{
	struct sides *sides = context;

	if (record->event->id == OPROF_KTRACE_SCHED_WAKING) {
		sides->nr_woken += number(record, "tid") == sides->child;
		return;
	}
	sides->nr_off += number(record, "prev_tid") == sides->child;
	sides->nr_on += number(record, "next_tid") == sides->child;
	sides->nr_other += number(record, "prev_tid") != sides->child &&
			   number(record, "next_tid") != sides->child;
}

/* Both sides of a switch, and the wake-up, which an interrupt of any task may cause. */
static void a_filter_keeps_what_is_done_to_its_task(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	struct sides sides = {.child = fork()};

	if (!sides.child)
		for (;;)
			ktrace_nap(1);
	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, NULL), 0);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_WAKING, NULL), 0);
	CHECK_IS(ktrace_only_tid(&trace, (uint64_t)sides.child), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	while (ktrace_counts(&trace).nr_records < 100)
		ktrace_nap(1);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	(void)kill((pid_t)sides.child, SIGKILL);
	(void)waitpid((pid_t)sides.child, NULL, 0);
	found = ktrace_finish(&trace, &folder, look_at_sides, &sides);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(sides.nr_other, 0);
	CHECK(sides.nr_off > 10 && sides.nr_on > 10 && sides.nr_woken > 10);
	ktrace_close(&trace);
}

static void check_switch(const struct ctf_record *record, void *context)
{
	const int64_t tid = *(int64_t *)context;

	CHECK_IS(ktrace_value(record, "next_tid")->number, tid);
}

static void comparisons_keep_what_fits(void)
{
	struct oprof_ktrace_compare compare = {
		.op = OPROF_KTRACE_EQ,
		.bytes = 4,
		.is_signed = 1,
		.value = ktrace_tid(),
		.offset = offsetof(struct oprof_ktrace_payload_sched_switch, f_next_tid)};
	const struct oprof_ktrace_compare failed = {
		.op = OPROF_KTRACE_LT, .bytes = 8, .is_signed = 1};
	const struct oprof_ktrace_compare dfd = {
		.op = OPROF_KTRACE_EQ, .bytes = 4, .is_signed = 1, .value = (uint64_t)-7};
	int64_t tid = (int64_t)ktrace_tid();
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, &compare), 0);
	CHECK_IS(ktrace_syscalls(&trace, false, &failed, &dfd), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	for (unsigned int i = 0; i < 10; i++)
		ktrace_nap(20); /* long enough for a real sleep */
	ktrace_getppid(10);
	(void)!openat(-7, "of a bad folder", O_RDONLY);
	(void)!openat(AT_FDCWD, "of this one", O_RDONLY);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_STOP), 0);
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	CHECK(found.nr_of[ktrace_kind_id(OPROF_KTRACE_SCHED_SWITCH)] >= 10);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_EXIT], 0);
	CHECK_IS(found.nr_of[KTRACE_ID_OPENAT_ENTRY], 1);
	ktrace_close(&trace);

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_event(&trace, OPROF_KTRACE_SCHED_SWITCH, &compare), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_nap(20); /* long enough for a real sleep */
	(void)ktrace_finish(&trace, &folder, check_switch, &tid);
	ktrace_close(&trace);
}

struct filtered {
	uint32_t by;
	uint64_t mine, other;
};

static uint64_t count_filtered(uint32_t by, uint64_t id)
{
	struct oprof_ktrace_filter call = {.by = by, .nr_ids = 1, .ids = (uintptr_t)&id};
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_FILTER, &call), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	ktrace_getppid(100);
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
	ktrace_close(&trace);
	return found.nr_of[KTRACE_ID_GETPPID_EXIT];
}

static void each_filter_keeps_its_own(void)
{
	const struct filtered filters[] = {
		{OPROF_KTRACE_BY_TID, ktrace_tid(), 1},
		{OPROF_KTRACE_BY_PID, (uint64_t)getpid(), 1},
		{OPROF_KTRACE_BY_PGRP, (uint64_t)getpgrp(), 123456},
		{OPROF_KTRACE_BY_UID, getuid(), 4711},
		{OPROF_KTRACE_BY_CGROUP, 1, 4711}, /* the root cgroup */
	};

	for (unsigned int i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		CHECK(count_filtered(filters[i].by, filters[i].mine) >= 100);
		CHECK_IS(count_filtered(filters[i].by, filters[i].other), 0);
	}
}

/* Waits for a byte, then makes its calls. */
static void wait_and_call(int fd)
{
	char byte;

	if (read(fd, &byte, 1) == 1)
		ktrace_getppid(100);
}

static void *call_in_thread(void *unused)
{
	ktrace_getppid(100);
	return unused;
}

/* A process of the tree: it makes calls itself, in a thread, in a child and in a grandchild. */
static void __attribute__((noreturn)) grow(int fd)
{
	pthread_t thread;

	wait_and_call(fd);
	if (!pthread_create(&thread, NULL, call_in_thread, NULL))
		(void)pthread_join(thread, NULL);
	if (!fork()) {
		ktrace_getppid(100);
		if (!fork()) {
			ktrace_getppid(100);
			_exit(0);
		}
		(void)wait(NULL);
		_exit(0);
	}
	(void)wait(NULL);
	_exit(0);
}

static pid_t begin_child(void (*function)(int fd), int *fd)
{
	int fds[2];
	pid_t child;

	CHECK_IS(pipe(fds), 0);
	child = fork();
	if (!child) {
		(void)close(fds[1]);
		function(fds[0]);
		_exit(0);
	}
	(void)close(fds[0]);
	*fd = fds[1];
	return child;
}

static void let_go(pid_t child, int fd)
{
	CHECK_IS(write(fd, "", 1), 1);
	CHECK_IS(waitpid(child, NULL, 0), child);
	(void)close(fd);
}

static int filter_by(const struct ktrace *trace, uint32_t by, uint64_t id)
{
	struct oprof_ktrace_filter call = {.by = by, .nr_ids = 1, .ids = (uintptr_t)&id};

	return ktrace_call(trace->fd, OPROF_KTRACE_FILTER, &call);
}

/* Forks a child with this unused pid; returns -1 if the kernel does not support that. */
static pid_t fork_as(pid_t number)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&number, .set_tid_size = 1};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static void a_tree_is_all_that_its_threads_begin(void)
{
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	int tree_fd, other_fd;
	pid_t tree = begin_child(grow, &tree_fd), other = begin_child(grow, &other_fd), again;

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	CHECK_IS(filter_by(&trace, OPROF_KTRACE_BY_TREE, UINT64_C(1) << 40), -EINVAL);
	CHECK_IS(filter_by(&trace, OPROF_KTRACE_BY_TREE, (uint64_t)tree), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	let_go(other, other_fd);
	let_go(tree, tree_fd);
	again = fork_as(tree);
	if (!again) {
		ktrace_getppid(100);
		_exit(0);
	}
	if (again < 0)
		printf("# no child with an old number\n");
	else
		CHECK_IS(waitpid(again, NULL, 0), tree);
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
	CHECK_IS(found.lost, 0);
	CHECK_IS(found.nr_of[KTRACE_ID_GETPPID_EXIT], 400);
	ktrace_close(&trace);
}

static void numbers_are_added_to_a_tree_until_it_is_left(void)
{
	struct oprof_ktrace_filter none = {.by = OPROF_KTRACE_BY_TREE};
	struct ktrace_folder folder;
	struct ktrace_found found;
	struct ktrace trace;
	int fds[2];
	pid_t children[2] = {begin_child(wait_and_call, &fds[0]),
			     begin_child(wait_and_call, &fds[1])};

	ktrace_open(&trace, OPROF_KTRACE_DISCARD, 1u << 16, 4, 0);
	ktrace_folder_open(&folder, &trace);
	CHECK_IS(ktrace_syscalls(&trace, false, NULL, NULL), 0);
	for (unsigned int i = 0; i < 2; i++)
		CHECK_IS(filter_by(&trace, OPROF_KTRACE_BY_TREE, (uint64_t)children[i]), 0);
	CHECK_IS(ktrace_control(&trace, OPROF_KTRACE_START), 0);
	for (unsigned int i = 0; i < 2; i++)
		let_go(children[i], fds[i]);
	ktrace_getppid(100); /* not ours yet */
	CHECK_IS(filter_by(&trace, OPROF_KTRACE_BY_UID, getuid()), 0);
	CHECK_IS(ktrace_call(trace.fd, OPROF_KTRACE_FILTER, &none), 0);
	ktrace_getppid(100); /* ours from now on */
	found = ktrace_finish(&trace, &folder, NULL, NULL);
	ktrace_check(&trace, &found, NULL);
	CHECK(found.nr_of[KTRACE_ID_GETPPID_EXIT] >= 300);
	CHECK(found.nr_of[KTRACE_ID_GETPPID_EXIT] < 400);
	ktrace_close(&trace);
}

static uint64_t inode_of(const char *path)
{
	struct stat info;

	CHECK_IS(stat(path, &info), 0);
	return info.st_ino;
}

static uint64_t count_in(const char *cgroup, uint64_t asked)
{
	char number[32];
	int fd = open(cgroup, O_WRONLY);

	(void)snprintf(number, sizeof(number), "%d", (int)getpid());
	CHECK(write(fd, number, strlen(number)) > 0);
	(void)close(fd);
	return count_filtered(OPROF_KTRACE_BY_CGROUP, asked);
}

static void a_cgroup_has_those_below_it(void)
{
	static const char *const folders[] = {"/tmp/cg", "/tmp/cg/a", "/tmp/cg/a/b", "/tmp/cg/c"};

	for (unsigned int i = 0; i < 4; i++) {
		CHECK(!mkdir(folders[i], 0755) || errno == EEXIST);
		if (!i && mount("none", folders[0], "cgroup2", 0, NULL)) {
			printf("# no cgroups: %s\n", strerror(errno));
			return;
		}
	}
	CHECK(count_in("/tmp/cg/a/b/cgroup.procs", inode_of("/tmp/cg/a/b")) >= 100);
	CHECK(count_in("/tmp/cg/a/b/cgroup.procs", inode_of("/tmp/cg/a")) >= 100);
	CHECK_IS(count_in("/tmp/cg/a/b/cgroup.procs", inode_of("/tmp/cg/c")), 0);
	CHECK_IS(count_in("/tmp/cg/a/cgroup.procs", inode_of("/tmp/cg/a/b")), 0);
	CHECK(count_in("/tmp/cg/cgroup.procs", 1) >= 100);
	CHECK_IS(umount("/tmp/cg"), 0);
}

static const struct kmod_test tests[] = {
	KMOD_TEST(each_filter_keeps_its_own),
	KMOD_TEST(a_tree_is_all_that_its_threads_begin),
	KMOD_TEST(numbers_are_added_to_a_tree_until_it_is_left),
	KMOD_TEST(a_cgroup_has_those_below_it),
	KMOD_TEST(a_filter_keeps_what_is_done_to_its_task),
	KMOD_TEST(comparisons_keep_what_fits),
};

int main(int argc, char **argv)
{
	(void)argc;
	return kmod_test_main(tests, sizeof(tests) / sizeof(tests[0]), argv + 1);
}
