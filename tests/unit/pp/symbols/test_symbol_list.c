// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_list.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct symbol_list list;

static void setup(void)
{
	symbol_list_init(&list);
}

static void teardown(void)
{
	symbol_list_deinit(&list);
}

static void add(uint64_t start, uint64_t nr_bytes, const char *name, enum symbol_sort sort,
		enum symbol_binding binding)
{
	struct listed_symbol symbol = {.start = start,
				       .end = start + nr_bytes,
				       .limit = 1000,
				       .address = start + 0x400000,
				       .name = name,
				       .name_bytes = (uint32_t)strlen(name),
				       .sort = (uint16_t)sort,
				       .binding = (uint16_t)binding};

	ck_assert_int_eq(symbol_list_add(&list, &symbol), 0);
}

static void add_function(uint64_t start, uint64_t nr_bytes, const char *name)
{
	add(start, nr_bytes, name, SYMBOL_SORT_FUNCTION, SYMBOL_BINDING_GLOBAL);
}

static void expect(size_t i, uint64_t start, uint64_t end, const char *name)
{
	const struct listed_symbol *symbol = &list.symbols[i];

	ck_assert_uint_lt(i, list.nr_symbols);
	ck_assert_uint_eq(symbol->start, start);
	ck_assert_uint_eq(symbol->end, end);
	ck_assert_uint_eq(symbol->address, start + 0x400000);
	ck_assert_uint_eq(symbol->name_bytes, strlen(name));
	ck_assert(!memcmp(symbol->name, name, symbol->name_bytes));
}

static void resolve(size_t nr_expected)
{
	ck_assert_int_eq(symbol_list_resolve(&list), 0);
	ck_assert_uint_eq(list.nr_symbols, nr_expected);
}

START_TEST(empty_list_resolves_to_nothing)
{
	resolve(0);
}
END_TEST

START_TEST(symbols_come_out_by_start)
{
	add_function(50, 10, "b");
	add_function(10, 10, "a");
	resolve(2);
	expect(0, 10, 20, "a");
	expect(1, 50, 60, "b");
}
END_TEST

START_TEST(global_name_goes_before_weak_and_local)
{
	add(10, 10, "local", SYMBOL_SORT_FUNCTION, SYMBOL_BINDING_LOCAL);
	add(10, 10, "a_weak", SYMBOL_SORT_FUNCTION, SYMBOL_BINDING_WEAK);
	add(10, 10, "the_global", SYMBOL_SORT_FUNCTION, SYMBOL_BINDING_GLOBAL);
	resolve(1);
	expect(0, 10, 20, "the_global");
}
END_TEST

START_TEST(fewer_underscores_then_shorter_then_first_goes)
{
	add_function(10, 10, "__malloc");
	add_function(10, 10, "mallocx");
	add_function(10, 10, "malloc");
	add_function(10, 10, "nalloc");
	resolve(1);
	expect(0, 10, 20, "malloc");
}
END_TEST

START_TEST(function_goes_before_label_at_the_same_place)
{
	add(10, 0, "a", SYMBOL_SORT_LABEL, SYMBOL_BINDING_GLOBAL);
	add(10, 10, "__local_function", SYMBOL_SORT_FUNCTION, SYMBOL_BINDING_LOCAL);
	resolve(1);
	expect(0, 10, 20, "__local_function");
}
END_TEST

START_TEST(alias_is_as_long_as_the_longest)
{
	add_function(10, 4, "short");
	add_function(10, 20, "longer_name");
	resolve(1);
	expect(0, 10, 30, "short");
}
END_TEST

START_TEST(unsized_symbol_ends_at_the_next_or_its_limit)
{
	add(10, 0, "a", SYMBOL_SORT_LABEL, SYMBOL_BINDING_GLOBAL);
	add(30, 0, "b", SYMBOL_SORT_FUNCTION, SYMBOL_BINDING_GLOBAL);
	resolve(2);
	expect(0, 10, 30, "a");
	expect(1, 30, 1000, "b");
}
END_TEST

