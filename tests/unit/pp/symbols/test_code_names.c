// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/code_names.h"

#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct symbol_table table;

static void parse(const char *text)
{
	ck_assert_int_eq(code_names_parse(text, strlen(text), &table), 0);
}

static void expect(size_t index, uint64_t key, const char *name)
{
	ck_assert_uint_lt(index, table.nr_symbols);
	ck_assert_uint_eq(table.symbols[index].start, key);
	ck_assert_uint_eq(table.symbols[index].nr_bytes, 1);
	ck_assert_str_eq(table.symbols[index].name, name);
}

START_TEST(each_name_is_a_symbol_of_its_number)
{
	parse("1 JS:*fn /a b.js:1:2\n2 g\n7 h\n");
	ck_assert_uint_eq(table.nr_symbols, 4);
	expect(0, 0, "[other code]");
	expect(1, 1, "JS:*fn /a b.js:1:2");
	expect(2, 2, "g");
	expect(3, 7, "h");
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	symbol_table_deinit(&table);
}
END_TEST

START_TEST(names_come_out_unescaped_but_never_as_control_characters)
{
	parse("1 a\\x5cb\\x0ac\\x1b\n2 \xc3\xa9\\x\n3 \\x5\n4 \\xzz\x01\n");
	expect(1, 1, "a\\b?c?");
	expect(2, 2, "\xc3\xa9\\x");
	expect(3, 3, "\\x5");
	expect(4, 4, "\\xzz?");
	symbol_table_deinit(&table);
}
END_TEST

START_TEST(lines_that_make_no_sense_are_left_out)
{
	parse("\nx\n0 zero\n3 three\n2 two\n3 again\n-4 minus\n4four\n5 \n99999999999999999999 far\n"
	      "131073 over\n6 six\n7 torn");
	ck_assert_uint_eq(table.nr_symbols, 3);
	expect(1, 3, "three");
	expect(2, 6, "six");
	symbol_table_deinit(&table);
}
END_TEST

START_TEST(a_session_without_names_says_so)
{
	char folder[] = "/tmp/code_names.XXXXXX";
	char path[64];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(code_names_load(&table, folder), 0);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	ck_assert_ptr_nonnull(table.note);
	expect(0, 0, "[other code]");
	symbol_table_deinit(&table);
	ck_assert_int_eq(code_names_load(&table, NULL), 0);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	symbol_table_deinit(&table);
	snprintf(path, sizeof(path), "%s/names", folder);
	ck_assert_int_eq(file_replace(path, "1 f\n", 4, 0600), 0);
	ck_assert_int_eq(code_names_load(&table, folder), 0);
	expect(1, 1, "f");
	symbol_table_deinit(&table);
	ck_assert_int_eq(file_remove_tree(folder), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_names");
	TCase *tcase = tcase_create("code_names");

	tcase_add_test(tcase, each_name_is_a_symbol_of_its_number);
	tcase_add_test(tcase, names_come_out_unescaped_but_never_as_control_characters);
	tcase_add_test(tcase, lines_that_make_no_sense_are_left_out);
	tcase_add_test(tcase, a_session_without_names_says_so);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
