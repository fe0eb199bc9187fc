// SPDX-License-Identifier: GPL-2.0-or-later
#include "events/cpu_name.h"

#include "events/events.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <string.h>

static char name[64];
static uint32_t khz;

START_TEST(model_and_speed_are_found)
{
	cpu_name_parse("processor\t: 0\nmodel\t\t: 49\nmodel name\t: Fast One\ncpu MHz\t\t: "
		       "2445.406\nprocessor\t: 1\nmodel name\t: Other\n",
		       name, sizeof(name), &khz);
	ck_assert_str_eq(name, "Fast One");
	ck_assert_uint_eq(khz, 2445406);
}
END_TEST

START_TEST(what_is_not_told_is_left_empty)
{
	cpu_name_parse("", name, sizeof(name), &khz);
	ck_assert_str_eq(name, "");
	ck_assert_uint_eq(khz, 0);
	cpu_name_parse("model name\t:\ncpu MHz : -3\n", name, sizeof(name), &khz);
	ck_assert_str_eq(name, "");
	ck_assert_uint_eq(khz, 0);
}
END_TEST

START_TEST(powers_clock_is_understood)
{
	cpu_name_parse("cpu\t\t: POWER9\nclock\t\t: 3800.5MHz\n", name, sizeof(name), &khz);
	ck_assert_str_eq(name, "POWER9");
	ck_assert_uint_eq(khz, 3800500);
}
END_TEST

START_TEST(a_long_name_is_cut)
{
	char text[512] = "model name : ";

	memset(text + strlen(text), 'x', 400);
	cpu_name_parse(text, name, sizeof(name), &khz);
	ck_assert_uint_eq(strlen(name), sizeof(name) - 1);
}
END_TEST

START_TEST(this_machine_has_a_name)
{
	event_cpu_name(name, sizeof(name), &khz);
	ck_assert_str_ne(name, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cpu_name");
	TCase *tests = tcase_create("parse");

	tcase_add_test(tests, model_and_speed_are_found);
	tcase_add_test(tests, what_is_not_told_is_left_empty);
	tcase_add_test(tests, powers_clock_is_understood);
	tcase_add_test(tests, a_long_name_is_cut);
	tcase_add_test(tests, this_machine_has_a_name);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
