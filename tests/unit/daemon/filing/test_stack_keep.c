// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks from records of a fake source, through attribution, to the call trees of the live file. */
#include "daemon/filing/stack_keep.h"

#include "daemon/filing/attribution.h"
#include "daemon/profiler/profiler.h"
#include "daemon/session/separation.h"
#include "lib/file.h"
#include "lib/log.h"
#include "libdb/stacks/stack_file.h"
#include "tests/fixture/failing_asprintf.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/stack_sum.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define CURRENT "samples/current"

enum { PROGRAM = 1, LIBRARY, KERNEL, JIT, REGION, OTHER_PROGRAM, MODULE };

static const struct event_choice events[] = {
	{.name = "cycles", .period_or_hz = 1000, .kernel = true, .user = true},
	{.name = "faults", .frequency = true, .period_or_hz = 99, .kernel = true, .user = true},
};

static struct session session;
static struct profiler profiler;
static struct diag diag;
static struct profiler_config config;

static void setup(void)
{
	test_folder_setup();
	log_init("test", LOG_LEVEL_ERROR);
	ck_assert_int_eq(log_open("log"), 0);
	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	fake_init(NULL);
	fake_image(PROGRAM, OPROF_IMAGE_FILE, "/bin/program");
	fake_image(LIBRARY, OPROF_IMAGE_FILE, "/lib/library");
	fake_image(KERNEL, OPROF_IMAGE_KERNEL, "vmlinux");
	fake_image(JIT, OPROF_IMAGE_CODE, "[jit]");
	fake_image(REGION, OPROF_IMAGE_ANON, "//anon");
	fake_image(OTHER_PROGRAM, OPROF_IMAGE_FILE, "/bin/other");
	config = (struct profiler_config){
		.ops = &source_fake,
		.source = {.events = events,
			   .nr_events = 2,
			   .target = SOURCE_SYSTEM,
			   .chain_depth = 16},
		.separation = SEPARATION_LIB | SEPARATION_KERNEL,
	};
	ck_assert_int_eq(session_lock(&session, ".", &diag), 0);
}

static void teardown(void)
{
	session_unlock(&session);
	test_folder_teardown();
}

static void open_it(void)
{
	diag_clear(&diag);
	ck_assert_msg(!profiler_open(&profiler, &session, &config, &diag), "%s", diag_show(&diag));
	ck_assert_int_eq(profiler_start(&profiler), 0);
	fake_cpu(0);
	fake_task(1, 1, PROGRAM, 0);
}

static uint64_t counter(unsigned int index)
{
	return session.stats.values[index];
}

static uint64_t nr_lost(void)
{
	return counter(STATS_STACKS_LOST_DISK) + counter(STATS_STACKS_LOST_FILE) +
	       counter(STATS_STACKS_LOST_MEMORY);
}

static struct oprof_frame user(uint32_t image, uint64_t offset)
{
	return (struct oprof_frame){.image = image, .mode = OPROF_MODE_USER, .offset = offset};
}

static struct oprof_frame kernel(uint64_t offset)
{
	return (struct oprof_frame){.image = KERNEL, .mode = OPROF_MODE_KERNEL, .offset = offset};
}

/* Add one sample; frames[0] is the leaf. */
static void stack(const struct oprof_frame *frames, uint16_t nr, uint16_t flags)
{
	fake_stack(0, frames, frames + 1, (uint16_t)(nr - 1), flags);
}

static void run(void)
{
	profiler_round(&profiler, SOURCE_DRAIN_ALL);
}

/* Check that the session's trees are these lines and agree with the counters. */
static void expect(const char *text)
{
	struct stack_sum sum;
	char *got;

	diag_clear(&diag);
	ck_assert_msg(!stack_sum_init(&sum, CURRENT, &diag), "%s", diag_show(&diag));
	got = stack_sum_text(&sum);
	ck_assert_str_eq(got, text);
	free(got);
	ck_assert_uint_eq(sum.nr_samples, counter(STATS_STACKS_STORED));
	ck_assert_uint_eq(sum.nr_samples, counter(STATS_STORED) - nr_lost());
	stack_sum_deinit(&sum);
}

/* Offsets are not mapped to functions, since the source knows none. */
START_TEST(a_stack_is_kept_outermost_first_with_calls_not_returns)
{
	const struct oprof_frame frames[] = {user(LIBRARY, 0x30), user(LIBRARY, 0x21),
					     user(PROGRAM, 0x11)};

	open_it();
	stack(frames, 3, 0);
	stack(frames, 3, 0);
	stack(frames, 2, 0);
	stack(frames, 1, 0);
	run();
	expect("1 program cycles library+20;library+30\n"
	       "1 program cycles library+30\n"
	       "2 program cycles program+10;library+20;library+30\n");
	profiler_close(&profiler);
}
END_TEST

