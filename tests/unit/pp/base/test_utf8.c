// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/json_writer.h"
#include "pp/base/utf8.h"
#include "pp/base/xml_writer.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *text, uint32_t code, size_t nr_bytes)
{
	uint32_t got = 0;

	ck_assert_uint_eq(utf8_decode(text, &got), nr_bytes);
	ck_assert_uint_eq(got, code);
}

START_TEST(characters_of_one_to_four_bytes_are_decoded)
{
	expect("a", 'a', 1);
	expect("\x7f", 0x7f, 1);
	expect("\xc2\x80", 0x80, 2);
	expect("\xdf\xbf", 0x7ff, 2);
	expect("\xe0\xa0\x80", 0x800, 3);
	expect("\xef\xbf\xbf", 0xffff, 3);
	expect("\xf0\x90\x80\x80", 0x10000, 4);
	expect("\xf4\x8f\xbf\xbf", 0x10ffff, 4);
}
END_TEST

START_TEST(what_is_no_character_is_replaced_a_byte_at_a_time)
{
	static const char *const bad[] = {"\x80",
					  "\xbf",
					  "\xc0\x80",
					  "\xc1\xbf",
					  "\xc2",
					  "\xc2\x41",
					  "\xe0\x80\x80",
					  "\xe0\x9f\xbf",
					  "\xed\xa0\x80",
					  "\xed\xbf\xbf",
					  "\xf0\x8f\xbf\xbf",
					  "\xf4\x90\x80\x80",
					  "\xf5\x80\x80\x80",
					  "\xe2\x82",
					  "\xf0\x9f\x92",
					  "\xff"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect(bad[i], UTF8_REPLACEMENT, 1);
}
END_TEST

static char *text;
static size_t nr_bytes;

START_TEST(xml_says_any_text_and_is_well_formed)
{
	FILE *out = open_memstream(&text, &nr_bytes);
	struct xml_writer xml;

	xml_writer_init(&xml, out);
	xml_begin(&xml, "a");
	xml_attribute(&xml, "n", "<&>\"'\x01\xff\n\xef\xbf\xbf\xc3\xa9");
	xml_attribute(&xml, "none", NULL);
	xml_begin(&xml, "b");
	xml_attribute_hex(&xml, "x", 255);
	xml_number(&xml, UINT64_MAX);
	xml_end(&xml);
	xml_begin(&xml, "c");
	xml_end(&xml);
	xml_end(&xml);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text,
			 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<a n=\"&lt;&amp;&gt;&#x22;'&#xfffd;&#xfffd;&#xa;&#xfffd;\xc3\xa9\">\n"
			 " <b x=\"0xff\">18446744073709551615</b>\n"
			 " <c/>\n"
			 "</a>\n");
	free(text);
}
END_TEST

START_TEST(json_says_any_text_and_is_valid)
{
	const uint64_t numbers[] = {0, UINT64_MAX};
	FILE *out = open_memstream(&text, &nr_bytes);
	struct json_writer json;

	json_writer_init(&json, out, 1);
	json_begin(&json, NULL, '{');
	json_text(&json, "a\"", "\\</\x01\xff\n\xc3\xa9");
	json_text(&json, "null", NULL);
	json_begin(&json, "empty", '[');
	json_end(&json, ']');
	json_begin(&json, "list", '[');
	json_bool(&json, NULL, true);
	json_signed(&json, NULL, -1);
	json_hex(&json, NULL, 255);
	json_numbers(&json, NULL, numbers, 2);
	json_double(&json, NULL, 0.5);
	json_end(&json, ']');
	json_end(&json, '}');
	json_writer_finish(&json);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, "{\n \"a\\\"\":\"\\\\\\u003c/\\u0001\\ufffd\\u000a\xc3\xa9\","
			       "\n \"null\":null,\n \"empty\":[],"
			       "\n \"list\":[true,-1,\"0xff\",[0,18446744073709551615],0.5]\n}\n");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("utf8");
	TCase *tests = tcase_create("utf8");

	tcase_add_test(tests, characters_of_one_to_four_bytes_are_decoded);
	tcase_add_test(tests, what_is_no_character_is_replaced_a_byte_at_a_time);
	tcase_add_test(tests, xml_says_any_text_and_is_well_formed);
	tcase_add_test(tests, json_says_any_text_and_is_valid);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
