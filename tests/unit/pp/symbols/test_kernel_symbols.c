// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/kernel_symbols.h"

#include "lib/file.h"
#include "libdb/sample_name.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "oprof-kernel-symbols 1\n"

static struct symbol_table table;
static struct diag diag;

static int parse(const char *text)
{
	diag_clear(&diag);
	return kernel_symbols_parse(text, strlen(text), &table, &diag);
}

static void refuse(const char *text, unsigned int line)
{
	struct symbol_table before;

	memset(&table, 0xee, sizeof(table));
	before = table;
	ck_assert_int_eq(parse(text), -EILSEQ);
	ck_assert_uint_eq(diag.line, line);
	ck_assert_uint_gt(strlen(diag.text), 0);
	ck_assert_ptr_eq(table.symbols, before.symbols);
	ck_assert_ptr_eq(table.strings, before.strings);
	ck_assert_uint_eq(table.nr_symbols, before.nr_symbols);
}

START_TEST(lines_become_symbols)
{
	ck_assert_int_eq(parse(HEAD "0 180 T startup_64\n180 2f t verify cpu\nfff0 10 W x"), 0);
	ck_assert_uint_eq(table.nr_symbols, 3);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_str_eq(table.symbols[0].name, "startup_64");
	ck_assert_uint_eq(table.symbols[1].start, 0x180);
	ck_assert_uint_eq(table.symbols[1].nr_bytes, 0x2f);
	ck_assert_str_eq(table.symbols[1].name, "verify cpu");
	ck_assert_str_eq(table.symbols[2].name, "x");
	symbol_table_deinit(&table);
}
END_TEST

START_TEST(file_without_symbols_has_none)
{
	ck_assert_int_eq(parse(HEAD), 0);
	ck_assert_uint_eq(table.nr_symbols, 0);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	symbol_table_deinit(&table);
}
END_TEST

START_TEST(another_version_is_refused_as_such)
{
	ck_assert_int_eq(parse("oprof-kernel-symbols 2\n0 1 T x\n"), -EPROTONOSUPPORT);
	refuse("something else\n", 1);
	refuse("", 1);
}
END_TEST

START_TEST(damaged_lines_are_refused_by_number)
{
	refuse(HEAD "0 1 T a\n1 1 T\n", 3);
	refuse(HEAD "0 1 T a\n1 1\n", 3);
	refuse(HEAD "0 1 T a\n\n", 3);
	refuse(HEAD "0 1 T \n", 2);
	refuse(HEAD "0 0 T a\n", 2);
	refuse(HEAD "x 1 T a\n", 2);
	refuse(HEAD "0 1  a\n", 2);
	refuse(HEAD "10000000000000000 1 T a\n", 2);
	refuse(HEAD "ffffffffffffffff 2 T a\n", 2);
	refuse(HEAD "0 10 T a\n8 1 T b\n", 3);
	refuse(HEAD "8 1 T a\n0 1 T b\n", 3);
	refuse(HEAD "8 1 T a\n8 1 T b\n", 3);
}
END_TEST

START_TEST(control_characters_in_names_are_disarmed)
{
	ck_assert_int_eq(parse(HEAD "0 1 T \033[2J\n"), 0);
	ck_assert_str_eq(table.symbols[0].name, "?[2J");
	symbol_table_deinit(&table);
}
END_TEST

START_TEST(every_truncation_is_refused_or_read)
{
	const char *text = HEAD "0 180 T startup_64\n180 2f t verify_cpu\nfff0 10 W x\n";

	for (size_t nr = 0; nr < strlen(text); nr++) {
		char *copy = strndup(text, nr);

		if (!parse(copy))
			symbol_table_deinit(&table);
		free(copy);
	}
}
END_TEST

/* ---- loading ---- */

static char folder[] = "/tmp/oprof-kernel-symbols.XXXXXX";
static const struct oprof_image_identity identity = {.build_id = {1, 2, 3}, .nr_build_id = 20};

static void write_symbols(const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/symbols/%016" PRIx64, folder, sample_identity(&identity));
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
}

static void setup_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown_folder(void)
{
	symbol_table_deinit(&table);
	file_remove_tree(folder);
}

START_TEST(symbols_of_the_session_are_found_by_identity)
{
	write_symbols(HEAD "0 180 T startup_64\n");
	ck_assert_int_eq(kernel_symbols_load(&table, &identity, folder), 0);
	ck_assert_uint_eq(table.nr_symbols, 1);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_ptr_null(table.note);
}
END_TEST

START_TEST(only_hidden_symbols_make_the_advice_to_profile_as_root)
{
	const struct oprof_image_identity hidden = {.nr_build_id = 0};

	ck_assert_int_eq(kernel_symbols_load(&table, &hidden, folder), 0);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	ck_assert_ptr_nonnull(strstr(table.note, "profile as root"));
	ck_assert_ptr_nonnull(strstr(table.note, "kptr_restrict"));
	symbol_table_deinit(&table);
	ck_assert_int_eq(kernel_symbols_load(&table, &identity, folder), 0);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	ck_assert_ptr_null(strstr(table.note, "as root"));
	ck_assert_ptr_nonnull(strstr(table.note, "while its daemon runs, oprof dump"));
	symbol_table_deinit(&table);
	ck_assert_int_eq(kernel_symbols_load(&table, &identity, NULL), 0);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
}
END_TEST

START_TEST(damaged_symbols_are_told_with_file_and_line)
{
	write_symbols(HEAD "0 180 T startup_64\nnonsense\n");
	ck_assert_int_eq(kernel_symbols_load(&table, &identity, folder), 0);
	ck_assert_int_eq(table.lack, SYMBOLS_DAMAGED);
	ck_assert_ptr_nonnull(strstr(table.note, folder));
	ck_assert_ptr_nonnull(strstr(table.note, "line 3"));
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("kernel_symbols");
	TCase *tcase = tcase_create("parse"), *load = tcase_create("load");

	tcase_add_test(tcase, lines_become_symbols);
	tcase_add_test(tcase, file_without_symbols_has_none);
	tcase_add_test(tcase, another_version_is_refused_as_such);
	tcase_add_test(tcase, damaged_lines_are_refused_by_number);
	tcase_add_test(tcase, control_characters_in_names_are_disarmed);
	tcase_add_test(tcase, every_truncation_is_refused_or_read);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(load, setup_folder, teardown_folder);
	tcase_add_test(load, symbols_of_the_session_are_found_by_identity);
	tcase_add_test(load, only_hidden_symbols_make_the_advice_to_profile_as_root);
	tcase_add_test(load, damaged_symbols_are_told_with_file_and_line);
	suite_add_tcase(suite, load);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
