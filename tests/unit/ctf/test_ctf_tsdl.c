// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/tsdl.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>

static struct tsdl_lexer lexer;
static struct tsdl_token token;
static struct ctf_arena *arena;

static void setup(void)
{
	ck_assert_int_eq(ctf_arena_create(&arena), 0);
}

static void teardown(void)
{
	ctf_arena_destroy(arena);
}

static void begin(const char *text)
{
	tsdl_lexer_init(&lexer, text, strlen(text));
}

static void next_is(enum tsdl_token_kind kind, const char *text, unsigned int line)
{
	tsdl_lexer_next(&lexer, &token);
	ck_assert_int_eq(token.kind, kind);
	ck_assert_uint_eq(token.line, line);
	ck_assert_uint_eq(token.nr_bytes, strlen(text));
	ck_assert_mem_eq(token.text, text, token.nr_bytes);
}

START_TEST(a_text_is_words_numbers_strings_and_signs)
{
	begin("trace{a_1 := 0x1f;}\n\"x\\\"y\" ... <i>-5 // to here\n/* a\n\nb */ last.one");
	next_is(TSDL_WORD, "trace", 1);
	next_is(TSDL_SIGN, "{", 1);
	next_is(TSDL_WORD, "a_1", 1);
	next_is(TSDL_SIGN, ":=", 1);
	next_is(TSDL_NUMBER, "0x1f", 1);
	ck_assert_uint_eq(token.number, 31);
	next_is(TSDL_SIGN, ";", 1);
	next_is(TSDL_SIGN, "}", 1);
	next_is(TSDL_STRING, "x\\\"y", 2);
	next_is(TSDL_SIGN, "...", 2);
	next_is(TSDL_SIGN, "<", 2);
	next_is(TSDL_WORD, "i", 2);
	next_is(TSDL_SIGN, ">", 2);
	next_is(TSDL_SIGN, "-", 2);
	next_is(TSDL_NUMBER, "5", 2);
	next_is(TSDL_WORD, "last", 5);
	next_is(TSDL_SIGN, ".", 5);
	next_is(TSDL_WORD, "one", 5);
	next_is(TSDL_END, "", 5);
	next_is(TSDL_END, "", 5);
}
END_TEST

START_TEST(numbers_go_up_to_64_bits)
{
	begin("18446744073709551615 18446744073709551616 0xffffffffffffffff 0x10000000000000000 9x 0x");
	tsdl_lexer_next(&lexer, &token);
	ck_assert_int_eq(token.kind, TSDL_NUMBER);
	ck_assert_uint_eq(token.number, UINT64_MAX);
	next_is(TSDL_BAD, "18446744073709551616", 1);
	tsdl_lexer_next(&lexer, &token);
	ck_assert_uint_eq(token.number, UINT64_MAX);
	next_is(TSDL_BAD, "0x10000000000000000", 1);
	next_is(TSDL_BAD, "9x", 1);
	next_is(TSDL_BAD, "0x", 1);
}
END_TEST

START_TEST(what_is_no_token_is_bad_and_gone_over)
{
	tsdl_lexer_init(&lexer, "a\0@\x80z", 5);
	next_is(TSDL_WORD, "a", 1);
	tsdl_lexer_next(&lexer, &token);
	ck_assert_int_eq(token.kind, TSDL_BAD);
	next_is(TSDL_BAD, "@", 1);
	next_is(TSDL_BAD, "\x80", 1);
	next_is(TSDL_WORD, "z", 1);
}
END_TEST

START_TEST(strings_and_comments_that_do_not_end_end_with_the_text)
{
	begin("\"abc");
	next_is(TSDL_BAD, "abc", 1);
	next_is(TSDL_END, "", 1);
	begin("\"abc\\");
	next_is(TSDL_BAD, "abc\\", 1);
	begin("\"abc\nx");
	next_is(TSDL_BAD, "abc", 1);
	begin("/* abc");
	next_is(TSDL_END, "", 1);
	begin("/*/");
	next_is(TSDL_END, "", 1);
}
END_TEST

static int unquote(const char *text, const char **plain)
{
	begin(text);
	tsdl_lexer_next(&lexer, &token);
	ck_assert_int_eq(token.kind, TSDL_STRING);
	return tsdl_token_unquote(&token, arena, plain);
}

START_TEST(escapes_are_those_of_c)
{
	const char *plain;

	ck_assert_int_eq(unquote("\"a\\n\\t\\\"\\\\\\001\\7z\\377\"", &plain), 0);
	ck_assert_str_eq(plain, "a\n\t\"\\\001\007z\377");
	ck_assert_int_eq(unquote("\"\"", &plain), 0);
	ck_assert_str_eq(plain, "");
	ck_assert_int_eq(unquote("\"\\q\"", &plain), -EINVAL);
	ck_assert_int_eq(unquote("\"\\0\"", &plain), -EINVAL);
	ck_assert_int_eq(unquote("\"\\777\"", &plain), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctf_tsdl");
	TCase *tc = tcase_create("ctf_tsdl");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_text_is_words_numbers_strings_and_signs);
	tcase_add_test(tc, numbers_go_up_to_64_bits);
	tcase_add_test(tc, what_is_no_token_is_bad_and_gone_over);
	tcase_add_test(tc, strings_and_comments_that_do_not_end_end_with_the_text);
	tcase_add_test(tc, escapes_are_those_of_c);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
