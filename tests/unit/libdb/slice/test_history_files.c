// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which slices of a session count. */
#include "libdb/slice/history_files.h"

#include "lib/file.h"
#include "tests/fixture/failing_asprintf.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/make_slice.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct make_sdb live; /* its folder is the session */
static struct history_files history;
static char complaints[4096];
static unsigned int nr_complaints;

static void setup(void)
{
	char folder[512];

	make_sdb_init(&live);
	(void)snprintf(folder, sizeof(folder), "%s/history", live.folder);
	ck_assert_int_eq(file_make_dirs(folder, 0700), 0);
	memset(&history, 0, sizeof(history));
	complaints[0] = '\0';
	nr_complaints = 0;
}

static void teardown(void)
{
	history_files_deinit(&history);
	make_sdb_deinit(&live);
}

static const char *path_of(const char *name)
{
	static char path[600];

	(void)snprintf(path, sizeof(path), "%s/history/%s", live.folder, name);
	return path;
}

static void put_slice(enum oprof_slice_level level, uint64_t first, uint64_t last)
{
	struct slice_info info = make_slice_info(first);
	struct slice_builder *builder;
	struct make_slice make = {0};
	char name[128];

	info.level = level;
	info.epoch_last = last;
	history_file_name(name, sizeof(name), level, first, last);
	ck_assert_int_eq(slice_builder_create(&builder), 0);
	make_slice_add(&make, builder, 1, 5, first, 0);
	make_slice_add(&make, builder, 5, 5, 2, 0); /* idle */
	(void)make_slice_write(builder, &info, path_of(name));
	slice_builder_destroy(builder);
	make_slice_deinit(&make);
}

static void complain(const char *path, const struct diag *diag, void *context)
{
	const size_t used = strlen(complaints);

	ck_assert_ptr_eq(context, &history);
	(void)snprintf(complaints + used, sizeof(complaints) - used, "%s: %s\n", path, diag->text);
	nr_complaints++;
}

/* Returns the slices as text, such as "minute.3.3 hour.4.63(superseded)". */
static const char *list(void)
{
	static char text[1024];
	size_t used = 0;

	history_files_deinit(&history);
	ck_assert_int_eq(history_files_list(&history, live.folder, complain, &history), 0);
	text[0] = '\0';
	for (size_t i = 0; i < history.nr_files; i++) {
		const struct history_file *file = &history.files[i];
		const char *name = strrchr(file->path, '/') + 1;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s%s", i ? " " : "",
					 (int)(strlen(name) - strlen(".slice")), name,
					 file->superseded ? "(superseded)" : "");
	}
	return text;
}

START_TEST(names_of_slices_parse_back)
{
	static const uint64_t epochs[][2] = {{1, 1}, {17, 76}, {UINT64_MAX - 1, UINT64_MAX}};

	for (int level = 0; level < OPROF_SLICE_NR_LEVELS; level++) {
		for (size_t i = 0; i < 3; i++) {
			enum oprof_slice_level found;
			uint64_t first, last;
			char text[128];

			history_file_name(text, sizeof(text), (enum oprof_slice_level)level,
					  epochs[i][0], epochs[i][1]);
			ck_assert_int_eq(history_file_parse(text, &found, &first, &last), 0);
			ck_assert_int_eq((int)found, level);
			ck_assert_uint_eq(first, epochs[i][0]);
			ck_assert_uint_eq(last, epochs[i][1]);
		}
	}
}
END_TEST

START_TEST(other_names_are_refused)
{
	static const char *const names[] = {
		"",
		"minute",
		"minute.1",
		"minute.1.2",
		"minute.1.2.slic",
		"minute.1.2.slice.tmp",
		"second.1.2.slice",
		"minute.2.1.slice",
		"minute.0.1.slice",
		"minute.01.1.slice",
		"minute.1.0x2.slice",
		"minute..1.slice",
		"minute.1.-1.slice",
		"minute.1.1 .slice",
		"Minute.1.1.slice",
		"minute.1.99999999999999999999.slice",
	};
	enum oprof_slice_level level;
	uint64_t first, last;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(history_file_parse(names[i], &level, &first, &last) == -EINVAL, "%s",
			      names[i]);
}
END_TEST

