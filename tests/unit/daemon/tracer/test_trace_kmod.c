// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Snapshots of the module's tracer with rings, state and mappings of the test's
 * own. local.mk lists the functions that the test replaces.
 */
#include "daemon/tracer/trace_kmod_internal.h"

#include "daemon/trace/trace_state.h"
#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NR_HELD	  10u /* records in the rings */
#define NR_STATE  3u  /* its start, a thread and its end */
#define NR_MAPPED 3u
#define BEGIN	  1000u /* stamps */
#define END	  2000u
#define TICK_NS	  7u

static struct tracer *tracer;
static struct tracer_snapshot taken;
static struct ctf_writer *writer;
static struct diag diag;
static int held_error, state_error, mapped_error;

/* ---- its parts ---- */

int __wrap_ktrace_snapshot(const struct ktrace *ktrace, struct ctf_writer *to,
			   struct ktrace_taken *held, struct diag *why);
int __wrap_ktrace_snapshot(const struct ktrace *ktrace, struct ctf_writer *to,
			   struct ktrace_taken *held, struct diag *why)
{
	(void)ktrace;
	(void)to;
	*held = (struct ktrace_taken){
		.nr_records = NR_HELD, .lost = 5, .overwritten = 6, .begin = BEGIN, .end = END};
	return held_error ? diag_set(why, held_error, "rings") : 0;
}

struct oprof_ktrace_counts __wrap_ktrace_counts(const struct ktrace *ktrace);
struct oprof_ktrace_counts __wrap_ktrace_counts(const struct ktrace *ktrace)
{
	(void)ktrace;
	return (struct oprof_ktrace_counts){.nr_records = 1000,
					    .lost_by = {[OPROF_LOST_FULL] = 1,
							[OPROF_LOST_NESTED] = 20,
							[OPROF_LOST_TOO_BIG] = 300,
							[OPROF_LOST_STOPPED] = 4000,
							[OPROF_LOST_KILLED] = 50000}};
}

uint64_t __wrap_ktrace_ns(const struct ktrace *ktrace, uint64_t stamp);
uint64_t __wrap_ktrace_ns(const struct ktrace *ktrace, uint64_t stamp)
{
	(void)ktrace;
	return stamp * TICK_NS;
}

bool __wrap_trace_state_is_the_machines(void);
bool __wrap_trace_state_is_the_machines(void)
{
	return true;
}

/* Records are written even if the dump then fails. */
int __wrap_trace_state_dump(struct trace_channel *channel, const struct trace_state_config *config,
			    struct trace_state_counts *counts);
int __wrap_trace_state_dump(struct trace_channel *channel, const struct trace_state_config *config,
			    struct trace_state_counts *counts)
{
	ck_assert_uint_eq(config->time, BEGIN);
	*counts = (struct trace_state_counts){.nr_threads = 1, .nr_marks = 2, .lost = 3};
	for (unsigned int i = 0; i < NR_STATE; i++) {
		ck_assert_ptr_nonnull(trace_channel_reserve(channel, 0, 0, config->time, 0));
		trace_channel_commit(channel);
	}
	return state_error;
}

int __wrap_trace_mappings_snapshot(struct trace_mappings *mappings, struct ctf_writer *to,
				   uint64_t begin, struct trace_mappings_counts *mapped,
				   struct diag *why);
int __wrap_trace_mappings_snapshot(struct trace_mappings *mappings, struct ctf_writer *to,
				   uint64_t begin, struct trace_mappings_counts *mapped,
				   struct diag *why)
{
	unsigned int file;

	(void)mappings;
	ck_assert_uint_eq(begin, BEGIN);
	ck_assert_int_eq(ctf_writer_add_file(to, "mappings", TRACER_STREAM, &file, why), 0);
	*mapped = (struct trace_mappings_counts){.nr_records = NR_MAPPED, .lost = 4};
	return mapped_error ? diag_set(why, mapped_error, "mappings") : 0;
}

/* ---- snapshots ---- */

