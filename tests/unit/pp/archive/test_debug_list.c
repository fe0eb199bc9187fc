// SPDX-License-Identifier: GPL-2.0-or-later
/* What is taken of a helper's answer: it has read a hostile file and may say anything. */
#include "pp/archive/debug_list.h"

#include "lib/file.h"
#include "pp/symbols/symbol_helper.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct said {
	const char *bytes;
	size_t nr_bytes;
};

#define SAID(text)                                                                                 \
	{                                                                                          \
		.bytes = (text), .nr_bytes = sizeof(text) - 1                                      \
	}

static struct said said;
static struct debug_list list;

int __wrap_symbol_helper_read(const struct symbol_request *request, symbol_read_fn *read,
			      int (*take)(int fd, void *result), void *result, char **note);

/* The linker's --wrap: a helper that says what the test has it say. */
int __wrap_symbol_helper_read(const struct symbol_request *request, symbol_read_fn *read,
			      int (*take)(int fd, void *result), void *result, char **note)
{
	int fd = memfd_create("said", 0);
	int error;

	(void)request;
	(void)read;
	*note = NULL;
	ck_assert_int_eq(file_write_all(fd, said.bytes, said.nr_bytes), 0);
	error = take(fd, result);
	close(fd);
	return error;
}

static void teardown(void)
{
	debug_list_deinit(&list);
}

START_TEST(nothing_said_is_no_file)
{
	said = (struct said)SAID("");
	ck_assert_int_eq(debug_list_load(&list, NULL), 0);
	ck_assert_uint_eq(list.nr_files, 0);
}
END_TEST

START_TEST(each_file_said_has_its_path_and_name)
{
	said = (struct said)SAID("/r/a\0/usr/lib/debug/a\0b\0/..b\0");
	ck_assert_int_eq(debug_list_load(&list, NULL), 0);
	ck_assert_uint_eq(list.nr_files, 2);
	ck_assert_str_eq(list.files[0].path, "/r/a");
	ck_assert_str_eq(list.files[0].name, "/usr/lib/debug/a");
	ck_assert_str_eq(list.files[1].path, "b");
	ck_assert_str_eq(list.files[1].name, "/..b");
}
END_TEST

static const struct said refused[] = {
	SAID("/a\0/b"),		     /* no end */
	SAID("/a\0"),		     /* a path alone */
	SAID("/a\0/b\0/c\0"),	     /* after a whole file */
	SAID("\0/b\0"),		     /* no path */
	SAID("/a\0\0"),		     /* no name: the archive's own folder */
	SAID("/a\0/\0"),	     /* its root */
	SAID("/a\0b\0"),	     /* relative */
	SAID("/a\0../b\0"),	     /* out of the archive */
	SAID("/a\0/../b\0"),	     /* the same, absolute */
	SAID("/a\0/b/../../c\0"),    /* from within */
	SAID("/a\0/b/./c\0"),	     /* not plain */
	SAID("/a\0//b\0"),	     /* nor this */
	SAID("/a\0/b/\0"),	     /* nor this */
	SAID("/a\0/b\0/c\0/../d\0"), /* the second */
};

START_TEST(an_answer_that_is_none_is_refused)
{
	said = refused[_i];
	ck_assert_int_eq(debug_list_load(&list, NULL), -EILSEQ);
	ck_assert_uint_eq(list.nr_files, 0);
	ck_assert_ptr_null(list.files);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("debug_list");
	TCase *tests = tcase_create("said");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, nothing_said_is_no_file);
	tcase_add_test(tests, each_file_said_has_its_path_and_name);
	tcase_add_loop_test(tests, an_answer_that_is_none_is_refused, 0,
			    sizeof(refused) / sizeof(refused[0]));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
