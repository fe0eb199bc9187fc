// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a stack file while its writer empties it and continues, with the steps of both interleaved
 * in every way. The reader must get samples of one epoch only, and must not report the writer's
 * changes as damage.
 */
#include "libdb/stacks/stack_file.h"

#include "libdb/sdb.h"
#include "tests/fixture/meanwhile.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH	   "stacks"
#define BYTES_MAX  (1u << 20)
#define NAME_BYTES 4000
#define NR_IMAGES  20u /* more than an emptied file keeps */
#define NR_RENEWED 3u  /* samples of the next epoch */

struct tried {
	struct stack_file *file;
	uint64_t epoch;	    /* before the file was emptied */
	unsigned int order; /* order of words in a copy: 0 ascending */
	/* The reader's result: */
	int error;
	uint64_t found_epoch, nr_samples;
	struct diag diag;
};

static struct tried tried;

static struct slice_section section_of(void)
{
	return (struct slice_section){.app = {.kind = SAMPLE_PATH_ROOT, .path = "/bin/program"},
				      .event = "cpu-clock",
				      .period_or_hz = 100000,
				      .tgid = -1,
				      .tid = -1,
				      .cpu = -1};
}

/* Adds images with long names and a sample each, so that few records make a long file. */
static void fill(struct stack_file *file, unsigned int nr_images)
{
	const struct slice_section section = section_of();
	const int64_t root = stack_file_root(file, &section);
	bool folded = false;

	ck_assert_int_gt(root, 0);
	for (unsigned int i = 0; i < nr_images; i++) {
		char name[NAME_BYTES];
		const struct stack_image image = {.path = {.kind = SAMPLE_PATH_ROOT, .path = name},
						  .kind = OPROF_IMAGE_FILE};
		int64_t position, node;

		(void)snprintf(name, sizeof(name), "/%0*u", NAME_BYTES - 2, i);
		position = stack_file_image(file, &image);
		ck_assert_int_gt(position, 0);
		node = stack_file_child(file, (uint32_t)root, (uint32_t)position, i, &folded);
		ck_assert_int_gt(node, 0);
		ck_assert_int_eq(stack_file_add(file, (uint32_t)node, 1, 1), 0);
	}
}

static void setup(void)
{
	struct diag diag;

	test_folder_setup();
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	tried = (struct tried){.epoch = 1};
	ck_assert_msg(!stack_file_open(&tried.file, PATH, 1, BYTES_MAX, &diag), "%s",
		      diag_show(&diag));
	fill(tried.file, NR_IMAGES);
	ck_assert_uint_gt(stack_file_nr_bytes(tried.file), 65536);
}

static void teardown(void)
{
	stack_file_close(tried.file);
	test_folder_teardown();
}

static void read_it(void *context)
{
	struct tried *now = context;
	struct stack_tree tree;

	now->nr_samples = 0;
	now->error = stack_file_load(PATH, &tree, &now->found_epoch, &now->diag);
	if (now->error)
		return;
	for (uint32_t i = 0; i < tree.nr_roots; i++)
		now->nr_samples += tree.roots[i].nr_samples;
	stack_tree_deinit(&tree);
}

/* Begins the next epoch and adds its first samples. */
static void empty_it(void *context)
{
	struct tried *now = context;

	ck_assert_int_eq(stack_file_restart(now->file, stack_file_epoch(now->file) + 1), 0);
	fill(now->file, NR_RENEWED);
}

static void empty_and_fill(void *context)
{
	struct tried *now = context;

	ck_assert_int_eq(stack_file_restart(now->file, stack_file_epoch(now->file) + 1), 0);
	fill(now->file, NR_IMAGES);
}

/*
 * The reader must get the old samples, or none while the file is emptied, or those of the next
 * epoch.
 */
static void verify(const struct meanwhile_plan *plan)
{
	ck_assert_msg(!tried.error, "%u stores before step %u, the rest before %u: %s",
		      plan->nr_stores, plan->first, plan->second, diag_show(&tried.diag));
	if (tried.found_epoch == tried.epoch)
		ck_assert_msg(tried.nr_samples == NR_IMAGES || !tried.nr_samples,
			      "%u stores before step %u, the rest before %u: %lu samples",
			      plan->nr_stores, plan->first, plan->second,
			      (unsigned long)tried.nr_samples);
	else
		ck_assert_msg(
			tried.found_epoch == tried.epoch + 1 && tried.nr_samples <= NR_RENEWED,
			"%u stores before step %u, the rest before %u: epoch %lu, %lu samples",
			plan->nr_stores, plan->first, plan->second,
			(unsigned long)tried.found_epoch, (unsigned long)tried.nr_samples);
}

/* Runs reader and writer by the plan; returns the number of steps of the reader. */
static unsigned int try(const struct meanwhile *both, const struct meanwhile_plan *plan)
{
	const uint64_t epoch = stack_file_epoch(tried.file) + 1;
	unsigned int nr_steps;

	ck_assert_int_eq(stack_file_restart(tried.file, epoch), 0);
	fill(tried.file, NR_IMAGES);
	tried.epoch = epoch;
	nr_steps = meanwhile_run(both, plan);
	verify(plan);
	return nr_steps;
}

static struct meanwhile both_of(int descending)
{
	return (struct meanwhile){
		.read = read_it, .write = empty_it, .context = &tried, .descending = descending};
}

