// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/options/tool_options.h"

#include "pp/symbols/symbols.h"
#include "tests/fixture/catch_stdout.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOW_NS	   INT64_C(1795183200000000000)
#define MINUTE_NS  INT64_C(60000000000)
#define OPTION_OWN 7

/* The options and words that the tool was given. */
static struct taken {
	int option;
	char text[32];
	size_t nr_words;
	int64_t now_ns;
} taken;
static struct tool_options options;
static struct diag diag;
static char *output; /* of the last shown() */

static const struct poptOption option_table[] = {
	{"own", 'o', ARG_TEXT, OPTION_OWN, "of this tool", "TEXT"}, TOOL_TABLE_END};

static int take(void *tool, int option, const char *text, struct diag *unused)
{
	struct taken *own = tool;

	(void)unused;
	own->option = option;
	(void)strncpy(own->text, text, sizeof(own->text) - 1);
	return 0;
}

static int take_words(void *tool, const char *const *words, size_t nr_words, int64_t now_ns,
		      struct diag *words_diag)
{
	struct taken *own = tool;

	if (nr_words && !strcmp(words[0], "bad"))
		return diag_set(words_diag, -EINVAL, "this word is bad");
	own->nr_words = nr_words;
	own->now_ns = now_ns;
	return 0;
}

static const struct tool_command command = {.name = "tool",
					    .usage = "[WORD...]",
					    .contains = "libbfd",
					    .options = option_table,
					    .take = take,
					    .take_words = take_words};

/* Options and words separated by blanks. */
static int parse(const char *line)
{
	const char *argv[16] = {"tool"};
	char copy[256] = "";
	char *next = copy;
	int argc = 1;

	tool_options_deinit(&options);
	taken = (struct taken){0};
	strncpy(copy, line, sizeof(copy) - 1);
	for (char *word; (word = strtok_r(next, " ", &next));)
		argv[argc++] = word;
	return tool_options_parse(&options, &command, &taken, argc, argv, NOW_NS, &diag);
}

static void teardown(void)
{
	tool_options_deinit(&options);
	free(output);
	output = NULL;
}

START_TEST(options_of_all_tools_are_kept_and_the_rest_is_the_tools)
{
	ck_assert_int_eq(parse("a --session-dir /s -o value -p /a,/b -R /r -V b --last 2m"), 0);
	ck_assert_str_eq(options.session_dir, "/s");
	ck_assert_str_eq(options.image_path, "/a,/b");
	ck_assert_str_eq(options.root, "/r");
	ck_assert_str_eq(options.last, "2m");
	ck_assert(options.verbose);
	ck_assert_int_eq(options.what, TOOL_RUN);
	ck_assert_int_eq(taken.option, OPTION_OWN);
	ck_assert_str_eq(taken.text, "value");
	ck_assert_uint_eq(taken.nr_words, 2);
	ck_assert_int_eq(taken.now_ns, NOW_NS);
}
END_TEST

START_TEST(help_needs_no_words_that_are_right)
{
	ck_assert_int_eq(parse("bad"), -EINVAL);
	ck_assert_str_eq(diag.text, "this word is bad");
	ck_assert_int_eq(parse("--help bad"), 0);
	ck_assert_int_eq(options.what, TOOL_HELP);
	ck_assert_int_eq(parse("--usage bad"), 0);
	ck_assert_int_eq(options.what, TOOL_USAGE);
	ck_assert_int_eq(parse("-v bad"), 0);
	ck_assert_int_eq(options.what, TOOL_VERSION);
}
END_TEST

/* Returns the text that is written to stdout. It is valid until the next call. */
static const char *shown(enum tool_what what)
{
	free(output);
	catch_stdout_begin();
	tool_options_show(&command, what);
	output = catch_stdout_end();
	return output;
}

START_TEST(the_version_the_usage_and_the_help_are_shown)
{
	static const char version[] = "tool: oprof " OPROF_VERSION "\nLicense ";
	static const char help[] = "Usage: tool [WORD...]\n";
	const char *text = shown(TOOL_VERSION);

	ck_assert_msg(!strncmp(text, version, sizeof(version) - 1), "%s", text);
	ck_assert_msg(strstr(text, "this program contains libbfd."), "%s", text);
	text = shown(TOOL_USAGE);
	ck_assert_msg(strstr(text, "[--own TEXT]") || strstr(text, "--own=TEXT"), "%s", text);
	ck_assert_msg(!strstr(text, "of this tool"), "%s", text);
	text = shown(TOOL_HELP);
	ck_assert_msg(!strncmp(text, help, sizeof(help) - 1), "%s", text);
	ck_assert_msg(strstr(text, "of this tool"), "%s", text);
}
END_TEST

START_TEST(mistakes_are_named)
{
	ck_assert_int_eq(parse("--nothing"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "--nothing"));
	ck_assert_ptr_nonnull(strstr(diag.text, "--help"));
	ck_assert_int_eq(parse("-R /a -R /b"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "--root is given twice"));
	ck_assert_int_eq(parse("--session-dir="), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "--session-dir needs a value"));
}
END_TEST

START_TEST(the_stretch_of_time_is_that_of_the_one_side)
{
	struct spec sides[SPEC_SIDES_MAX] = {0};

	ck_assert_int_eq(parse("--last 2m"), 0);
	ck_assert_int_eq(tool_options_set_range(&options, sides, 1, NOW_NS, &diag), 0);
	ck_assert(sides[0].timed);
	ck_assert_int_eq(sides[0].range.begin_ns, NOW_NS - 2 * MINUTE_NS);
	ck_assert_int_eq(tool_options_set_range(&options, sides, 2, NOW_NS, &diag), -EINVAL);
}
END_TEST

/* A longer list ended a report with "File name too long". */
START_TEST(a_list_of_folders_that_is_too_long_is_refused)
{
	static char list[SYMBOLS_IMAGE_PATH_MAX + 2];
	const char *argv[] = {"tool", "-p", list};

	memset(list, '/', sizeof(list) - 1);
	ck_assert_int_eq(tool_options_parse(&options, &command, &taken, 3, argv, NOW_NS, &diag),
			 -ENAMETOOLONG);
	ck_assert_msg(strstr(diag.text, "--image-path: the list of folders has 32001 bytes"), "%s",
		      diag.text);
	tool_options_deinit(&options);
	list[SYMBOLS_IMAGE_PATH_MAX] = '\0';
	ck_assert_int_eq(tool_options_parse(&options, &command, &taken, 3, argv, NOW_NS, &diag), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tool_options");
	TCase *tests = tcase_create("tool_options");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, options_of_all_tools_are_kept_and_the_rest_is_the_tools);
	tcase_add_test(tests, a_list_of_folders_that_is_too_long_is_refused);
	tcase_add_test(tests, help_needs_no_words_that_are_right);
	tcase_add_test(tests, the_version_the_usage_and_the_help_are_shown);
	tcase_add_test(tests, mistakes_are_named);
	tcase_add_test(tests, the_stretch_of_time_is_that_of_the_one_side);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
