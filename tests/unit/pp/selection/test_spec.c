// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/spec.h"

#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct spec spec;
static struct diag diag;

#define MINUTE_NS INT64_C(60000000000)
#define NOW_NS	  INT64_C(1795183200000000000)

#define WORDS(...)                                                                                 \
	(const char *const[]){__VA_ARGS__},                                                        \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)
#define PARSE(...) spec_parse(&spec, WORDS(__VA_ARGS__), NOW_NS, &diag)

/* The specifications of two sides. */
static struct spec sides[SPEC_SIDES_MAX];
static size_t nr_sides;
#define PARSE_SIDES(...)   spec_parse_sides(sides, &nr_sides, WORDS(__VA_ARGS__), NOW_NS, &diag)
#define DIFF(last_ns, ...) spec_parse_diff(sides, WORDS(__VA_ARGS__), last_ns, NOW_NS, &diag)

static void deinit_sides(void)
{
	spec_deinit(&sides[0]);
	spec_deinit(&sides[1]);
}

static void teardown(void)
{
	spec_deinit(&spec);
	deinit_sides();
}

static const char *shown(const struct spec *side)
{
	static char text[2][128];
	static int which;

	which = 1 - which;
	spec_show(side, text[which], sizeof(text[which]));
	return text[which];
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
	for (int tag = 0; tag < SPEC_TIME; tag++) {
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

START_TEST(an_archive_is_one_path_with_all_its_commas)
{
	ck_assert_int_eq(PARSE("archive:/tmp/x,y"), 0);
	ck_assert_uint_eq(spec.lists[SPEC_ARCHIVE].nr_patterns, 1);
	ck_assert_str_eq(spec.lists[SPEC_ARCHIVE].patterns[0], "/tmp/x,y");
	spec_deinit(&spec);
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

START_TEST(a_stretch_of_time_is_part_of_a_specification)
{
	ck_assert_int_eq(PARSE("time:10m", "image:x"), 0);
	ck_assert(spec.timed);
	ck_assert_int_eq(spec.range.begin_ns, NOW_NS - 10 * MINUTE_NS);
	ck_assert_int_eq(spec.range.end_ns, NOW_NS);
	ck_assert_str_eq(shown(&spec), "image:x time:10m");
	spec_deinit(&spec);
	ck_assert_int_eq(PARSE("time:@10..@20"), 0);
	spec_deinit(&spec);
	ck_assert_int_eq(PARSE("time:noon"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "noon"));
	ck_assert_int_eq(PARSE("time:1m", "time:2m"), -EINVAL);
	ck_assert_int_eq(PARSE("time:"), -EINVAL);
	ck_assert(!spec.timed);
}
END_TEST

START_TEST(braces_make_one_side_or_two)
{
	ck_assert_int_eq(PARSE_SIDES("{", "image:a", "}", "{", "image:b", "cpu:0", "}"), 0);
	ck_assert_uint_eq(nr_sides, 2);
	ck_assert_str_eq(shown(&sides[0]), "image:a");
	ck_assert_str_eq(shown(&sides[1]), "image:b cpu:0");
	deinit_sides();
	ck_assert_int_eq(PARSE_SIDES("{", "session:x", "}", "{}"), 0);
	ck_assert_uint_eq(nr_sides, 2);
	ck_assert_str_eq(shown(&sides[1]), "{}");
	deinit_sides();
	ck_assert_int_eq(PARSE_SIDES("{", "a", "}"), 0);
	ck_assert_uint_eq(nr_sides, 1);
	ck_assert_str_eq(shown(&sides[0]), "a");
}
END_TEST

START_TEST(braces_that_do_not_fit_are_refused)
{
	ck_assert_int_eq(PARSE_SIDES("{", "a"), -EINVAL);
	ck_assert_int_eq(PARSE_SIDES("a", "{", "b", "}"), -EINVAL);
	ck_assert_int_eq(PARSE_SIDES("{", "a", "}", "b"), -EINVAL);
	ck_assert_int_eq(PARSE_SIDES("{", "a", "{", "b", "}", "}"), -EINVAL);
	ck_assert_int_eq(PARSE_SIDES("{}", "{}", "{}"), -EINVAL);
	ck_assert_int_eq(PARSE_SIDES("}"), -EINVAL);
	ck_assert_int_eq(PARSE_SIDES("{a", "}"), -EINVAL);
	ck_assert_int_eq(PARSE_SIDES("{}", "{", "evnt:x", "}"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "evnt:"));
	ck_assert_int_eq(PARSE("{}", "{}"), -EINVAL);
}
END_TEST

START_TEST(tags_given_twice_say_how_sides_differ)
{
	ck_assert_int_eq(DIFF(0, "session:a", "image:x", "session:b"), 0);
	ck_assert_str_eq(shown(&sides[0]), "session:a image:x");
	ck_assert_str_eq(shown(&sides[1]), "session:b image:x");
	deinit_sides();
	ck_assert_int_eq(DIFF(0, "time:@10..@20", "time:@20..@30"), 0);
	ck_assert_int_eq(sides[0].range.end_ns, sides[1].range.begin_ns);
	deinit_sides();
	ck_assert_int_eq(DIFF(0, "@10..@20", "@20..@30", "bash"), 0);
	ck_assert(sides[0].timed && sides[1].timed);
	ck_assert_str_eq(sides[1].lists[SPEC_WORD].patterns[0], "bash");
	deinit_sides();
	ck_assert_int_eq(DIFF(0, "{", "a", "}", "{", "b", "}"), 0);
	ck_assert_str_eq(shown(&sides[1]), "b");
}
END_TEST

START_TEST(the_last_stretch_is_compared_with_the_one_before)
{
	ck_assert_int_eq(DIFF(5 * MINUTE_NS, "image:x"), 0);
	ck_assert_int_eq(sides[0].range.begin_ns, NOW_NS - 10 * MINUTE_NS);
	ck_assert_int_eq(sides[0].range.end_ns, NOW_NS - 5 * MINUTE_NS);
	ck_assert_int_eq(sides[1].range.begin_ns, NOW_NS - 5 * MINUTE_NS);
	ck_assert_int_eq(sides[1].range.end_ns, NOW_NS);
	ck_assert_str_eq(shown(&sides[0]), "image:x");
	deinit_sides();
	ck_assert_int_eq(DIFF(5 * MINUTE_NS, "time:10m"), -EINVAL);
	ck_assert_int_eq(DIFF(NOW_NS, "image:x"), -EINVAL);
}
END_TEST

START_TEST(sides_that_do_not_differ_are_refused)
{
	ck_assert_int_eq(DIFF(0, "image:x"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "let them differ"));
	ck_assert_int_eq(DIFF(0, "session:a", "session:a"), -EINVAL);
	ck_assert_int_eq(DIFF(0, "time:@10..@20", "@10..@20"), -EINVAL);
	ck_assert_int_eq(DIFF(0, "{}", "{}"), -EINVAL);
	ck_assert_int_eq(DIFF(0, "{", "a", "}"), -EINVAL);
	ck_assert_int_eq(DIFF(0, "session:a", "session:b", "session:c"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "3 times"));
	ck_assert_int_eq(DIFF(0, "time:noon", "time:@10..@20"), -EINVAL);
	ck_assert_uint_eq(sides[0].lists[SPEC_TIME].nr_patterns, 0);
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
	tcase_add_test(tests, an_archive_is_one_path_with_all_its_commas);
	tcase_add_test(tests, empty_braces_are_the_empty_specification);
	tcase_add_test(tests, a_name_matches_the_last_part_of_a_path_and_a_path_only_the_whole);
	tcase_add_test(tests, names_with_glob_characters_match_themselves);
	tcase_add_test(tests, numbers_match_in_any_base_and_as_globs);
	tcase_add_test(tests, a_field_that_is_not_separated_matches_all_only);
	tcase_add_test(tests, a_relative_path_and_a_link_match_the_true_path);
	tcase_add_test(tests, a_specification_shows_as_it_was_typed);
	tcase_add_test(tests, a_stretch_of_time_is_part_of_a_specification);
	tcase_add_test(tests, braces_make_one_side_or_two);
	tcase_add_test(tests, braces_that_do_not_fit_are_refused);
	tcase_add_test(tests, tags_given_twice_say_how_sides_differ);
	tcase_add_test(tests, the_last_stretch_is_compared_with_the_one_before);
	tcase_add_test(tests, sides_that_do_not_differ_are_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
