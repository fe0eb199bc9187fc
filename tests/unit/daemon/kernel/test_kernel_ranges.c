// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kernel_ranges.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <string.h>

#define NR_ADDRESSES 64

START_TEST(a_new_range_takes_the_place_of_those_that_it_overlaps)
{
	struct kernel_ranges set = {.nr_ranges = 0};
	/* The expected range of each address: its start + 1, or 0. */
	uint64_t model[NR_ADDRESSES] = {0};

	srandom((unsigned int)_i);
	for (int step = 0; step < 3000; step++) {
		uint64_t start = (uint64_t)(random() % NR_ADDRESSES);
		struct kernel_range range = {start, start + (uint64_t)(random() % 9), NULL, false};

		if (range.end > NR_ADDRESSES)
			range.end = NR_ADDRESSES;
		if (random() % 4) {
			for (uint64_t at = range.start; at < range.end; at++) {
				uint64_t old = model[at];

				for (int i = 0; old && i < NR_ADDRESSES; i++)
					if (model[i] == old)
						model[i] = 0;
			}
			for (uint64_t at = range.start; at < range.end; at++)
				model[at] = start + 1;
			ck_assert_int_eq(kernel_ranges_add(&set, &range), 0);
		} else {
			for (int i = 0; i < NR_ADDRESSES; i++)
				if (model[i] == start + 1)
					model[i] = 0;
			kernel_ranges_remove(&set, start);
		}
		for (uint64_t at = 0; at < NR_ADDRESSES; at++) {
			const struct kernel_range *found = kernel_ranges_find(&set, at);

			ck_assert_uint_eq(found ? found->start + 1 : 0, model[at]);
			ck_assert_int_eq(kernel_ranges_overlap(&set, at, at + 1), model[at] != 0);
		}
	}
	kernel_ranges_deinit(&set);
}
END_TEST

START_TEST(images_are_held_while_their_range_is_there)
{
	struct kernel_ranges set = {.nr_ranges = 0};
	struct image_table images;
	struct image_key key = {.kind = OPROF_IMAGE_BPF, .path = "p"};

	ck_assert_int_eq(image_table_init(&images), 0);
	struct kernel_range range = {10, 20, image_table_get(&images, &key), false};

	ck_assert_int_eq(kernel_ranges_add(&set, &range), 0);
	ck_assert_uint_eq(range.image->nr_refs, 2);
	ck_assert_int_eq(kernel_ranges_add(&set, &range), 0);
	ck_assert_uint_eq(range.image->nr_refs, 2);
	kernel_ranges_remove(&set, 10);
	ck_assert_uint_eq(range.image->nr_refs, 1);
	kernel_ranges_deinit(&set);
	image_table_deinit(&images);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel_ranges");
	TCase *tests = tcase_create("kernel_ranges");

	tcase_add_loop_test(tests, a_new_range_takes_the_place_of_those_that_it_overlaps, 1, 4);
	tcase_add_test(tests, images_are_held_while_their_range_is_there);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
