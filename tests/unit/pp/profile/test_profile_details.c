// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_document.h"
#include "pp/format/format_text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct make_session session;
static struct make_profile made;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x401100, .name = "first"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x401200, .name = "last"},
};
static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){.profile_options = {.symbols = true, .details = true}};
	fake_symbols_set("/bin/a", symbols, 2, NULL);
}

static void teardown(void)
{
	fake_symbols_clear();
	fake_lines_clear();
	make_session_deinit(&session);
}

static size_t find_row(const char *name)
{
	for (size_t i = 0; i < made.profile.nr_rows; i++) {
		const char *here = made.profile.rows[i].name;

		if (here && name ? !strcmp(here, name) : here == name)
			return i;
	}
	ck_abort_msg("no row of %s", name ? name : "(no symbols)");
	return 0;
}

/* The nth key of the row. */
static size_t detail_of(const char *name, size_t n)
{
	size_t row = find_row(name);

	ck_assert_uint_lt(made.profile.first_detail[row] + n, made.profile.first_detail[row + 1]);
	return made.profile.first_detail[row] + n;
}

static size_t nr_details_of(const char *name)
{
	size_t row = find_row(name);

	return made.profile.first_detail[row + 1] - made.profile.first_detail[row];
}

static void expect_detail(const char *name, size_t n, uint64_t address, uint64_t nr_samples)
{
	size_t detail = detail_of(name, n);

	ck_assert_uint_eq(made.profile.details[detail].address, address);
	ck_assert_uint_eq(made.profile.detail_counts[detail * made.profile.nr_columns], nr_samples);
}

/* Check the sums of each row and column. */
static void expect_sums(void)
{
	const struct profile *profile = &made.profile;

	for (size_t row = 0; row < profile->nr_rows; row++)
		for (size_t column = 0; column < profile->nr_columns; column++) {
			uint64_t counts = 0, shares = 0;

			for (size_t i = profile->first_detail[row];
			     i < profile->first_detail[row + 1]; i++) {
				size_t at = i * profile->nr_columns + column;

				counts += profile->detail_counts[at];
				shares += profile->detail_shares[at];
			}
			ck_assert_uint_eq(counts, profile_counts(profile, row)[column]);
			ck_assert_uint_eq(shares, profile_shares(profile, row)[column]);
		}
}

START_TEST(a_row_has_the_keys_that_fell_to_it_with_their_addresses)
{
	const struct make_sample samples[] = {{0x10, 1},   {0x100, 2},	{0x1ff, 4},
					      {0x210, 16}, {0x300, 32}, {0x310, 64}};

	make_session_add(&session, &(struct make_file){.app = "/bin/a"}, samples, 6, NULL);
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_details, 6);
	ck_assert_uint_eq(nr_details_of("first"), 2);
	expect_detail("first", 0, 0x401100, 2);
	expect_detail("first", 1, 0x4011ff, 4);
	expect_detail("last", 0, 0x401210, 16);
	ck_assert_uint_eq(made.profile.details[detail_of("last", 0)].key, 0x210);
	ck_assert_uint_eq(nr_details_of(NULL), 3);
	expect_detail(NULL, 0, 0x10, 1);
	expect_detail(NULL, 2, 0x310, 64);
	expect_sums();
	make_profile_deinit(&made);
}
END_TEST

START_TEST(the_same_key_of_several_files_is_one_with_a_count_in_each_column)
{
	for (int64_t cpu = 1; cpu <= 3; cpu++)
		for (uint64_t i = 0; i < 100; i++)
			make_session_add_one(
				&session, &(struct make_file){.app = "/bin/a", .cpu_behind = cpu},
				0x80 + i * 7 * (uint64_t)cpu % 0x300, i + 1);
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_columns, 3);
	for (size_t row = 0; row < made.profile.nr_rows; row++)
		for (size_t i = made.profile.first_detail[row] + 1;
		     i < made.profile.first_detail[row + 1]; i++)
			ck_assert_uint_lt(made.profile.details[i - 1].address,
					  made.profile.details[i].address);
	expect_sums();
	make_profile_deinit(&made);
}
END_TEST

START_TEST(shares_are_weight_where_the_session_has_it)
{
	const struct make_file file = {
		.app = "/bin/a", .period_or_hz = 997, .frequency = true, .weight_each = 1000};

	make_session_add_one(&session, &file, 0x110, 3);
	make_session_add_one(&session, &file, 0x120, 1);
	make_profile_init(&made, &session, "");
	expect_sums();
	ck_assert_ptr_ne(made.profile.detail_shares, made.profile.detail_counts);
	ck_assert_uint_eq(made.profile.detail_shares[detail_of("first", 0)], 3000);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(what_is_left_out_has_no_keys)
{
	char last[] = "last";
	char *patterns[] = {last};

	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x110, 3);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x210, 1);
	made.profile_options.exclude = (struct spec_list){.patterns = patterns, .nr_patterns = 1};
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_details, 1);
	expect_sums();
	make_profile_deinit(&made);
}
END_TEST

START_TEST(keys_of_both_builds_stand_under_the_function_that_they_are_of)
{
	session.name = "before";
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x210, 3);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x110, 1);
	session.name = "after";
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a", .version = 1}, 0x320,
			     5);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a", .version = 1}, 0x120,
			     2);
	make_profile_init(&made, &session, "{ session:before } { session:after }");
	expect_sums();
	ck_assert_uint_eq(made.profile.nr_details, 4);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(without_the_option_there_are_none)
{
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x110, 3);
	made.profile_options.details = false;
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.nr_details, 0);
	ck_assert_ptr_null(made.profile.details);
	make_profile_deinit(&made);
}
END_TEST

