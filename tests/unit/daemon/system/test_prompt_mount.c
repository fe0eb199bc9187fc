// SPDX-License-Identifier: GPL-2.0-or-later
/* Which mounts a daemon that must not wait may read. */
#include "daemon/system/prompt_mount.h"

#include "tests/fixture/run_suite.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char own[] =
	"20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
	"21 20 0:30 / /tmp rw - tmpfs tmpfs rw\n"
	"22 20 0:31 / /proc rw - proc proc rw\n"
	"23 20 0:40 / /home rw - nfs4 server:/home rw\n"
	"24 20 0:50 / /var/lib/containers/a\\040b/merged rw - overlay overlay rw,lowerdir=/x\n"
	"no line of a mount\n"
	"25 20 0:60 / /sys rw master:1 propagate_from:2 - sysfs sysfs rw\n";

static const char its[] = "120 119 0:50 / / rw - overlay overlay rw,lowerdir=/x\n"
			  "121 120 0:70 / /tmp rw - fuse.evil evil rw,user_id=1000\n"
			  "122 120 0:71 / /tmp rw - overlay evil rw,lowerdir=/fuse\n"
			  "123 120 0:31 /kmsg /tmp/perf-1.map rw - proc proc rw\n"
			  "124 120 0:72 / /run rw - tmpfs tmpfs rw\n";

static const char of_nfs_root[] = "20 1 0:40 / / rw - nfs4 server:/root rw\n";

static bool is_prompt(int64_t id, bool own_user)
{
	return prompt_mount_find(its, own, own_user, id);
}

START_TEST(disks_and_memory_of_this_machine_are)
{
	ck_assert(is_prompt(20, false));
	ck_assert(is_prompt(21, false));
	ck_assert(is_prompt(124, false));
}
END_TEST

START_TEST(what_another_machine_or_a_process_answers_for_is_not)
{
	ck_assert(!is_prompt(23, true));
	ck_assert(!is_prompt(121, true));
}
END_TEST

START_TEST(files_of_the_kernel_itself_are_not)
{
	ck_assert(!is_prompt(22, true));
	ck_assert(!is_prompt(123, true));
	ck_assert(!is_prompt(25, true));
}
END_TEST

START_TEST(a_containers_overlay_is_unless_a_user_made_it_himself)
{
	ck_assert(is_prompt(24, false));
	ck_assert(is_prompt(120, false));
	ck_assert(is_prompt(122, true));
	ck_assert(!is_prompt(122, false));
}
END_TEST

START_TEST(the_machines_root_is_whatever_it_is)
{
	ck_assert(prompt_mount_find("", of_nfs_root, false, 20));
	ck_assert(prompt_mount_find("7 1 0:40 / / rw - nfs4 server:/root rw\n", of_nfs_root, false,
				    7));
}
END_TEST

START_TEST(what_is_not_in_the_list_is_not)
{
	ck_assert(!is_prompt(999, true));
	ck_assert(!is_prompt(-1, true));
	ck_assert(!prompt_mount_find("", "", true, 20));
	ck_assert(!prompt_mount_find("20", "20 1 8:1 / / rw", true, 20));
}
END_TEST

START_TEST(a_descriptor_tells_its_mount)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(prompt_mount_id(root), 0);
	ck_assert_int_ne(prompt_mount_id(root), prompt_mount_id(proc));
	ck_assert_int_eq(prompt_mount_id(-1), -1);
	ck_assert(prompt_mount_is("/proc", getpid(), prompt_mount_id(root)));
	ck_assert(!prompt_mount_is("/proc", getpid(), prompt_mount_id(proc)));
	(void)close(root);
	(void)close(proc);
}
END_TEST

/* Becomes a process whose root is this folder, with a /proc of its own. Returns 0 or -1. */
static int enter_chroot(const char *folder)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/proc", folder);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mkdir(path, 0700) || mount("proc", path, "proc", 0, NULL) || chroot(folder))
		return -1;
	return chdir("/");
}

/* The list of mounts lacks those outside the root of its process, and so the root's own. */
START_TEST(the_root_of_a_chroot_is_though_it_is_not_listed)
{
	int status;
	pid_t pid;

	if (geteuid())
		return; /* only root can change the root folder */
	test_folder_setup();
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		int root, proc;

		if (enter_chroot("."))
			_exit(77);
		root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
		_exit(!prompt_mount_is("/proc", getpid(), prompt_mount_id(root)) ||
		      prompt_mount_is("/proc", getpid(), prompt_mount_id(proc)));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		(void)fprintf(stderr, "skipped: no chroot can be made here\n");
	else
		ck_assert_int_eq(status, 0);
	test_folder_teardown();
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("prompt_mount");
	TCase *tcase = tcase_create("prompt_mount");

	tcase_add_test(tcase, disks_and_memory_of_this_machine_are);
	tcase_add_test(tcase, what_another_machine_or_a_process_answers_for_is_not);
	tcase_add_test(tcase, files_of_the_kernel_itself_are_not);
	tcase_add_test(tcase, a_containers_overlay_is_unless_a_user_made_it_himself);
	tcase_add_test(tcase, the_machines_root_is_whatever_it_is);
	tcase_add_test(tcase, what_is_not_in_the_list_is_not);
	tcase_add_test(tcase, a_descriptor_tells_its_mount);
	tcase_add_test(tcase, the_root_of_a_chroot_is_though_it_is_not_listed);
	suite_add_tcase(all, tcase);
	return all;
}

int main(void)
{
	return run_suite(suite());
}
