// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/base/cells.h"
#include "pp/format/format_terminal.h"

#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_NAME                                                                                  \
	"std::_Hashtable<std::string, std::pair<std::string const, long>, std::allocator>::"       \
	"_M_insert_unique_node(unsigned long, std::__detail::_Hash_node*)"

static struct make_session session;
static struct make_profile made;
static struct text_options options;
static struct display display;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x1200, .name = "_Z3foo"},
	{.start = 0x300, .nr_bytes = 0x100, .address = 0x1300, .name = "rare"},
	{.start = 0x400, .nr_bytes = 0x100, .address = 0x1400, .name = "rarer"},
	{.start = 0x500, .nr_bytes = 0x100, .address = 0x1500, .name = LONG_NAME},
	{.start = 0x600, .nr_bytes = 0x100, .address = 0x1600, .name = "bad\033[2J\nname"},
};
static const struct symbol high[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0xffffffff81000100, .name = "schedule"},
};

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){.profile_options.symbols = true};
	options = (struct text_options){.header = true,
					.demangle = DEMANGLE_NORMAL,
					.threshold = TERMINAL_THRESHOLD,
					.any_class = true};
	display = (struct display){.width = 80};
	fake_symbols_set("/bin/prog", symbols, sizeof(symbols) / sizeof(symbols[0]), NULL);
	fake_symbols_set("vmlinux", high, 1, NULL);
	ck_assert_ptr_nonnull(setlocale(LC_ALL, "C"));
}

static void teardown(void)
{
	fake_symbols_clear();
	make_session_deinit(&session);
}

static void add(const struct make_file *file, uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, file, key, nr_samples);
}

static void write_report(FILE *out, void *context)
{
	ck_assert_int_eq(terminal_format(out, &made.profile, context, &display), 0);
}

/* Returns the report; the caller frees it. */
static char *format(void)
{
	char *text;

	make_profile_init(&made, &session, "");
	text = make_profile_text(write_report, &options);
	make_profile_deinit(&made);
	return text;
}

static void expect_text(const char *expected)
{
	char *text = format();

	ck_assert_str_eq(text, expected);
	free(text);
}

/* Fails if a line of text, without its colours, is wider than the display. */
static void expect_lines_fit(const char *text)
{
	char *copy = strdup(text);
	size_t nr = 0;
	char *line;
	char *rest;

	ck_assert_ptr_nonnull(copy);
	for (const char *from = text; *from; from++) {
		if (*from == '\033')
			from = strchr(from, 'm');
		else
			copy[nr++] = *from;
	}
	copy[nr] = '\0';
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		ck_assert_msg(cells_count(line) <= display.width, "%d cells: %s", cells_count(line),
			      line);
	free(copy);
}

static void add_program(void)
{
	const struct make_file program = {.app = "/bin/prog"};

	add(&program, 0x100, 260);
	add(&program, 0x210, 700);
	add(&program, 0x10, 34);
	add(&program, 0x300, 4);
	add(&program, 0x400, 2);
}

START_TEST(hot_symbols_come_first_and_hidden_ones_are_summed_up)
{
	add_program();
	expect_text("  SHARE          SAMPLES  SYMBOL\n"
		    " 70.00% ########     700  foo()\n"
		    " 26.00% ###          260  main\n"
		    "  3.40%               34  (no symbols)\n"
		    "  0.60%                6  2 symbols below 0.5 % (-t 0: all)\n");
}
END_TEST

START_TEST(the_threshold_is_what_is_asked)
{
	add_program();
	options.threshold = 0;
	options.header = false;
	expect_text(" 70.00% ########     700  foo()\n"
		    " 26.00% ###          260  main\n"
		    "  3.40%               34  (no symbols)\n"
		    "  0.40%                4  rare\n"
		    "  0.20%                2  rarer\n");
	options.threshold = 50;
	expect_text(" 70.00% ########     700  foo()\n"
		    " 30.00%              300  4 symbols below 50 % (-t 0: all)\n");
	options.threshold = 100;
	expect_text("100.00%             1000  5 symbols below 100 % (-t 0: all)\n");
}
END_TEST