/* ---- inlined functions ---- */

static const char *const files[] = {"", "/src/a.c", "/src/a.h"};
static const struct fake_range lines[] = {
	{.start = 0x100, .end = 0x110, .file = 1, .line = 10},
	{.start = 0x110,
	 .end = 0x130,
	 .file = 2,
	 .line = 5,
	 .inlines = {{.function = "_Z5innerv", .call = {.file = 2, .line = 9}},
		     {.function = "outer", .call = {.file = 1, .line = 11}}},
	 .nr_inlines = 2},
	{.start = 0x210,
	 .end = 0x220,
	 .file = 2,
	 .line = 4,
	 .inlines = {{.function = "_Z5innerv", .call = {.file = 1, .line = 30}}},
	 .nr_inlines = 1},
};

static void write_symbols(FILE *out, void *context)
{
	const struct text_options options = {.demangle = DEMANGLE_NORMAL, .show_vma = true};

	(void)context;
	ck_assert_int_eq(text_format_symbols(out, &made.profile, &options), 0);
}

static void write_json(FILE *out, void *context)
{
	const struct document_options options = {.demangle = DEMANGLE_NORMAL};

	(void)context;
	ck_assert_int_eq(document_format_json(out, &made.profile, &options), 0);
}

static void write_xml(FILE *out, void *context)
{
	const struct document_options options = {.demangle = DEMANGLE_NORMAL};

	(void)context;
	ck_assert_int_eq(document_format_xml(out, &made.profile, &options), 0);
}

static void expect_text(void (*write)(FILE *out, void *context), const char *expected)
{
	char *text = make_profile_text(write, NULL);

	ck_assert_msg(strstr(text, expected) != NULL, "got:\n%s", text);
	free(text);
}

static void make_inlined(bool details)
{
	const struct make_sample samples[] = {{0x108, 1},   {0x110, 2}, {0x12f, 4},
					      {0x218, 200}, {0x21a, 1}, {0x400, 16}};

	fake_lines_set("/bin/a", lines, 3, files, 3);
	made.profile_options.inlines = true;
	made.profile_options.details = made.profile_options.lines = details;
	make_session_add(&session, &(struct make_file){.app = "/bin/a"}, samples, 6, NULL);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/b", .image = "/bin/a"},
			     0x120, 8);
	make_profile_init(&made, &session, "");
}

START_TEST(samples_in_inlined_bodies_are_rows_of_the_inlined_function)
{
	size_t row;

	make_inlined(true);
	expect_sums();
	/* All samples of last are in an inlined function, so that last has no row. */
	ck_assert_uint_eq(made.profile.nr_rows, 4);
	row = find_row("_Z5innerv");
	ck_assert(profile_row_is_inlined(&made.profile.rows[row]));
	ck_assert_uint_eq(profile_counts(&made.profile, row)[0], 207);
	ck_assert_uint_eq(nr_details_of("_Z5innerv"), 4);
	expect_detail("_Z5innerv", 0, 0x401110, 2);
	expect_detail("_Z5innerv", 2, 0x401218, 200);
	ck_assert_uint_eq(made.profile.row_lines[row].line, 4);
	ck_assert_uint_eq(profile_counts(&made.profile, find_row("first"))[0], 1);
	ck_assert(!profile_row_is_inlined(&made.profile.rows[find_row("first")]));
	ck_assert_uint_eq(profile_counts(&made.profile, find_row(NULL))[0], 16);
	ck_assert_uint_eq(made.profile.totals[0], 232);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(inlined_functions_are_marked_in_every_format)
{
	make_inlined(false);
	ck_assert_ptr_null(made.profile.details);
	ck_assert_ptr_null(made.profile.row_lines);
	expect_text(write_symbols, "00000000 207      89.2241  a                        "
				   "_Z5innerv (inlined)\n");
	expect_text(write_symbols, "00000000 8         3.4483  b                        "
				   "_Z5innerv (inlined)\n");
	expect_text(write_json, "\"symbol\":\"_Z5innerv (inlined)\",\"linkage_name\":\"_Z5innerv\","
				"\"inlined\":true,\"samples\":[207]");
	expect_text(write_xml, "name=\"_Z5innerv (inlined)\" inlined=\"true\"/>\n");
	make_profile_deinit(&made);
}
END_TEST

/* An inlined function has many rows and one symbol: readers identify it by the number. */
START_TEST(an_inlined_function_is_one_symbol_in_all_applications)
{
	const char *marked = "name=\"_Z5innerv (inlined)\"";
	char *text, *first;

	make_inlined(true);
	text = make_profile_text(write_xml, NULL);
	first = strstr(text, marked);
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_null(strstr(first + 1, marked));
	free(text);
	make_profile_deinit(&made);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("profile_details");
	TCase *tests = tcase_create("profile_details");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_row_has_the_keys_that_fell_to_it_with_their_addresses);
	tcase_add_test(tests, the_same_key_of_several_files_is_one_with_a_count_in_each_column);
	tcase_add_test(tests, shares_are_weight_where_the_session_has_it);
	tcase_add_test(tests, what_is_left_out_has_no_keys);
	tcase_add_test(tests, keys_of_both_builds_stand_under_the_function_that_they_are_of);
	tcase_add_test(tests, without_the_option_there_are_none);
	tcase_add_test(tests, samples_in_inlined_bodies_are_rows_of_the_inlined_function);
	tcase_add_test(tests, inlined_functions_are_marked_in_every_format);
	tcase_add_test(tests, an_inlined_function_is_one_symbol_in_all_applications);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
