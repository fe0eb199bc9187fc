// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SIGKILL while a stack file is written. The first test examines the file at every store, in the
 * state that a kill would leave (the library that is linked here calls sdb_fault_point() there).
 * The second test kills writers at random moments, and the next process continues with the same
 * file.
 *
 * OPROF_KILLS=N sets the number of kills (2,000 under OPROF_CHECK_ALL=1), OPROF_SEED the seed.
 */
#include "libdb/stacks/stack_file.h"

#include "lib/file.h"
#include "libdb/sdb_internal.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/seed.h"
#include "tests/fixture/thorough.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_KILLS_FEW 60
#define NR_KILLS_ALL 2000
#define BYTES_MAX    (1u << 20)

static struct make_sdb make; /* only its folder is used */
static char path[300], copy_path[300];
static uint64_t lot;

/* The samples that a reader may count: those added, with or without the one being added. */
static struct {
	bool armed;
	uint64_t nr_looks;
	uint64_t epoch;	   /* before the file is emptied */
	uint64_t nr_added; /* samples */
	uint64_t nr_now;   /* samples of the addition in progress */
	uint64_t nr_void, nr_renewed;
} watch;

static void setup(void)
{
	make_sdb_init(&make);
	(void)snprintf(path, sizeof(path), "%s/stacks", make.folder);
	(void)snprintf(copy_path, sizeof(copy_path), "%s/copy", make.folder);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	memset(&watch, 0, sizeof(watch));
	lot = 1;
}

static void teardown(void)
{
	make_sdb_deinit(&make);
}

static struct stack_file *open_file(const char *where, uint64_t epoch)
{
	struct stack_file *file;
	struct diag diag;

	ck_assert_msg(!stack_file_open(&file, where, epoch, BYTES_MAX, &diag), "%s",
		      diag_show(&diag));
	return file;
}

static uint64_t nr_samples_of(const struct stack_tree *tree)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < tree->nr_roots; i++)
		nr += tree->roots[i].nr_samples;
	return nr;
}

static void add(struct stack_file *file, const struct make_stacks_sample *sample)
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
		}
		node = image < 0 ? image
				 : stack_file_child(file, (uint32_t)node, (uint32_t)image,
						    frame->offset, &folded);
	}
	if (node <= 0 || stack_file_add(file, (uint32_t)node, sample->nr_samples, sample->weight))
		ck_abort_msg("a sample was not taken");
}

/* ---- at every store ---- */

/* Simulates the daemon after a kill: it must find the samples and continue. */
static void reopen_copy(uint64_t nr_before)
{
	size_t nr_bytes;
	void *bytes = make_sdb_read(path, &nr_bytes);
	struct stack_file *file;
	struct stack_tree tree;
	uint64_t epoch, random = 99, nr_added = 0;

	watch.armed = false;
	make_sdb_write(copy_path, bytes, nr_bytes);
	free(bytes);
	file = open_file(copy_path, nr_before == UINT64_MAX ? 7 : watch.epoch);
	if (nr_before == UINT64_MAX)
		nr_before = 0;
	for (int i = 0; i < 20; i++) {
		const struct make_stacks_sample sample = make_stacks_next(&random);

		add(file, &sample);
		nr_added += sample.nr_samples;
	}
	stack_file_close(file);
	if (stack_file_load(copy_path, &tree, &epoch, NULL) ||
	    nr_samples_of(&tree) != nr_before + nr_added)
		ck_abort_msg("look %lu: the next daemon goes wrong", (unsigned long)watch.nr_looks);
	stack_tree_deinit(&tree);
	watch.armed = true;
}

static void look(void)
{
	struct stack_tree tree;
	struct diag diag;
	uint64_t epoch, nr_samples;

	if (stack_file_check(path, &diag) || stack_file_load(path, &tree, &epoch, &diag))
		ck_abort_msg("look %lu: %s", (unsigned long)watch.nr_looks, diag_show(&diag));
	nr_samples = nr_samples_of(&tree);
	stack_tree_deinit(&tree);
	if (epoch != watch.epoch)
		watch.nr_renewed++;
	else if (!nr_samples && watch.nr_added)
		watch.nr_void++;
	else if (nr_samples != watch.nr_added && nr_samples != watch.nr_added + watch.nr_now)
		ck_abort_msg("look %lu: %lu samples, not %lu", (unsigned long)watch.nr_looks,
			     (unsigned long)nr_samples, (unsigned long)watch.nr_added);
	if (watch.nr_looks++ % 16 == 0)
		reopen_copy(epoch == watch.epoch && (nr_samples || !watch.nr_added) ? nr_samples
										    : UINT64_MAX);
}

