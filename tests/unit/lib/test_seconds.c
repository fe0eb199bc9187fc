// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/seconds.h"
#include "tests/fixture/run_suite.h"

#include <check.h>

START_TEST(times_have_all_digits_and_one_sign)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{0, "0.000000000"},
		{1, "0.000000001"},
		{-1, "-0.000000001"},
		{-1000000005, "-1.000000005"},
		{INT64_C(1700000000123456789), "1700000000.123456789"},
		{INT64_MAX, "9223372036.854775807"},
		{INT64_MIN, "-9223372036.854775808"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[SECONDS_BYTES];

		seconds_format(cases[i].ns, text);
		ck_assert_str_eq(text, cases[i].text);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("seconds");
	TCase *tc = tcase_create("seconds");

	tcase_add_test(tc, times_have_all_digits_and_one_sign);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
