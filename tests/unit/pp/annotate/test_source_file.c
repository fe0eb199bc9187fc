// SPDX-License-Identifier: GPL-2.0-or-later
/* Source files: where they are searched for, and which bytes they may hold. */
#include "pp/annotate/source_file.h"

#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX / 4];
static struct source_file file;
static struct spec_list search_dirs, base_dirs;
static struct source_search search;

static void setup(void)
{
	const char *top = getenv("TMPDIR");

	(void)snprintf(folder, sizeof(folder), "%s/oprof-test.XXXXXX", top ? top : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	search = (struct source_search){.search_dirs = &search_dirs, .base_dirs = &base_dirs};
}

static void teardown(void)
{
	source_file_deinit(&file);
	spec_list_deinit(&search_dirs);
	spec_list_deinit(&base_dirs);
	(void)file_remove_tree(folder);
}

static const char *below(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put_bytes(const char *name, const char *bytes, size_t nr_bytes)
{
	ck_assert_int_eq(file_make_parent_dirs(below(name), 0700), 0);
	ck_assert_int_eq(file_replace(below(name), bytes, nr_bytes, 0600), 0);
}

static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

static void look_in(struct spec_list *list, const char *text)
{
	ck_assert_int_eq(spec_list_parse(list, text, NULL), 0);
}

static void expect_line(size_t number, const char *text)
{
	size_t nr_bytes;
	const char *line = source_file_line(&file, number, &nr_bytes);

	ck_assert_uint_eq(nr_bytes, strlen(text));
	ck_assert_mem_eq(line, text, nr_bytes);
}

START_TEST(lines_end_at_newlines_of_all_kinds)
{
	put("a.c", "one\n\ntwo\r\nlast");
	ck_assert_int_eq(source_file_read(&file, below("a.c"), &search), 0);
	ck_assert_uint_eq(file.nr_lines, 4);
	expect_line(1, "one");
	expect_line(2, "");
	expect_line(3, "two");
	expect_line(4, "last");
}
END_TEST

START_TEST(a_last_line_may_be_one_byte_or_none)
{
	put("a.c", "one\nx");
	ck_assert_int_eq(source_file_read(&file, below("a.c"), &search), 0);
	ck_assert_uint_eq(file.nr_lines, 2);
	expect_line(2, "x");
	source_file_deinit(&file);
	put("a.c", "one\n\n");
	ck_assert_int_eq(source_file_read(&file, below("a.c"), &search), 0);
	ck_assert_uint_eq(file.nr_lines, 2);
	expect_line(2, "");
}
END_TEST

START_TEST(an_empty_file_has_no_line)
{
	put("a.c", "");
	ck_assert_int_eq(source_file_read(&file, below("a.c"), &search), 0);
	ck_assert_uint_eq(file.nr_lines, 0);
}
END_TEST

START_TEST(a_newline_at_the_end_begins_no_line)
{
	put("a.c", "x\n");
	ck_assert_int_eq(source_file_read(&file, below("a.c"), &search), 0);
	ck_assert_uint_eq(file.nr_lines, 1);
}
END_TEST

START_TEST(what_is_missing_or_no_file_is_said)
{
	ck_assert_int_eq(source_file_read(&file, below("none.c"), &search), -ENOENT);
	put("a.c", "");
	ck_assert_int_eq(source_file_read(&file, below("a.c/b.c"), &search), -ENOENT);
	ck_assert_int_eq(source_file_read(&file, folder, &search), -EINVAL);
	ck_assert_int_eq(mkfifo(below("fifo"), 0600), 0);
	ck_assert_int_eq(source_file_read(&file, below("fifo"), &search), -EINVAL);
	ck_assert_int_eq(source_file_read(&file, "/dev/zero", &search), -EINVAL);
}
END_TEST

START_TEST(a_huge_file_is_refused)
{
	put("a.c", "");
	ck_assert_int_eq(truncate(below("a.c"), (off_t)SOURCE_FILE_BYTES_MAX + 1), 0);
	ck_assert_int_eq(source_file_read(&file, below("a.c"), &search), -EFBIG);
}
END_TEST

START_TEST(search_folders_come_first_then_the_path)
{
	put("here/src/a.c", "here");
	put("there/a.c", "there");
	put("a.c", "as it is");
	look_in(&search_dirs, below("here"));
	look_in(&base_dirs, "/build/tree,/build");
	ck_assert_int_eq(source_file_read(&file, "/build/tree/src/a.c", &search), 0);
	expect_line(1, "here");
	source_file_deinit(&file);
	ck_assert_int_eq(source_file_read(&file, below("a.c"), &search), 0);
	expect_line(1, "as it is");
}
END_TEST

START_TEST(a_copy_below_a_search_folder_has_the_whole_path_or_the_name)
{
	put("root/usr/src/a.c", "whole");
	put("flat/b.c", "name");
	look_in(&search_dirs, below("root"));
	ck_assert_int_eq(source_file_read(&file, "/usr/src/a.c", &search), 0);
	expect_line(1, "whole");
	source_file_deinit(&file);
	spec_list_deinit(&search_dirs);
	look_in(&search_dirs, below("flat"));
	ck_assert_int_eq(source_file_read(&file, "/usr/src/b.c", &search), 0);
	expect_line(1, "name");
}
END_TEST

START_TEST(a_base_folder_is_taken_off_whole_parts_only)
{
	look_in(&base_dirs, "/build/tree/,/build");
	ck_assert_str_eq(source_file_strip("/build/tree/a.c", &search), "a.c");
	ck_assert_str_eq(source_file_strip("/build/trees/a.c", &search), "trees/a.c");
	ck_assert_str_eq(source_file_strip("/building/a.c", &search), "/building/a.c");
	ck_assert_str_eq(source_file_strip("/build", &search), "/build");
}
END_TEST

START_TEST(a_root_stands_before_paths)
{
	put("usr/src/a.c", "root");
	search.root = folder;
	ck_assert_int_eq(source_file_read(&file, "/usr/src/a.c", &search), 0);
	expect_line(1, "root");
}
END_TEST

static void expect_shown(const char *line, size_t nr_bytes, const char *shown)
{
	char *text = NULL;
	size_t nr_text;
	FILE *out = open_memstream(&text, &nr_text);

	ck_assert_ptr_nonnull(out);
	source_line_write(out, line, nr_bytes);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, shown);
	free(text);
}

#define EXPECT_SHOWN(line, shown) expect_shown(line, sizeof(line) - 1, shown)

START_TEST(text_is_shown_as_it_is)
{
	EXPECT_SHOWN("\tint x = 1; /* ok */", "\tint x = 1; /* ok */");
	EXPECT_SHOWN("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		     "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	EXPECT_SHOWN("latin \xe4\xf6", "latin \xe4\xf6");
}
END_TEST

START_TEST(what_moves_a_terminal_is_not_shown)
{
	EXPECT_SHOWN("a\x1b[2Jb", "a?[2Jb");
	EXPECT_SHOWN("nul\0x", "nul?x");
	EXPECT_SHOWN("\x7f\r\x08", "???");
	EXPECT_SHOWN("a\u202eb\u2066c\u061c", "a?b?c?");
	EXPECT_SHOWN("\x9b"
		     "2J",
		     "?2J");
	EXPECT_SHOWN("\xc2\x9b"
		     "2J",
		     "?2J");
	EXPECT_SHOWN("\xe2\x9b", "\xe2?");
	EXPECT_SHOWN("\xc2", "\xc2");
}
END_TEST

static Suite *source_file_suite(void)
{
	Suite *suite = suite_create("source_file");
	TCase *tcase = tcase_create("source_file");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, lines_end_at_newlines_of_all_kinds);
	tcase_add_test(tcase, an_empty_file_has_no_line);
	tcase_add_test(tcase, a_last_line_may_be_one_byte_or_none);
	tcase_add_test(tcase, a_newline_at_the_end_begins_no_line);
	tcase_add_test(tcase, what_is_missing_or_no_file_is_said);
	tcase_add_test(tcase, a_huge_file_is_refused);
	tcase_add_test(tcase, search_folders_come_first_then_the_path);
	tcase_add_test(tcase, a_copy_below_a_search_folder_has_the_whole_path_or_the_name);
	tcase_add_test(tcase, a_base_folder_is_taken_off_whole_parts_only);
	tcase_add_test(tcase, a_root_stands_before_paths);
	tcase_add_test(tcase, text_is_shown_as_it_is);
	tcase_add_test(tcase, what_moves_a_terminal_is_not_shown);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(source_file_suite());
}