START_TEST(a_session_without_history_has_no_slices)
{
	ck_assert_str_eq(list(), "");
	ck_assert_uint_eq(history.epoch_closed, 0);
	ck_assert_int_eq(rmdir(path_of("")), 0);
	ck_assert_str_eq(list(), "");
	ck_assert_uint_eq(history.epoch_named, 0);
}
END_TEST

START_TEST(slices_come_in_order_with_what_their_headers_say)
{
	put_slice(OPROF_SLICE_MINUTE, 12, 12);
	put_slice(OPROF_SLICE_MINUTE, 11, 11);
	put_slice(OPROF_SLICE_HOUR, 2, 10);
	ck_assert_str_eq(list(), "hour.2.10 minute.11.11 minute.12.12");
	ck_assert_uint_eq(history.epoch_closed, 12);
	ck_assert_uint_eq(history.epoch_named, 12);
	ck_assert_uint_eq(history.files[1].nr_samples, 11);
	ck_assert_uint_eq(history.files[1].nr_idle, 2);
	ck_assert_uint_ge(history.files[1].nr_bytes, 512);
	ck_assert_int_eq(history.files[1].end_ns - history.files[1].begin_ns, 60000000000);
}
END_TEST

START_TEST(a_slice_whose_epochs_another_holds_is_superseded)
{
	put_slice(OPROF_SLICE_MINUTE, 1, 1);
	put_slice(OPROF_SLICE_MINUTE, 2, 2);
	put_slice(OPROF_SLICE_MINUTE, 5, 5);
	put_slice(OPROF_SLICE_HOUR, 1, 2);
	put_slice(OPROF_SLICE_DAY, 1, 4);
	put_slice(OPROF_SLICE_HOUR, 5, 5);
	ck_assert_str_eq(list(), "day.1.4 hour.1.2(superseded) minute.1.1(superseded) "
				 "minute.2.2(superseded) hour.5.5 minute.5.5(superseded)");
	ck_assert_uint_eq(history.epoch_closed, 5);
	ck_assert_uint_eq(history.nr_damaged, 0);
}
END_TEST

START_TEST(leftovers_are_passed_over)
{
	put_slice(OPROF_SLICE_MINUTE, 1, 1);
	make_sdb_write(path_of("minute.2.2.slice.tmp"), "x", 1);
	make_sdb_write(path_of("minute.9.9.slice.damaged"), "x", 1);
	ck_assert_str_eq(list(), "minute.1.1");
	ck_assert_uint_eq(history.epoch_closed, 1);
	ck_assert_uint_eq(history.epoch_named, 9);
	ck_assert_uint_eq(nr_complaints, 0);
}
END_TEST

START_TEST(damage_is_told_and_holds_no_epoch)
{
	put_slice(OPROF_SLICE_MINUTE, 1, 1);
	put_slice(OPROF_SLICE_HOUR, 1, 7);
	make_sdb_write(path_of("hour.1.7.slice"), OPROF_SLICE_MAGIC "abc", 11);
	make_sdb_write(path_of("strange"), "x", 1);
	put_slice(OPROF_SLICE_MINUTE, 3, 3);
	ck_assert_str_eq(list(), "minute.1.1 minute.3.3");
	ck_assert_uint_eq(history.epoch_closed, 3);
	ck_assert_uint_eq(history.epoch_named, 7);
	ck_assert_uint_eq(history.nr_damaged, 2);
	ck_assert_uint_eq(nr_complaints, 2);
	ck_assert_ptr_nonnull(strstr(complaints, "hour.1.7.slice: truncated"));
	ck_assert_ptr_nonnull(strstr(complaints, "strange: not the name of a slice"));
}
END_TEST

START_TEST(a_name_that_says_another_thing_than_its_header_is_damage)
{
	static const char *const names[] = {"minute.2.3.slice", "minute.1.2.slice",
					    "hour.2.2.slice"};
	char from[600];

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		put_slice(OPROF_SLICE_MINUTE, 2, 2);
		(void)snprintf(from, sizeof(from), "%s", path_of("minute.2.2.slice"));
		ck_assert_int_eq(rename(from, path_of(names[i])), 0);
		ck_assert_str_eq(list(), "");
		ck_assert_uint_eq(history.epoch_named, i ? 2 : 3);
		ck_assert_uint_eq(history.epoch_closed, 0);
		ck_assert_uint_eq(nr_complaints, i + 1);
		ck_assert_ptr_nonnull(strstr(complaints, names[i]));
		ck_assert_ptr_nonnull(strstr(complaints, "does not match its header"));
		ck_assert_int_eq(unlink(path_of(names[i])), 0);
	}
}
END_TEST

