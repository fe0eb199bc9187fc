// SPDX-License-Identifier: GPL-2.0-or-later
/* The user as whom a daemon works that root starts: the owner of the session folder. */
#include "daemon/system/run_user.h"

#include "daemon/system/privileges.h"
#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define USER  61234u
#define GROUP 61235u
#define OTHER 61236u

#define BIT(capability) (UINT64_C(1) << (capability))

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(chmod(".", 0755), 0);
	ck_assert_int_eq(mkdir("s", 0700), 0);
}

/* Gives this process another /etc/passwd. */
static void list_users(const char *shell)
{
	char text[256];
	const int nr = snprintf(text, sizeof(text), "root:x:0:0::/:/bin/sh\noprof:x:%u:%u::/:%s\n",
				USER, GROUP, shell);

	ck_assert_int_eq(file_replace("passwd", text, (size_t)nr, 0644), 0);
	ck_assert(!unshare(CLONE_NEWNS));
	ck_assert(!mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	ck_assert(!mount("passwd", "/etc/passwd", NULL, MS_BIND, NULL));
}

/* Returns whether this process may change its user, and mount. */
static bool is_permitted(void)
{
	const pid_t child = fork();
	int status;

	if (!child)
		_exit(geteuid() || unshare(CLONE_NEWNS) ||
		      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static int enter(uint64_t kept, const char *expected)
{
	struct diag diag;
	int error;

	diag_clear(&diag);
	error = run_user_enter("s", "-d DIR", kept, &diag);
	if (expected)
		ck_assert_ptr_nonnull(strstr(diag_show(&diag), expected));
	return error;
}

/* A number of /proc/self/status. */
static uint64_t own(const char *name)
{
	uint64_t value;
	char *text, *line;

	ck_assert_int_eq(file_read_text("/proc/self/status", 65536, &text, NULL), 0);
	line = strstr(text, name);
	ck_assert_ptr_nonnull(line);
	value = strtoull(line + strlen(name), NULL, 16);
	free(text);
	return value;
}

START_TEST(root_becomes_the_user_oprof_who_owns_the_folder)
{
	const uint64_t kept = privileges_to_start();
	const uint64_t had = own("\nCapPrm:");
	uid_t user, effective_user, saved_user;
	gid_t group, effective_group, saved_group;
	int fd;

	list_users("/usr/sbin/nologin");
	ck_assert_int_eq(chown("s", USER, 0), 0);
	ck_assert_int_eq(file_replace("secret", "x", 1, 0600), 0);
	ck_assert(run_user_is_system());
	ck_assert_int_eq(enter(kept, NULL), 0);
	ck_assert_int_eq(getresuid(&user, &effective_user, &saved_user), 0);
	ck_assert_int_eq(getresgid(&group, &effective_group, &saved_group), 0);
	ck_assert_uint_eq(user, USER);
	ck_assert_uint_eq(effective_user, USER);
	ck_assert_uint_eq(saved_user, USER);
	ck_assert_uint_eq(group, GROUP); /* not the folder's */
	ck_assert_uint_eq(effective_group, GROUP);
	ck_assert_uint_eq(saved_group, GROUP);
	ck_assert_int_eq(getgroups(0, NULL), 0);
	ck_assert(run_user_is_system());
	ck_assert_uint_eq(own("\nCapPrm:"), had & kept);
	ck_assert_uint_eq(own("\nCapEff:"), had & kept);
	ck_assert_uint_eq(own("\nCapInh:"), 0);
	/* Not even through a link of its own may it write to a file of root's. */
	ck_assert_int_eq(symlink("../secret", "log"), 0);
	ck_assert_int_lt(open("log", O_WRONLY | O_APPEND), 0);
	ck_assert_int_eq(errno, EACCES);
	fd = open("log", O_RDONLY);
	if (had & BIT(CAP_DAC_READ_SEARCH))
		ck_assert_int_ge(fd, 0);
	fd = open("lock", O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(geteuid(), USER);
}
END_TEST

START_TEST(no_capability_to_write_to_files_of_others_is_kept)
{
	const unsigned int writing[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,    CAP_FSETID,
					CAP_MKNOD,  CAP_SETFCAP,      CAP_SYS_RAWIO, CAP_SYS_MODULE,
					CAP_LEASE,  CAP_SYS_CHROOT,   CAP_MAC_ADMIN, CAP_SYS_BOOT,
					CAP_NET_RAW};

	for (size_t i = 0; i < sizeof(writing) / sizeof(writing[0]); i++)
		ck_assert_uint_eq(privileges_to_start() & BIT(writing[i]), 0);
	ck_assert_uint_ne(privileges_to_start() & BIT(CAP_SYS_PTRACE), 0);
	ck_assert_uint_ne(privileges_to_start() & BIT(CAP_SETUID), 0);
}
END_TEST

START_TEST(in_a_folder_of_roots_root_stays_root)
{
	const uint64_t had = own("\nCapEff:");

	list_users("/usr/sbin/nologin");
	ck_assert_int_eq(enter(0, NULL), 0);
	ck_assert_uint_eq(geteuid(), 0);
	ck_assert_uint_eq(own("\nCapEff:"), had);
	ck_assert_int_eq(access("../s", F_OK), 0);
}
END_TEST

START_TEST(folders_of_other_users_are_refused)
{
	/* Somebody who can log in is not oprof's user. */
	list_users(_i ? "/bin/sh" : "/bin/false");
	ck_assert_int_eq(chown("s", _i ? USER : OTHER, GROUP), 0);
	ck_assert_int_eq(enter(0, "belongs to"), -EPERM);
	ck_assert_uint_eq(geteuid(), 0);
}
END_TEST

START_TEST(another_user_stays_who_it_is)
{
	const bool is_root = !geteuid();

	ck_assert(!is_root || (!chown("s", OTHER, OTHER) && !setresuid(OTHER, OTHER, 0)));
	ck_assert(!run_user_is_system());
	ck_assert_int_eq(enter(0, NULL), 0);
	ck_assert_uint_ne(geteuid(), 0);
	ck_assert(!run_user_is_system());
	ck_assert(!is_root || !setresuid(0, 0, 0)); /* to remove the test's files */
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("run_user");

	tcase_add_checked_fixture(tc, setup, test_folder_teardown);
	tcase_add_test(tc, another_user_stays_who_it_is);
	tcase_add_test(tc, no_capability_to_write_to_files_of_others_is_kept);
	if (!is_permitted()) {
		(void)printf("# skipped: only root, where it may mount, becomes another user\n");
		return test_run(tc);
	}
	tcase_add_test(tc, root_becomes_the_user_oprof_who_owns_the_folder);
	tcase_add_test(tc, in_a_folder_of_roots_root_stays_root);
	tcase_add_loop_test(tc, folders_of_other_users_are_refused, 0, 2);
	return test_run(tc);
}
