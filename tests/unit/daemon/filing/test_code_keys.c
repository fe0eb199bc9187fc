// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/code_keys.h"

#include "lib/file.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_IMAGE = 1, JIT_IMAGE = 2, BPF_IMAGE = 3 };

static struct name_table names;
static struct code_keys keys;

static void setup(void)
{
	test_folder_setup();
	fake_init(NULL);
	fake_image(FILE_IMAGE, OPROF_IMAGE_FILE, "/bin/true");
	fake_image(JIT_IMAGE, OPROF_IMAGE_CODE, "[jit]");
	fake_image(BPF_IMAGE, OPROF_IMAGE_BPF, "[bpf]");
	ck_assert_int_eq(name_table_init(&names, "names"), 0);
	code_keys_init(&keys, &fake_source, &names);
}

static void teardown(void)
{
	code_keys_deinit(&keys);
	name_table_deinit(&names);
	test_folder_teardown();
}

static uint64_t key_of(uint32_t image, uint64_t offset)
{
	ck_assert_int_eq(code_keys_find(&keys, image, &offset), 0);
	return offset;
}

START_TEST(offsets_of_files_stay_what_they_are)
{
	ck_assert_uint_eq(key_of(FILE_IMAGE, 4711), 4711);
	ck_assert_uint_eq(names.last_number, 0);
}
END_TEST

START_TEST(a_name_has_one_number_wherever_it_comes_from)
{
	ck_assert_uint_eq(key_of(JIT_IMAGE, 1000), 1);
	ck_assert_uint_eq(key_of(FILE_IMAGE, 1000), 1000);
	ck_assert_uint_eq(key_of(BPF_IMAGE, 7), 2);
	ck_assert_uint_eq(key_of(JIT_IMAGE, 1000), 1);
	ck_assert_uint_eq(key_of(JIT_IMAGE, UINT64_MAX), 3); /* too large to be remembered */
	ck_assert_uint_eq(key_of(JIT_IMAGE, UINT64_MAX), 3);
}
END_TEST

START_TEST(keys_are_those_of_the_session_begun_last)
{
	ck_assert_uint_eq(key_of(JIT_IMAGE, 5), 1);
	ck_assert_uint_eq(key_of(JIT_IMAGE, 6), 2);
	name_table_deinit(&names);
	ck_assert_int_eq(name_table_init(&names, "other"), 0);
	ck_assert_uint_eq(key_of(JIT_IMAGE, 6), 1);
	ck_assert_uint_eq(key_of(JIT_IMAGE, 5), 2);
}
END_TEST

START_TEST(what_the_source_has_no_name_of_is_an_error)
{
	uint64_t offset = 404;

	ck_assert_int_eq(code_keys_find(&keys, JIT_IMAGE, &offset), -ENXIO);
}
END_TEST

START_TEST(what_there_was_no_room_for_is_told)
{
	uint64_t offset = 0;

	ck_assert_int_eq(code_keys_find(&keys, JIT_IMAGE, &offset), 1);
	ck_assert_uint_eq(offset, NAME_TABLE_OTHER);
	names.last_number = NAME_TABLE_MAX;
	offset = 12;
	ck_assert_int_eq(code_keys_find(&keys, JIT_IMAGE, &offset), 1);
	ck_assert_uint_eq(offset, NAME_TABLE_OTHER);
	offset = 12; /* also when asked again */
	ck_assert_int_eq(code_keys_find(&keys, JIT_IMAGE, &offset), 1);
}
END_TEST

START_TEST(a_source_without_names_is_left_alone)
{
	uint64_t offset = 9;

	code_keys_init(&keys, NULL, NULL);
	ck_assert_int_eq(code_keys_find(&keys, JIT_IMAGE, &offset), 0);
	ck_assert_uint_eq(offset, 9);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("code_keys");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, offsets_of_files_stay_what_they_are);
	tcase_add_test(tc, a_name_has_one_number_wherever_it_comes_from);
	tcase_add_test(tc, keys_are_those_of_the_session_begun_last);
	tcase_add_test(tc, what_the_source_has_no_name_of_is_an_error);
	tcase_add_test(tc, what_there_was_no_room_for_is_told);
	tcase_add_test(tc, a_source_without_names_is_left_alone);
	return test_run(tc);
}
