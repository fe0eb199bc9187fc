// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotate_options.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#define NOW_NS INT64_C(1795183200000000000)

static struct annotate_options options;
static struct diag diag;

/* Options and words separated by blanks. */
static int parse(const char *line)
{
	const char *argv[64] = {"opannotate"};
	char copy[512];
	char *next = copy;
	int argc = 1;

	annotate_options_deinit(&options);
	strncpy(copy, line, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	for (char *word; (word = strtok_r(next, " ", &next));)
		argv[argc++] = word;
	argv[argc] = NULL;
	return annotate_options_parse(&options, argc, argv, NOW_NS, &diag);
}

static void teardown(void)
{
	annotate_options_deinit(&options);
}

static void expect_refused(const char *line, int error, const char *said)
{
	ck_assert_int_eq(parse(line), error);
	ck_assert_msg(strstr(diag.text, said) != NULL, "\"%s\" is not in \"%s\"", said, diag.text);
}

START_TEST(without_options_sources_are_shown)
{
	ck_assert_int_eq(parse(""), 0);
	ck_assert(options.shown.source && !options.shown.assembly);
	ck_assert(options.profile.symbols && options.profile.details);
	ck_assert_str_eq(options.shown.command_line, "opannotate");
	ck_assert_int_eq(options.tool.what, TOOL_RUN);
}
END_TEST

START_TEST(assembly_is_without_sources_unless_both_are_asked_for)
{
	ck_assert_int_eq(parse("-a"), 0);
	ck_assert(!options.shown.source && options.shown.assembly);
	ck_assert_int_eq(parse("--source --assembly"), 0);
	ck_assert(options.shown.source && options.shown.assembly);
}
END_TEST

START_TEST(options_are_those_of_oprofile)
{
	ck_assert_int_eq(parse("-s -o out -d /a,/b -b /c --include-file *.h --exclude-file x.h "
			       "-i f* -e g,h -x -m cpu,tid -t 1.5 -D smart -p /p -R /r -V "
			       "--session-dir /s word image:y"),
			 0);
	ck_assert_str_eq(options.shown.output_dir, "out");
	ck_assert_uint_eq(options.shown.sources.search_dirs->nr_patterns, 2);
	ck_assert_str_eq(options.shown.sources.base_dirs->patterns[0], "/c");
	ck_assert_str_eq(options.shown.sources.root, "/r");
	ck_assert_str_eq(options.shown.include_files->patterns[0], "*.h");
	ck_assert_str_eq(options.shown.exclude_files->patterns[0], "x.h");
	ck_assert_str_eq(options.profile.include.patterns[0], "f*");
	ck_assert_uint_eq(options.profile.exclude.nr_patterns, 2);
	ck_assert(options.selection.exclude_dependent && options.tool.verbose);
	ck_assert_uint_eq(options.selection.merge, MERGE_CPU | MERGE_TID);
	ck_assert_double_eq(options.shown.threshold, 1.5);
	ck_assert_int_eq(options.shown.demangle, DEMANGLE_SMART);
	ck_assert_str_eq(options.profile.image_path, "/p");
	ck_assert_str_eq(options.profile.root, "/r");
	ck_assert_str_eq(options.tool.session_dir, "/s");
	ck_assert_str_eq(options.sides[0].lists[SPEC_WORD].patterns[0], "word");
}
END_TEST

START_TEST(times_narrow_the_specification)
{
	ck_assert_int_eq(parse("--last 10m"), 0);
	ck_assert(options.sides[0].timed);
	expect_refused("--last 10m --from 12:00", -EINVAL, "given twice");
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
	expect_refused("--frobnicate", -EINVAL, "--frobnicate");
	expect_refused("-t 101", -EINVAL, "not a percentage");
	expect_refused("-t x", -EINVAL, "not a percentage");
	expect_refused("-D x", -EINVAL, "--demangle");
	expect_refused("-m x", -EINVAL, "--merge");
	expect_refused("-d /a -d /b", -EINVAL, "--search-dirs is given twice");
	expect_refused("-o a -o b", -EINVAL, "--output-dir is given twice");
	expect_refused("nothing:x", -EINVAL, "nothing");
	expect_refused("-a -d /a", -EINVAL, "--search-dirs finds source files");
	expect_refused("-a -b /a", -EINVAL, "--base-dirs finds source files");
	expect_refused("-a --include-file x", -EINVAL, "--include-file selects source files");
	expect_refused("-a -s --exclude-file x", -EINVAL, "--exclude-file selects source files");
}
END_TEST

static Suite *annotate_options_suite(void)
{
	Suite *suite = suite_create("annotate_options");
	TCase *tcase = tcase_create("annotate_options");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, without_options_sources_are_shown);
	tcase_add_test(tcase, assembly_is_without_sources_unless_both_are_asked_for);
	tcase_add_test(tcase, options_are_those_of_oprofile);
	tcase_add_test(tcase, times_narrow_the_specification);
	tcase_add_test(tcase, what_makes_no_sense_is_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(annotate_options_suite());
}
