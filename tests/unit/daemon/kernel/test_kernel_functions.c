// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kernel_functions.h"

#include "lib/file.h"
#include "libdb/sample_name.h"
#include "tests/fixture/test_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

static char path[] = "[kernel]", other_path[] = "ext4";
static const struct image kernel = {.cookie = 1,
				    .kind = OPROF_IMAGE_KERNEL,
				    .path = path,
				    .identity = {.build_id = {1, 2, 3}, .nr_build_id = 20}};
static const struct image module = {.cookie = 2,
				    .kind = OPROF_IMAGE_MODULE,
				    .path = other_path,
				    .identity = {.build_id = {4, 5, 6}, .nr_build_id = 20}};
static struct kernel_functions functions;

static void setup(void)
{
	test_folder_setup();
	memset(&functions, 0, sizeof(functions));
	ck_assert_int_eq(file_make_dirs("meta/symbols", 0700), 0);
}

static void teardown(void)
{
	kernel_functions_deinit(&functions);
	test_folder_teardown();
}

static void write_symbols(const struct image *image, const char *text)
{
	char file[256];

	(void)snprintf(file, sizeof(file), "meta/symbols/%016" PRIx64,
		       sample_identity(&image->identity));
	ck_assert_int_eq(file_replace(file, text, strlen(text), 0600), 0);
}

static uint64_t find(const struct image *image, uint64_t offset, uint64_t now_ns)
{
	return kernel_functions_find(&functions, image, offset, "meta", now_ns);
}

START_TEST(a_place_is_found_by_the_function_that_it_is_in)
{
	write_symbols(&kernel, "oprof-kernel-symbols 1\n10 20 T start\n30 d0 t middle\n"
			       "100 1 t last\n");
	ck_assert_uint_eq(find(&kernel, 0xf, 1), KERNEL_FUNCTIONS_UNKNOWN);
	ck_assert_uint_eq(find(&kernel, 0x10, 1), 0x10);
	ck_assert_uint_eq(find(&kernel, 0x2f, 1), 0x10);
	ck_assert_uint_eq(find(&kernel, 0x30, 1), 0x30);
	ck_assert_uint_eq(find(&kernel, 0xff, 1), 0x30);
	ck_assert_uint_eq(find(&kernel, 0x100000, 1), 0x100);
	ck_assert(!functions.wanted);
}
END_TEST

START_TEST(images_are_told_apart)
{
	write_symbols(&kernel, "oprof-kernel-symbols 1\n10 20 T start\n");
	write_symbols(&module, "oprof-kernel-symbols 1\n18 20 T start\n");
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(find(&kernel, 0x20, 1), 0x10);
		ck_assert_uint_eq(find(&module, 0x20, 1), 0x18);
	}
}
END_TEST

START_TEST(symbols_that_are_not_there_yet_are_wanted_and_looked_for_ever_more_rarely)
{
	uint64_t now_ns = SECOND_NS;

	ck_assert_uint_eq(find(&kernel, 0x20, now_ns), KERNEL_FUNCTIONS_WANTED);
	ck_assert(functions.wanted);
	functions.wanted = false;
	/* Within a round nothing can have changed. */
	ck_assert_uint_eq(find(&kernel, 0x20, now_ns), KERNEL_FUNCTIONS_WANTED);
	ck_assert(!functions.wanted);
	for (uint64_t wait_s = 1; wait_s <= 4; wait_s *= 2) {
		now_ns += wait_s * SECOND_NS;
		ck_assert_uint_eq(find(&kernel, 0x20, now_ns), KERNEL_FUNCTIONS_UNKNOWN);
		ck_assert(functions.wanted);
		functions.wanted = false;
		ck_assert_uint_eq(find(&kernel, 0x20, now_ns + wait_s * SECOND_NS - 1),
				  KERNEL_FUNCTIONS_UNKNOWN);
		ck_assert(!functions.wanted);
	}
	write_symbols(&kernel, "oprof-kernel-symbols 1\n10 20 T start\n");
	ck_assert_uint_eq(find(&kernel, 0x20, now_ns + 4 * SECOND_NS), 0x10);
}
END_TEST

START_TEST(what_is_no_such_file_is_none)
{
	write_symbols(&kernel, "");
	ck_assert_uint_eq(find(&kernel, 0x20, 1), KERNEL_FUNCTIONS_WANTED);
	write_symbols(&kernel, "another file\n10 20 T start\n");
	ck_assert_uint_ge(find(&kernel, 0x20, 100 * SECOND_NS), KERNEL_FUNCTIONS_WANTED);
	write_symbols(&kernel, "oprof-kernel-symbols 1\n");
	ck_assert_uint_ge(find(&kernel, 0x20, 200 * SECOND_NS), KERNEL_FUNCTIONS_WANTED);
	/* Malformed lines are ignored. */
	write_symbols(&kernel, "oprof-kernel-symbols 1\nx\n10 20 T a\n10 8 T b\n8 8 T c\n"
			       "fffffffffffff 8 T d\n40\n50 1 t e");
	ck_assert_uint_eq(find(&kernel, 0x4f, 300 * SECOND_NS), 0x10);
	ck_assert_uint_eq(find(&kernel, 0x50, 300 * SECOND_NS), 0x50);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("kernel_functions");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_place_is_found_by_the_function_that_it_is_in);
	tcase_add_test(tc, images_are_told_apart);
	tcase_add_test(tc,
		       symbols_that_are_not_there_yet_are_wanted_and_looked_for_ever_more_rarely);
	tcase_add_test(tc, what_is_no_such_file_is_none);
	return test_run(tc);
}
