// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct make_session session;
static struct make_profile made;
static struct text_options options;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x1200, .name = "_Z3foo"},
};
static const struct symbol high[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0xffffffff81000100, .name = "schedule"},
};

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){.profile_options.symbols = true};
	options = (struct text_options){.header = true, .demangle = DEMANGLE_NORMAL};
	fake_symbols_set("/bin/prog", symbols, 2, NULL);
	fake_symbols_set("vmlinux", high, 1, NULL);
}

static void teardown(void)
{
	fake_lines_clear();
	fake_symbols_clear();
	make_session_deinit(&session);
}

static void add(const struct make_file *file, uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, file, key, nr_samples);
}

static void write_symbols(FILE *out, void *context)
{
	ck_assert_int_eq(text_format_symbols(out, &made.profile, context), 0);
}

static void expect_text(const char *expected)
{
	char *text;

	make_profile_init(&made, &session, "");
	text = make_profile_text(write_symbols, &options);
	ck_assert_str_eq(text, expected);
	free(text);
	make_profile_deinit(&made);
}

static void add_program(void)
{
	const struct make_file program = {.app = "/bin/prog"};

	add(&program, 0x100, 250);
	add(&program, 0x210, 700);
	add(&program, 0x10, 50);
}

START_TEST(one_image_needs_no_image_column)
{
	add_program();
	expect_text("samples  %        symbol name\n"
		    "700      70.0000  foo()\n"
		    "250      25.0000  main\n"
		    "50        5.0000  (no symbols)\n");
}
END_TEST

START_TEST(several_images_and_applications_have_their_columns)
{
	add_program();
	add(&(struct make_file){.app = "/bin/prog", .image = "vmlinux"}, 0x100, 500);
	add(&(struct make_file){.app = "/bin/other", .image = "/lib/none.so"}, 0x100, 500);
	expect_text(
		"samples  %        image name               app name                 symbol name\n"
		"700      35.0000  prog                     prog                     foo()\n"
		"500      25.0000  none.so                  other                    /lib/none.so\n"
		"500      25.0000  vmlinux                  prog                     schedule\n"
		"250      12.5000  prog                     prog                     main\n"
		"50        2.5000  prog                     prog                     (no symbols)\n");
}
END_TEST

START_TEST(one_application_with_several_images_has_the_image_column_only)
{
	options.long_names = true;
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 1);
	add(&(struct make_file){.app = "/bin/prog", .image = "/a/path/longer/than/the/column"}, 1,
	    1);
	expect_text("samples  %        image name               symbol name\n"
		    "1        50.0000  /a/path/longer/than/the/column "
		    "/a/path/longer/than/the/column\n"
		    "1        50.0000  /bin/prog                main\n");
}
END_TEST

START_TEST(addresses_have_8_digits_when_they_fit)
{
	add_program();
	options.show_vma = true;
	options.threshold = 10;
	expect_text("vma      samples  %        symbol name\n"
		    "00001200 700      70.0000  foo()\n"
		    "00001100 250      25.0000  main\n");
}
END_TEST

START_TEST(addresses_have_16_digits_when_one_needs_them)
{
	options.show_vma = true;
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 1);
	add(&(struct make_file){.app = "/bin/prog", .image = "vmlinux"}, 0x100, 3);
	expect_text("vma              samples  %        image name               symbol name\n"
		    "ffffffff81000100 3        75.0000  vmlinux                  schedule\n"
		    "0000000000001100 1        25.0000  prog                     main\n");
}
END_TEST

START_TEST(running_totals_are_shown_when_asked)
{
	add_program();
	options.accumulated = true;
	expect_text("samples  cum. samples  %        cum. %     symbol name\n"
		    "700      700           70.0000  70.0000    foo()\n"
		    "250      950           25.0000  95.0000    main\n"
		    "50       1000           5.0000  100.000    (no symbols)\n");
}
END_TEST