static void setup(void)
{
	test_folder_setup();
	held_error = state_error = mapped_error = 0;
	taken = (struct tracer_snapshot){0};
	tracer = calloc(1, trace_kmod_ops.nr_bytes);
	ck_assert_ptr_nonnull(tracer);
	tracer->ops = &trace_kmod_ops;
	tracer->trace = made_trace;
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &made_trace, &diag), 0);
}

static void teardown(void)
{
	(void)ctf_writer_close(writer, NULL);
	free(tracer);
	test_folder_teardown();
}

static void check_whole(void)
{
	struct stat info;

	ck_assert_int_eq(stat("trace/state", &info), 0);
	ck_assert_int_gt(info.st_size, 0);
	ck_assert_int_eq(stat("trace/mappings", &info), 0);
	ck_assert_uint_eq(ctf_writer_counts(writer).nr_records, NR_STATE);
	ck_assert_uint_eq(taken.nr_records, NR_HELD + NR_STATE + NR_MAPPED);
	ck_assert_uint_eq(taken.nr_state, NR_STATE);
	ck_assert_uint_eq(taken.lost, 5 + 4 + 3);
	ck_assert_uint_eq(taken.overwritten, 6);
}

START_TEST(a_snapshot_has_rings_and_state_and_mappings_and_lasts_as_long_as_the_rings)
{
	ck_assert_int_eq(trace_kmod_ops.snapshot(tracer, writer, &taken, &diag), 0);
	check_whole();
	ck_assert_uint_eq(taken.begin, BEGIN * TICK_NS);
	ck_assert_uint_eq(taken.end, END * TICK_NS);
}
END_TEST

static const struct {
	int held, state, mapped, error;
	const char *says;
} failures[] = {
	{-EIO, 0, 0, -EIO, "rings"},
	{0, -ENOENT, 0, -ENOENT, "cannot record the tasks that existed"},
	{0, 0, -ENOSPC, -ENOSPC, "mappings"},
	{-EIO, -ENOENT, -ENOSPC, -EIO, "rings"},
	{0, -ENOENT, -ENOSPC, -ENOENT, "cannot record the tasks that existed"},
};

START_TEST(if_a_part_fails_the_others_are_written_and_the_first_error_is_returned)
{
	held_error = failures[_i].held;
	state_error = failures[_i].state;
	mapped_error = failures[_i].mapped;
	ck_assert_int_eq(trace_kmod_ops.snapshot(tracer, writer, &taken, &diag),
			 failures[_i].error);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), failures[_i].says));
	check_whole();
}
END_TEST

START_TEST(each_loss_of_the_module_and_of_the_state_has_its_counter)
{
	const struct trace_channel_config config = {
		.mode = RING_DISCARD, .sub_buffer_bytes = 4096, .nr_sub_buffers = 2, .nr_cpus = 1};
	struct trace_kmod *kmod = (struct trace_kmod *)tracer;
	struct tracer_counts counts;

	ck_assert_int_eq(trace_channel_create(&kmod->state, &config, &diag), 0);
	trace_channel_lose(kmod->state, 0, 7);
	tracer->nr_state = 30;
	counts = trace_kmod_ops.counts(tracer);
	ck_assert_uint_eq(counts.nr_records, 1030);
	ck_assert_uint_eq(counts.lost_kernel, 4001);
	ck_assert_uint_eq(counts.lost_nested, 50020);
	ck_assert_uint_eq(counts.lost_room, 307);
	trace_channel_destroy(kmod->state);
	kmod->state = NULL;
	counts = trace_kmod_ops.counts(tracer);
	ck_assert_uint_eq(counts.lost_room, 300);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_kmod");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests,
		       a_snapshot_has_rings_and_state_and_mappings_and_lasts_as_long_as_the_rings);
	tcase_add_test(tests, each_loss_of_the_module_and_of_the_state_has_its_counter);
	tcase_add_loop_test(tests,
			    if_a_part_fails_the_others_are_written_and_the_first_error_is_returned,
			    0, sizeof(failures) / sizeof(*failures));
	return test_run(tests);
}
