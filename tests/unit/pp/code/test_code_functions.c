// SPDX-License-Identifier: GPL-2.0-or-later
/* Where functions begin, in this program itself. */
#include "pp/code/code_functions.h"

#include "lib/file.h"
#include "libdb/sample_name.h"
#include "tests/fixture/process_code.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/oprof-code-functions.XXXXXX";
static char path[256];
static struct oprof_image_identity identity;
static struct symbol_search search;
static struct code_functions functions;
static uint64_t start; /* a function's key */

static void setup(void)
{
	struct process_code *code = calloc(1, sizeof(*code));
	uint64_t address = (uint64_t)(uintptr_t)setup;
	const struct process_code_map *map;
	struct stat status;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_ptr_nonnull(code);
	process_code_init(code, getpid());
	map = process_code_map(code, address);
	ck_assert_ptr_nonnull(map);
	(void)snprintf(path, sizeof(path), "%s", map->path);
	start = address - map->start + map->offset;
	process_code_deinit(code);
	free(code);
	ck_assert_int_eq(stat(path, &status), 0);
	identity.size_bytes = (uint64_t)status.st_size;
}

static void teardown(void)
{
	code_functions_deinit(&functions);
	file_remove_tree(folder);
}

static void load(const char *of, enum oprof_image_kind kind)
{
	ck_assert_int_eq(code_functions_load(&functions, of, &identity, kind, &search), 0);
}

static char *table_path(void)
{
	char *text;

	ck_assert_int_gt(
		asprintf(&text, "%s/%016" PRIx64 ".code", folder, sample_identity(&identity)), 0);
	return text;
}

/* As the daemon keeps it. */
static void keep_table(void)
{
	char *name = table_path();
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int to = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(from, 0);
	ck_assert_int_ge(to, 0);
	ck_assert_int_eq(code_table_build(from, to, 1u << 26, NULL), 0);
	ck_assert_int_eq(close(from), 0);
	ck_assert_int_eq(close(to), 0);
	free(name);
	search.code_path = folder;
}

static void assert_known(void)
{
	ck_assert_uint_eq(code_functions_find(&functions, start), start);
	ck_assert_uint_eq(code_functions_find(&functions, start + 5), start);
	ck_assert_uint_eq(code_functions_find(&functions, 1), 0); /* not code */
}

START_TEST(the_binary_tells_its_functions)
{
	load(path, OPROF_IMAGE_FILE);
	assert_known();
}
END_TEST

START_TEST(the_sessions_table_does_where_the_binary_is_gone)
{
	keep_table();
	load("/nowhere/program", OPROF_IMAGE_FILE);
	assert_known();
}
END_TEST

START_TEST(a_damaged_table_is_made_anew)
{
	char *name = table_path();

	keep_table();
	ck_assert_int_eq(truncate(name, 100), 0);
	load(path, OPROF_IMAGE_FILE);
	assert_known();
	free(name);
}
END_TEST

START_TEST(without_binary_and_table_no_function_is_known)
{
	search.code_path = folder;
	load("/nowhere/program", OPROF_IMAGE_FILE);
	ck_assert_uint_eq(code_functions_find(&functions, start), 0);
}
END_TEST

START_TEST(memory_without_a_file_has_none)
{
	load("//anon", OPROF_IMAGE_ANON);
	ck_assert_uint_eq(code_functions_find(&functions, start), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("code_functions");
	TCase *tests = tcase_create("code_functions");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, the_binary_tells_its_functions);
	tcase_add_test(tests, the_sessions_table_does_where_the_binary_is_gone);
	tcase_add_test(tests, a_damaged_table_is_made_anew);
	tcase_add_test(tests, without_binary_and_table_no_function_is_known);
	tcase_add_test(tests, memory_without_a_file_has_none);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
