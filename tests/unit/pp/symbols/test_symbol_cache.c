// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables kept on disk: which are read back, and which are not. */
#include "pp/symbols/symbol_cache.h"

#include "lib/file.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct symbol_search search = {.cache_path = "cache"};
static const struct oprof_image_identity identity = {.build_id = {1, 2, 3}, .nr_build_id = 20};
static struct symbol_table read_table;

static struct symbol symbols[] = {{16, 4, 0x1010, NULL}, {32, 8, 0x1020, NULL}};
static char strings[] = "\0one\0second";
static struct symbol_table table = {.symbols = symbols,
				    .nr_symbols = 2,
				    .strings = strings,
				    .strings_bytes = sizeof(strings),
				    .lack = SYMBOLS_FULL,
				    .debug_path = (char[]){"/usr/lib/debug/one"}};

static struct symbol_request request_of(const char *path)
{
	return (struct symbol_request){
		.path = path, .identity = &identity, .kind = OPROF_IMAGE_FILE, .search = &search};
}

static void setup(void)
{
	test_folder_setup();
	symbols[0].name = strings + 1;
	symbols[1].name = strings + 5;
	table.lack = SYMBOLS_FULL;
	table.kept = false;
	table.note = NULL;
	read_table = (struct symbol_table){0};
}

static void teardown(void)
{
	symbol_table_deinit(&read_table);
	test_folder_teardown();
}

static int read_back(const char *path)
{
	struct symbol_request request = request_of(path);

	symbol_table_deinit(&read_table);
	return symbol_cache_read(&request, &read_table);
}

static void keep(const char *path)
{
	struct symbol_request request = request_of(path);

	symbol_cache_write(&request, &table);
}

/* The name of the only file. */
static void only_file(char name[4096])
{
	FILE *list = popen("ls cache", "r");

	ck_assert_ptr_nonnull(list);
	strcpy(name, "cache/");
	ck_assert_ptr_nonnull(fgets(name + 6, 4000, list));
	name[strcspn(name, "\n")] = '\0';
	ck_assert_int_eq(pclose(list), 0);
}

START_TEST(what_was_read_comes_back_as_it_was)
{
	ck_assert_int_eq(read_back("/bin/one"), -ENOENT);
	keep("/bin/one");
	ck_assert_int_eq(read_back("/bin/one"), 0);
	ck_assert_uint_eq(read_table.nr_symbols, 2);
	ck_assert_str_eq(read_table.symbols[0].name, "one");
	ck_assert_str_eq(read_table.symbols[1].name, "second");
	ck_assert_uint_eq(read_table.symbols[1].start, 32);
	ck_assert_uint_eq(read_table.symbols[1].nr_bytes, 8);
	ck_assert_uint_eq(read_table.symbols[1].address, 0x1020);
	ck_assert_str_eq(read_table.debug_path, "/usr/lib/debug/one");
	ck_assert_ptr_null(read_table.note);
	ck_assert_int_eq(read_table.lack, SYMBOLS_FULL);
}
END_TEST

/* The beginning of a file must not depend on the earlier content of the memory it was made in. */
START_TEST(paths_of_any_length_are_kept_padded_with_zeros)
{
	static const char zeros[8] = {0};
	char path[257] = "/bin/", name[4096], *text;
	size_t nr_bytes, nr_path = _i ? 200 + (size_t)_i : 5;
	struct symbol_request request = request_of(path);
	size_t nr_front;
	char bytes[512];

	memset(path + 5, 'a', nr_path - 5);
	nr_front = symbol_cache_front_bytes(&request);
	ck_assert_uint_lt(nr_front, sizeof(bytes));
	memset(bytes, 0xff, sizeof(bytes));
	symbol_cache_store(&request, SYMBOL_CACHE_LINES, bytes, sizeof(bytes));
	only_file(name);
	ck_assert_int_eq(file_read_text(name, 1 << 20, &text, &nr_bytes), 0);
	ck_assert_uint_eq(nr_bytes, sizeof(bytes));
	ck_assert_mem_eq(text + nr_front - (8 - nr_path % 8), zeros, 8 - nr_path % 8);
	ck_assert_mem_eq(text + nr_front - (8 - nr_path % 8) - nr_path, path, nr_path);
	for (size_t i = nr_front; i < nr_bytes; i++)
		ck_assert_int_eq((unsigned char)text[i], 0xff);
	free(text);
	keep(path);
	ck_assert_int_eq(read_back(path), 0);
	ck_assert_str_eq(read_table.symbols[1].name, "second");
}
END_TEST