START_TEST(images_and_programs_have_columns_where_they_differ)
{
	add_program();
	add(&(struct make_file){.app = "/bin/prog", .image = "vmlinux"}, 0x100, 500);
	add(&(struct make_file){.app = "/bin/other", .image = "/lib/none.so"}, 0x100, 500);
	options.threshold = 10;
	expect_text("  SHARE          SAMPLES  IMAGE    PROGRAM  SYMBOL\n"
		    " 35.00% ########     700  prog     prog     foo()\n"
		    " 25.00% ######       500  none.so  other    /lib/none.so\n"
		    " 25.00% ######       500  vmlinux  prog     schedule\n"
		    " 13.00% ###          260  prog     prog     main\n"
		    "  2.00%               40  3 symbols below 10 % (-t 0: all)\n");
	options.threshold = 30;
	options.long_names = options.show_vma = options.accumulated = true;
	display.width = 120;
	expect_text("  SHARE              SAMPLES     SUM   SUM %  ADDRESS   IMAGE      "
		    "PROGRAM    SYMBOL\n"
		    " 35.00% ############     700     700  35.00%  00001200  /bin/prog  "
		    "/bin/prog  foo()\n"
		    " 65.00%                 1300                  6 symbols below 30 % "
		    "(-t 0: all)\n");
}
END_TEST

START_TEST(long_names_are_shortened_to_the_width)
{
	static const int widths[] = {60, 80, 100, 200, 500};

	add_program();
	add(&(struct make_file){.app = "/bin/prog"}, 0x500, 2000);
	add(&(struct make_file){.app = "/bin/prog",
				.image = "/lib/a-library-of-a-long-name.so.1.2"},
	    0x500, 2000);
	for (int all = 0; all < 2; all++) {
		options.show_vma = options.accumulated = options.show_error = all;
		options.long_names = display.colors = all;
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
			char *text;

			display.width = widths[i];
			text = format();
			expect_lines_fit(text);
			ck_assert_ptr_nonnull(strstr(text, "2000"));
			ck_assert_int_eq(strstr(text, LONG_NAME) != NULL, widths[i] == 500);
			ck_assert_int_eq(strstr(text, "std::_") != NULL, 1);
			free(text);
		}
	}
	options.show_vma = options.accumulated = options.show_error = false;
	options.long_names = display.colors = false;
	options.threshold = 40;
	display.width = 60;
	expect_text("  SHARE        SAMPLES  IMAGE         SYMBOL\n"
		    " 40.00% ######    2000  prog          std::_Hash...sh_node*)\n"
		    " 40.00% ######    2000  a-lib....1.2  /lib/a-lib...me.so.1.2\n"
		    " 20.00%           1000  5 symbols below 40 % (-t 0: all)\n");
}
END_TEST

START_TEST(names_cannot_affect_the_terminal)
{
	char *text;

	add(&(struct make_file){.app = "/bin/prog"}, 0x600, 10);
	options.header = false;
	text = format();
	ck_assert_str_eq(text, "100.00% ########      10  bad?[2J?name\n");
	free(text);
}
END_TEST

START_TEST(shares_have_the_colour_of_their_heat)
{
	add_program();
	display.colors = true;
	expect_text("\033[1m  SHARE          SAMPLES  SYMBOL\033[0m\n"
		    "\033[1;31m 70.00% ########\033[0m     700  foo()\n"
		    "\033[1;31m 26.00% ###     \033[0m     260  main\n"
		    "\033[33m  3.40%         \033[0m      34  \033[2m(no symbols)\033[0m\n"
		    "\033[2m  0.60%                6  2 symbols below 0.5 % (-t 0: all)\033[0m\n");
}
END_TEST

/* Returns the report of a comparison; the caller frees it. */
static char *format_comparison(void)
{
	char *text;

	make_profile_init(&made, &session, "{ session:before } { session:current }");
	text = make_profile_text(write_report, &options);
	make_profile_deinit(&made);
	return text;
}

static void add_before(void)
{
	const struct make_file program = {.app = "/bin/prog"};

	session.name = "before";
	add(&program, 0x100, 600);
	add(&program, 0x210, 180);
	add(&program, 0x10, 200);
	add(&program, 0x300, 20);
	session.name = "current";
	add(&program, 0x100, 1020);
	add(&program, 0x210, 560);
	add(&program, 0x10, 396);
	add(&program, 0x400, 16);
	add(&program, 0x500, 8);
}