START_TEST(slices_that_share_a_part_of_their_epochs_are_told)
{
	put_slice(OPROF_SLICE_HOUR, 1, 5);
	put_slice(OPROF_SLICE_HOUR, 4, 9);
	ck_assert_str_eq(list(), "hour.1.5");
	ck_assert_uint_eq(history.nr_damaged, 1);
	ck_assert_ptr_nonnull(strstr(complaints, "shares some of its epochs"));
}
END_TEST

START_TEST(two_lists_are_the_same_when_the_same_slices_count)
{
	struct history_files before;

	put_slice(OPROF_SLICE_MINUTE, 1, 1);
	put_slice(OPROF_SLICE_MINUTE, 2, 2);
	(void)list();
	before = history;
	memset(&history, 0, sizeof(history));
	(void)list();
	ck_assert(history_files_same(&before, &history));
	put_slice(OPROF_SLICE_HOUR, 1, 2);
	(void)list();
	ck_assert(!history_files_same(&before, &history));
	history_files_deinit(&before);
	before = history;
	memset(&history, 0, sizeof(history));
	ck_assert_int_eq(unlink(path_of("minute.1.1.slice")), 0);
	(void)list();
	ck_assert(history_files_same(&before, &history)); /* it was superseded */
	put_slice(OPROF_SLICE_MINUTE, 3, 3);
	(void)list();
	ck_assert(!history_files_same(&before, &history));
	history_files_deinit(&before);
}
END_TEST

START_TEST(lists_of_slices_that_begin_or_end_elsewhere_differ)
{
	static const struct history_file differ[] = {
		{.level = OPROF_SLICE_MINUTE, .epoch_first = 2, .epoch_last = 5},
		{.level = OPROF_SLICE_HOUR, .epoch_first = 3, .epoch_last = 5},
		{.level = OPROF_SLICE_HOUR, .epoch_first = 2, .epoch_last = 6},
	};
	struct history_file one = {.level = OPROF_SLICE_HOUR, .epoch_first = 2, .epoch_last = 5};
	const struct history_files list_of_one = {.files = &one, .nr_files = 1};

	ck_assert(history_files_same(&list_of_one, &list_of_one));
	for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++) {
		struct history_file other = differ[i];
		const struct history_files others = {.files = &other, .nr_files = 1};

		ck_assert_msg(!history_files_same(&list_of_one, &others), "case %zu", i);
		ck_assert_msg(!history_files_same(&others, &list_of_one), "case %zu", i);
	}
}
END_TEST

/* An empty list instead of the error would make the daemon use epochs again. */
START_TEST(without_memory_the_list_of_slices_fails)
{
	put_slice(OPROF_SLICE_MINUTE, 3, 3);
	failing_asprintf = true;
	ck_assert_int_eq(history_files_list(&history, live.folder, complain, &history), -ENOMEM);
	failing_asprintf = false;
	ck_assert_uint_eq(history.nr_files, 0);
	ck_assert_str_eq(list(), "minute.3.3");
	ck_assert_uint_eq(nr_complaints, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("history_files");
	TCase *tests = tcase_create("slices");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, names_of_slices_parse_back);
	tcase_add_test(tests, other_names_are_refused);
	tcase_add_test(tests, a_session_without_history_has_no_slices);
	tcase_add_test(tests, slices_come_in_order_with_what_their_headers_say);
	tcase_add_test(tests, a_slice_whose_epochs_another_holds_is_superseded);
	tcase_add_test(tests, leftovers_are_passed_over);
	tcase_add_test(tests, damage_is_told_and_holds_no_epoch);
	tcase_add_test(tests, a_name_that_says_another_thing_than_its_header_is_damage);
	tcase_add_test(tests, slices_that_share_a_part_of_their_epochs_are_told);
	tcase_add_test(tests, two_lists_are_the_same_when_the_same_slices_count);
	tcase_add_test(tests, lists_of_slices_that_begin_or_end_elsewhere_differ);
	tcase_add_test(tests, without_memory_the_list_of_slices_fails);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
