// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The content of a page, read back by tests/page/read_page.py; tests/page/
 * tests its appearance.
 */
#include "lib/file.h"
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/page/format_page.h"
#include "pp/page/page_data.h"
#include "pp/page/page_template.h"
#include "pp/profile/profile_time.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_NS INT64_C(60000000000)
#define BEGIN_NS  (MAKE_PROFILE_NOW_NS - 10 * MINUTE_NS)

static struct make_session session;
static struct make_profile made;
static char *text;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x401100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x401200, .name = "_Z3foo"},
};
static const struct symbol hostile[] = {
	{.start = 0x100, .nr_bytes = 1, .address = UINT64_MAX, .name = "</script><script>\xff\x01"},
	{.start = 0x200, .nr_bytes = 1, .address = 1, .name = "<!--\"'@DATA@@META@"},
};

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){
		.profile_options = {.symbols = true, .details = true, .by_time = true}};
	fake_symbols_set("/bin/prog", symbols, 2, NULL);
	fake_symbols_set("/bin/bad", hostile, 2, "note </script>");
}

static void teardown(void)
{
	free(text);
	text = NULL;
	fake_lines_clear();
	fake_symbols_clear();
	make_session_deinit(&session);
}

static void write_page(FILE *out, void *context)
{
	const struct page_options options = {.demangle = DEMANGLE_NORMAL};

	(void)context;
	ck_assert_int_eq(page_format(out, &made.profile, &options), 0);
}

static void add(const struct make_file *file, uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, file, key, nr_samples);
}

/* Expects this output of read_page.py for the page in text, if python3 is installed. */
static void expect_read(const char *expected)
{
	const char *top = getenv("OPROF_TOP_SRCDIR");
	char path[PATH_MAX], line[3 * PATH_MAX];
	char *said;

	if (system("command -v python3 >/dev/null 2>&1") != 0)
		return;
	(void)snprintf(path, sizeof(path), "%s/page.html", session.dir);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
	(void)snprintf(line, sizeof(line), "python3 %s/tests/page/read_page.py %s >%s/said",
		       top ? top : ".", path, session.dir);
	ck_assert_int_eq(system(line), 0);
	(void)snprintf(path, sizeof(path), "%s/said", session.dir);
	ck_assert_int_eq(file_read_text(path, 1 << 20, &said, NULL), 0);
	ck_assert_str_eq(said, expected);
	free(said);
}

/* Makes the page for words and expects this output of read_page.py. */
static void expect_page(const char *words, const char *expected)
{
	make_profile_init(&made, &session, words);
	text = make_profile_text(write_page, NULL);
	make_profile_deinit(&made);
	expect_read(expected);
}

static void add_program(void)
{
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 250);
	add(&(struct make_file){.app = "/bin/prog"}, 0x210, 700);
	add(&(struct make_file){.app = "/bin/prog"}, 0x10, 50);
	add(&(struct make_file){.app = "/bin/prog", .image = "/lib/none.so"}, 0x100, 500);
}

START_TEST(rows_keys_and_time_have_the_same_sum)
{
	add_program();
	expect_page("", "row 1500\nkey 1500\ntime 1500\n");
	ck_assert_ptr_nonnull(strstr(text, "\"names\":["));
	ck_assert_ptr_nonnull(strstr(text, "\"foo()\""));
}
END_TEST

START_TEST(images_with_many_samples_that_lack_symbols_are_noted)
{
	fake_symbols_set("/lib/none.so", NULL, 0, "no debug symbols");
	fake_symbols_set("/lib/rare.so", NULL, 0, "rarely used");
	add_program();
	add(&(struct make_file){.app = "/bin/prog", .image = "/lib/rare.so"}, 0x100, 1);
	expect_page("", "row 1501\nkey 1501\ntime 1501\n");
	ck_assert_ptr_nonnull(strstr(text, "\"/lib/none.so: no debug symbols.\""));
	ck_assert_ptr_null(strstr(text, "\"/lib/rare.so: rarely used.\""));
}
END_TEST