void sdb_fault_point(void)
{
	if (watch.armed)
		look();
}

START_TEST(a_kill_at_any_store_leaves_what_was_added)
{
	struct stack_file *file = open_file(path, 1);

	watch.epoch = 1;
	watch.armed = true;
	for (int i = 0; i < 120; i++) {
		const struct make_stacks_sample sample = make_stacks_next(&lot);

		watch.nr_now = sample.nr_samples;
		add(file, &sample);
		watch.nr_added += sample.nr_samples;
		watch.nr_now = 0;
	}
	ck_assert_uint_gt(watch.nr_looks, 1000);
	ck_assert_uint_eq(watch.nr_void + watch.nr_renewed, 0);
	ck_assert_int_eq(stack_file_restart(file, 2), 0);
	watch.armed = false;
	ck_assert_uint_gt(watch.nr_void, 0);
	ck_assert_uint_gt(watch.nr_renewed, 0);
	stack_file_close(file);
}
END_TEST

/* ---- real kills ---- */

static struct shared {
	uint64_t nr_acknowledged; /* samples, one each */
	uint64_t nr_restarts;
} * shared;

static _Noreturn void live_until_killed(uint64_t epoch)
{
	struct stack_file *file = open_file(path, epoch);

	for (uint64_t i = 1;; i++) {
		struct make_stacks_sample sample = make_stacks_next(&lot);

		sample.nr_samples = 1;
		add(file, &sample);
		__atomic_fetch_add(&shared->nr_acknowledged, 1, __ATOMIC_RELEASE);
	}
}

static void kill_one(uint64_t *nr_before, uint64_t epoch, uint64_t after, unsigned int nr)
{
	struct stack_tree tree;
	struct diag diag;
	uint64_t found, nr_samples, nr_acknowledged;
	int status, error;
	pid_t pid;

	shared->nr_acknowledged = 0;
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		live_until_killed(epoch);
	while (__atomic_load_n(&shared->nr_acknowledged, __ATOMIC_ACQUIRE) < after &&
	       !waitpid(pid, &status, WNOHANG))
		(void)usleep(20);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	nr_acknowledged = *nr_before + shared->nr_acknowledged;
	error = stack_file_load(path, &tree, &found, &diag);
	if ((error == -ENOENT || error == -ENODATA) && !nr_acknowledged)
		return; /* killed before it had begun the file */
	ck_assert_msg(!error, "kill %u: %s", nr, diag_show(&diag));
	nr_samples = nr_samples_of(&tree);
	make_stacks_verify(&tree);
	stack_tree_deinit(&tree);
	if (found + 1 == epoch && !nr_acknowledged)
		return; /* killed before it had emptied the file */
	ck_assert_uint_eq(found, epoch);
	ck_assert_msg(nr_samples == nr_acknowledged || nr_samples == nr_acknowledged + 1,
		      "kill %u: %lu samples acknowledged, %lu there", nr,
		      (unsigned long)nr_acknowledged, (unsigned long)nr_samples);
	*nr_before = nr_samples;
}

static unsigned int nr_kills_wanted(void)
{
	const char *asked = getenv("OPROF_KILLS");

	if (asked)
		return (unsigned int)strtoul(asked, NULL, 10);
	return thorough_all() ? NR_KILLS_ALL : NR_KILLS_FEW / (unsigned int)thorough_stride(1);
}

START_TEST(what_was_acknowledged_before_a_kill_is_there)
{
	uint64_t nr_before = 0, epoch = 1;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	lot = seed_of_this_run();
	printf("# OPROF_SEED=%lu\n", (unsigned long)lot);
	for (unsigned int nr = 0; nr < nr_kills_wanted(); nr++) {
		const uint64_t after = lot * 0x9e3779b97f4a7c15u >> 32;

		if (nr % 10 == 9) { /* as after a slice was closed */
			epoch++;
			nr_before = 0;
		}
		kill_one(&nr_before, epoch, after % 3000, nr);
		lot += after + nr;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_file_kill");
	TCase *tc = tcase_create("kill");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_kill_at_any_store_leaves_what_was_added);
	tcase_add_test(tc, what_was_acknowledged_before_a_kill_is_there);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