START_TEST(symbol_at_its_limit_is_left_out)
{
	add_function(1000, 0, "etext");
	resolve(0);
}
END_TEST

START_TEST(overlapping_symbol_is_cut_where_the_next_begins)
{
	add_function(10, 40, "a");
	add_function(30, 40, "b");
	resolve(2);
	expect(0, 10, 30, "a");
	expect(1, 30, 70, "b");
}
END_TEST

START_TEST(function_within_a_function_keeps_its_bytes_and_the_outer_goes_on)
{
	add_function(10, 90, "outer");
	add_function(30, 10, "inner");
	resolve(3);
	expect(0, 10, 30, "outer");
	expect(1, 30, 40, "inner");
	expect(2, 40, 100, "outer");
}
END_TEST

START_TEST(nested_and_crossing_functions_leave_no_overlap_and_no_gap)
{
	add_function(0, 100, "a");
	add_function(10, 50, "b");
	add_function(20, 10, "c");
	add_function(40, 80, "d");
	resolve(5);
	expect(0, 0, 10, "a");
	expect(1, 10, 20, "b");
	expect(2, 20, 30, "c");
	expect(3, 30, 40, "b");
	expect(4, 40, 120, "d");
}
END_TEST

START_TEST(label_within_a_function_is_dropped_also_behind_an_inner_one)
{
	add_function(10, 90, "outer");
	add_function(30, 10, "inner");
	add(50, 0, "loop", SYMBOL_SORT_LABEL, SYMBOL_BINDING_LOCAL);
	resolve(3);
	expect(2, 40, 100, "outer");
}
END_TEST

/* Any list becomes a valid table, and bytes that had a name still have one. */
START_TEST(any_list_becomes_a_table)
{
	bool named[1000] = {false};
	uint64_t end = 0;

	srand((unsigned int)_i);
	for (int i = 0; i < 60; i++) {
		uint64_t start = (uint64_t)rand() % 1000;
		uint64_t nr_bytes = (uint64_t)rand() % (1000 - start);

		nr_bytes = rand() % 4 ? nr_bytes / 8 : 0;
		add_function(start, nr_bytes, "f");
		memset(named + start, true, nr_bytes);
	}
	ck_assert_int_eq(symbol_list_resolve(&list), 0);
	for (size_t i = 0; i < list.nr_symbols; i++) {
		ck_assert_uint_ge(list.symbols[i].start, end);
		ck_assert_uint_gt(list.symbols[i].end, list.symbols[i].start);
		end = list.symbols[i].end;
		memset(named + list.symbols[i].start, false, end - list.symbols[i].start);
	}
	for (size_t i = 0; i < 1000; i++)
		ck_assert(!named[i]);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("symbol_list");
	TCase *tcase = tcase_create("symbol_list");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, empty_list_resolves_to_nothing);
	tcase_add_test(tcase, symbols_come_out_by_start);
	tcase_add_test(tcase, global_name_goes_before_weak_and_local);
	tcase_add_test(tcase, fewer_underscores_then_shorter_then_first_goes);
	tcase_add_test(tcase, function_goes_before_label_at_the_same_place);
	tcase_add_test(tcase, alias_is_as_long_as_the_longest);
	tcase_add_test(tcase, unsized_symbol_ends_at_the_next_or_its_limit);
	tcase_add_test(tcase, symbol_at_its_limit_is_left_out);
	tcase_add_test(tcase, overlapping_symbol_is_cut_where_the_next_begins);
	tcase_add_test(tcase, function_within_a_function_keeps_its_bytes_and_the_outer_goes_on);
	tcase_add_test(tcase, nested_and_crossing_functions_leave_no_overlap_and_no_gap);
	tcase_add_test(tcase, label_within_a_function_is_dropped_also_behind_an_inner_one);
	tcase_add_loop_test(tcase, any_list_becomes_a_table, 0, 50);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
