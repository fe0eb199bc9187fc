// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/json_writer.h"
#include "pp/base/xml_writer.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t nr_bytes;

START_TEST(xml_says_any_text_and_is_well_formed)
{
	FILE *out = open_memstream(&text, &nr_bytes);
	struct xml_writer xml;

	xml_writer_init(&xml, out);
	xml_begin(&xml, "a");
	xml_attribute(&xml, "n", "<&>\"'\x01\xff\n\xef\xbf\xbf\xc3\xa9\xe2\x80\xae");
	xml_attribute(&xml, "none", NULL);
	xml_begin(&xml, "b");
	xml_attribute_hex(&xml, "x", 255);
	xml_number(&xml, UINT64_MAX);
	xml_end(&xml);
	xml_begin(&xml, "c");
	xml_end(&xml);
	xml_end(&xml);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			       "<a n=\"&lt;&amp;&gt;&#x22;'&#xfffd;&#xfffd;&#xa;&#xfffd;\xc3\xa9"
			       "&#x202e;\">\n"
			       " <b x=\"0xff\">18446744073709551615</b>\n"
			       " <c/>\n"
			       "</a>\n");
	free(text);
}
END_TEST

START_TEST(json_for_a_page_has_no_character_that_a_browser_obeys)
{
	FILE *out = open_memstream(&text, &nr_bytes);
	struct json_writer json;

	json_writer_init(&json, out, 0);
	json.masks = true;
	json_begin(&json, NULL, '[');
	json_text(&json, NULL, "\t\n</\x01\xff\xc2\x9b\u202e\u2066\r\u00e9");
	json_end(&json, ']');
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, "[\"\\u0009\\u000a\\u003c/??????\u00e9\"]");
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
	json_text(&json, "a\"", "\\</\x01\xff\n\xc3\xa9\xe2\x80\xae");
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
	ck_assert_str_eq(text, "{\n \"a\\\"\":\"\\\\\\u003c/\\u0001\\ufffd\\u000a\xc3\xa9\\u202e\","
			       "\n \"null\":null,\n \"empty\":[],"
			       "\n \"list\":[true,-1,\"0xff\",[0,18446744073709551615],0.5]\n}\n");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("writers");
	TCase *tests = tcase_create("writers");

	tcase_add_test(tests, xml_says_any_text_and_is_well_formed);
	tcase_add_test(tests, json_says_any_text_and_is_valid);
	tcase_add_test(tests, json_for_a_page_has_no_character_that_a_browser_obeys);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