START_TEST(callers_by_unwind_tables_are_calls_already_but_not_the_kernels)
{
	const struct oprof_frame frames[] = {kernel(0x91), kernel(0x81), user(PROGRAM, 0x10)};

	fake.chain_kind = OPROF_CHAIN_UNWIND_TABLES;
	open_it();
	stack(frames, 3, 0);
	run();
	expect("1 program cycles program+10;vmlinux+80;vmlinux+91\n");
	profiler_close(&profiler);
}
END_TEST

START_TEST(places_become_functions_where_the_source_knows_them)
{
	const struct oprof_frame frames[] = {user(LIBRARY, 0x137), user(PROGRAM, 0x200)};
	const struct oprof_frame same[] = {user(LIBRARY, 0x1ff), user(PROGRAM, 0x1a0)};

	fake.function_bytes = 0x100;
	open_it();
	stack(frames, 2, 0); /* the call is the last instruction before 0x200 */
	stack(same, 2, 0);
	run();
	expect("2 program cycles program+100;library+100\n");
	profiler_close(&profiler);
}
END_TEST

/* Answers of the source are remembered. */
START_TEST(the_same_stack_is_looked_up_once)
{
	const struct oprof_frame frames[] = {user(LIBRARY, 0x137), user(LIBRARY, 0x30),
					     user(PROGRAM, 0x200)};

	fake.function_bytes = 0x100;
	open_it();
	for (int i = 0; i < 1000; i++)
		stack(frames, 3, 0);
	run();
	ck_assert_uint_eq(fake.nr_functions_asked, 3);
	expect("1000 program cycles program+100;library+0;library+100\n");
	profiler_close(&profiler);
}
END_TEST

START_TEST(recursion_is_kept_as_deep_as_it_was)
{
	const struct oprof_frame frames[] = {user(PROGRAM, 0x30), user(PROGRAM, 0x31),
					     user(PROGRAM, 0x31), user(PROGRAM, 0x11)};

	open_it();
	stack(frames, 4, 0);
	run();
	expect("1 program cycles program+10;program+30;program+30;program+30\n");
	profiler_close(&profiler);
}
END_TEST

START_TEST(chains_that_end_early_are_marked_and_counted)
{
	const struct oprof_frame frames[] = {user(LIBRARY, 0x30), user(PROGRAM, 0x11)};

	open_it();
	stack(frames, 2, 0);
	stack(frames, 2, OPROF_SAMPLE_CHAIN_TRUNCATED);
	stack(frames, 2, OPROF_SAMPLE_CHAIN_BROKEN);
	stack(frames, 2, OPROF_SAMPLE_CHAIN_BROKEN);
	stack(frames, 1, OPROF_SAMPLE_CHAIN_BROKEN);
	run();
	expect("1 program cycles [broken];library+30\n"
	       "1 program cycles [truncated];program+10;library+30\n"
	       "1 program cycles program+10;library+30\n"
	       "2 program cycles [broken];program+10;library+30\n");
	ck_assert_uint_eq(counter(STATS_STACKS_TRUNCATED), 1);
	ck_assert_uint_eq(counter(STATS_STACKS_BROKEN), 3);
	profiler_close(&profiler);
}
END_TEST

START_TEST(callers_that_nothing_maps_are_unknown)
{
	const struct oprof_frame frames[] = {user(LIBRARY, 0x30), user(OPROF_IMAGE_NONE, 0xdead),
					     user(63, 1), user(PROGRAM, 0x11)};

	open_it();
	stack(frames, 4, 0);
	run();
	expect("1 program cycles program+10;[unknown];[unknown];library+30\n");
	profiler_close(&profiler);
}
END_TEST

/* f7 is the source's seventh name and the session's second. */
START_TEST(code_by_name_has_the_numbers_of_the_session)
{
	const struct oprof_frame frames[] = {user(JIT, 7), user(JIT, 3), user(PROGRAM, 0x11)};
	const struct oprof_frame nameless[] = {user(PROGRAM, 0x30), user(JIT, 404)};

	open_it();
	stack(frames + 1, 2, 0);
	stack(frames, 3, 0);
	stack(nameless, 2, 0);
	run();
	expect("1 program cycles [unknown];program+30\n"
	       "1 program cycles program+10;[jit]+1\n"
	       "1 program cycles program+10;[jit]+1;[jit]+2\n");
	profiler_close(&profiler);
}
END_TEST

