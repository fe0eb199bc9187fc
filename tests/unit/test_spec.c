// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/spec.h"

#include "lib/file.h"
#include "tests/unit/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct spec spec;
static struct diag diag;

#define PARSE(...)                                                                                 \
	spec_parse(&spec, (const char *const[]){__VA_ARGS__},                                      \
		   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), &diag)

static void teardown(void)
{
	spec_deinit(&spec);
}

static void expect_patterns(enum spec_tag tag, const char *first, const char *second)
{
	const struct spec_list *list = &spec.lists[tag];

	ck_assert_uint_eq(list->nr_patterns, second ? 2 : 1);
	ck_assert_str_eq(list->patterns[0], first);
	if (second)
		ck_assert_str_eq(list->patterns[1], second);
}

START_TEST(every_tag_takes_a_comma_list)
{
	for (int tag = 0; tag < SPEC_WORD; tag++) {
		char word[64];

		(void)snprintf(word, sizeof(word), "%s12,x*", spec_tag_name((enum spec_tag)tag));
		ck_assert_int_eq(PARSE(word), 0);
		expect_patterns((enum spec_tag)tag, "12", "x*");
		spec_deinit(&spec);
	}
}
END_TEST

START_TEST(a_bare_word_is_an_image_and_may_be_repeated)
{
	ck_assert_int_eq(PARSE("bash", "vmlinux"), 0);
	expect_patterns(SPEC_WORD, "bash", "vmlinux");
}
END_TEST

START_TEST(an_escaped_comma_is_part_of_the_item)
{
	ck_assert_int_eq(PARSE("image:a\\,b,c\\*d"), 0);
	expect_patterns(SPEC_IMAGE, "a,b", "c\\*d");
	ck_assert(spec_list_match_image(&spec.lists[SPEC_IMAGE], "a,b"));
	ck_assert(spec_list_match_image(&spec.lists[SPEC_IMAGE], "c*d"));
	ck_assert(!spec_list_match_image(&spec.lists[SPEC_IMAGE], "cxd"));
}
END_TEST

START_TEST(a_repeated_tag_is_an_error_that_says_how_to_write_it)
{
	ck_assert_int_eq(PARSE("event:a", "event:b"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "event:A,B"));
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
	ck_assert_int_eq(PARSE("event:"), -EINVAL);
	ck_assert_int_eq(PARSE("event:a,,b"), -EINVAL);
	ck_assert_int_eq(PARSE("event:a,"), -EINVAL);
	ck_assert_int_eq(PARSE(","), -EINVAL);
	ck_assert_int_eq(PARSE(""), -EINVAL);
	ck_assert_int_eq(PARSE("evnt:a"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "evnt:"));
	for (size_t tag = 0; tag < SPEC_NR_TAGS; tag++)
		ck_assert_uint_eq(spec.lists[tag].nr_patterns, 0);
}
END_TEST

START_TEST(what_is_not_there_yet_is_refused_by_name)
{
	ck_assert_int_eq(PARSE("archive:/tmp/x"), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(diag.text, "archive:"));
	ck_assert_int_eq(PARSE("time:10m"), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(diag.text, "time:"));
	ck_assert_int_eq(PARSE("{", "image:a", "}", "{", "image:b", "}"), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(diag.text, "differential"));
	ck_assert_int_eq(PARSE("{}", "{}"), -EOPNOTSUPP);
}
END_TEST

START_TEST(empty_braces_are_the_empty_specification)
{
	char text[64];

	ck_assert_int_eq(PARSE("{}"), 0);
	spec_show(&spec, text, sizeof(text));
	ck_assert_str_eq(text, "{}");
	ck_assert_int_eq(PARSE("{", "}"), 0);
	for (size_t tag = 0; tag < SPEC_NR_TAGS; tag++)
		ck_assert_uint_eq(spec.lists[tag].nr_patterns, 0);
}
END_TEST

START_TEST(a_name_matches_the_last_part_of_a_path_and_a_path_only_the_whole)
{
	ck_assert_int_eq(PARSE("image:ba*,/opt/*/tool"), 0);
	ck_assert(spec_list_match_image(&spec.lists[SPEC_IMAGE], "/usr/bin/bash"));
	ck_assert(spec_list_match_image(&spec.lists[SPEC_IMAGE], "/opt/a/b/tool"));
	ck_assert(!spec_list_match_image(&spec.lists[SPEC_IMAGE], "/home/opt/a/tool"));
	ck_assert(!spec_list_match_image(&spec.lists[SPEC_IMAGE], "/bar/sh"));
}
END_TEST