START_TEST(a_comparison_shows_both_shares_and_the_largest_changes_first)
{
	char *text;

	add_before();
	options.threshold = 1;
	text = format_comparison();
	ck_assert_str_eq(text,
			 " BEFORE     NOW  CHANGE            SYMBOL\n"
			 " 18.00%  28.00%  +10.00  ########  foo()\n"
			 " 60.00%  51.00%   -9.00  #######   main\n"
			 "  2.00%       -   -2.00  ##        rare\n"
			 " 20.00%  19.80%   -0.20~           (no symbols)\n"
			 "      -   1.20%   +1.20            2 symbols below 1 % (-t 0: all)\n");
	free(text);
}
END_TEST

START_TEST(colours_show_what_grew_and_what_shrank_by_more_than_chance)
{
	char *text;

	add_before();
	options.threshold = 1;
	options.header = false;
	display.colors = true;
	text = format_comparison();
	ck_assert_str_eq(
		text,
		" 18.00%  28.00% \033[1;31m +10.00  ########\033[0m  foo()\n"
		" 60.00%  51.00% \033[32m  -9.00  ####### \033[0m  main\n"
		"  2.00%       - \033[32m  -2.00  ##      \033[0m  rare\n"
		" 20.00%  19.80% \033[2m  -0.20~         \033[0m  \033[2m(no symbols)\033[0m\n"
		"\033[2m      -   1.20%   +1.20            2 symbols below 1 % (-t 0: all)"
		"\033[0m\n");
	free(text);
}
END_TEST

START_TEST(a_comparison_fits_every_width)
{
	static const int widths[] = {60, 80, 100, 200, 500};

	add_before();
	add(&(struct make_file){.app = "/bin/prog",
				.image = "/lib/a-library-of-a-long-name.so.1.2"},
	    0x500, 2000);
	for (int all = 0; all < 2; all++) {
		options.show_vma = options.show_error = all;
		options.long_names = display.colors = all;
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
			char *text;

			display.width = widths[i];
			text = format_comparison();
			expect_lines_fit(text);
			ck_assert_ptr_nonnull(strstr(text, "BEFORE"));
			ck_assert_ptr_nonnull(strstr(text, "main"));
			free(text);
		}
	}
}
END_TEST

START_TEST(images_are_compared_in_the_same_way)
{
	char *text;

	made.profile_options.symbols = false;
	session.name = "before";
	add(&(struct make_file){.app = "/bin/a"}, 1, 30);
	add(&(struct make_file){.app = "/bin/b"}, 1, 70);
	session.name = "current";
	add(&(struct make_file){.app = "/bin/a"}, 1, 100);
	add(&(struct make_file){.app = "/bin/b"}, 1, 100);
	options.header = false;
	text = format_comparison();
	ck_assert_ptr_nonnull(strstr(text, " 30.00%  50.00%  +20.00  ########  a\n"));
	ck_assert_ptr_nonnull(strstr(text, " 70.00%  50.00%  -20.00  ########  b\n"));
	free(text);
}
END_TEST

START_TEST(bars_are_finer_in_utf8)
{
	ck_assert_msg(setlocale(LC_ALL, "C.UTF-8") != NULL,
		      "the locale C.UTF-8 is missing: install it to run this test");
	add_program();
	options.threshold = 3;
	options.header = false;
	expect_text(" 70.00% \u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588     700  foo()\n"
		    " 26.00% \u2588\u2588\u2588          260  main\n"
		    "  3.40% \u258d             34  (no symbols)\n"
		    "  0.60%                6  2 symbols below 3 % (-t 0: all)\n");
}
END_TEST

