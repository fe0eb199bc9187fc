// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of slices: every key of every section, the counters, the time ranges, and refused sums. */
#include "libdb/slice/slice.h"
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

#define NR_SLICES_MAX 60

static struct make_sdb live; /* only its folder is used */
static char paths[NR_SLICES_MAX][300];
static const char *inputs[NR_SLICES_MAX];
static char sum[300];
static struct make_slice make;

static void setup(void)
{
	make_sdb_init(&live);
	memset(&make, 0, sizeof(make));
	for (int i = 0; i < NR_SLICES_MAX; i++) {
		(void)snprintf(paths[i], sizeof(paths[i]), "%s/%d", live.folder, i);
		inputs[i] = paths[i];
	}
	(void)snprintf(sum, sizeof(sum), "%s/sum", live.folder);
}

static void teardown(void)
{
	make_slice_deinit(&make);
	make_sdb_deinit(&live);
}

static int merge(size_t nr_slices, enum oprof_slice_level level, struct diag *diag)
{
	int fd = open(sum, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t nr_bytes = 0;
	int error;

	ck_assert_int_ge(fd, 0);
	error = slice_merge(inputs, nr_slices, level, fd, &nr_bytes, diag);
	if (!error)
		ck_assert_uint_eq(nr_bytes, (uint64_t)lseek(fd, 0, SEEK_END));
	ck_assert_int_eq(close(fd), 0);
	return error;
}

static void must_merge(size_t nr_slices, enum oprof_slice_level level)
{
	struct diag diag;

	ck_assert_msg(!merge(nr_slices, level, &diag), "%s", diag_show(&diag));
}

START_TEST(a_sum_holds_every_key_of_its_slices)
{
	static const struct {
		size_t nr_slices, nr_adds;
	} cases[] = {{1, 500}, {2, 1000}, {3, 0}, {7, 50}, {60, 400}, {5, 30000}};

	for (size_t i = 0; i < cases[_i].nr_slices; i++)
		make_slice_file(&make, i + 1, cases[_i].nr_adds * (i % 3), paths[i]);
	must_merge(cases[_i].nr_slices, OPROF_SLICE_HOUR);
	make_slice_verify(&make, sum);
}
END_TEST

START_TEST(sums_of_sums_are_the_sum)
{
	for (size_t i = 0; i < 4; i++)
		make_slice_file(&make, i + 1, 700, paths[i]);
	must_merge(2, OPROF_SLICE_HOUR);
	ck_assert_int_eq(rename(sum, paths[0]), 0);
	inputs[1] = paths[2];
	inputs[2] = paths[3];
	must_merge(3, OPROF_SLICE_DAY);
	make_slice_verify(&make, sum);
}
END_TEST

START_TEST(a_sum_spans_its_slices)
{
	const struct slice_info first = make_slice_info(4), last = make_slice_info(9);
	const int64_t begin_ns = first.begin_ns, end_ns = last.end_ns;
	const struct slice_info *info;
	struct slice *slice;

	make_slice_file(&make, 4, 10, paths[0]);
	make_slice_file(&make, 5, 10, paths[1]);
	make_slice_file(&make, 9, 10, paths[2]);
	must_merge(3, OPROF_SLICE_DAY);
	ck_assert_int_eq(slice_open(&slice, sum, NULL), 0);
	info = slice_info(slice);
	ck_assert_int_eq(info->level, OPROF_SLICE_DAY);
	ck_assert_uint_eq(info->epoch_first, 4);
	ck_assert_uint_eq(info->epoch_last, 9);
	ck_assert_int_eq(info->begin_ns, begin_ns);
	ck_assert_int_eq(info->end_ns, end_ns);
	ck_assert_int_eq(info->first_sample_ns, begin_ns + 3);
	ck_assert_int_eq(info->last_sample_ns, end_ns - 3);
	ck_assert_mem_eq(info->boot_id, first.boot_id, sizeof(info->boot_id));
	ck_assert_uint_eq(info->nr_counters, 2);
	ck_assert_uint_eq(info->begin[0].value, 40);
	ck_assert_uint_eq(info->end[0].value, 100);
	slice_close(slice);
}
END_TEST

static void write_with(const struct slice_info *info, const char *path)
{
	struct slice_builder *builder;

	ck_assert_int_eq(slice_builder_create(&builder), 0);
	make_slice_add_random(&make, builder, 5);
	(void)make_slice_write(builder, info, path);
	slice_builder_destroy(builder);
}

START_TEST(slices_of_two_boots_make_one_of_none)
{
	static const uint8_t none[16];
	struct slice_info info = make_slice_info(1);
	struct slice *slice;

	write_with(&info, paths[0]);
	info = make_slice_info(2);
	info.boot_id[0] ^= 1;
	write_with(&info, paths[1]);
	info = make_slice_info(3);
	write_with(&info, paths[2]);
	must_merge(3, OPROF_SLICE_HOUR);
	ck_assert_int_eq(slice_open(&slice, sum, NULL), 0);
	ck_assert_mem_eq(slice_info(slice)->boot_id, none, sizeof(none));
	slice_close(slice);
}
END_TEST

START_TEST(counters_that_came_or_went_are_kept)
{
	const struct oprof_stats_entry old[2] = {{"seen", 1}, {"gone", 2}};
	const struct oprof_stats_entry new[2] = {{"seen", 11}, {"came", 5}};
	struct slice_info info = make_slice_info(1);
	struct slice *slice;

	info.begin = info.end = old;
	write_with(&info, paths[0]);
	info = make_slice_info(2);
	info.begin = info.end = new;
	write_with(&info, paths[1]);
	must_merge(2, OPROF_SLICE_HOUR);
	ck_assert_int_eq(slice_open(&slice, sum, NULL), 0);
	ck_assert_uint_eq(slice_info(slice)->nr_counters, 3);
	ck_assert_uint_eq(slice_info(slice)->begin[0].value, 1);
	ck_assert_uint_eq(slice_info(slice)->end[0].value, 11);
	ck_assert_str_eq(slice_info(slice)->end[1].name, "gone");
	ck_assert_uint_eq(slice_info(slice)->end[1].value, 2);
	ck_assert_str_eq(slice_info(slice)->end[2].name, "came");
	slice_close(slice);
}
END_TEST

START_TEST(weights_that_only_one_slice_stores_are_summed)
{
	struct slice_info info = make_slice_info(1);
	struct slice_builder *builder;

	for (uint64_t epoch = 1; epoch < 3; epoch++) {
		info = make_slice_info(epoch);
		ck_assert_int_eq(slice_builder_create(&builder), 0);
		make_slice_add(&make, builder, 7, 5, 2, epoch == 2 ? 3000 : 0);
		make_slice_add(&make, builder, 1, epoch, 2, 0);
		(void)make_slice_write(builder, &info, paths[epoch - 1]);
		slice_builder_destroy(builder);
	}
	must_merge(2, OPROF_SLICE_HOUR);
	make_slice_verify(&make, sum);
}
END_TEST

START_TEST(slices_that_do_not_follow_each_other_are_refused)
{
	struct diag diag;

	make_slice_file(&make, 2, 10, paths[0]);
	make_slice_file(&make, _i ? 2 : 1, 10, paths[1]);
	ck_assert_int_eq(merge(2, OPROF_SLICE_HOUR, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "follow"));
	ck_assert_int_eq(merge(0, OPROF_SLICE_HOUR, &diag), -EINVAL);
}
END_TEST

START_TEST(a_damaged_slice_is_named_and_nothing_is_summed)
{
	struct diag diag;
	size_t nr_bytes;
	uint8_t *bytes;

	make_slice_file(&make, 1, 3000, paths[0]);
	make_slice_file(&make, 2, 3000, paths[1]);
	bytes = make_sdb_read(paths[1], &nr_bytes);
	bytes[nr_bytes - 9] ^= 1;
	make_sdb_write(paths[1], bytes, nr_bytes);
	free(bytes);
	ck_assert_int_eq(merge(2, OPROF_SLICE_HOUR, &diag), -EILSEQ);
	ck_assert_str_eq(diag.file, paths[1]);
	(void)unlink(paths[1]);
	ck_assert_int_eq(merge(2, OPROF_SLICE_HOUR, &diag), -ENOENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slice_merge");
	TCase *tests = tcase_create("sums");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_sum_holds_every_key_of_its_slices, 0, 6);
	tcase_add_test(tests, sums_of_sums_are_the_sum);
	tcase_add_test(tests, a_sum_spans_its_slices);
	tcase_add_test(tests, slices_of_two_boots_make_one_of_none);
	tcase_add_test(tests, counters_that_came_or_went_are_kept);
	tcase_add_test(tests, weights_that_only_one_slice_stores_are_summed);
	tcase_add_loop_test(tests, slices_that_do_not_follow_each_other_are_refused, 0, 2);
	tcase_add_test(tests, a_damaged_slice_is_named_and_nothing_is_summed);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
