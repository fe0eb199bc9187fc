// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/row_table.h"
#include "tests/fixture/run_suite.h"

#include <check.h>

#define NR_APPS	   40
#define NR_SYMBOLS 300

START_TEST(each_application_and_symbol_has_a_place_of_its_own)
{
	struct row_table table = {0};
	size_t nr = 0;

	for (uint32_t app = 0; app < NR_APPS; app++)
		for (uint32_t symbol = 0; symbol < NR_SYMBOLS; symbol++) {
			size_t *row = row_table_place(&table, app, symbol);

			ck_assert_ptr_nonnull(row);
			ck_assert_uint_eq(*row, SIZE_MAX);
			*row = nr++;
		}
	for (uint32_t symbol = NR_SYMBOLS; symbol > 0; symbol--)
		for (uint32_t app = NR_APPS; app > 0; app--)
			ck_assert_uint_eq(*row_table_place(&table, app - 1, symbol - 1),
					  (size_t)(app - 1) * NR_SYMBOLS + symbol - 1);
	row_table_deinit(&table);
}
END_TEST

START_TEST(the_last_symbol_that_can_be_has_a_place)
{
	struct row_table table = {0};

	*row_table_place(&table, UINT32_MAX, UINT32_MAX - 1) = 7;
	ck_assert_uint_eq(*row_table_place(&table, UINT32_MAX, UINT32_MAX - 1), 7);
	ck_assert_uint_eq(*row_table_place(&table, UINT32_MAX - 1, UINT32_MAX - 1), SIZE_MAX);
	row_table_deinit(&table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_table");
	TCase *tests = tcase_create("row_table");

	tcase_add_test(tests, each_application_and_symbol_has_a_place_of_its_own);
	tcase_add_test(tests, the_last_symbol_that_can_be_has_a_place);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