START_TEST(programs_have_their_images_below_and_all_shares_are_of_all_samples)
{
	made.profile_options.symbols = false;
	add(&(struct make_file){.app = "/bin/big"}, 1, 600);
	add(&(struct make_file){.app = "/bin/big", .image = "/lib/lib.so"}, 1, 200);
	add(&(struct make_file){.app = "/bin/big", .image = "/lib/rare.so"}, 1, 3);
	add(&(struct make_file){.app = "/bin/small"}, 1, 195);
	add(&(struct make_file){.app = "/bin/tiny"}, 1, 1);
	add(&(struct make_file){.app = "/bin/tinier"}, 1, 1);
	expect_text("  SHARE          SAMPLES  PROGRAM\n"
		    " 80.30% ########     803  big\n"
		    " 60.00% ######       600    big\n"
		    " 20.00% ##           200    lib.so\n"
		    "  0.30%                3    1 image below 0.5 % (-t 0: all)\n"
		    " 19.50% ##           195  small\n"
		    "  0.20%                2  2 programs below 0.5 % (-t 0: all)\n");
}
END_TEST

START_TEST(classes_have_columns_and_those_without_room_are_named)
{
	for (int i = 0; i < 12; i++)
		add(&(struct make_file){.app = "/bin/prog", .cpu_behind = i + 1},
		    i < 11 ? 0x100 : 0x210, 100);
	display.width = 70;
	expect_text("          cpu:0            cpu:1            cpu:2\n"
		    "  SHARE SAMPLES    SHARE SAMPLES    SHARE SAMPLES  SYMBOL\n"
		    "100.00%     100  100.00%     100  100.00%     100  main\n"
		    "  0.00%       0    0.00%       0    0.00%       0  foo()\n"
		    "9 more columns do not fit: cpu:3 cpu:4 cpu:5 cpu:6 cpu:7 cpu:8 cpu:9\n"
		    "  cpu:10 cpu:11 (--layout=script shows all)\n");
}
END_TEST

/* Three CPUs with two symbols, one of them below the threshold. */
static void add_cpus(void)
{
	for (int i = 0; i < 3; i++) {
		const struct make_file file = {.app = "/bin/prog", .cpu_behind = i + 1};

		add(&file, 0x100, 97);
		add(&file, 0x210, 3);
	}
	options.header = false;
	options.threshold = 50;
}

START_TEST(the_line_of_hidden_rows_is_never_cut)
{
	add_cpus();
	display.width = 110;
	expect_text(" 97.00% ###########      97   97.00%      97   97.00%      97  main\n"
		    "  3.00%                   3    3.00%       3    3.00%       3  "
		    "1 symbol below 50 % (-t 0: all)\n");
	display.width = 70;
	expect_text(" 97.00%      97   97.00%      97   97.00%      97  main\n"
		    "  3.00%       3    3.00%       3    3.00%       3  1 symbol below 50 %\n");
	display.width = 65;
	expect_text(" 97.00%      97   97.00%      97   97.00%      97  main\n"
		    "  3.00%       3    3.00%       3    3.00%       3  1 below 50 %\n");
	display.width =
		62; /* too narrow for three classes and the shortest text with a threshold */
	expect_text(" 97.00%      97   97.00%      97  main\n"
		    "  3.00%       3    3.00%       3  1 symbol below 50 %\n"
		    "1 more column does not fit: cpu:2 (--layout=script shows all)\n");
}
END_TEST

START_TEST(hidden_rows_beside_huge_numbers_have_at_least_their_number)
{
	char *text;

	add(&(struct make_file){.app = "/bin/prog"}, 0x100, UINT64_C(1) << 62);
	add(&(struct make_file){.app = "/bin/prog"}, 0x200, 1);
	add(&(struct make_file){.app = "/bin/prog"}, 0x300, 1);
	options.accumulated = options.show_error = true;
	options.threshold = 12.345;
	display.width = DISPLAY_WIDTH_MIN;
	text = format();
	expect_lines_fit(text);
	ck_assert_ptr_nonnull(strstr(text, "  2 hidden\n"));
	free(text);
}
END_TEST

START_TEST(hidden_images_of_a_program_have_a_whole_line_too)
{
	char *text;

	made.profile_options.symbols = false;
	for (int i = 0; i < 3; i++) {
		add(&(struct make_file){.app = "/bin/big", .cpu_behind = i + 1}, 1, 98);
		add(&(struct make_file){.app = "/bin/big", .image = "/l/a", .cpu_behind = i + 1}, 1,
		    1);
		add(&(struct make_file){.app = "/bin/big", .image = "/l/b", .cpu_behind = i + 1}, 1,
		    1);
	}
	options.threshold = 30;
	display.width = 66;
	text = format();
	ck_assert_ptr_nonnull(strstr(text, "    2.00%       2    2 below 30 %\n"));
	free(text);
}
END_TEST

