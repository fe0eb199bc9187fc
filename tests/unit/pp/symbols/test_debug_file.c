// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths below a root: binaries name them and may name any path. */
#include "pp/symbols/debug_file.h"

#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_plain(const char *path, const char *expected)
{
	char *plain = debug_file_plain_path(path);

	if (expected)
		ck_assert_str_eq(plain, expected);
	else
		ck_assert_ptr_null(plain);
	free(plain);
}

START_TEST(plain_paths_have_no_dots)
{
	assert_plain("/a/b", "/a/b");
	assert_plain("//a///b/", "/a/b");
	assert_plain("/a/./b/../c", "/a/c");
	assert_plain("/a/..", "");
	assert_plain("/a/../..", NULL);
	assert_plain("/../a", NULL);
	assert_plain("/..a/b../...", "/..a/b../...");
	assert_plain("", "");
}
END_TEST

static int open_status(const char *root, const char *path)
{
	int fd = debug_file_open_below(root, path);

	if (fd < 0)
		return fd;
	ck_assert_int_eq(close(fd), 0);
	return 0;
}

START_TEST(dots_do_not_lead_out_of_the_root)
{
	char root[PATH_MAX - 100], path[PATH_MAX];

	ck_assert_int_eq(file_make_dirs("root/a/b", 0700), 0);
	ck_assert_int_eq(file_replace("outside", "x", 1, 0600), 0);
	ck_assert_int_eq(file_replace("root/a/in", "x", 1, 0600), 0);
	ck_assert_ptr_nonnull(getcwd(root, sizeof(root) - 5));
	(void)snprintf(path, sizeof(path), "%s/root/a/../../outside", root);
	ck_assert_int_eq(open_status(NULL, path), 0);
	ck_assert_int_eq(open_status("", path), 0);
	(void)strcat(root, "/root");
	ck_assert_int_eq(open_status(root, path), -ENOENT);
	(void)snprintf(path, sizeof(path), "%s/a/b/../in", root);
	ck_assert_int_eq(open_status(root, path), 0);
	/* The folder before ".." need not exist below the root. */
	(void)snprintf(path, sizeof(path), "%s/a/missing/../in", root);
	ck_assert_int_eq(open_status(root, path), 0);
	ck_assert_int_eq(open_status(NULL, path), -ENOENT);
	(void)snprintf(path, sizeof(path), "%s/a/missing/../../in", root);
	ck_assert_int_eq(open_status(root, path), -ENOENT);
}
END_TEST

static const struct {
	const char *folder, *path;
	int error; /* 0: opened */
	bool is_private;
} without_links[] = {
	{"root", "a/in", 0, false},
	{"root", "//a//in", 0, false},
	{"root/", "/a/./in", 0, false},
	{"link", "a/in", 0, false},
	{"link/", "a/in", 0, false},
	{"root", "a/to_in", -ELOOP, false},
	{"root", "a/nowhere", -ELOOP, false},
	{"root", "to_a/in", -ELOOP, false},
	{"root", "self/cwd/root/a/in", -ELOOP, false},
	{"root", "a/../a/in", -ENOENT, false},
	{"root", "../root/a/in", -ENOENT, false},
	{"root", "a/..", -ENOENT, false},
	{"root", "a/missing", -ENOENT, false},
	{"root", "a/in/in", -ENOTDIR, false},
	{"root", "a", -ENOEXEC, false},
	{"root", "", -ENOEXEC, false},
	{"root", "a/pipe", -ENOEXEC, false},
	{"missing", "a/in", -ENOENT, false},
	{"loop", "a/in", -ENOENT, false},
	{"outside", "a/in", -ENOTDIR, false},
	{"root", "a/owned", 0, true},
	{"root", "closed/in", 0, true},
	{"closed", "in", 0, false},
};

START_TEST(no_link_below_the_folder_is_followed)
{
	char longest[NAME_MAX + 2], path[PATH_MAX];
	bool is_public;
	int fd;

	(void)umask(0);
	ck_assert_int_eq(file_make_dirs("root/a", 0711), 0);
	ck_assert_int_eq(file_make_dirs("root/closed", 0776), 0);
	ck_assert_int_eq(symlink("root/closed", "closed"), 0);
	ck_assert_int_eq(file_replace("outside", "x", 1, 0600), 0);
	ck_assert_int_eq(file_replace("root/a/in", "in", 2, 0604), 0);
	ck_assert_int_eq(file_replace("root/a/owned", "in", 2, 0640), 0);
	ck_assert_int_eq(file_replace("root/closed/in", "in", 2, 0604), 0);
	ck_assert_int_eq(symlink("in", "root/a/to_in"), 0);
	ck_assert_int_eq(symlink("nothing", "root/a/nowhere"), 0);
	ck_assert_int_eq(symlink("a", "root/to_a"), 0);
	ck_assert_int_eq(symlink("/proc/self", "root/self"), 0);
	ck_assert_int_eq(symlink("root", "link"), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	ck_assert_int_eq(mkfifo("root/a/pipe", 0600), 0);
	for (size_t i = 0; i < sizeof(without_links) / sizeof(without_links[0]); i++) {
		fd = debug_file_open_without_links(without_links[i].folder, without_links[i].path,
						   &is_public);
		ck_assert_msg((fd < 0 ? fd : 0) == without_links[i].error, "%zu: %d", i, fd);
		if (fd >= 0) {
			ck_assert_msg(is_public == !without_links[i].is_private, "%zu", i);
			ck_assert_int_eq(read(fd, path, sizeof(path)), 2);
			ck_assert_int_eq(close(fd), 0);
		}
	}
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_int_eq(debug_file_open_without_links("root", longest, &is_public), -ENAMETOOLONG);
	longest[sizeof(longest) - 2] = '\0';
	ck_assert_int_eq(debug_file_open_without_links("root", longest, &is_public), -ENOENT);
	ck_assert_ptr_nonnull(getcwd(path, sizeof(path) - 10));
	(void)strcat(path, "/outside");
	fd = debug_file_open_without_links("", path, &is_public);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(files_that_are_not_regular_are_refused_without_opening_them)
{
	int events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char event[sizeof(struct inotify_event) + NAME_MAX + 1];

	ck_assert_int_ge(events, 0);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert_int_eq(symlink("pipe", "link"), 0);
	ck_assert_int_eq(file_replace("file", "x", 1, 0600), 0);
	ck_assert_int_ge(inotify_add_watch(events, "pipe", IN_OPEN), 0);
	ck_assert_int_eq(debug_file_open_regular("pipe"), -ENOEXEC);
	ck_assert_int_eq(debug_file_open_regular("link"), -ENOEXEC);
	ck_assert_int_eq(read(events, event, sizeof(event)), -1);
	ck_assert_int_eq(errno, EAGAIN);
	/* The kernel does report a file that was opened. */
	ck_assert_int_ge(inotify_add_watch(events, "file", IN_OPEN), 0);
	ck_assert_int_eq(open_status(NULL, "file"), 0);
	ck_assert_int_gt(read(events, event, sizeof(event)), 0);
	(void)close(events);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, test_folder_setup, test_folder_teardown);
	tcase_add_test(all, plain_paths_have_no_dots);
	tcase_add_test(all, dots_do_not_lead_out_of_the_root);
	tcase_add_test(all, no_link_below_the_folder_is_followed);
	tcase_add_test(all, files_that_are_not_regular_are_refused_without_opening_them);
	return test_run(all);
}
