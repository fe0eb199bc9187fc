// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folders of another user. The tests that need two users run only as root; the other user is
 * number 65534, which needs no entry in the system's list of users.
 */
#include "lib/file.h"
#include "lib/folder.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER 65534

static char folder[PATH_MAX];
static struct diag diag;

static void setup(void)
{
	const char *base = getenv("TMPDIR");

	ck_assert_int_gt(
		snprintf(folder, sizeof(folder), "%s/oprof-folder-XXXXXX", base ? base : "/tmp"),
		0);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chmod(folder, 0755), 0);
	ck_assert_int_eq(chdir(folder), 0);
	(void)umask(022);
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(file_remove_tree(folder), 0);
}

/* Gives the name itself, not what it leads to, to the other user. */
static void give(const char *name)
{
	ck_assert_int_eq(lchown(name, OTHER, OTHER), 0);
}

static bool is_root(void)
{
	return !geteuid();
}

/* Returns whether both are the same file. */
static bool is_same(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void expect_open(const char *path, const char *same_as)
{
	const int fd = folder_open(path, FOLDER_MUST_EXIST);

	ck_assert_int_ge(fd, 0);
	ck_assert(is_same(fd, same_as));
	ck_assert_int_eq(close(fd), 0);
}

static void expect_refused(const char *path, int error, const char *why)
{
	ck_assert_int_eq(folder_open_trusted(path, FOLDER_MUST_EXIST, "--session-dir", &diag),
			 error);
	ck_assert_msg(strstr(diag.text, why) != NULL, "%s", diag.text);
	ck_assert_msg(strstr(diag.text, "--session-dir") != NULL, "%s", diag.text);
}

START_TEST(a_path_leads_where_the_kernel_leads_it)
{
	char absolute[PATH_MAX + 16];

	ck_assert_int_eq(file_make_dirs("a/b/c", 0755), 0);
	ck_assert_int_eq(symlink("b", "a/link"), 0);
	ck_assert_int_eq(symlink("../a/link//c/", "a/second"), 0);
	(void)snprintf(absolute, sizeof(absolute), "%s/a", folder);
	ck_assert_int_eq(symlink(absolute, "absolute"), 0);
	expect_open(".", folder);
	expect_open("a/b/", "a/b");
	expect_open("a//b/../b/c/.", "a/b/c");
	expect_open("a/link/c", "a/b/c");
	expect_open("a/second", "a/b/c");
	expect_open("absolute/second", "a/b/c");
	expect_open(absolute, "a");
	expect_open("/", "/");
	/* Of this link's text there is no file; only the kernel can follow it. */
	expect_open("/proc/self/cwd/a", "a");
	expect_open("/proc/self/root/proc/self/cwd", ".");
}
END_TEST

/* Makes links chain.1 to chain.<nr>. From chain.<i>, i links lead to the folder "end". */
static void make_chain(int nr)
{
	char from[32], to[32] = "end";

	ck_assert_int_eq(mkdir(to, 0700), 0);
	for (int i = 1; i <= nr; i++) {
		(void)snprintf(from, sizeof(from), "chain.%d", i);
		ck_assert_int_eq(symlink(to, from), 0);
		memcpy(to, from, sizeof(to));
	}
}

START_TEST(a_path_that_does_not_lead_to_a_folder_gives_the_kernels_error)
{
	char lengthy[FOLDER_NAME_BYTES + 1], endless[PATH_MAX + 1];
	struct stat st;

	ck_assert_int_eq(file_replace("file", "x", 1, 0600), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	memset(lengthy, 'a', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	memset(endless, '/', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	make_chain(41);
	expect_open("chain.40", "end");
	ck_assert_int_eq(folder_open("chain.41", FOLDER_MUST_EXIST), -ELOOP);
	ck_assert_int_eq(stat("chain.41", &st), -1);
	ck_assert_int_eq(errno, ELOOP);
	ck_assert_int_eq(folder_open("", FOLDER_CREATE), -ENOENT);
	ck_assert_int_eq(folder_open("missing", FOLDER_MUST_EXIST), -ENOENT);
	ck_assert_int_eq(folder_open("file", FOLDER_CREATE), -ENOTDIR);
	ck_assert_int_eq(folder_open("file/below", FOLDER_CREATE), -ENOTDIR);
	ck_assert_int_eq(folder_open("loop", FOLDER_MUST_EXIST), -ELOOP);
	ck_assert_int_eq(folder_open("dangling", FOLDER_MUST_EXIST), -ENOENT);
	ck_assert_int_eq(folder_open(lengthy, FOLDER_CREATE), -ENAMETOOLONG);
	ck_assert_int_eq(folder_open(endless, FOLDER_CREATE), -ENAMETOOLONG);
}
END_TEST

START_TEST(missing_folders_are_made_for_their_owner_only)
{
	struct stat st;
	int fd;

	ck_assert_int_eq(mkdir("there", 0755), 0);
	fd = folder_open("there/one/two", FOLDER_CREATE);
	ck_assert_int_ge(fd, 0);
	ck_assert(is_same(fd, "there/one/two"));
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(stat("there/one", &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(stat("there", &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
}
END_TEST

START_TEST(a_folder_in_which_others_may_write_is_refused)
{
	int fd;

	ck_assert_int_eq(mkdir("open", 0700), 0);
	ck_assert_int_eq(chmod("open", 01777), 0);
	expect_refused("open", -EPERM, "cannot be trusted");
	/* The bits of the group may stand for users in an access control list. */
	ck_assert_int_eq(chmod("open", 0775), 0);
	if (is_root()) {
		expect_refused("open", -EPERM, "cannot be trusted");
		return;
	}
	fd = folder_open_trusted("open", FOLDER_MUST_EXIST, "-d DIR", &diag);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(root_refuses_the_folder_and_the_links_of_another_user)
{
	if (!is_root())
		return;
	ck_assert_int_eq(mkdir("his", 0755), 0);
	ck_assert_int_eq(mkdir("ours", 0700), 0);
	ck_assert_int_eq(mkdir("his/below", 0700), 0);
	ck_assert_int_eq(symlink("ours", "link"), 0);
	expect_open("link", "ours");
	give("link");
	give("his");
	expect_refused("his", -EPERM, "belongs to");
	expect_refused("link", -ELOOP, "symbolic link");
	/* root's own folder in another user's folder is as root left it */
	ck_assert_int_eq(folder_open_trusted("ours/", FOLDER_MUST_EXIST, "-d DIR", &diag) >= 0, 1);
	ck_assert_int_eq(folder_open_trusted("his/below", FOLDER_MUST_EXIST, "-d DIR", &diag) >= 0,
			 1);
	ck_assert_int_eq(folder_open("link/new", FOLDER_CREATE), -ELOOP);
	ck_assert_int_ne(access("ours/new", F_OK), 0);
}
END_TEST

START_TEST(an_exposed_path_can_be_led_elsewhere_by_another_user)
{
	static const struct {
		const char *path;
		bool exposed;
	} cases[] = {
		{"ours", false},     {"ours/below", false},    {"his", false},
		{"his/ours", true},  {"his/../ours", true},    {"sticky/ours", false},
		{"open/ours", true}, {"through/below", false}, {"his/link", true},
	};

	if (!is_root())
		return;
	ck_assert_int_eq(file_make_dirs("ours/below", 0755), 0);
	ck_assert_int_eq(file_make_dirs("his/ours", 0755), 0);
	ck_assert_int_eq(file_make_dirs("sticky/ours", 0755), 0);
	ck_assert_int_eq(file_make_dirs("open/ours", 0755), 0);
	ck_assert_int_eq(symlink("ours", "through"), 0);
	ck_assert_int_eq(symlink("../ours", "his/link"), 0);
	ck_assert_int_eq(chmod("sticky", 01777), 0);
	ck_assert_int_eq(chmod("open", 0777), 0);
	give("his");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool exposed;
		const int fd = folder_open_exposed(cases[i].path, FOLDER_MUST_EXIST, &exposed);

		ck_assert_int_ge(fd, 0);
		ck_assert_msg(exposed == cases[i].exposed, "%s: %d", cases[i].path, exposed);
		ck_assert_int_eq(close(fd), 0);
	}
}
END_TEST

START_TEST(entering_a_folder_is_not_undone_by_a_new_folder_of_the_name)
{
	ck_assert_int_eq(folder_enter("entered", "-d DIR", &diag), 0);
	ck_assert_int_eq(rename("../entered", "../moved"), 0);
	ck_assert_int_eq(mkdir("../entered", 0700), 0);
	ck_assert_int_eq(file_replace("here", "x", 1, 0600), 0);
	ck_assert_int_eq(access("../moved/here", F_OK), 0);
	ck_assert_int_ne(access("../entered/here", F_OK), 0);
}
END_TEST

static void expect_file(const char *path, int error)
{
	const int fd = folder_open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (error) {
		ck_assert_msg(fd == error, "%s: %d", path, fd);
		return;
	}
	ck_assert_msg(fd >= 0, "%s: %d", path, fd);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(close(fd), 0);
}

START_TEST(a_file_is_opened_through_trusted_links_only)
{
	char name[FOLDER_NAME_BYTES];
	int fd;

	ck_assert_int_eq(mkdir("a", 0755), 0);
	ck_assert_int_eq(symlink("a/file", "link"), 0);
	expect_file("a/new", 0);
	expect_file("link", 0); /* made where the link leads */
	ck_assert_int_eq(access("a/file", F_OK), 0);
	expect_file("/dev/null", 0);
	expect_file("a", -EISDIR);
	expect_file("a/", -EISDIR);
	expect_file("/", -EISDIR);
	expect_file("nowhere/file", -ENOENT);
	fd = folder_open_parent("link", name);
	ck_assert(is_same(fd, "a"));
	ck_assert_str_eq(name, "file");
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(link("a/new", "second"), 0);
	expect_file("second", -EPERM); /* it may be a file that only somebody else can open */
	if (!is_root())
		return;
	give("link");
	expect_file("link", -ELOOP);
	give("a/file");
	expect_file("a/file", -EPERM);
}
END_TEST

START_TEST(a_pipe_of_another_user_is_neither_written_nor_waited_for)
{
	ck_assert_int_eq(mkfifo("pipe", 0666), 0);
	expect_file("pipe", -ENXIO); /* nobody reads it */
	if (!is_root())
		return;
	give("pipe");
	{
		const int reader = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

		expect_file("pipe", -EPERM);
		ck_assert_int_eq(close(reader), 0);
	}
}
END_TEST

START_TEST(a_file_is_replaced_where_trusted_links_lead)
{
	char *text, path[PATH_MAX];
	int fd;

	ck_assert_int_eq(mkdir("a", 0755), 0);
	ck_assert_int_eq(symlink("a/file", "link"), 0);
	ck_assert_int_eq(folder_replace_file("link", "one", 3, 0600), 0);
	ck_assert_int_eq(file_read_text("a/file", 100, &text, NULL), 0);
	ck_assert_str_eq(text, "one");
	free(text);
	fd = folder_open("a/../a/", FOLDER_MUST_EXIST);
	ck_assert_int_eq(folder_path(fd, path), 0);
	ck_assert_str_eq(path + strlen(path) - 2, "/a");
	ck_assert(is_same(fd, path));
	ck_assert_int_eq(close(fd), 0);
	if (!is_root())
		return;
	give("link");
	ck_assert_int_eq(folder_replace_file("link", "two", 3, 0600), -ELOOP);
	ck_assert_int_eq(file_read_text("a/file", 100, &text, NULL), 0);
	ck_assert_str_eq(text, "one");
	free(text);
}
END_TEST

static int check_tree(const char *name, unsigned int depth)
{
	const int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int error = folder_check_tree(fd, name, depth, "top", &diag);

	ck_assert_int_eq(close(fd), 0);
	return error;
}

START_TEST(what_another_user_has_prepared_in_a_folder_is_found)
{
	static const struct {
		const char *name; /* below s/a, at the third level */
		const char *why;
	} cases[] = {
		{"link", "is a symbolic link"},
		{"his", "belongs to"},
		{"open", "can be changed by other users"},
		{"his_folder", "belongs to"},
	};

	if (!is_root())
		return;
	ck_assert_int_eq(check_tree("missing", FOLDER_WHOLE), 0);
	ck_assert_int_eq(file_make_dirs("s/a/b", 0755), 0);
	ck_assert_int_eq(file_replace("s/a/b/file", "x", 1, 0644), 0);
	ck_assert_int_eq(check_tree("s", FOLDER_WHOLE), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[64], told[64];

		(void)snprintf(path, sizeof(path), "s/a/%s", cases[i].name);
		(void)snprintf(told, sizeof(told), "top/s/a/%s", cases[i].name);
		if (!strcmp(cases[i].name, "link"))
			ck_assert_int_eq(symlink("b", path), 0);
		else if (!strcmp(cases[i].name, "his_folder"))
			ck_assert_int_eq(mkdir(path, 0755), 0);
		else
			ck_assert_int_eq(file_replace(path, "x", 1, 0644), 0);
		if (!strcmp(cases[i].name, "open"))
			ck_assert_int_eq(chmod(path, 0666), 0);
		if (!strncmp(cases[i].name, "his", 3))
			give(path);
		ck_assert_int_eq(check_tree("s", FOLDER_WHOLE), -EPERM);
		ck_assert_str_eq(diag.file, told);
		ck_assert_msg(strstr(diag.text, cases[i].why) != NULL, "%s", diag.text);
		if (!strcmp(cases[i].name, "link")) { /* root may have made it */
			ck_assert_int_eq(check_tree("s", 2), 0);
			give(path);
		}
		ck_assert_int_eq(check_tree("s", 2), -EPERM);
		ck_assert_int_eq(check_tree("s", 1), 0);
		ck_assert_int_eq(check_tree("s", 0), 0);
		ck_assert_int_eq(file_remove_tree(path), 0);
	}
	ck_assert_int_eq(symlink("s", "link"), 0);
	ck_assert_int_eq(check_tree("link", 0), 0);
	give("link");
	ck_assert_int_eq(check_tree("link", 0), -EPERM);
	/* Sessions share files by hard links, but not those that the daemon writes in place. */
	ck_assert_int_eq(link("s/a/b/file", "s/a/second"), 0);
	ck_assert_int_eq(check_tree("s", FOLDER_WHOLE), 0);
	ck_assert_int_eq(check_tree("s/a/second", 0), -EPERM);
	ck_assert_msg(strstr(diag.text, "hard link") != NULL, "%s", diag.text);
}
END_TEST

START_TEST(a_folder_deeper_than_any_of_oprofs_is_refused)
{
	char path[2 * FOLDER_WHOLE + 8] = "s";

	if (!is_root())
		return;
	for (unsigned int i = 0; i < FOLDER_WHOLE; i++)
		memcpy(path + strlen(path), "/d", 3);
	ck_assert_int_eq(file_make_dirs(path, 0755), 0);
	ck_assert_int_eq(check_tree("s", FOLDER_WHOLE), -ELOOP);
	ck_assert_int_eq(check_tree("s/d", FOLDER_WHOLE), 0);
}
END_TEST

START_TEST(root_runs_no_program_that_another_user_can_change)
{
	static const struct {
		const char *path;
		int error;
	} cases[] = {
		{"ours/program", 0},   {"his/program", -EPERM}, {"ours/his", -EPERM},
		{"ours/open", -EPERM}, {"ours/link", 0},	{"ours/missing", -ENOENT},
		{"his_link", -ELOOP},  {"/bin/sh", 0},
	};

	if (!is_root())
		return;
	ck_assert_int_eq(file_make_dirs("ours", 0755), 0);
	ck_assert_int_eq(file_make_dirs("his", 0755), 0);
	ck_assert_int_eq(file_replace("ours/program", "x", 1, 0755), 0);
	ck_assert_int_eq(file_replace("ours/his", "x", 1, 0755), 0);
	ck_assert_int_eq(file_replace("ours/open", "x", 1, 0755), 0);
	ck_assert_int_eq(chmod("ours/open", 0757), 0);
	ck_assert_int_eq(file_replace("his/program", "x", 1, 0755), 0);
	ck_assert_int_eq(symlink("program", "ours/link"), 0);
	ck_assert_int_eq(symlink("ours/program", "his_link"), 0);
	give("ours/his");
	give("his");
	give("his_link");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int error = folder_check_program(cases[i].path, &diag);

		ck_assert_msg(error == cases[i].error, "%s: %d", cases[i].path, error);
		if (error)
			ck_assert_msg(strstr(diag.text, cases[i].path) != NULL, "%s", diag.text);
	}
}
END_TEST

/* Runs check() as the other user, in a process of its own. */
static void as_other(void (*check)(void))
{
	const pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (setresgid(OTHER, OTHER, OTHER) || setresuid(OTHER, OTHER, OTHER))
			_exit(1);
		check();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static void trusts_root_and_itself(void)
{
	struct diag why;
	int fd = folder_open_trusted("roots", FOLDER_MUST_EXIST, "-d DIR", &why);

	if (fd < 0)
		_exit(2);
	fd = folder_open_trusted("own", FOLDER_MUST_EXIST, "-d DIR", &why);
	if (fd < 0)
		_exit(3);
	fd = folder_open_trusted("thirds", FOLDER_MUST_EXIST, "-d DIR", &why);
	if (fd != -EPERM || !strstr(why.text, "user 4242"))
		_exit(4);
}

START_TEST(another_user_trusts_root_and_itself_but_no_third)
{
	if (!is_root())
		return;
	ck_assert_int_eq(mkdir("roots", 0755), 0);
	ck_assert_int_eq(mkdir("own", 0755), 0);
	ck_assert_int_eq(mkdir("thirds", 0755), 0);
	give("own");
	ck_assert_int_eq(chown("thirds", 4242, 4242), 0);
	as_other(trusts_root_and_itself);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("folder");
	TCase *tc = tcase_create("folder");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_path_leads_where_the_kernel_leads_it);
	tcase_add_test(tc, a_path_that_does_not_lead_to_a_folder_gives_the_kernels_error);
	tcase_add_test(tc, missing_folders_are_made_for_their_owner_only);
	tcase_add_test(tc, a_folder_in_which_others_may_write_is_refused);
	tcase_add_test(tc, root_refuses_the_folder_and_the_links_of_another_user);
	tcase_add_test(tc, an_exposed_path_can_be_led_elsewhere_by_another_user);
	tcase_add_test(tc, entering_a_folder_is_not_undone_by_a_new_folder_of_the_name);
	tcase_add_test(tc, a_file_is_opened_through_trusted_links_only);
	tcase_add_test(tc, a_pipe_of_another_user_is_neither_written_nor_waited_for);
	tcase_add_test(tc, a_file_is_replaced_where_trusted_links_lead);
	tcase_add_test(tc, what_another_user_has_prepared_in_a_folder_is_found);
	tcase_add_test(tc, a_folder_deeper_than_any_of_oprofs_is_refused);
	tcase_add_test(tc, root_runs_no_program_that_another_user_can_change);
	tcase_add_test(tc, another_user_trusts_root_and_itself_but_no_third);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