START_TEST(lines_are_sorted_by_what_is_asked_first)
{
	add_program();
	options.header = false;
	options.demangle = DEMANGLE_NONE;
	options.sort[0] = TEXT_SORT_IMAGE;
	options.sort[1] = TEXT_SORT_VMA;
	options.nr_sort = 2;
	expect_text("50        5.0000  (no symbols)\n"
		    "250      25.0000  main\n"
		    "700      70.0000  _Z3foo\n");
	options.sort[0] = TEXT_SORT_SYMBOL;
	options.reverse = true;
	expect_text("250      25.0000  main\n"
		    "700      70.0000  _Z3foo\n"
		    "50        5.0000  (no symbols)\n");
}
END_TEST

/* By address, the twins' order is the reverse of that by key. */
static const struct symbol twins[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1200, .name = "twin"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x1100, .name = "twin"},
	{.start = 0x300, .nr_bytes = 0x100, .address = 0x1300, .name = "first"},
};

START_TEST(lines_of_as_many_samples_are_sorted_by_image_application_symbol_and_address)
{
	static const struct make_file files[] = {{.app = "/bin/z", .image = "/lib/twins"},
						 {.app = "/bin/y", .image = "/lib/twins"},
						 {.app = "/bin/z", .image = "/lib/a"}};

	options.header = false;
	options.show_vma = true;
	fake_symbols_set("/lib/twins", twins, 3, NULL);
	fake_symbols_set("/lib/a", twins, 3, NULL);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		for (uint64_t key = 0x100; key <= 0x300; key += 0x100)
			add(&files[i], key, 1);
	expect_text(
		"00001300 1        11.1111  a                        z                        first\n"
		"00001100 1        11.1111  a                        z                        twin\n"
		"00001200 1        11.1111  a                        z                        twin\n"
		"00001300 1        11.1111  twins                    y                        first\n"
		"00001100 1        11.1111  twins                    y                        twin\n"
		"00001200 1        11.1111  twins                    y                        twin\n"
		"00001300 1        11.1111  twins                    z                        first\n"
		"00001100 1        11.1111  twins                    z                        twin\n"
		"00001200 1        11.1111  twins                    z                        twin\n");
}
END_TEST

START_TEST(classes_stand_side_by_side)
{
	add(&(struct make_file){.app = "/bin/prog", .cpu_behind = 1}, 0x100, 3);
	add(&(struct make_file){.app = "/bin/prog", .cpu_behind = 2}, 0x200, 4);
	expect_text("samples  %        samples  %        symbol name\n"
		    "3        100.000  0              0  main\n"
		    "0              0  4        100.000  foo()\n");
}
END_TEST

static void add_details(void)
{
	made.profile_options.details = true;
	options.show_details = options.show_vma = true;
	add_program();
	add(&(struct make_file){.app = "/bin/prog"}, 0x2ff, 300);
}

START_TEST(addresses_stand_below_their_symbol_with_percentages_of_it)
{
	add_details();
	expect_text("vma      samples  %        symbol name\n"
		    "00001200 1000     76.9231  foo()\n"
		    "  00001210 700      70.0000\n"
		    "  000012ff 300      30.0000\n"
		    "00001100 250      19.2308  main\n"
		    "  00001100 250      100.000\n"
		    "00000000 50        3.8462  (no symbols)\n"
		    "  00000010 50       100.000\n");
}
END_TEST

START_TEST(percentages_of_addresses_are_of_all_samples_when_asked)
{
	add_details();
	options.global_percent = options.accumulated = true;
	options.threshold = 50;
	expect_text("vma      samples  cum. samples  %        cum. %     symbol name\n"
		    "00001200 1000     1000          76.9231  76.9231    foo()\n"
		    "  00001210 700      700           53.8462  53.8462\n"
		    "  000012ff 300      1000          23.0769  76.9231\n");
}
END_TEST

/* foo has inlined functions at its beginning and at 0x210. */
static const struct fake_range ranges[] = {
	{.start = 0x200,
	 .end = 0x208,
	 .file = 1,
	 .line = 3,
	 .inlines = {{.function = "small", .call = {2, 70}}},
	 .nr_inlines = 1},
	{.start = 0x208, .end = 0x210, .file = 2, .line = 71},
	{.start = 0x210,
	 .end = 0x220,
	 .file = 1,
	 .line = 4,
	 .inlines = {{.function = "small", .call = {2, 72}}},
	 .nr_inlines = 1},
};
static const char *const files[] = {"", "/src/small.h", "/src/prog.c"};

