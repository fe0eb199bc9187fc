// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stack files and call trees while each call that can fail does so, once or from then on. Every
 * failure must be reported with its own error and leave a sound file that contains every accepted
 * sample.
 */
#include "libdb/stacks/stack_file.h"

#include "lib/file.h"
#include "libdb/sdb.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_SAMPLES 500

static const int errors[FAILING_NR_KINDS] = {
	[FAILING_MEMORY] = -ENOMEM, [FAILING_MMAP] = -ENOMEM, [FAILING_GROW] = -ENOSPC,
	[FAILING_WRITE] = -ENOSPC,  [FAILING_SYNC] = -EIO,    [FAILING_OPEN] = -EMFILE,
};

static char folder[256], path[300];
static struct make_stacks_sample samples[NR_SAMPLES];
static struct stack_tree tree;

/* State of one run. */
static struct {
	uint64_t nr_taken; /* accepted samples of the file's epoch */
	uint64_t nr_refused;
	uint64_t epoch;
	int error; /* the last error */
} run;

static void setup(void)
{
	const char *where = getenv("TMPDIR");
	uint64_t lot = 1;

	(void)snprintf(folder, sizeof(folder), "%s/test_stack.XXXXXX", where ? where : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/stacks", folder);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	for (unsigned int i = 0; i < NR_SAMPLES; i++)
		samples[i] = make_stacks_next(&lot);
	ck_assert_int_eq(stack_tree_init(&tree), 0);
	for (unsigned int i = 0; i < NR_SAMPLES; i++)
		(void)make_stacks_add(&tree, &samples[i]);
}

static void teardown(void)
{
	stack_tree_deinit(&tree);
	(void)file_remove_tree(folder);
}

/* Not Check's assertions, which allocate memory. */
static void must(bool held)
{
	if (!held)
		abort();
}

static int keep_error(int64_t error)
{
	if (error < 0)
		run.error = (int)error;
	return error < 0 ? (int)error : 0;
}

/* ---- the file ---- */

static int64_t node_of(struct stack_file *file, const struct make_stacks_sample *sample)
{
	const struct slice_section section = make_stacks_root(sample->root);
	int64_t node = stack_file_root(file, &section);
	bool folded = false;

	for (unsigned int i = 0; i < sample->nr_frames && node > 0; i++) {
		const struct make_stacks_frame *frame = &sample->frames[i];
		int64_t image = UINT32_MAX - frame->image; /* a mark */

		if (frame->image < MAKE_STACKS_NR_IMAGES) {
			const struct stack_image what = make_stacks_image(frame->image);

			image = stack_file_image(file, &what);
			if (image < 0)
				return image;
		}
		node = stack_file_child(file, (uint32_t)node, (uint32_t)image, frame->offset,
					&folded);
	}
	return node;
}

static void add_all(struct stack_file *file)
{
	for (unsigned int i = 0; i < NR_SAMPLES; i++) {
		const int64_t node = node_of(file, &samples[i]);

		if (keep_error(node)) {
			run.nr_refused++;
			continue;
		}
		must(!stack_file_add(file, (uint32_t)node, samples[i].nr_samples,
				     samples[i].weight));
		run.nr_taken += samples[i].nr_samples;
	}
}

static void verify(uint64_t epoch)
{
	struct stack_tree loaded;
	uint64_t found, nr_samples = 0;
	struct diag diag;
	int error;

	failing_pause();
	error = stack_file_load(path, &loaded, &found, &diag);
	failing_go_on();
	if (error == -ENOENT || error == -ENODATA) /* never opened, or never begun */
		return must(!run.nr_taken);
	if (error)
		(void)fprintf(stderr, "# %s\n", diag_show(&diag));
	must(!error);
	must(found == epoch || !run.nr_taken);
	for (uint32_t i = 0; i < loaded.nr_roots; i++)
		nr_samples += loaded.roots[i].nr_samples;
	must(nr_samples == run.nr_taken);
	stack_tree_deinit(&loaded);
}

static void live_once(uint64_t epoch)
{
	struct stack_file *file;
	struct diag diag;

	if (keep_error(stack_file_open(&file, path, epoch, 4 << 20, &diag))) {
		must(diag.text[0]);
		return;
	}
	if (stack_file_nr_bytes(file) > 4096 && !run.nr_taken)
		must(stack_file_epoch(file) == epoch);
	add_all(file);
	verify(epoch);
	(void)keep_error(stack_file_sync(file));
	must(!stack_file_restart(file, epoch + 1));
	run.epoch = epoch + 1;
	run.nr_taken = 0;
	add_all(file);
	stack_file_close(file);
	verify(epoch + 1);
}

static void live(void)
{
	memset(&run, 0, sizeof(run));
	run.epoch = 1;
	live_once(run.epoch);
	/* The next daemon must find the accepted samples, as far as it gets. */
	live_once(run.epoch);
}

static int fail_nth(enum failing_kind kind, unsigned long nth, bool all)
{
	int failed;

	(void)unlink(path);
	failing_begin(kind, nth, all);
	live();
	failed = failing_end();
	ck_assert_msg(!run.error || run.error == errors[kind],
		      "call %lu of kind %s failed, the error was %s", nth, failing_names[kind],
		      strerror(-run.error));
	ck_assert(failed || (!run.error && !run.nr_refused));
	return failed;
}

START_TEST(whatever_fails_in_a_file_is_told_and_loses_nothing_that_was_taken)
{
	static const enum failing_kind kinds[] = {FAILING_MEMORY, FAILING_MMAP, FAILING_GROW,
						  FAILING_WRITE,  FAILING_SYNC, FAILING_OPEN};
	const enum failing_kind kind = kinds[_i / 2];
	unsigned long nth = 1;

	while (fail_nth(kind, nth, _i % 2))
		nth += nth < 60 ? 1 : 7;
	/*
	 * Only the call that gives disk back may fail without an error; the others must have been
	 * tried as well.
	 */
	ck_assert_uint_gt(nth, 1);
}
END_TEST

/* ---- trees ---- */

enum tree_step { STEP_MERGE, STEP_FOLD, STEP_ENCODE, STEP_DECODE, NR_TREE_STEPS };

static uint8_t *encoded;
static size_t nr_encoded;

/* Runs the step on a copy of the tree, if the copy succeeds. */
static int tree_step(enum tree_step step)
{
	struct stack_tree copy;
	uint8_t *bytes;
	size_t nr_bytes;
	int error = 0;

	if (step == STEP_ENCODE) {
		error = stack_tree_encode(&tree, &bytes, &nr_bytes);
		if (!error)
			free(bytes);
		return error;
	}
	if (step == STEP_DECODE)
		error = stack_tree_decode(&copy, OPROF_SLICE_VERSION, encoded, nr_encoded, NULL);
	else
		error = stack_tree_init(&copy);
	if (error)
		return error;
	if (step != STEP_DECODE)
		error = stack_tree_merge(&copy, &tree);
	if (!error && step == STEP_FOLD)
		error = stack_tree_fold(&copy, 100);
	if (error)
		make_stacks_verify(&copy);
	stack_tree_deinit(&copy);
	return error;
}

START_TEST(a_tree_without_memory_says_so_and_stays_a_tree)
{
	bool failed = true;

	ck_assert_int_eq(stack_tree_encode(&tree, &encoded, &nr_encoded), 0);
	for (unsigned long nth = 1; failed; nth++) {
		int error;

		failing_begin(FAILING_MEMORY, nth, 0);
		error = tree_step((enum tree_step)_i);
		failed = failing_end();
		ck_assert_int_eq(error, failed ? -ENOMEM : 0);
	}
	free(encoded);
}
END_TEST

START_TEST(a_tree_that_had_no_memory_once_takes_more)
{
	struct stack_tree grown;
	uint64_t nr_taken = 0, nr_refused = 0, nr_samples = 0;

	ck_assert_int_eq(stack_tree_init(&grown), 0);
	for (unsigned int i = 0; i < NR_SAMPLES; i++) {
		const struct slice_section section = make_stacks_root(samples[i].root);
		const struct stack_image image = make_stacks_image(i % MAKE_STACKS_NR_IMAGES);
		int64_t node, number;

		failing_begin(FAILING_MEMORY, 1 + i % 3, 0);
		node = stack_tree_root(&grown, &section);
		number = stack_tree_image(&grown, &image);
		if (node >= 0 && number >= 0)
			node = stack_tree_child(&grown, (uint32_t)node, (uint32_t)number, i);
		(void)failing_end();
		if (node >= 0 && number >= 0) {
			stack_tree_add(&grown, (uint32_t)node, 1, 1);
			nr_taken++;
		} else {
			nr_refused++;
		}
	}
	ck_assert_uint_gt(nr_refused, 2);
	make_stacks_verify(&grown);
	for (uint32_t i = 0; i < grown.nr_roots; i++)
		nr_samples += grown.roots[i].nr_samples;
	ck_assert_uint_eq(nr_samples, nr_taken);
	stack_tree_deinit(&grown);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_file_fault");
	TCase *tc = tcase_create("fault");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, whatever_fails_in_a_file_is_told_and_loses_nothing_that_was_taken,
			    0, 12);
	tcase_add_loop_test(tc, a_tree_without_memory_says_so_and_stays_a_tree, 0, NR_TREE_STEPS);
	tcase_add_test(tc, a_tree_that_had_no_memory_once_takes_more);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
