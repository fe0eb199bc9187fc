// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256];
static char seen[8192];

static void setup(void)
{
	const char *where = getenv("TMPDIR");

	(void)snprintf(folder, sizeof(folder), "%s/test_walk.XXXXXX", where ? where : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	seen[0] = '\0';
}

static void teardown(void)
{
	(void)file_remove_tree(folder);
}

static void make_file(const char *name)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, "x", 1, 0600), 0);
}

/* Notes a line "PATH APP" or "PATH !" for each file. */
static int remember(const char *path, const struct sample_name *name, const struct diag *diag,
		    void *context)
{
	const int *stop_after = context;
	const size_t used = strlen(seen);

	ck_assert(!name == !!diag);
	ck_assert_int_eq(strncmp(path, folder, strlen(folder)), 0);
	ck_assert_int_eq(access(path, R_OK), 0);
	(void)snprintf(seen + used, sizeof(seen) - used, "%s %s\n", path + strlen(folder) + 1,
		       name ? name->app.path : "!");
	if (stop_after && strstr(seen + used, "zz"))
		return *stop_after;
	return 0;
}

#define TAIL "/e.1.0.all.all.all.all.0123456789abcdef"

START_TEST(sample_files_are_visited_in_order_and_others_passed_over)
{
	make_file("{root}/usr/b/{dep}/{root}/usr/b" TAIL);
	make_file("{root}/usr/a/{dep}/{root}/usr/b" TAIL);
	make_file("{kern}/vmlinux/{dep}/{kern}/vmlinux" TAIL);
	make_file("{root}/usr/a/junk");
	make_file("info");
	make_file("kernel/x/{root}/y");
	ck_assert_int_eq(sample_name_walk(folder, remember, NULL), 0);
	ck_assert_str_eq(seen, "{kern}/vmlinux/{dep}/{kern}/vmlinux" TAIL " vmlinux\n"
			       "{root}/usr/a/junk !\n"
			       "{root}/usr/a/{dep}/{root}/usr/b" TAIL " /usr/a\n"
			       "{root}/usr/b/{dep}/{root}/usr/b" TAIL " /usr/b\n");
}
END_TEST

START_TEST(slashes_behind_the_folder_do_not_matter)
{
	char with_slashes[300];

	make_file("{root}/a/{dep}/{root}/b" TAIL);
	(void)snprintf(with_slashes, sizeof(with_slashes), "%s//", folder);
	ck_assert_int_eq(sample_name_walk(with_slashes, remember, NULL), 0);
	ck_assert_str_eq(seen, "{root}/a/{dep}/{root}/b" TAIL " /a\n");
}
END_TEST

START_TEST(the_visitor_ends_the_walk)
{
	int stop = 42;

	make_file("{root}/aa/{dep}/{root}/b" TAIL);
	make_file("{root}/zz/{dep}/{root}/b" TAIL);
	make_file("{root}/zzz/{dep}/{root}/b" TAIL);
	ck_assert_int_eq(sample_name_walk(folder, remember, &stop), 42);
	ck_assert_ptr_null(strstr(seen, "zzz"));
	ck_assert_ptr_nonnull(strstr(seen, "aa"));
}
END_TEST

START_TEST(symbolic_links_are_not_followed)
{
	char link[512];

	make_file("{root}/a/{dep}/{root}/b" TAIL);
	(void)snprintf(link, sizeof(link), "%s/{root}/loop", folder);
	ck_assert_int_eq(symlink(folder, link), 0);
	ck_assert_int_eq(sample_name_walk(folder, remember, NULL), 0);
	ck_assert_str_eq(seen, "{root}/a/{dep}/{root}/b" TAIL " /a\n");
}
END_TEST

static int count_unread(const char *path, const struct sample_name *name, const struct diag *diag,
			void *context)
{
	int *nr = context;

	(void)path;
	nr[name ? 0 : 1]++;
	if (!name)
		ck_assert_ptr_nonnull(strstr(diag_show(diag), "{root}/a: cannot be read"));
	return 0;
}

START_TEST(a_folder_that_may_not_be_read_is_told_and_the_walk_goes_on)
{
	char path[1024];
	int nr[2] = {0, 0};

	make_file("{root}/a/{dep}/{root}/b" TAIL);
	make_file("{kern}/vmlinux/{dep}/{kern}/vmlinux" TAIL);
	(void)snprintf(path, sizeof(path), "chmod -R a+rX %s; chmod 0 %s/{root}/a", folder, folder);
	ck_assert_int_eq(system(path), 0);
	if (!geteuid())
		ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_eq(sample_name_walk(folder, count_unread, nr), 0);
	if (!getuid())
		ck_assert_int_eq(seteuid(0), 0);
	(void)snprintf(path, sizeof(path), "chmod 700 %s/{root}/a", folder);
	ck_assert_int_eq(system(path), 0);
	ck_assert_int_eq(nr[0], 1);
	ck_assert_int_eq(nr[1], 1);
}
END_TEST

START_TEST(a_session_that_is_not_there_is_told)
{
	ck_assert_int_eq(sample_name_walk("/nonexistent/session", remember, NULL), -ENOENT);
	make_file("info");
	(void)strcat(folder, "/info");
	ck_assert_int_eq(sample_name_walk(folder, remember, NULL), -ENOTDIR);
	*strrchr(folder, '/') = '\0';
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sample_name_walk");
	TCase *tests = tcase_create("walk");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, sample_files_are_visited_in_order_and_others_passed_over);
	tcase_add_test(tests, slashes_behind_the_folder_do_not_matter);
	tcase_add_test(tests, the_visitor_ends_the_walk);
	tcase_add_test(tests, symbolic_links_are_not_followed);
	tcase_add_test(tests, a_folder_that_may_not_be_read_is_told_and_the_walk_goes_on);
	tcase_add_test(tests, a_session_that_is_not_there_is_told);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