/* Stacks of samples filed under their own image are marked, and kept in the application's tree. */
START_TEST(what_the_kernel_did_stands_below_its_program_however_samples_are_kept_apart)
{
	const struct oprof_frame in_kernel[] = {kernel(0x90), user(PROGRAM, 0x11)};
	const struct oprof_frame in_library[] = {user(LIBRARY, 0x90), user(PROGRAM, 0x11)};

	config.separation = 0;
	open_it();
	stack(in_kernel, 2, 0);
	stack(in_library, 2, 0);
	run();
	expect("1 program(by image) cycles program+10;library+90\n"
	       "1 program(by image) cycles program+10;vmlinux+90\n");
	profiler_close(&profiler);
	config.separation = SEPARATION_LIB;
	fake.seen = 0;
	open_it();
	stack(in_kernel, 2, 0);
	stack(in_library, 2, 0);
	run();
	expect("1 program cycles program+10;library+90\n"
	       "1 program(by image) cycles program+10;library+90\n"
	       "2 program(by image) cycles program+10;vmlinux+90\n");
	profiler_close(&profiler);
	config.separation = SEPARATION_LIB | SEPARATION_KERNEL;
	fake.seen = 0;
	open_it();
	stack(in_kernel, 2, 0);
	run();
	expect("1 program cycles program+10;library+90\n"
	       "1 program cycles program+10;vmlinux+90\n"
	       "1 program(by image) cycles program+10;library+90\n"
	       "2 program(by image) cycles program+10;vmlinux+90\n");
	profiler_close(&profiler);
}
END_TEST

START_TEST(threads_of_the_kernel_are_one_whatever_module_they_are_in)
{
	const struct oprof_frame in_module[] = {
		{.image = MODULE, .mode = OPROF_MODE_KERNEL, .offset = 0x30}, kernel(0x91)};
	const struct oprof_frame in_kernel = kernel(0x90);

	config.separation = SEPARATION_LIB;
	fake_image(MODULE, OPROF_IMAGE_MODULE, "ext4");
	open_it();
	fake_task(2, 2, OPROF_IMAGE_NONE, 0);
	stack(in_module, 2, 0);
	stack(&in_kernel, 1, 0);
	run();
	expect("1 vmlinux(by image) cycles vmlinux+90\n"
	       "1 vmlinux(by image) cycles vmlinux+90;ext4+30\n");
	profiler_close(&profiler);
}
END_TEST

START_TEST(threads_cpus_cgroups_and_events_have_roots_of_their_own)
{
	const struct oprof_frame leaf = user(PROGRAM, 0x10);
	struct stack_sum sum;

	config.separation = SEPARATION_ALL;
	open_it();
	for (uint16_t event = 0; event < 2; event++)
		for (uint32_t cpu = 0; cpu < 2; cpu++)
			for (int32_t tid = 1; tid < 3; tid++) {
				fake_cpu(cpu);
				fake_task(1, tid, PROGRAM, 7);
				fake_stack(event, &leaf, NULL, 0, 0);
			}
	run();
	ck_assert_int_eq(stack_sum_init(&sum, CURRENT, &diag), 0);
	ck_assert_uint_eq(sum.tree.nr_roots, 8);
	for (uint32_t i = 0; i < 8; i++) {
		const struct slice_section *root = &sum.tree.roots[i];

		ck_assert_str_eq(root->cgroup, "/group-7");
		ck_assert_int_eq(root->tgid, 1);
		ck_assert_uint_eq(root->nr_samples, 1);
		ck_assert_uint_eq(root->flags & OPROF_SDB_KEEP_KERNEL, OPROF_SDB_KEEP_KERNEL);
		ck_assert_int_eq(!strcmp(root->event, "faults"),
				 !!(root->flags & OPROF_SDB_FREQUENCY));
	}
	stack_sum_deinit(&sum);
	profiler_close(&profiler);
}
END_TEST

