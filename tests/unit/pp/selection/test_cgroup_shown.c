// SPDX-License-Identifier: GPL-2.0-or-later
/* Which cgroups a name selects, and names that are unique. */
#include "pp/selection/cgroup_shown.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void expect_shown(const char *const *paths, const char *const *expected, size_t nr)
{
	char *names[8];

	ck_assert_uint_le(nr, 8);
	ck_assert_int_eq(cgroup_shown_make(paths, nr, names), 0);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_str_eq(names[i], expected[i]);
		free(names[i]);
	}
}

START_TEST(names_are_short_where_that_is_enough)
{
	static const char *const paths[] = {"/system.slice/a.service", "/docker/" ID, "", "/x/y"};
	static const char *const names[] = {"a.service", "docker:0123456789ab", "all", "/x/y"};

	expect_shown(paths, names, 4);
}
END_TEST

START_TEST(names_that_two_share_have_more_of_their_paths)
{
	static const char *const paths[] = {
		"/a.slice/x.service",	    "/b.slice/x.service", "/a.slice/c.slice/y.scope",
		"/b.slice/c.slice/y.scope", "/y.scope",		  "/z.service",
	};
	static const char *const names[] = {
		"/a.slice/x.service",	    "/b.slice/x.service", "/a.slice/c.slice/y.scope",
		"/b.slice/c.slice/y.scope", "/y.scope",		  "z.service",
	};

	expect_shown(paths, names, 6);
}
END_TEST

START_TEST(a_container_and_its_folder_inside_are_told_apart)
{
	static const char *const paths[] = {"/m.slice/libpod-" ID ".scope",
					    "/m.slice/libpod-" ID ".scope/container"};
	static const char *const names[] = {"libpod-" ID ".scope", "container"};

	expect_shown(paths, names, 2);
}
END_TEST

START_TEST(what_differs_by_escapes_only_is_told_apart)
{
	static const char *const paths[] = {"/a\\x2db.service", "/a-b.service"};
	static const char *const names[] = {"/a\\x2db.service", "/a-b.service"};

	expect_shown(paths, names, 2);
}
END_TEST

START_TEST(thousands_of_names_are_all_different)
{
	enum { NR = 3000 };
	static char texts[NR][64];
	static const char *paths[NR];
	static char *names[NR];

	for (int i = 0; i < NR; i++) {
		(void)snprintf(texts[i], sizeof(texts[i]), "/u%d.slice/v%d.slice/x%d.service",
			       i / 100, i / 10, i % 10);
		paths[i] = texts[i];
	}
	ck_assert_int_eq(cgroup_shown_make(paths, NR, names), 0);
	for (int i = 0; i < NR; i++) {
		ck_assert_str_eq(names[i], strchr(texts[i] + 1, '/') + 1);
		free(names[i]);
	}
}
END_TEST

START_TEST(words_mean_groups_and_all_means_those_not_kept_apart)
{
	static char nginx[] = "nginx.service", all[] = "all", id[] = "012345";
	char *patterns[] = {nginx, all, id};
	const struct spec_list list = {patterns, 3};

	ck_assert(cgroup_list_match(&list, "/system.slice/nginx.service"));
	ck_assert(cgroup_list_match(&list, "/docker/" ID));
	ck_assert(cgroup_list_match(&list, ""));
	ck_assert(!cgroup_list_match(&list, "/system.slice/cron.service"));
	ck_assert(!cgroup_list_match(&list, "/"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cgroup_shown");
	TCase *tests = tcase_create("cgroup_shown");

	tcase_add_test(tests, names_are_short_where_that_is_enough);
	tcase_add_test(tests, names_that_two_share_have_more_of_their_paths);
	tcase_add_test(tests, a_container_and_its_folder_inside_are_told_apart);
	tcase_add_test(tests, what_differs_by_escapes_only_is_told_apart);
	tcase_add_test(tests, thousands_of_names_are_all_different);
	tcase_add_test(tests, words_mean_groups_and_all_means_those_not_kept_apart);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