START_TEST(source_places_are_shown_of_symbols_and_addresses)
{
	fake_lines_set("/bin/prog", ranges, 3, files, 3);
	made.profile_options.lines = true;
	options.show_lines = true;
	add_details();
	expect_text("vma      samples  %        linenr info                 symbol name\n"
		    "00001200 1000     76.9231  prog.c:70                   foo()\n"
		    "  00001210 700      70.0000  small.h:4\n"
		    "  000012ff 300      30.0000  (no location information)\n"
		    "00001100 250      19.2308  (no location information)   main\n"
		    "  00001100 250      100.000  (no location information)\n"
		    "00000000 50        3.8462  (no location information)   (no symbols)\n"
		    "  00000010 50       100.000  (no location information)\n");
}
END_TEST

static const struct fake_range sorted[] = {
	{.start = 0x100, .end = 0x110, .file = 2, .line = 30},
	{.start = 0x200, .end = 0x210, .file = 2, .line = 5},
};

START_TEST(lines_are_sorted_by_source_place)
{
	fake_lines_set("/bin/prog", sorted, 2, files, 3);
	made.profile_options.lines = true;
	options.show_lines = options.long_names = true;
	options.header = false;
	options.sort[0] = TEXT_SORT_DEBUG;
	options.nr_sort = 1;
	add_program();
	expect_text("700      70.0000  /src/prog.c:5               foo()\n"
		    "250      25.0000  /src/prog.c:30              main\n"
		    "50        5.0000  (no location information)   (no symbols)\n");
}
END_TEST

static const struct fake_range same[] = {
	{.start = 0x100, .end = 0x110, .file = 2, .line = 5},
	{.start = 0x200, .end = 0x210, .file = 2, .line = 5},
};

/* Neither order is the one by samples, which is the order of lines that are otherwise equal. */
START_TEST(lines_of_one_source_place_are_sorted_by_what_is_asked_next)
{
	const struct make_file program = {.app = "/bin/prog"};

	fake_lines_set("/bin/prog", same, 2, files, 3);
	made.profile_options.lines = true;
	options.header = false;
	options.sort[0] = TEXT_SORT_DEBUG;
	options.sort[1] = TEXT_SORT_SYMBOL;
	options.nr_sort = 2;
	add(&program, 0x100, 700);
	add(&program, 0x200, 250);
	expect_text("250      26.3158  foo()\n"
		    "700      73.6842  main\n");
	add(&program, 0x200, 1000);
	options.sort[1] = TEXT_SORT_VMA;
	expect_text("700      35.8974  main\n"
		    "1250     64.1026  foo()\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_symbols");
	TCase *tests = tcase_create("format_symbols");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, one_image_needs_no_image_column);
	tcase_add_test(tests, several_images_and_applications_have_their_columns);
	tcase_add_test(tests, one_application_with_several_images_has_the_image_column_only);
	tcase_add_test(tests, addresses_have_8_digits_when_they_fit);
	tcase_add_test(tests, addresses_have_16_digits_when_one_needs_them);
	tcase_add_test(tests, running_totals_are_shown_when_asked);
	tcase_add_test(tests, lines_are_sorted_by_what_is_asked_first);
	tcase_add_test(tests,
		       lines_of_as_many_samples_are_sorted_by_image_application_symbol_and_address);
	tcase_add_test(tests, classes_stand_side_by_side);
	tcase_add_test(tests, addresses_stand_below_their_symbol_with_percentages_of_it);
	tcase_add_test(tests, percentages_of_addresses_are_of_all_samples_when_asked);
	tcase_add_test(tests, source_places_are_shown_of_symbols_and_addresses);
	tcase_add_test(tests, lines_are_sorted_by_source_place);
	tcase_add_test(tests, lines_of_one_source_place_are_sorted_by_what_is_asked_next);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