START_TEST(emptied_between_header_and_size_a_file_is_not_told_as_cut)
{
	const struct meanwhile both = both_of(_i);
	struct meanwhile_plan plan = {.nr_stores = MEANWHILE_ALL, .second = MEANWHILE_ALL};

	while (try(&both, &plan) > plan.first)
		plan.first++;
	ck_assert_uint_gt(plan.first, 10);
}
END_TEST

/* Tries every step under OPROF_CHECK_ALL, else a growing distance. */
static unsigned int next(unsigned int later)
{
	return getenv("OPROF_CHECK_ALL") ? later + 1 : later * 3;
}

START_TEST(at_no_two_steps_of_emptying_are_two_epochs_read_as_one)
{
	const struct meanwhile both = both_of(_i % 2);
	const unsigned int nr_stores = meanwhile_count_stores(&both);
	struct meanwhile_plan plan = {0};
	unsigned int nr_steps = 1;

	/* Stop the writer at each store of the emptying and at some stores after it. */
	ck_assert_uint_gt(nr_stores, 6);
	plan.nr_stores = 1 + (unsigned int)_i / 2;
	for (plan.first = 0; plan.first < nr_steps; plan.first++) {
		nr_steps = plan.first + 2;
		for (unsigned int later = 1; plan.first + later <= nr_steps; later = next(later)) {
			plan.second = plan.first + later;
			nr_steps = try(&both, &plan);
		}
	}
}
END_TEST

START_TEST(emptied_at_every_look_a_file_is_told_as_that_and_not_as_damaged)
{
	struct meanwhile both = both_of(_i);

	both.write = empty_and_fill;
	ck_assert_uint_gt(meanwhile_run_at_each(&both), 20);
	ck_assert_int_eq(tried.error, -EAGAIN);
	ck_assert_ptr_nonnull(strstr(tried.diag.text, "emptied too often"));
}
END_TEST

#define EMPTIED_MAX 10 /* how often the file is emptied */

static long long last_position;
static unsigned int nr_loads; /* loads that reached the records */
static unsigned int nr_empty; /* so many of them find the file emptied */

static void empty_at_records(void *context)
{
	const long long position = meanwhile_position();
	const bool at_records = position >= OPROF_STACK_HEADER_BYTES;

	if (at_records && last_position < OPROF_STACK_HEADER_BYTES && nr_loads++ < nr_empty)
		empty_and_fill(context);
	last_position = position;
}

START_TEST(a_file_that_is_emptied_whenever_it_is_read_is_given_up_after_ten_times)
{
	const struct meanwhile both = {
		.read = read_it, .write = empty_at_records, .context = &tried};

	for (nr_empty = EMPTIED_MAX - 2; nr_empty <= EMPTIED_MAX + 1; nr_empty++) {
		const bool too_often = nr_empty >= EMPTIED_MAX;

		nr_loads = 0;
		(void)meanwhile_run_at_each(&both);
		ck_assert_uint_eq(nr_loads, too_often ? EMPTIED_MAX : nr_empty + 1);
		ck_assert_int_eq(tried.error, too_often ? -EAGAIN : 0);
		ck_assert_uint_eq(tried.nr_samples, too_often ? 0 : NR_IMAGES);
	}
}
END_TEST

/* Repeated reads must still report the cut. */
START_TEST(a_file_that_was_cut_is_told_as_cut)
{
	ck_assert_int_eq(truncate(PATH, 65536), 0);
	read_it(&tried);
	ck_assert_int_eq(tried.error, -EILSEQ);
	ck_assert_ptr_nonnull(
		strstr(tried.diag.text, "damaged or truncated: the records end at byte"));
}
END_TEST

static off_t cut_bytes;

/* Cuts the file only after the reader has read the sizes and reaches the records. */
static void cut_it(void *context)
{
	(void)context;
	if (meanwhile_position() >= OPROF_STACK_HEADER_BYTES)
		ck_assert_int_eq(truncate(PATH, cut_bytes), 0);
}

START_TEST(a_file_that_is_cut_while_its_records_are_read_is_told_as_cut)
{
	static const off_t bounds[] = {OPROF_STACK_HEADER_BYTES - 8, OPROF_STACK_HEADER_BYTES,
				       OPROF_STACK_HEADER_BYTES + 8, 65536};
	const struct meanwhile both = {.read = read_it, .write = cut_it, .context = &tried};

	cut_bytes = bounds[_i];
	(void)meanwhile_run_at_each(&both);
	ck_assert_int_eq(tried.error, -EILSEQ);
	ck_assert_msg(strstr(tried.diag.text, "damaged: truncated at byte"), "%s", tried.diag.text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_file_meanwhile");
	TCase *tc = tcase_create("meanwhile");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, emptied_between_header_and_size_a_file_is_not_told_as_cut, 0, 2);
	tcase_add_loop_test(tc, at_no_two_steps_of_emptying_are_two_epochs_read_as_one, 0, 12);
	tcase_add_loop_test(tc, emptied_at_every_look_a_file_is_told_as_that_and_not_as_damaged, 0,
			    2);
	tcase_add_test(tc, a_file_that_is_emptied_whenever_it_is_read_is_given_up_after_ten_times);
	tcase_add_test(tc, a_file_that_was_cut_is_told_as_cut);
	tcase_add_loop_test(tc, a_file_that_is_cut_while_its_records_are_read_is_told_as_cut, 0, 4);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
