// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/heap.h"

#include "daemon/service/cost.h"
#include "tests/fixture/test_folder.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_BLOCKS   (64 * 1024)
#define BLOCK_BYTES 1000

static void *blocks[NR_BLOCKS];

static void fill(void)
{
	for (size_t i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = malloc(BLOCK_BYTES);
		ck_assert_ptr_nonnull(blocks[i]);
		memset(blocks[i], 1, BLOCK_BYTES);
	}
}

/* Then the heap cannot shrink from its end. */
static void free_all_but_last(void)
{
	for (size_t i = 0; i < NR_BLOCKS - 1; i++)
		free(blocks[i]);
}

START_TEST(memory_given_up_below_what_is_still_used_goes_back_to_the_kernel)
{
	uint64_t full_bytes;

	fill();
	full_bytes = cost_resident_bytes();
	ck_assert_uint_gt(full_bytes, (uint64_t)NR_BLOCKS * BLOCK_BYTES);
	free_all_but_last();
	ck_assert_int_eq(heap_trim(HEAP_SPARE_BYTES), 1);
	ck_assert_uint_lt(cost_resident_bytes(), full_bytes / 2);
	ck_assert_int_eq(heap_trim(SIZE_MAX), 0);
	free(blocks[NR_BLOCKS - 1]);
}
END_TEST

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
START_TEST(as_much_as_may_be_spared_stays)
{
	int trimmed, trimmed_more; /* an assertion in between may allocate */
	size_t spare_bytes;

	fill();
	free_all_but_last();
	spare_bytes = mallinfo2().fordblks;
	trimmed = heap_trim(spare_bytes);
	trimmed_more = heap_trim(spare_bytes - 1);
	ck_assert_int_eq(trimmed, 0);
	ck_assert_int_eq(trimmed_more, 1);
	free(blocks[NR_BLOCKS - 1]);
}
END_TEST
#endif

int main(void)
{
	TCase *tc;

#ifdef __SANITIZE_ADDRESS__
	/* Memory is then the sanitizer's, and heap_trim() cannot give any back. */
	printf("1..0 # SKIP the C library's memory is not in use\n");
	return EXIT_SUCCESS;
#endif
	tc = tcase_create("heap");
	tcase_add_test(tc, memory_given_up_below_what_is_still_used_goes_back_to_the_kernel);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	tcase_add_test(tc, as_much_as_may_be_spared_stays);
#endif
	return test_run(tc);
}
