// SPDX-License-Identifier: GPL-2.0-or-later
/* Call trees in slices: written, read, summed, and folded at the size limit. */
#include "libdb/slice/slice.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_tree.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/make_slice.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/slice_version_1.h"

#include <check.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static struct make_sdb live; /* only its folder is used */
static char paths[4][300];
static const char *inputs[4];
static char sum[300];
static struct stack_tree wanted;
static uint64_t lot;

static void setup(void)
{
	make_sdb_init(&live);
	lot = 11;
	for (int i = 0; i < 4; i++) {
		(void)snprintf(paths[i], sizeof(paths[i]), "%s/%d", live.folder, i);
		inputs[i] = paths[i];
	}
	(void)snprintf(sum, sizeof(sum), "%s/sum", live.folder);
	ck_assert_int_eq(stack_tree_init(&wanted), 0);
}

static void teardown(void)
{
	stack_tree_deinit(&wanted);
	make_sdb_deinit(&live);
}

/* Writes a slice of epoch with some keys and these stacks (NULL: the builder gets no stacks). */
static void write_slice(uint64_t epoch, const struct stack_tree *stacks, const char *path)
{
	const struct slice_info info = make_slice_info(epoch);
	struct make_slice make = {0};
	struct slice_builder *builder;

	ck_assert_int_eq(slice_builder_create(&builder), 0);
	make_slice_add_random(&make, builder, 300);
	if (stacks)
		slice_builder_stacks(builder, stacks);
	(void)make_slice_write(builder, &info, path);
	slice_builder_destroy(builder);
	make_slice_verify(&make, path);
	make_slice_deinit(&make);
}

static struct stack_tree read_stacks(const char *path)
{
	struct slice_check_result result;
	struct stack_tree tree;
	struct slice *slice;
	struct diag diag;

	ck_assert_msg(!slice_check(path, &result, &diag), "%s", diag_show(&diag));
	ck_assert_msg(!slice_open(&slice, path, &diag), "%s", diag_show(&diag));
	ck_assert_msg(!slice_read_stacks(slice, &tree, &diag), "%s", diag_show(&diag));
	ck_assert_uint_eq(result.nr_stack_nodes, tree.nr_nodes);
	slice_close(slice);
	return tree;
}

static void verify(const char *path)
{
	struct stack_tree tree = read_stacks(path);

	make_stacks_same(&tree, &wanted);
	stack_tree_deinit(&tree);
}

