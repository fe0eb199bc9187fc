// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which pages of a stack file are made writable in advance while the file grows. */
#include "libdb/stacks/stack_file.h"

#include "lib/file.h"
#include "libdb/sdb.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define BYTES_MAX (64u << 20)
#define NR_NODES  20000u
#define NR_RANGES 64u

static char folder[256], path[300];

/* The ranges passed to madvise(), as positions in the file. */
static struct {
	uint64_t start, end;
} ranges[NR_RANGES];
static unsigned int nr_ranges;

static void setup(void)
{
	const char *where = getenv("TMPDIR");

	(void)snprintf(folder, sizeof(folder), "%s/test_stack.XXXXXX", where ? where : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/stacks", folder);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	nr_ranges = 0;
}

static void teardown(void)
{
	(void)file_remove_tree(folder);
}

/*
 * Returns the file position of the bytes at address; one mapping of the file must contain all of
 * them.
 */
static uint64_t position_of(uintptr_t address, size_t nr_bytes)
{
	const char *name = strrchr(folder, '/') + 1;
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t position = UINT64_MAX;
	char line[1024];

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps)) {
		uint64_t start, end, offset;

		if (strstr(line, name) &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    address >= start && address < end && nr_bytes <= end - address)
			position = address - start + offset;
	}
	(void)fclose(maps);
	ck_assert_msg(position != UINT64_MAX, "no mapping of the file has %zu bytes at %" PRIxPTR,
		      nr_bytes, address);
	return position;
}

/* Called through the linker's --wrap. */
int __real_madvise(void *address, size_t nr_bytes, int advice);
int __wrap_madvise(void *address, size_t nr_bytes, int advice);

int __wrap_madvise(void *address, size_t nr_bytes, int advice)
{
	ck_assert_int_eq(advice, MADV_POPULATE_WRITE);
	ck_assert_uint_lt(nr_ranges, NR_RANGES);
	ranges[nr_ranges].start = position_of((uintptr_t)address, nr_bytes);
	ranges[nr_ranges].end = ranges[nr_ranges].start + nr_bytes;
	nr_ranges++;
	return __real_madvise(address, nr_bytes, advice);
}

static void add_nodes(struct stack_file *file)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	const int64_t root = stack_file_root(file, &section);
	const int64_t number = stack_file_image(file, &image);
	bool folded = false;

	ck_assert_int_gt(root, 0);
	ck_assert_int_gt(number, 0);
	for (uint32_t i = 0; i < NR_NODES; i++)
		if (stack_file_child(file, (uint32_t)root, (uint32_t)number, i, &folded) <= 0)
			ck_abort_msg("no node %u", i);
	ck_assert(!folded);
}

/* Checks that the ranges from number first on adjoin, and together cover the growth of the file. */
static void check_ranges(unsigned int first, uint64_t before, uint64_t after)
{
	for (unsigned int i = first; i < nr_ranges; i++) {
		ck_assert_uint_eq(ranges[i].start, before);
		ck_assert_uint_gt(ranges[i].end, before);
		before = ranges[i].end;
	}
	ck_assert_uint_gt(nr_ranges, first + 2);
	ck_assert_uint_eq(before, after);
}

START_TEST(all_that_a_file_grows_by_is_made_writable_once)
{
	struct stack_file *file;
	struct diag diag;
	uint64_t before;
	unsigned int first;

	ck_assert_msg(!stack_file_open(&file, path, 1, BYTES_MAX, &diag), "%s", diag_show(&diag));
	for (uint64_t epoch = 2; epoch < 4; epoch++) {
		before = stack_file_nr_bytes(file);
		first = nr_ranges;
		add_nodes(file);
		check_ranges(first, before, stack_file_nr_bytes(file));
		ck_assert_int_eq(stack_file_restart(file, epoch), 0);
	}
	stack_file_close(file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_file_grow");
	TCase *tc = tcase_create("grow");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, all_that_a_file_grows_by_is_made_writable_once);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
