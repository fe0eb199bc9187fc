// SPDX-License-Identifier: GPL-2.0-or-later
/* The search for a function's name in the source text above a line, to find where it begins. */
#include "pp/annotate/source_function.h"

#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect_name(const char *shown, const char *name)
{
	size_t nr_bytes;
	const char *found = source_function_name(shown, &nr_bytes);

	ck_assert_uint_eq(nr_bytes, strlen(name));
	ck_assert_mem_eq(found, name, nr_bytes);
}

START_TEST(a_name_is_what_stands_before_the_parameters)
{
	expect_name("main", "main");
	expect_name("work.part.0", "work");
	expect_name("foo(int)", "foo");
	expect_name("foo::bar<int>::baz(std::less<int>)", "baz");
	expect_name("unsigned long hot::mix<unsigned long>(unsigned long)", "mix");
	expect_name("(anonymous namespace)::foo(int) [clone .cold]", "foo");
	expect_name("Foo::~Foo()", "~Foo");
	expect_name("core::ptr::drop<T<U<(i32, i32)>>>", "drop");
}
END_TEST

START_TEST(operators_and_nonsense_have_none)
{
	expect_name("operator new(unsigned long)", "");
	expect_name("", "");
	expect_name("(int)", "");
	expect_name(">", "");
	expect_name("<<<", "");
	expect_name("foo<", "");
}
END_TEST

static size_t find(const char *text, size_t line, const char *shown)
{
	struct source_file file;
	const struct source_search search = {.root = NULL};
	char path[] = "/tmp/oprof-test.XXXXXX";
	int fd = mkstemp(path);
	size_t found;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_write_all(fd, text, strlen(text)), 0);
	(void)close(fd);
	ck_assert_int_eq(source_file_read(&file, path, &search), 0);
	(void)unlink(path);
	found = source_function_line(&file, line, shown);
	source_file_deinit(&file);
	return found;
}

START_TEST(the_nearest_line_above_with_the_name_is_it)
{
	static const char text[] = "int work(int);\n"
				   "int work (int x)\n"
				   "{\n"
				   "\tint y = rework(1) + work;\n"
				   "\treturn y;\n"
				   "}\n";

	ck_assert_uint_eq(find(text, 5, "work"), 2);
	ck_assert_uint_eq(find(text, 2, "work"), 2);
	ck_assert_uint_eq(find(text, 1, "work"), 1);
	ck_assert_uint_eq(find(text, 5, "other"), 5);
	ck_assert_uint_eq(find(text, 7, "work"), 7);
	ck_assert_uint_eq(find(text, 0, "work"), 0);
}
END_TEST

START_TEST(a_name_far_above_is_of_something_else)
{
	char text[1024] = "work(\n";

	for (size_t i = 0; i < 150; i++)
		strcat(text, "x\n");
	ck_assert_uint_eq(find(text, 100, "work"), 1);
	ck_assert_uint_eq(find(text, 140, "work"), 140);
}
END_TEST

static Suite *source_function_suite(void)
{
	Suite *suite = suite_create("source_function");
	TCase *tcase = tcase_create("source_function");

	tcase_add_test(tcase, a_name_is_what_stands_before_the_parameters);
	tcase_add_test(tcase, operators_and_nonsense_have_none);
	tcase_add_test(tcase, the_nearest_line_above_with_the_name_is_it);
	tcase_add_test(tcase, a_name_far_above_is_of_something_else);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(source_function_suite());
}