/* The weight is the fixed period, or each sample's own; idle CPUs have none. */
START_TEST(weights_are_those_of_the_sample_files)
{
	const struct oprof_frame leaf = user(PROGRAM, 0x10);
	struct stack_sum sum;

	open_it();
	fake_stack(0, &leaf, NULL, 0, 0);
	fake_sample(1, OPROF_MODE_USER, PROGRAM, 0x10, 12345);
	fake_sample(1, OPROF_MODE_IDLE, KERNEL, 0x10, 5);
	run();
	ck_assert_int_eq(stack_sum_init(&sum, CURRENT, &diag), 0);
	ck_assert_uint_eq(sum.nr_samples, 2);
	ck_assert_uint_eq(sum.weight, 1000 + 12345);
	ck_assert_uint_eq(counter(STATS_IDLE), 1);
	stack_sum_deinit(&sum);
	profiler_close(&profiler);
}
END_TEST

START_TEST(without_call_chains_there_is_no_file)
{
	config.source.chain_depth = 0;
	open_it();
	fake_sample(0, OPROF_MODE_USER, PROGRAM, 0x10, 1);
	run();
	ck_assert_int_ne(access(CURRENT "/" OPROF_STACK_FILE, F_OK), 0);
	ck_assert_uint_eq(counter(STATS_STACKS_STORED), 0);
	profiler_close(&profiler);
}
END_TEST

START_TEST(an_image_that_is_given_up_leaves_its_stacks)
{
	const struct oprof_frame frames[] = {user(LIBRARY, 0x30), user(PROGRAM, 0x11)};
	const struct oprof_frame other[] = {user(OTHER_PROGRAM, 0x30), user(OTHER_PROGRAM, 0x11)};

	open_it();
	stack(frames, 2, 0);
	fake_release(LIBRARY);
	fake_task(2, 2, OTHER_PROGRAM, 0);
	stack(other, 2, 0);
	run();
	fake.images[LIBRARY].path = NULL;
	stack(other, 2, 0);
	run();
	expect("1 program cycles program+10;library+30\n"
	       "2 other cycles other+10;other+30\n");
	profiler_close(&profiler);
}
END_TEST

START_TEST(a_record_with_fewer_frames_than_it_says_is_bad)
{
	union {
		struct oprof_sample sample;
		char bytes[sizeof(struct oprof_sample) + sizeof(struct oprof_frame)];
	} record = {.sample = {
			    .head = {.type = OPROF_RECORD_SAMPLE, .size_bytes = sizeof(record)},
			    .nr_frames = 2,
			    .leaf = user(PROGRAM, 0x10),
		    }};

	open_it();
	fake_raw(&record.sample.head, sizeof(record));
	run();
	ck_assert_uint_eq(counter(STATS_LOST + OPROF_LOST_BAD_RECORD), 1);
	ck_assert_uint_eq(counter(STATS_STORED), 0);
	profiler_close(&profiler);
}
END_TEST

START_TEST(a_file_cut_under_the_daemon_loses_what_it_held_and_no_more)
{
	const struct oprof_frame frames[] = {user(LIBRARY, 0x30), user(PROGRAM, 0x11)};

	open_it();
	stack(frames, 2, 0);
	stack(frames, 2, 0);
	run();
	ck_assert_int_eq(truncate(CURRENT "/" OPROF_STACK_FILE, 0), 0);
	stack(frames, 2, 0);
	run();
	expect("1 program cycles program+10;library+30\n");
	ck_assert_uint_eq(counter(STATS_STACKS_LOST_FILE), 2);
	ck_assert_int_eq(access(CURRENT "/" OPROF_STACK_FILE ".damaged", F_OK), 0);
	ck_assert_int_eq(profiler_close_epoch(&profiler), 0);
	expect("1 program cycles program+10;library+30\n");
	profiler_close(&profiler);
}
END_TEST

/* Without memory for a new name, a damaged file stays, and the log says so. */
START_TEST(a_damaged_file_that_cannot_be_renamed_stays)
{
	const struct oprof_frame frames[] = {user(PROGRAM, 0x11)};
	char *text;

	open_it();
	stack(frames, 1, 0);
	run();
	failing_asprintf = true;
	stack_keep_set_aside(profiler.stacks, "by the test");
	failing_asprintf = false;
	ck_assert_int_eq(access(CURRENT "/" OPROF_STACK_FILE, F_OK), 0);
	ck_assert_int_eq(file_read_text("log", 1 << 20, &text, NULL), 0);
	ck_assert_ptr_nonnull(strstr(text, " is damaged (by the test); it keeps its name\n"));
	free(text);
	profiler_close(&profiler);
}
END_TEST