static int merge(size_t nr_slices, struct diag *diag)
{
	int fd = open(sum, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t nr_bytes = 0;
	int error;

	ck_assert_int_ge(fd, 0);
	error = slice_merge(inputs, nr_slices, OPROF_SLICE_HOUR, fd, &nr_bytes, diag);
	if (!error)
		ck_assert_uint_eq(nr_bytes, (uint64_t)lseek(fd, 0, SEEK_END));
	ck_assert_int_eq(close(fd), 0);
	return error;
}

START_TEST(what_a_slice_was_given_it_holds)
{
	static const size_t numbers[] = {1, 100, 20000};

	make_stacks_fill(&wanted, &lot, numbers[_i]);
	write_slice(1, &wanted, paths[0]);
	verify(paths[0]);
}
END_TEST

/* The limit is one byte short of the whole file, whose last bytes are the stacks. */
START_TEST(a_limit_on_file_size_fails_a_slice_and_sends_no_signal)
{
	const struct slice_info info = make_slice_info(1);
	struct rlimit limit = {.rlim_max = RLIM_INFINITY};
	struct make_slice make = {0};
	struct slice_builder *builder;
	uint64_t nr_bytes;
	struct stat st;
	int fd, error;

	make_stacks_fill(&wanted, &lot, 100);
	write_slice(1, &wanted, paths[0]);
	ck_assert_int_eq(stat(paths[0], &st), 0);
	ck_assert_int_eq(slice_builder_create(&builder), 0);
	make_slice_add_random(&make, builder, 300); /* the same ones */
	slice_builder_stacks(builder, &wanted);
	fd = open(paths[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	limit.rlim_cur = (rlim_t)st.st_size - 1;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	error = slice_builder_write(builder, &info, fd, &nr_bytes);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(error, -EFBIG);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	ck_assert_int_eq(close(fd), 0);
	slice_builder_destroy(builder);
	make_slice_deinit(&make);
}
END_TEST

START_TEST(a_slice_without_stacks_is_what_it_was_before_there_were_any)
{
	const struct oprof_slice_header *header;
	size_t nr_bytes, nr_again;
	void *bytes, *again;

	write_slice(1, NULL, paths[0]);
	write_slice(1, &wanted, paths[1]); /* the tree is empty */
	bytes = make_sdb_read(paths[0], &nr_bytes);
	again = make_sdb_read(paths[1], &nr_again);
	ck_assert_uint_eq(nr_bytes, nr_again);
	ck_assert(!memcmp(bytes, again, nr_bytes));
	header = bytes;
	ck_assert_uint_eq(header->flags, 0);
	for (size_t i = 240; i < 504; i++) /* the fields that were reserved */
		ck_assert_uint_eq(((const uint8_t *)bytes)[i], 0);
	free(bytes);
	free(again);
	verify(paths[0]);
}
END_TEST

START_TEST(a_sum_holds_the_stacks_of_all_its_slices)
{
	struct stack_tree tree;
	struct diag diag;

	for (uint64_t i = 0; i < 4; i++) {
		ck_assert_int_eq(stack_tree_init(&tree), 0);
		make_stacks_fill(&tree, &lot, 700);
		ck_assert_int_eq(stack_tree_merge(&wanted, &tree), 0);
		write_slice(i + 1, i == 2 ? NULL : &tree, paths[i]);
		if (i == 2) { /* a slice of an older version, or of a time without -g */
			stack_tree_deinit(&wanted);
			ck_assert_int_eq(stack_tree_init(&wanted), 0);
			for (uint64_t before = 0; before < 2; before++) {
				struct stack_tree kept = read_stacks(paths[before]);

				ck_assert_int_eq(stack_tree_merge(&wanted, &kept), 0);
				stack_tree_deinit(&kept);
			}
		}
		stack_tree_deinit(&tree);
	}
	ck_assert_msg(!merge(4, &diag), "%s", diag_show(&diag));
	verify(sum);
}
END_TEST

START_TEST(slices_of_version_1_are_read_and_merged_with_later_ones)
{
	const struct oprof_slice_header *header;
	struct stack_tree later;
	struct diag diag;
	size_t nr_bytes;
	void *bytes;

	make_sdb_write(paths[0], slice_version_1, sizeof(slice_version_1));
	lot = 3;
	make_stacks_fill(&wanted, &lot, 12);
	verify(paths[0]);
	ck_assert_int_eq(stack_tree_init(&later), 0);
	make_stacks_fill(&later, &lot, 100);
	write_slice(8, &later, paths[1]);
	ck_assert_int_eq(stack_tree_merge(&wanted, &later), 0);
	ck_assert_msg(!merge(2, &diag), "%s", diag_show(&diag));
	verify(sum);
	bytes = make_sdb_read(sum, &nr_bytes);
	header = bytes;
	ck_assert_uint_eq(le32toh(header->version), OPROF_SLICE_VERSION);
	free(bytes);
	stack_tree_deinit(&later);
}
END_TEST

/* Changes the stacks byte by byte, as a damaged disk might. */
START_TEST(damaged_stacks_of_version_1_are_refused_or_others)
{
	static const uint8_t bits[] = {1, 0x40, 0x80, 0xff};
	struct stack_tree tree, decoded;
	uint8_t raw[2000];
	size_t nr_raw;
	uint64_t offset, nr_packed;

	memcpy(&offset, slice_version_1 + 232, sizeof(offset));
	memcpy(&nr_packed, slice_version_1 + 240, sizeof(nr_packed));
	nr_raw = ZSTD_decompress(raw, sizeof(raw), slice_version_1 + le64toh(offset),
				 le64toh(nr_packed));
	ck_assert(!ZSTD_isError(nr_raw));
	ck_assert_int_eq(stack_tree_decode(&tree, 1, raw, nr_raw, NULL), 0);
	stack_tree_deinit(&tree);
	for (size_t nr = 0; nr < nr_raw; nr++)
		ck_assert_int_eq(stack_tree_decode(&tree, 1, raw, nr, NULL), -EILSEQ);
	for (size_t i = 0; i < nr_raw * 4; i++) {
		raw[i / 4] ^= bits[i % 4];
		if (!stack_tree_decode(&decoded, 1, raw, nr_raw, NULL)) {
			make_stacks_verify(&decoded);
			stack_tree_deinit(&decoded);
		}
		raw[i / 4] ^= bits[i % 4];
	}
}
END_TEST

START_TEST(flags_of_what_info_was_taken_from_are_not_those_of_the_next)
{
	struct slice_info info;
	struct slice_builder *builder;
	struct slice *slice;

	make_stacks_fill(&wanted, &lot, 10);
	write_slice(1, &wanted, paths[0]);
	ck_assert_int_eq(slice_open(&slice, paths[0], NULL), 0);
	info = *slice_info(slice);
	ck_assert_uint_eq(info.flags, OPROF_SLICE_STACKS);
	ck_assert_int_eq(slice_builder_create(&builder), 0);
	(void)make_slice_write(builder, &info, paths[1]);
	slice_builder_destroy(builder);
	slice_close(slice);
	ck_assert_int_eq(slice_open(&slice, paths[1], NULL), 0);
	ck_assert_uint_eq(slice_header(slice)->flags, 0);
	slice_close(slice);
}
END_TEST

/*
 * Adds functions with one sample each directly below the root; two trees get half a million each.
 */
static void fill_wide(struct stack_tree *tree, uint64_t from, uint64_t end)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	const int64_t root = stack_tree_root(tree, &section);

	ck_assert_int_eq(stack_tree_image(tree, &image), 0);
	for (uint64_t i = from; i < end; i++)
		stack_tree_add(tree, (uint32_t)stack_tree_child(tree, (uint32_t)root, 0, i * 16), 1,
			       997);
}

START_TEST(stacks_are_folded_at_their_bound)
{
	struct stack_tree tree;
	struct diag diag;

	fill_wide(&wanted, 0, STACK_TREE_NODES_MAX + 100000);
	write_slice(1, &wanted, paths[0]);
	ck_assert_uint_gt(wanted.nr_nodes, STACK_TREE_NODES_MAX); /* only a copy is folded */
	tree = read_stacks(paths[0]);
	ck_assert_uint_le(tree.nr_nodes, STACK_TREE_NODES_MAX);
	ck_assert_uint_gt(tree.nr_nodes, STACK_TREE_NODES_MAX - 1000);
	ck_assert_uint_eq(tree.roots[0].nr_samples, STACK_TREE_NODES_MAX + 100000);
	stack_tree_deinit(&tree);
	stack_tree_deinit(&wanted);
	ck_assert_int_eq(stack_tree_init(&wanted), 0);
	fill_wide(&wanted, STACK_TREE_NODES_MAX / 2, STACK_TREE_NODES_MAX + 200000);
	write_slice(2, &wanted, paths[1]);
	ck_assert_msg(!merge(2, &diag), "%s", diag_show(&diag));
	tree = read_stacks(sum);
	ck_assert_uint_le(tree.nr_nodes, STACK_TREE_NODES_MAX);
	ck_assert_uint_eq(tree.roots[0].nr_samples,
			  STACK_TREE_NODES_MAX + 100000 + STACK_TREE_NODES_MAX / 2 + 200000);
	stack_tree_deinit(&tree);
}
END_TEST

static void put_header(const char *path, struct oprof_slice_header *header, size_t nr_bytes)
{
	header->checksum = htole64(slice_header_checksum(header));
	make_sdb_write(path, header, nr_bytes);
}

START_TEST(a_frame_without_its_flag_or_the_other_way_is_damage)
{
	struct oprof_slice_header *header;
	struct slice *slice;
	struct diag diag;
	size_t nr_bytes;

	make_stacks_fill(&wanted, &lot, 10);
	write_slice(1, &wanted, paths[0]);
	write_slice(1, NULL, paths[1]);
	header = make_sdb_read(paths[0], &nr_bytes);
	header->flags = 0;
	put_header(paths[0], header, nr_bytes);
	ck_assert_int_eq(slice_open(&slice, paths[0], &diag), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(diag.text, "stacks"));
	header->flags = htole32(OPROF_SLICE_STACKS);
	header->stacks.nr_raw_bytes = htole64(le64toh(header->stacks.nr_raw_bytes) + 1);
	put_header(paths[0], header, nr_bytes);
	ck_assert_int_eq(slice_open(&slice, paths[0], &diag), 0); /* stacks are read on request */
	ck_assert_int_eq(slice_read_stacks(slice, &wanted, &diag), -EILSEQ);
	ck_assert_str_eq(diag.file, paths[0]);
	slice_close(slice);
	ck_assert_int_eq(slice_check(paths[0], NULL, &diag), -EILSEQ);
	free(header);
	header = make_sdb_read(paths[1], &nr_bytes);
	header->flags = htole32(OPROF_SLICE_STACKS);
	put_header(paths[1], header, nr_bytes);
	ck_assert_int_eq(slice_open(&slice, paths[1], &diag), -EILSEQ);
	free(header);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slice_stacks");
	TCase *tc = tcase_create("slice_stacks");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_a_slice_was_given_it_holds, 0, 3);
	tcase_add_test(tc, a_limit_on_file_size_fails_a_slice_and_sends_no_signal);
	tcase_add_test(tc, a_slice_without_stacks_is_what_it_was_before_there_were_any);
	tcase_add_test(tc, a_sum_holds_the_stacks_of_all_its_slices);
	tcase_add_test(tc, slices_of_version_1_are_read_and_merged_with_later_ones);
	tcase_add_test(tc, damaged_stacks_of_version_1_are_refused_or_others);
	tcase_add_test(tc, flags_of_what_info_was_taken_from_are_not_those_of_the_next);
	tcase_add_test(tc, stacks_are_folded_at_their_bound);
	tcase_add_test(tc, a_frame_without_its_flag_or_the_other_way_is_damage);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