/* Anybody can give a binary the build-id of another: it is not read for the other's path. */
START_TEST(another_path_has_symbols_of_its_own)
{
	keep("/tmp/one");
	ck_assert_int_eq(read_back("/bin/one"), -ENOENT);
}
END_TEST

START_TEST(what_the_session_kept_stays_with_the_session)
{
	table.kept = true;
	keep("/bin/one");
	ck_assert_int_eq(read_back("/bin/one"), -ENOENT);
}
END_TEST

START_TEST(what_could_not_be_read_is_read_again)
{
	for (int lack = SYMBOLS_NONE; lack <= SYMBOLS_DAMAGED; lack++) {
		table.lack = (enum symbols_lack)lack;
		keep("/bin/one");
		ck_assert_int_eq(read_back("/bin/one"), -ENOENT);
	}
}
END_TEST

START_TEST(debug_symbols_are_looked_for_again_after_an_hour)
{
	struct timespec times[2] = {{.tv_sec = time(NULL) - SYMBOL_CACHE_LACK_SECONDS - 10}};
	char name[4096];

	times[1] = times[0];
	table.lack = SYMBOLS_STRIPPED;
	table.note = (char[]){"no debug symbols"};
	keep("/bin/one");
	ck_assert_int_eq(read_back("/bin/one"), 0);
	ck_assert_str_eq(read_table.note, "no debug symbols");
	only_file(name);
	ck_assert_int_eq(utimensat(AT_FDCWD, name, times, 0), 0);
	ck_assert_int_eq(read_back("/bin/one"), -ENOENT);
	table.lack = SYMBOLS_FULL;
	keep("/bin/one");
	ck_assert_int_eq(utimensat(AT_FDCWD, name, times, 0), 0);
	ck_assert_int_eq(read_back("/bin/one"), 0);
}
END_TEST

START_TEST(a_damaged_file_is_read_as_none)
{
	char name[4096], *text, *cut;
	size_t nr_bytes;

	keep("/bin/one");
	only_file(name);
	ck_assert_int_eq(file_read_text(name, 1 << 20, &text, &nr_bytes), 0);
	for (size_t i = 0; i < nr_bytes; i++) {
		ck_assert_int_eq(file_replace(name, text, i, 0600), 0);
		ck_assert_int_eq(read_back("/bin/one"), -ENOENT);
	}
	cut = malloc(nr_bytes);
	ck_assert_ptr_nonnull(cut);
	for (size_t i = 0; i < nr_bytes; i++) { /* no byte may crash it */
		memcpy(cut, text, nr_bytes);
		cut[i] ^= (char)0xff;
		ck_assert_int_eq(file_replace(name, cut, nr_bytes, 0600), 0);
		(void)read_back("/bin/one");
	}
	free(cut);
	free(text);
}
END_TEST

START_TEST(a_file_that_others_may_write_is_not_believed)
{
	char name[4096];

	keep("/bin/one");
	only_file(name);
	ck_assert_int_eq(chmod(name, 0622), 0);
	ck_assert_int_eq(read_back("/bin/one"), -ENOENT);
}
END_TEST

START_TEST(no_folder_of_another_user_is_used)
{
	char *here = realpath(".", NULL);
	char *path;

	ck_assert_ptr_nonnull(here);
	ck_assert_int_eq(chmod(".", 0777), 0);
	ck_assert_int_eq(setenv("XDG_CACHE_HOME", here, 1), 0);
	free(here);
	ck_assert_ptr_null(symbol_cache_path());
	ck_assert_int_eq(chmod(".", 0755), 0);
	path = symbol_cache_path();
	ck_assert_ptr_nonnull(path);
	ck_assert_ptr_nonnull(strstr(path, "/oprof/symbols"));
	free(path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbol_cache");
	TCase *tests = tcase_create("symbol_cache");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, what_was_read_comes_back_as_it_was);
	tcase_add_loop_test(tests, paths_of_any_length_are_kept_padded_with_zeros, 0, 9);
	tcase_add_test(tests, another_path_has_symbols_of_its_own);
	tcase_add_test(tests, what_the_session_kept_stays_with_the_session);
	tcase_add_test(tests, what_could_not_be_read_is_read_again);
	tcase_add_test(tests, debug_symbols_are_looked_for_again_after_an_hour);
	tcase_add_test(tests, a_damaged_file_is_read_as_none);
	tcase_add_test(tests, a_file_that_others_may_write_is_not_believed);
	tcase_add_test(tests, no_folder_of_another_user_is_used);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