START_TEST(the_event_is_told_where_there_is_one)
{
	add_program();
	expect_page("", "row 1500\nkey 1500\ntime 1500\n");
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"Event\",\"text\":"));
}
END_TEST

static const char *const files[] = {"", "/src/a.c", "/src/last.h"};
static const struct fake_range lines[] = {
	{.start = 0x100, .end = 0x200, .file = 1, .line = 5},
	{.start = 0x200, .end = 0x300, .file = 2, .line = 7},
};

START_TEST(source_places_are_told_with_all_files)
{
	fake_lines_set("/bin/prog", lines, 2, files, 3);
	made.profile_options.lines = true;
	add_program();
	expect_page("", "row 1500\nkey 1500\ntime 1500\n");
	ck_assert_ptr_nonnull(strstr(text, "\"places\":[1,2,0,0],"
					   "\"files\":[\"/src/a.c\",\"/src/last.h\"],"
					   "\"placesText\":[\"a.c:5\",\"last.h:7\"],"));
}
END_TEST

START_TEST(two_sides_have_their_own_numbers_of_samples)
{
	session.name = "before";
	add_program();
	session.name = "after";
	add(&(struct make_file){.app = "/bin/prog", .version = 1}, 0x100, 7);
	made.profile_options.by_time = false;
	expect_page("{ session:before } { session:after }", "row 1507\nkey 1507\n");
	ck_assert_ptr_nonnull(strstr(text, "\"counts\":[1500,7]"));
}
END_TEST

START_TEST(names_can_not_leave_the_data)
{
	const char *at = NULL;
	size_t nr_scripts = 0, nr_template = 0;

	add(&(struct make_file){.app = "/bin/bad"}, 0x100, 1);
	add(&(struct make_file){.app = "/bin/bad"}, 0x200, 2);
	add(&(struct make_file){.app = "/bin/bad", .image = "/lib/</script>"}, 0x200, 4);
	make_profile_init(&made, &session, "");
	text = make_profile_text(write_page, NULL);
	make_profile_deinit(&made);
	for (at = text; (at = strstr(at, "</script>")); at++)
		nr_scripts++;
	for (at = page_template; (at = strstr(at, "</script>")); at++)
		nr_template++;
	ck_assert_uint_eq(nr_scripts, nr_template);
	ck_assert_ptr_nonnull(strstr(text, "\\u003c/script>"));
}
END_TEST

static void add_slice(uint64_t epoch, uint64_t nr_samples)
{
	const struct make_slice_head head = {.level = OPROF_SLICE_MINUTE,
					     .epoch_first = epoch,
					     .epoch_last = epoch,
					     .begin_ns = BEGIN_NS + (int64_t)epoch * MINUTE_NS,
					     .end_ns = BEGIN_NS + (int64_t)(epoch + 1) * MINUTE_NS};
	const struct make_slice_part parts[] = {
		{.file = {.app = "/bin/prog"}, .key = 0x110, .nr_samples = nr_samples},
		{.file = {.app = "/bin/prog"}, .key = 0x120, .nr_samples = 1},
		{.file = {.app = "/bin/prog"}, .key = 0x210, .nr_samples = epoch},
	};

	make_session_slice(&session, &head, parts, 3, NULL);
}

START_TEST(each_slice_is_a_stretch_of_time)
{
	add_slice(1, 10);
	add_slice(2, 20);
	add_slice(3, 30);
	make_profile_init(&made, &session, "");
	ck_assert_uint_eq(made.profile.time->nr_stretches, 3);
	ck_assert_uint_eq(made.profile.time->nr_entries, 6);
	ck_assert_uint_eq(made.profile.time->entries[1].nr_samples, 21);
	ck_assert_uint_eq(made.profile.time->entries[1].stretch, 1);
	ck_assert_int_eq(made.profile.time->stretches[1].begin_ns, BEGIN_NS + 2 * MINUTE_NS);
	make_profile_deinit(&made);
	expect_page("", "row 69\nkey 69\ntime 69\n");
}
END_TEST

