// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/dwarf_unit.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

/* The only abbreviation, number 1: a unit with its name. */
static const uint8_t abbrevs[] = {1, DW_TAG_compile_unit, 0, DW_AT_name, DW_FORM_string, 0, 0, 0};

/* Reads a unit of version 4 with this root entry twice. */
static void read_twice(const uint8_t *root, size_t nr_bytes, int expected, const char *name)
{
	uint8_t bytes[32] = {[4] = 4, [10] = 8};
	struct dwarf_info info = {
		.file.sections = {
			[DWARF_INFO] = {.bytes = bytes, .nr_bytes = 11 + nr_bytes},
			[DWARF_ABBREV] = {.bytes = abbrevs, .nr_bytes = sizeof(abbrevs)}}};

	ck_assert_uint_le(nr_bytes, sizeof(bytes) - 11);
	*(uint32_t *)(void *)bytes = (uint32_t)(7 + nr_bytes);
	*(uint16_t *)(void *)(bytes + 4) = 4;
	memcpy(bytes + 11, root, nr_bytes);
	ck_assert_int_eq(dwarf_info_init(&info), 0);
	ck_assert_uint_eq(info.nr_units, 1);
	ck_assert_int_eq(dwarf_unit_read(&info.units[0]), expected);
	ck_assert_int_eq(dwarf_unit_read(&info.units[0]), expected);
	ck_assert_str_eq(info.units[0].name, name);
	dwarf_info_deinit(&info);
}

START_TEST(a_unit_is_read_once)
{
	read_twice((const uint8_t *)"\1a.c", 5, 0, "a.c");
}
END_TEST

START_TEST(a_unit_that_is_damaged_remains_an_error)
{
	read_twice((const uint8_t *)"\5a.c", 5, -EILSEQ, ""); /* no such abbreviation */
	read_twice((const uint8_t *)"\1a.c", 4, -EILSEQ, ""); /* the name does not end */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dwarf_unit");
	TCase *tests = tcase_create("dwarf_unit");

	tcase_add_test(tests, a_unit_is_read_once);
	tcase_add_test(tests, a_unit_that_is_damaged_remains_an_error);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