/* Another process holds the file: it is tried again only a full second after the last try. */
START_TEST(a_file_that_can_not_be_opened_is_tried_once_a_second)
{
	static const uint64_t second_ns = 1000000000, begin_ns = UINT64_MAX / 2;
	static const struct {
		uint64_t after_ns;
		bool is_locked;
		uint64_t nr_stored;
	} rounds[] = {
		{0, false, 0},
		{second_ns - 1, false, 0},
		{second_ns, true, 0},
		{2 * second_ns - 1, false, 0},
		{2 * second_ns, false, 1},
	};
	const struct oprof_frame leaf = user(PROGRAM, 0x10);
	struct oprof_stack_header header;
	int fd;

	open_it();
	fd = open(CURRENT "/" OPROF_STACK_FILE, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
	stack_keep_clear(profiler.stacks);
	ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
	stack_keep_begin_round(profiler.stacks, begin_ns);
	stack_keep_begin_epoch(profiler.stacks, header.epoch);
	for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		ck_assert_int_eq(flock(fd, rounds[i].is_locked ? LOCK_EX : LOCK_UN), 0);
		stack_keep_begin_round(profiler.stacks, begin_ns + rounds[i].after_ns);
		stack(&leaf, 1, 0);
		fake_flush();
		ck_assert_uint_eq(counter(STATS_STACKS_STORED), rounds[i].nr_stored);
		ck_assert_uint_eq(nr_lost() + counter(STATS_STACKS_STORED), i + 1);
	}
	ck_assert_int_eq(close(fd), 0);
	expect("1 program cycles program+10\n");
	profiler_close(&profiler);
}
END_TEST

/* The session keeps the kernel's functions; in this test, from the second round on. */
START_TEST(kernel_code_is_told_by_functions_once_the_session_has_its_symbols)
{
	static const char text[] = "oprof-kernel-symbols 1\n0 80 T first\n80 80 T second\n";
	const struct oprof_frame frames[] = {kernel(0x91), kernel(0x80)};
	char path[256];

	open_it();
	stack(frames, 2, 0);
	run();
	ck_assert_int_eq(unlink(CURRENT "/meta/symbols"), 0); /* written by the fake */
	ck_assert_int_eq(file_make_dirs(CURRENT "/meta/symbols", 0700), 0);
	(void)snprintf(path, sizeof(path), CURRENT "/meta/symbols/%016llx",
		       (unsigned long long)sample_identity(&fake.images[KERNEL].identity));
	ck_assert_int_eq(file_replace(path, text, sizeof(text) - 1, 0600), 0);
	/* A second later; the test sets the time instead of waiting. */
	stack_keep_begin_round(profiler.stacks, UINT64_MAX / 2);
	stack(frames, 2, 0);
	fake_flush();
	expect("1 program cycles vmlinux+0;vmlinux+80\n"
	       "1 program cycles vmlinux+7f;vmlinux+91\n");
	profiler_close(&profiler);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("stack_keep");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_stack_is_kept_outermost_first_with_calls_not_returns);
	tcase_add_test(tc, callers_by_unwind_tables_are_calls_already_but_not_the_kernels);
	tcase_add_test(tc, places_become_functions_where_the_source_knows_them);
	tcase_add_test(tc, the_same_stack_is_looked_up_once);
	tcase_add_test(tc, recursion_is_kept_as_deep_as_it_was);
	tcase_add_test(tc, chains_that_end_early_are_marked_and_counted);
	tcase_add_test(tc, callers_that_nothing_maps_are_unknown);
	tcase_add_test(tc, code_by_name_has_the_numbers_of_the_session);
	tcase_add_test(tc,
		       what_the_kernel_did_stands_below_its_program_however_samples_are_kept_apart);
	tcase_add_test(tc, threads_of_the_kernel_are_one_whatever_module_they_are_in);
	tcase_add_test(tc, threads_cpus_cgroups_and_events_have_roots_of_their_own);
	tcase_add_test(tc, weights_are_those_of_the_sample_files);
	tcase_add_test(tc, without_call_chains_there_is_no_file);
	tcase_add_test(tc, an_image_that_is_given_up_leaves_its_stacks);
	tcase_add_test(tc, a_record_with_fewer_frames_than_it_says_is_bad);
	tcase_add_test(tc, a_file_cut_under_the_daemon_loses_what_it_held_and_no_more);
	tcase_add_test(tc, a_damaged_file_that_cannot_be_renamed_stays);
	tcase_add_test(tc, a_file_that_can_not_be_opened_is_tried_once_a_second);
	tcase_add_test(tc, kernel_code_is_told_by_functions_once_the_session_has_its_symbols);
	return test_run(tc);
}