START_TEST(names_with_glob_characters_match_themselves)
{
	ck_assert_int_eq(PARSE("[vdso]"), 0);
	ck_assert(spec_list_match_image(&spec.lists[SPEC_WORD], "[vdso]"));
}
END_TEST

START_TEST(numbers_match_in_any_base_and_as_globs)
{
	ck_assert_int_eq(PARSE("unit-mask:0x1f,7?"), 0);
	ck_assert(spec_list_match_number(&spec.lists[SPEC_UNIT_MASK], 31));
	ck_assert(spec_list_match_number(&spec.lists[SPEC_UNIT_MASK], 75));
	ck_assert(!spec_list_match_number(&spec.lists[SPEC_UNIT_MASK], 7));
	ck_assert(!spec_list_match_number(&spec.lists[SPEC_UNIT_MASK], -1));
}
END_TEST

START_TEST(a_field_that_is_not_separated_matches_all_only)
{
	ck_assert_int_eq(PARSE("cpu:all", "tid:0"), 0);
	ck_assert(spec_list_match_number(&spec.lists[SPEC_CPU], -1));
	ck_assert(!spec_list_match_number(&spec.lists[SPEC_CPU], 0));
	ck_assert(!spec_list_match_number(&spec.lists[SPEC_TID], -1));
}
END_TEST

START_TEST(a_relative_path_and_a_link_match_the_true_path)
{
	char dir[] = "/tmp/oprof-spec-XXXXXX";
	char path[PATH_MAX];
	char here[PATH_MAX];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(file_replace("program", "x", 1, 0700), 0);
	ck_assert_int_eq(symlink("program", "link"), 0);
	(void)snprintf(path, sizeof(path), "%s/program", dir);
	ck_assert_int_eq(PARSE("./program"), 0);
	ck_assert(spec_list_match_image(&spec.lists[SPEC_WORD], path));
	spec_deinit(&spec);
	ck_assert_int_eq(PARSE("./link"), 0);
	ck_assert(spec_list_match_image(&spec.lists[SPEC_WORD], path));
	spec_deinit(&spec);
	ck_assert_int_eq(PARSE("./gone"), 0);
	(void)snprintf(path, sizeof(path), "%s/gone", dir);
	ck_assert(spec_list_match_image(&spec.lists[SPEC_WORD], path));
	ck_assert_int_eq(chdir(here), 0);
	ck_assert_int_eq(file_remove_tree(dir), 0);
}
END_TEST

START_TEST(a_specification_shows_as_it_was_typed)
{
	char text[128];
	char small[8];

	ck_assert_int_eq(PARSE("bash", "event:a,b", "cpu:0"), 0);
	spec_show(&spec, text, sizeof(text));
	ck_assert_str_eq(text, "event:a,b cpu:0 bash");
	spec_show(&spec, small, sizeof(small));
	ck_assert_str_eq(small, "event:a");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spec");
	TCase *tests = tcase_create("spec");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, every_tag_takes_a_comma_list);
	tcase_add_test(tests, a_bare_word_is_an_image_and_may_be_repeated);
	tcase_add_test(tests, an_escaped_comma_is_part_of_the_item);
	tcase_add_test(tests, a_repeated_tag_is_an_error_that_says_how_to_write_it);
	tcase_add_test(tests, what_makes_no_sense_is_refused);
	tcase_add_test(tests, what_is_not_there_yet_is_refused_by_name);
	tcase_add_test(tests, empty_braces_are_the_empty_specification);
	tcase_add_test(tests, a_name_matches_the_last_part_of_a_path_and_a_path_only_the_whole);
	tcase_add_test(tests, names_with_glob_characters_match_themselves);
	tcase_add_test(tests, numbers_match_in_any_base_and_as_globs);
	tcase_add_test(tests, a_field_that_is_not_separated_matches_all_only);
	tcase_add_test(tests, a_relative_path_and_a_link_match_the_true_path);
	tcase_add_test(tests, a_specification_shows_as_it_was_typed);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
