// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/format_terminal.h"
#include "pp/report/report_options.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NOW_NS	  INT64_C(1795183200000000000)
#define MINUTE_NS INT64_C(60000000000)

static struct report_options options;
static struct diag diag;

/* Options and words separated by blanks. */
static int parse(const char *line)
{
	const char *argv[64] = {"opreport"};
	char copy[512];
	char *next = copy;
	int argc = 1;

	report_options_deinit(&options);
	strncpy(copy, line, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	for (char *word; (word = strtok_r(next, " ", &next));)
		argv[argc++] = word;
	argv[argc] = NULL;
	return report_options_parse(&options, argc, argv, NOW_NS, &diag);
}

static void teardown(void)
{
	report_options_deinit(&options);
}

static void expect_refused(const char *line, int error, const char *said)
{
	ck_assert_int_eq(parse(line), error);
	ck_assert_msg(strstr(diag.text, said) != NULL, "\"%s\" is not in \"%s\"", said, diag.text);
}

START_TEST(without_options_images_are_shown_with_a_header)
{
	ck_assert_int_eq(parse(""), 0);
	ck_assert(!options.profile.symbols);
	ck_assert(options.text.header);
	ck_assert_int_eq(options.text.demangle, DEMANGLE_NORMAL);
	ck_assert_int_eq(options.tool.what, TOOL_RUN);
	ck_assert_ptr_null(options.tool.session_dir);
}
END_TEST

START_TEST(short_options_are_those_of_oprofile)
{
	ck_assert_int_eq(parse("-l -w -f -a -% -r -n -x -V -t 1.5 -D smart -o out -p /a,/b -R /r "
			       "-m cpu,tid -s image,vma -e a,b* -i c word image:x"),
			 0);
	ck_assert(options.profile.symbols);
	ck_assert(options.text.show_vma && options.text.long_names && options.text.accumulated);
	ck_assert(options.text.global_percent && options.text.reverse && !options.text.header);
	ck_assert(options.selection.exclude_dependent && options.tool.verbose);
	ck_assert_double_eq(options.text.threshold, 1.5);
	ck_assert_int_eq(options.profile.demangle, DEMANGLE_SMART);
	ck_assert_str_eq(options.output, "out");
	ck_assert_str_eq(options.profile.image_path, "/a,/b");
	ck_assert_str_eq(options.profile.root, "/r");
	ck_assert_uint_eq(options.selection.merge, MERGE_CPU | MERGE_TID);
	ck_assert_uint_eq(options.text.nr_sort, 2);
	ck_assert_int_eq(options.text.sort[1], TEXT_SORT_VMA);
	ck_assert_uint_eq(options.profile.exclude.nr_patterns, 2);
	ck_assert_str_eq(options.profile.include.patterns[0], "c");
	ck_assert_str_eq(options.sides[0].lists[SPEC_WORD].patterns[0], "word");
	ck_assert_str_eq(options.sides[0].lists[SPEC_IMAGE].patterns[0], "x");
}
END_TEST

START_TEST(long_options_are_those_of_oprofile)
{
	ck_assert_int_eq(parse("--symbols --show-address --long-filenames --accumulated "
			       "--global-percent --reverse-sort --no-header --exclude-dependent "
			       "--verbose --threshold=2% --demangle=none --output-file=o "
			       "--image-path=p --root=r --merge=all --sort=symbol"),
			 0);
	ck_assert_uint_eq(options.selection.merge, MERGE_ALL);
	ck_assert_double_eq(options.text.threshold, 2);
	ck_assert_int_eq(parse("--session-dir=/d --exclude-symbols=a --include-symbols=b -l"), 0);
	ck_assert_str_eq(options.tool.session_dir, "/d");
}
END_TEST

START_TEST(source_lines_are_read_where_something_needs_them)
{
	ck_assert_int_eq(parse("-l -g"), 0);
	ck_assert(options.profile.lines && options.text.show_lines);
	ck_assert_int_eq(parse("-l -s debug,vma"), 0);
	ck_assert(options.profile.lines && !options.text.show_lines);
	ck_assert_int_eq(options.text.sort[0], TEXT_SORT_DEBUG);
	ck_assert_int_eq(parse("-gdf"), 0);
	ck_assert(options.profile.lines && options.profile.details && options.text.long_names);
	expect_refused("-g", -EINVAL, "--symbols");
}
END_TEST

START_TEST(inlined_functions_are_rows_of_symbols)
{
	ck_assert_int_eq(parse("--inlines"), 0);
	ck_assert(options.profile.symbols && options.profile.inlines);
	ck_assert(!options.profile.lines && !options.profile.details);
	ck_assert_int_eq(parse("--inlines --json -d -g"), 0);
	expect_refused("--inlines -i main", -EINVAL, "--include-symbols");
	expect_refused("--inlines --html x", -EINVAL, "--inlines");
	expect_refused("--inlines -c", -EINVAL, "--inlines");
	expect_refused("--inlines --pprof x", -EINVAL, "--inlines");
}
END_TEST

START_TEST(formats_of_stacks_are_chosen_one_at_a_time)
{
	ck_assert_int_eq(parse("-c -i main -e f -t 1 -w -f -s symbol -r"), 0);
	ck_assert(options.callgraph && report_needs_stacks(&options));
	ck_assert_double_eq(options.text.threshold, 1);
	ck_assert_int_eq(parse("--stacks"), 0);
	ck_assert_int_eq(options.format, REPORT_STACKS);
	ck_assert_double_eq(options.text.threshold, 0.5);
	ck_assert_int_eq(parse("--stacks -t 0"), 0);
	ck_assert_double_eq(options.text.threshold, 0);
	ck_assert_int_eq(parse("--folded -i main"), 0);
	ck_assert_int_eq(options.format, REPORT_FOLDED);
	ck_assert_int_eq(parse("--pprof out.pb.gz"), 0);
	ck_assert_int_eq(options.format, REPORT_PPROF);
	ck_assert_str_eq(options.output, "out.pb.gz");
	ck_assert_int_eq(parse("--callgrind -o out"), 0);
	ck_assert_int_eq(options.format, REPORT_CALLGRIND);
	ck_assert_int_eq(parse("-l"), 0);
	ck_assert(!report_needs_stacks(&options));
	expect_refused("--folded --callgrind", -EINVAL, "one format");
	expect_refused("--pprof a -o b", -EINVAL, "twice");
	expect_refused("-c --stacks", -EINVAL, "--callgraph");
	expect_refused("-c -a", -EINVAL, "--accumulated cannot be combined with a call graph");
	expect_refused("-c -d", -EINVAL, "--details");
	expect_refused("--stacks -w", -EINVAL,
		       "--show-address cannot be combined with a tree of stacks");
	expect_refused("--folded -t 1", -EINVAL,
		       "--threshold cannot be combined with a format for other programs");
	expect_refused("--callgrind -s symbol", -EINVAL, "--sort");
}
END_TEST

START_TEST(a_report_has_one_format)
{
	ck_assert_int_eq(parse("-X"), 0);
	ck_assert_int_eq(options.format, REPORT_XML);
	ck_assert_int_eq(parse("-l --json"), 0);
	ck_assert_int_eq(options.format, REPORT_JSON);
	ck_assert_int_eq(parse("--html page"), 0);
	ck_assert_int_eq(options.format, REPORT_PAGE);
	ck_assert_str_eq(options.output, "page");
	ck_assert(options.profile.symbols && options.profile.details && options.profile.by_time);
	ck_assert_int_eq(parse("--html page { session:a } { session:b }"), 0);
	ck_assert(!options.profile.by_time);
	ck_assert_int_eq(parse("-c -X"), 0);
	ck_assert(options.callgraph && report_needs_stacks(&options));
	ck_assert_int_eq(parse("-l --json"), 0);
	ck_assert(report_takes_stacks(&options));
	ck_assert_int_eq(parse("--json"), 0);
	ck_assert(!report_takes_stacks(&options));
	expect_refused("-c --json", -EINVAL, "--callgraph");
	expect_refused("-c -g", -EINVAL, "--debug-info");
	expect_refused("-X --json", -EINVAL, "one format");
	expect_refused("--html page --json", -EINVAL, "one format");
	expect_refused("--html page -o other", -EINVAL, "twice");
	expect_refused("-X -t 1", -EINVAL, "--threshold works with the text layout only");
	expect_refused("--json -l -a", -EINVAL, "--accumulated");
	expect_refused("--json -n", -EINVAL, "--no-header");
}
END_TEST

START_TEST(details_bring_symbols_and_their_addresses)
{
	ck_assert_int_eq(parse("-d"), 0);
	ck_assert(options.profile.symbols && options.profile.details);
	ck_assert(options.text.show_details && options.text.show_vma);
}
END_TEST

START_TEST(values_that_make_no_sense_are_refused)
{
	expect_refused("-t x", -EINVAL, "--threshold");
	expect_refused("-t nan", -EINVAL, "--threshold");
	expect_refused("-t 101", -EINVAL, "--threshold");
	expect_refused("-t -1", -EINVAL, "--threshold");
	expect_refused("-m cpus", -EINVAL, "cpus");
	expect_refused("-l -s samples", -EINVAL, "samples");
	expect_refused("-l -s vma,vma", -EINVAL, "twice");
	expect_refused("-D all", -EINVAL, "all");
	expect_refused("-o a -o b", -EINVAL, "twice");
	expect_refused("-l -e a -e b", -EINVAL, "twice");
	expect_refused("-q", -EINVAL, "-q");
	expect_refused("-o", -EINVAL, "-o");
	expect_refused("event:a event:b", -EINVAL, "event:");
}
END_TEST

START_TEST(options_of_symbols_need_symbols)
{
	expect_refused("-w", -EINVAL, "--symbols");
	expect_refused("-a", -EINVAL, "--symbols");
	expect_refused("-e a", -EINVAL, "--symbols");
	expect_refused("-i a", -EINVAL, "--symbols");
	expect_refused("-s image", -EINVAL, "--symbols");
	ck_assert_int_eq(parse("-s sample"), 0);
}
END_TEST

START_TEST(help_and_version_need_no_session)
{
	ck_assert_int_eq(parse("--help"), 0);
	ck_assert_int_eq(options.tool.what, TOOL_HELP);
	ck_assert_int_eq(parse("--usage"), 0);
	ck_assert_int_eq(options.tool.what, TOOL_USAGE);
	ck_assert_int_eq(parse("-v"), 0);
	ck_assert_int_eq(options.tool.what, TOOL_VERSION);
}
END_TEST

START_TEST(stretches_of_time_are_given_in_one_way_only)
{
	ck_assert_int_eq(parse("--last 10m"), 0);
	ck_assert(options.sides[0].timed);
	ck_assert_int_eq(options.sides[0].range.begin_ns, NOW_NS - 10 * MINUTE_NS);
	ck_assert_int_eq(parse("--from @10 --to @20"), 0);
	ck_assert_int_eq(options.sides[0].range.begin_ns, INT64_C(10000000000));
	ck_assert_int_eq(options.sides[0].range.end_ns, INT64_C(20000000000));
	ck_assert_int_eq(parse("--to @20"), 0);
	ck_assert_int_eq(options.sides[0].range.begin_ns, TIME_RANGE_OPEN_BEGIN);
	expect_refused("--last 10m --from @10", -EINVAL, "given twice");
	expect_refused("--last 10m time:5m", -EINVAL, "given twice");
	expect_refused("--last soon", -EINVAL, "soon");
	expect_refused("--from @20 --to @10", -EINVAL, "before");
	expect_refused("--last 1m { a } { b }", -EINVAL, "each side");
}
END_TEST

START_TEST(two_sides_are_compared)
{
	ck_assert_int_eq(parse("--diff -l session:a session:b"), 0);
	ck_assert_uint_eq(options.nr_sides, 2);
	ck_assert_int_eq(parse("-l { session:a } { session:b }"), 0);
	ck_assert_uint_eq(options.nr_sides, 2);
	ck_assert_int_eq(parse("--diff --last 5m --error"), 0);
	ck_assert(options.text.show_error);
	ck_assert_int_eq(options.sides[1].range.begin_ns, NOW_NS - 5 * MINUTE_NS);
	expect_refused("--diff", -EINVAL, "let them differ");
	expect_refused("--diff --from @10 a b", -EINVAL, "time:FROM..TO");
	expect_refused("--diff -l -a session:a session:b", -EINVAL, "--accumulated");
}
END_TEST

/* Parses a line and chooses its layout. */
static enum report_layout layout_of(const char *line, bool is_terminal)
{
	ck_assert_msg(!parse(line), "%s", diag.text);
	report_options_choose_layout(&options, is_terminal);
	return options.layout;
}

START_TEST(scripts_and_people_have_their_layouts)
{
	static const char *const for_scripts[] = {"-d",	      "-c -X", "--stacks",	 "--json",
						  "--folded", "-X",    "{ a } { b } -d", "-o out"};
	char line[64];

	ck_assert_int_eq(layout_of("-l", true), LAYOUT_SCRIPT);
	ck_assert_int_eq(layout_of("-l --layout=auto", true), LAYOUT_TERMINAL);
	ck_assert_int_eq(layout_of("-l --layout=auto", false), LAYOUT_SCRIPT);
	ck_assert_int_eq(layout_of("-l --layout=auto --layout=script", true), LAYOUT_SCRIPT);
	ck_assert_int_eq(layout_of("-l --layout=terminal", false), LAYOUT_TERMINAL);
	ck_assert_int_eq(layout_of("-o out --layout=terminal", false), LAYOUT_TERMINAL);
	for (size_t i = 0; i < sizeof(for_scripts) / sizeof(for_scripts[0]); i++) {
		(void)snprintf(line, sizeof(line), "--layout=auto %s", for_scripts[i]);
		ck_assert_msg(layout_of(line, true) == LAYOUT_SCRIPT, "%s", line);
	}
	expect_refused("--layout=terminal -d", -EINVAL, "cannot be combined with --details");
	ck_assert_int_eq(layout_of("--layout=auto -c", true), LAYOUT_TERMINAL);
	ck_assert_int_eq(layout_of("-c", true), LAYOUT_SCRIPT);
	expect_refused("--layout=terminal --json", -EINVAL, "combined with another format");
	ck_assert_int_eq(layout_of("--layout=terminal { a } { b }", false), LAYOUT_TERMINAL);
	ck_assert_int_eq(layout_of("--layout=auto { a } { b }", true), LAYOUT_TERMINAL);
	ck_assert_int_eq(layout_of("--layout=auto { a } { b }", false), LAYOUT_SCRIPT);
	ck_assert_int_eq(layout_of("{ a } { b }", true), LAYOUT_SCRIPT);
	expect_refused("--layout=wide", -EINVAL, "is not one of script, terminal, auto");
}
END_TEST

START_TEST(color_alone_means_always_and_needs_a_layout_with_colours)
{
	ck_assert_int_eq(layout_of("--layout=auto --color image:x", false), LAYOUT_TERMINAL);
	ck_assert_int_eq(options.color, COLOR_ALWAYS);
	ck_assert_uint_eq(options.sides[0].lists[SPEC_IMAGE].nr_patterns, 1);
	ck_assert_int_eq(layout_of("--layout=auto --color=never", true), LAYOUT_TERMINAL);
	ck_assert_int_eq(options.color, COLOR_NEVER);
	ck_assert_int_eq(layout_of("--layout=auto --color=auto", false), LAYOUT_SCRIPT);
	ck_assert_int_eq(layout_of("--layout=auto --color --json", true), LAYOUT_SCRIPT);
	ck_assert_int_eq(parse("-- --color"), 0);
	ck_assert_int_eq(options.color, COLOR_AUTO);
	expect_refused("--color", -EINVAL, "add --layout=terminal");
	expect_refused("--color=red", -EINVAL, "is not one of auto, always, never");
}
END_TEST

START_TEST(color_that_is_the_value_of_another_option_stays_as_it_is)
{
	static const char *const cases[] = {"-o --color", "--output-file --color", "-lo --color"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(parse(cases[i]), 0);
		ck_assert_str_eq(options.output, "--color");
		ck_assert_int_eq(options.color, COLOR_AUTO);
	}
	ck_assert_int_eq(parse("--root --color"), 0);
	ck_assert_str_eq(options.tool.root, "--color");
	ck_assert_int_eq(parse("-o -- --layout=auto --color"), 0);
	ck_assert_str_eq(options.output, "--");
	ck_assert_int_eq(options.color, COLOR_ALWAYS);
	ck_assert_int_eq(layout_of("--layout=auto -ofile --color", false), LAYOUT_TERMINAL);
	ck_assert_str_eq(options.output, "file");
	ck_assert_int_eq(layout_of("--layout=auto -l --color", false), LAYOUT_TERMINAL);
}
END_TEST

START_TEST(a_terminal_hides_what_is_rare_unless_told_otherwise)
{
	ck_assert_int_eq(layout_of("--layout=auto", true), LAYOUT_TERMINAL);
	ck_assert_double_eq(options.text.threshold, TERMINAL_THRESHOLD);
	ck_assert(options.text.any_class);
	ck_assert_int_eq(layout_of("--layout=auto -t 0", true), LAYOUT_TERMINAL);
	ck_assert_double_eq(options.text.threshold, 0);
	ck_assert_int_eq(layout_of("--layout=auto", false), LAYOUT_SCRIPT);
	ck_assert_double_eq(options.text.threshold, 0);
	ck_assert(!options.text.any_class);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_options");
	TCase *tests = tcase_create("report_options");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, without_options_images_are_shown_with_a_header);
	tcase_add_test(tests, short_options_are_those_of_oprofile);
	tcase_add_test(tests, long_options_are_those_of_oprofile);
	tcase_add_test(tests, source_lines_are_read_where_something_needs_them);
	tcase_add_test(tests, inlined_functions_are_rows_of_symbols);
	tcase_add_test(tests, formats_of_stacks_are_chosen_one_at_a_time);
	tcase_add_test(tests, a_report_has_one_format);
	tcase_add_test(tests, details_bring_symbols_and_their_addresses);
	tcase_add_test(tests, values_that_make_no_sense_are_refused);
	tcase_add_test(tests, options_of_symbols_need_symbols);
	tcase_add_test(tests, help_and_version_need_no_session);
	tcase_add_test(tests, stretches_of_time_are_given_in_one_way_only);
	tcase_add_test(tests, two_sides_are_compared);
	tcase_add_test(tests, scripts_and_people_have_their_layouts);
	tcase_add_test(tests, color_alone_means_always_and_needs_a_layout_with_colours);
	tcase_add_test(tests, color_that_is_the_value_of_another_option_stays_as_it_is);
	tcase_add_test(tests, a_terminal_hides_what_is_rare_unless_told_otherwise);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