START_TEST(columns_that_were_asked_for_stay_longest_and_dropped_ones_are_named)
{
	char *text;

	add_program();
	add(&(struct make_file){.app = "/bin/another-long-name",
				.image = "/lib/a-library-of-a-long-name.so.1.2"},
	    0x500, 2000);
	options.show_vma = options.accumulated = true;
	display.width = DISPLAY_WIDTH_MIN;
	text = format();
	expect_lines_fit(text);
	ck_assert_ptr_nonnull(strstr(text, "  ADDRESS   SYMBOL\n"));
	ck_assert_ptr_nonnull(strstr(text, "  00001200  foo()\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n2 more columns do not fit: IMAGE PROGRAM "
					   "(--layout=script\n  shows all)\n"));
	free(text);
	options.named_rows = true; /* --by */
	options.show_vma = false;
	text = format();
	expect_lines_fit(text);
	ck_assert_ptr_nonnull(strstr(text, "  NAME          SYMBOL\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n1 more column does not fit: IMAGE "
					   "(--layout=script shows\n  all)\n"));
	free(text);
}
END_TEST

START_TEST(times_are_shown_with_units)
{
	const struct make_file off = {.app = "/bin/prog",
				      .event = "off-cpu",
				      .period_or_hz = 1,
				      .kind = OPROF_IMAGE_OFF_CPU,
				      .weight_each = 2000000};

	add(&off, 0x100, 500);
	expect_text("  SHARE             TIME  SYMBOL\n"
		    "100.00% ########   1.00s  main\n");
}
END_TEST

START_TEST(huge_numbers_keep_the_lines_in_the_width)
{
	char *text;

	add(&(struct make_file){.app = "/bin/prog"}, 0x100, UINT64_C(1) << 62);
	add(&(struct make_file){.app = "/bin/prog"}, 0x500, UINT64_C(1) << 62);
	options.accumulated = options.show_error = options.show_vma = true;
	display.width = DISPLAY_WIDTH_MIN;
	text = format();
	expect_lines_fit(text);
	ck_assert_ptr_nonnull(strstr(text, " 50.00% 4.612e+18 4.612e+18  50.00%   0.00%  main\n"));
	ck_assert_ptr_nonnull(strstr(text, " 50.00% 4.612e+18 9.223e+18 100.00%   0.00%  std::"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_terminal");
	TCase *tests = tcase_create("format_terminal");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, hot_symbols_come_first_and_hidden_ones_are_summed_up);
	tcase_add_test(tests, the_threshold_is_what_is_asked);
	tcase_add_test(tests, images_and_programs_have_columns_where_they_differ);
	tcase_add_test(tests, long_names_are_shortened_to_the_width);
	tcase_add_test(tests, names_cannot_affect_the_terminal);
	tcase_add_test(tests, shares_have_the_colour_of_their_heat);
	tcase_add_test(tests, a_comparison_shows_both_shares_and_the_largest_changes_first);
	tcase_add_test(tests, colours_show_what_grew_and_what_shrank_by_more_than_chance);
	tcase_add_test(tests, a_comparison_fits_every_width);
	tcase_add_test(tests, images_are_compared_in_the_same_way);
	tcase_add_test(tests, bars_are_finer_in_utf8);
	tcase_add_test(tests, programs_have_their_images_below_and_all_shares_are_of_all_samples);
	tcase_add_test(tests, classes_have_columns_and_those_without_room_are_named);
	tcase_add_test(tests, the_line_of_hidden_rows_is_never_cut);
	tcase_add_test(tests, hidden_rows_beside_huge_numbers_have_at_least_their_number);
	tcase_add_test(tests, hidden_images_of_a_program_have_a_whole_line_too);
	tcase_add_test(tests, columns_that_were_asked_for_stay_longest_and_dropped_ones_are_named);
	tcase_add_test(tests, times_are_shown_with_units);
	tcase_add_test(tests, huge_numbers_keep_the_lines_in_the_width);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