static struct make_calls calls;

static void write_calls(FILE *out, void *context)
{
	const struct page_options options = {.demangle = DEMANGLE_NORMAL, .calls = &calls.tree};

	(void)context;
	ck_assert_int_eq(page_format(out, &calls.made.profile, &options), 0);
}

static void add_stacks(uint64_t epoch, uint64_t nr_samples)
{
	const struct make_slice_head head = {.level = OPROF_SLICE_MINUTE,
					     .epoch_first = epoch,
					     .epoch_last = epoch,
					     .begin_ns = BEGIN_NS + (int64_t)epoch * MINUTE_NS,
					     .end_ns = BEGIN_NS + (int64_t)(epoch + 1) * MINUTE_NS};
	const struct make_file file = {.app = "/bin/prog"};
	struct make_chains chains;

	make_chains_init(&chains);
	make_chains_add(&chains, &file, "+110 +210", nr_samples);
	make_chains_add(&chains, &file, "+110", 1);
	make_chains_slice(&chains, &session, &head);
	make_chains_deinit(&chains);
}

START_TEST(the_tree_of_stacks_has_the_sum_of_the_rows_over_all_time)
{
	add_stacks(1, 10);
	add_stacks(2, 20);
	calls = (struct make_calls){.made.profile_options = made.profile_options};
	make_calls_init(&calls, &session, "");
	text = make_profile_text(write_calls, NULL);
	make_calls_deinit(&calls);
	expect_read("row 32\nkey 32\ntime 32\ntree 32\ntreeTime 32\n");
	ck_assert_ptr_nonnull(strstr(text, "\"treeApps\":[\"/bin/prog\"]"));
	ck_assert_ptr_nonnull(strstr(text, "\"treeNames\":[\"main\",\"foo()\"]"));
}
END_TEST

START_TEST(two_sides_are_columns_without_time)
{
	session.name = "before";
	add_program();
	session.name = "after";
	add(&(struct make_file){.app = "/bin/prog", .version = 1}, 0x100, 7);
	made.profile_options.by_time = false;
	expect_page("{ session:before } { session:after }", "row 1507\nkey 1507\n");
	ck_assert_ptr_nonnull(strstr(text, "\"sides\":2"));
}
END_TEST

START_TEST(numbers_have_digits_of_base_128_in_base64)
{
	struct page_data *data = calloc(1, sizeof(*data));
	size_t nr_bytes;
	FILE *out = open_memstream(&text, &nr_bytes);

	page_data_begin(data, "a");
	page_data_add(data, 127);
	page_data_add(data, 128);
	page_data_begin_column(data, "b", 3);
	page_data_add(data, UINT64_MAX);
	ck_assert_uint_eq(data->nr_bytes, 13);
	ck_assert_uint_eq(data->arrays[1].first, 3);
	ck_assert_str_eq(data->arrays[1].name, "b_3");
	page_data_base64(data, out);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, "f4AB////////////AQ==");
	page_data_deinit(data);
	free(data);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_page");
	TCase *tests = tcase_create("format_page");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, rows_keys_and_time_have_the_same_sum);
	tcase_add_test(tests, images_with_many_samples_that_lack_symbols_are_noted);
	tcase_add_test(tests, the_event_is_told_where_there_is_one);
	tcase_add_test(tests, source_places_are_told_with_all_files);
	tcase_add_test(tests, two_sides_have_their_own_numbers_of_samples);
	tcase_add_test(tests, names_can_not_leave_the_data);
	tcase_add_test(tests, each_slice_is_a_stretch_of_time);
	tcase_add_test(tests, the_tree_of_stacks_has_the_sum_of_the_rows_over_all_time);
	tcase_add_test(tests, two_sides_are_columns_without_time);
	tcase_add_test(tests, numbers_have_digits_of_base_128_in_base64);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
