// SPDX-License-Identifier: GPL-2.0-or-later
/* Layouts of differential profiles, of sampling errors and of times. */
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/coverage.h"
#include "pp/format/format_text.h"

#include <check.h>
#include <stdlib.h>

static struct make_session session;
static struct make_profile made;
static struct text_options options;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1100, .name = "grows"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x1200, .name = "shrinks"},
	{.start = 0x300, .nr_bytes = 0x100, .address = 0x1300, .name = "stays"},
	{.start = 0x400, .nr_bytes = 0x100, .address = 0x1400, .name = "goes"},
	{.start = 0x500, .nr_bytes = 0x100, .address = 0x1500, .name = "comes"},
};

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){.profile_options.symbols = true};
	options = (struct text_options){.header = true};
	fake_symbols_set("/bin/prog", symbols, 5, NULL);
}

static void teardown(void)
{
	fake_symbols_clear();
	make_session_deinit(&session);
}

static void add(const char *name, const struct make_file *file, uint64_t key, uint64_t nr_samples)
{
	session.name = name;
	make_session_add_one(&session, file, key, nr_samples);
}

static void add_sides(uint8_t version_after)
{
	const struct make_file before = {.app = "/bin/prog"};
	const struct make_file after = {.app = "/bin/prog", .version = version_after};

	add("a", &before, 0x100, 2000);
	add("a", &before, 0x200, 4000);
	add("a", &before, 0x300, 3000);
	add("a", &before, 0x400, 1000);
	add("b", &after, 0x100, 4000);
	add("b", &after, 0x200, 2500);
	add("b", &after, 0x300, 3030);
	add("b", &after, 0x500, 470);
}

static void write_report(FILE *out, void *context)
{
	if (made.profile_options.symbols)
		ck_assert_int_eq(text_format_symbols(out, &made.profile, context), 0);
	else
		ck_assert_int_eq(text_format_flat(out, &made.profile, context), 0);
}

static void write_after(FILE *out, void *context)
{
	(void)context;
	coverage_write_after(out, &made.profile);
}

static void expect_text(const char *words, void (*write)(FILE *out, void *context),
			const char *expected)
{
	char *text;

	make_profile_init(&made, &session, words);
	text = make_profile_text(write, &options);
	ck_assert_str_eq(text, expected);
	free(text);
	make_profile_deinit(&made);
}

#define CHANGES                                                                                    \
	"samples  %        diff %    symbol name\n"                                                \
	"4000     40.0000  +100.0    grows\n"                                                      \
	"2500     25.0000  -37.5000  shrinks\n"                                                    \
	"1000     10.0000  ---       goes\n"                                                       \
	"470       4.7000  +++       comes\n"                                                      \
	"3030     30.3000  +1.0000~  stays\n"

START_TEST(changes_are_sorted_by_their_size_and_chance_is_marked)
{
	add_sides(0);
	expect_text("{ session:a } { session:b }", write_report, CHANGES);
}
END_TEST

START_TEST(functions_of_a_rebuilt_binary_are_compared_by_name)
{
	add_sides(1);
	expect_text("{ session:a } { session:b }", write_report, CHANGES);
}
END_TEST

START_TEST(what_changes_mean_is_told)
{
	add_sides(0);
	expect_text("{ session:a } { session:b }", write_after,
		    "before: samples 10000\n"
		    "after: samples 10000; symbolized 100.00 %\n"
		    "diff %: the change of the share, in percent of the first share; ~: within "
		    "the sampling error (95 %)\n"
		    "4 of 5 symbols changed by more than the sampling error\n");
}
END_TEST

START_TEST(of_many_lines_it_is_told_how_many_chance_alone_changes)
{
	char app[32];

	for (int i = 0; i < 45; i++) {
		const struct make_file file = {.app = app};

		(void)snprintf(app, sizeof(app), "/bin/prog%d", i);
		add("a", &file, 1, 100);
		add("b", &file, 1, i ? 100 : 200);
	}
	made.profile_options.symbols = false;
	expect_text("{ session:a } { session:b }", write_after,
		    "before: samples 4500\n"
		    "after: samples 4600\n"
		    "diff %: the change of the share, in percent of the first share; ~: within "
		    "the sampling error (95 %)\n"
		    "1 of 45 images changed by more than the sampling error; up to 2 of these "
		    "changes may be due to chance\n");
}
END_TEST

START_TEST(images_are_compared_too)
{
	const struct make_file libc = {.app = "/bin/prog", .image = "/lib/libc.so"};

	add_sides(0);
	add("b", &libc, 1, 2500);
	made.profile_options.symbols = false;
	expect_text("{ session:a } { session:b }", write_report,
		    "          cpu-clock:1000000|\n"
		    "  samples|      %|   diff %|\n"
		    "----------------------------\n"
		    "    12500 100.000         0 prog\n"
		    "\t          cpu-clock:1000000|\n"
		    "\t  samples|      %|   diff %|\n"
		    "\t----------------------------\n"
		    "\t    10000 80.0000  -20.0000 prog\n"
		    "\t     2500 20.0000       +++ libc.so\n");
}
END_TEST

START_TEST(the_error_of_a_share_stands_beside_it)
{
	const struct make_file file = {.app = "/bin/prog"};

	add("current", &file, 0x100, 5000);
	add("current", &file, 0x200, 5000);
	options.show_error = true;
	expect_text("", write_report,
		    "samples  %        +- %     symbol name\n"
		    "5000     50.0000   0.9798  grows\n"
		    "5000     50.0000   0.9798  shrinks\n");
	made.profile_options.symbols = false;
	options.header = false;
	expect_text("", write_report, "    10000 100.000  0.0192 prog\n");
}
END_TEST

START_TEST(times_are_nanoseconds_in_columns_that_hold_them)
{
	const struct make_file off = {.app = "/bin/prog",
				      .event = "off-cpu",
				      .period_or_hz = 1,
				      .kind = OPROF_IMAGE_OFF_CPU,
				      .weight_each = 250000000};

	add("current", &off, 0x100, 30);
	add("current", &off, 0x200, 10);
	expect_text("", write_report,
		    "ns          %        symbol name\n"
		    "7500000000  75.0000  grows\n"
		    "2500000000  25.0000  shrinks\n");
	made.profile_options.symbols = false;
	expect_text("", write_report,
		    "          off-cpu:1|\n"
		    "         ns|      %|\n"
		    "--------------------\n"
		    "10000000000 100.000 prog\n");
}
END_TEST

START_TEST(shares_of_weighted_samples_are_of_weight)
{
	const struct make_file light = {.app = "/bin/prog", .weight_each = 1};
	const struct make_file heavy = {.app = "/bin/prog", .weight_each = 9};

	add("current", &light, 0x100, 50);
	add("current", &heavy, 0x200, 50);
	expect_text("", write_report,
		    "samples  %        symbol name\n"
		    "50       90.0000  shrinks\n"
		    "50       10.0000  grows\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_diff");
	TCase *tests = tcase_create("format_diff");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, changes_are_sorted_by_their_size_and_chance_is_marked);
	tcase_add_test(tests, functions_of_a_rebuilt_binary_are_compared_by_name);
	tcase_add_test(tests, what_changes_mean_is_told);
	tcase_add_test(tests, of_many_lines_it_is_told_how_many_chance_alone_changes);
	tcase_add_test(tests, images_are_compared_too);
	tcase_add_test(tests, the_error_of_a_share_stands_beside_it);
	tcase_add_test(tests, times_are_nanoseconds_in_columns_that_hold_them);
	tcase_add_test(tests, shares_of_weighted_samples_are_of_weight);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
