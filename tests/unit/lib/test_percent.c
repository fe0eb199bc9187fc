// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/percent.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>

START_TEST(what_is_written_is_read_back)
{
	static const char *const texts[] = {"0", "1", "0.25", "99.999", "100", "10", "0.001"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[PERCENT_BYTES];
		double percent;

		ck_assert_int_eq(percent_parse(texts[i], &percent), 0);
		percent_format(percent, text);
		ck_assert_str_eq(text, texts[i]);
	}
}
END_TEST

START_TEST(the_same_number_is_written_the_same_way)
{
	char text[PERCENT_BYTES];
	double percent;

	ck_assert_int_eq(percent_parse("01.500", &percent), 0);
	percent_format(percent, text);
	ck_assert_str_eq(text, "1.5");
}
END_TEST

START_TEST(what_is_no_percentage_is_refused)
{
	static const char *const texts[] = {"",	   "-1",  "+1",	 " 1", "1 ",  "1.",    "1%",
					    "1e1", "nan", "0x1", ".5", "1,5", "1.2.3", "0.0001"};
	double percent = 7;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(percent_parse(texts[i], &percent) == -EINVAL, "%s", texts[i]);
	ck_assert_int_eq(percent_parse("100.001", &percent), -ERANGE);
	ck_assert_int_eq(percent_parse("101", &percent), -ERANGE);
	ck_assert_int_eq(percent_parse("99999999999999999999", &percent), -ERANGE);
	ck_assert_double_eq(percent, 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("percent");
	TCase *tc = tcase_create("percent");

	tcase_add_test(tc, what_is_written_is_read_back);
	tcase_add_test(tc, the_same_number_is_written_the_same_way);
	tcase_add_test(tc, what_is_no_percentage_is_refused);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
