// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/profiler.h"

#include "daemon/filing/recount.h"
#include "daemon/profiler/profiler_status.h"
#include "daemon/session/separation.h"
#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct event_choice events[] = {
	{.name = "cycles", .frequency = true, .period_or_hz = 99, .kernel = true, .user = true},
};

static struct session session;
static struct profiler profiler;
static struct diag diag;
static struct profiler_config config = {
	.ops = &source_fake,
	.source = {.events = events, .nr_events = 1, .target = SOURCE_SYSTEM},
};

static void setup(void)
{
	test_folder_setup();
	log_init("test", LOG_LEVEL_ERROR);
	ck_assert_int_eq(log_open("log"), 0);
	fake_init(NULL);
	fake_image(1, OPROF_IMAGE_FILE, "/bin/true");
	fake_image(2, OPROF_IMAGE_KERNEL, "vmlinux");
	ck_assert_int_eq(session_lock(&session, ".", &diag), 0);
}

static void teardown(void)
{
	session_unlock(&session);
	test_folder_teardown();
}

static void samples(unsigned int nr)
{
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	for (unsigned int i = 0; i < nr; i++)
		fake_sample(0, i % 2 ? OPROF_MODE_USER : OPROF_MODE_KERNEL, 1 + !(i % 2), i, 10);
}

static void open_it(void)
{
	ck_assert_int_eq(profiler_open(&profiler, &session, &config, &diag), 0);
}

/* The sum that a report would find over a session's files and slices. */
static uint64_t sum(const char *session_name)
{
	struct recount sums;
	char path[256];

	(void)snprintf(path, sizeof(path), "samples/%s", session_name);
	ck_assert_int_eq(recount_session(path, &sums), 0);
	return sums.stored + sums.idle;
}

static void conserved(void)
{
	ck_assert_uint_eq(stats_accounted(&session.stats), session.stats.values[STATS_SEEN]);
	ck_assert_uint_eq(sum("current"), session.stats.values[STATS_STORED]);
}

START_TEST(samples_reach_files_and_counters_agree)
{
	open_it();
	ck_assert_int_eq(profiler_start(&profiler), 0);
	ck_assert_int_eq(profiler_start(&profiler), 0);
	ck_assert_uint_eq(fake.nr_starts, 1);
	samples(20);
	fake_lost(OPROF_LOST_KERNEL_RING, 5);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	conserved();
	ck_assert_uint_eq(session.stats.values[STATS_SEEN], 25);
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 20);
	profiler_close(&profiler);
	ck_assert(!fake.open);
}
END_TEST

START_TEST(rings_are_read_between_the_files_of_a_slice)
{
	unsigned int nr_before;

	open_it();
	samples(20);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	nr_before = fake.nr_reads;
	ck_assert_int_eq(profiler_close_epoch(&profiler), 0);
	ck_assert_uint_eq(fake.nr_reads - nr_before, 2); /* the program's file and the kernel's */
	profiler_close(&profiler);
}
END_TEST

START_TEST(the_kernel_has_names_after_the_round_that_stored_its_first_samples)
{
	unsigned int nr_before;

	open_it();
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	fake_sample(0, OPROF_MODE_USER, 1, 0, 10);
	nr_before = fake.nr_symbols_saved;
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(fake.nr_symbols_saved, nr_before);
	samples(2);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(fake.nr_symbols_saved, nr_before + 1);
	/* A module sampled a moment later waits, since each reading of kallsyms costs much. */
	profiler.symbols_after_ns = UINT64_MAX;
	fake_image(3, OPROF_IMAGE_MODULE, "ext4");
	fake_sample(0, OPROF_MODE_KERNEL, 3, 0, 10);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(fake.nr_symbols_saved, nr_before + 1);
	profiler.symbols_after_ns = 0;
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(fake.nr_symbols_saved, nr_before + 2);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(fake.nr_symbols_saved, nr_before + 2);
	profiler_close(&profiler);
}
END_TEST

START_TEST(symbols_that_cannot_be_written_are_logged_once)
{
	const char *first;
	char *text;

	log_init("test", LOG_LEVEL_WARNING);
	ck_assert_int_eq(log_open("warnings"), 0);
	open_it();
	/* A folder where the fake source puts its file. */
	ck_assert_int_eq(unlink("samples/current/meta/symbols"), 0);
	ck_assert_int_eq(mkdir("samples/current/meta/symbols", 0700), 0);
	ck_assert_int_eq(profiler_dump(&profiler), 0);
	ck_assert_int_eq(profiler_dump(&profiler), 0);
	profiler_close(&profiler);
	ck_assert_int_eq(file_read_text("warnings", 1 << 16, &text, NULL), 0);
	first = strstr(text, "cannot store kernel symbols");
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_null(strstr(first + 1, "cannot store kernel symbols"));
	free(text);
}
END_TEST

START_TEST(closing_takes_what_is_still_in_the_rings)
{
	open_it();
	ck_assert_int_eq(profiler_start(&profiler), 0);
	samples(7);
	profiler_close(&profiler);
	ck_assert_uint_eq(fake.nr_stops, 1);
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 7);
	conserved();
}
END_TEST

START_TEST(a_refused_source_leaves_the_session_as_it_was)
{
	struct profiler_config fresh = config;

	open_it();
	samples(3);
	profiler_close(&profiler);
	session_unlock(&session);
	ck_assert_int_eq(session_lock(&session, ".", &diag), 0);
	fresh.begin = SESSION_FRESH;
	fake.open_error = -EACCES;
	ck_assert_int_eq(profiler_open(&profiler, &session, &fresh, &diag), -EACCES);
	ck_assert_str_eq(diag.text, "the fake source refuses");
	ck_assert_uint_eq(sum("current"), 3);
}
END_TEST

START_TEST(appending_adds_up_files_and_counters)
{
	for (unsigned int run = 0; run < 3; run++) {
		fake.seen = 0;
		open_it();
		samples(4);
		profiler_close(&profiler);
	}
	ck_assert_uint_eq(session.stats.values[STATS_SEEN], 12);
	conserved();
}
END_TEST

START_TEST(reset_while_running_begins_at_nothing_and_goes_on)
{
	open_it();
	ck_assert_int_eq(profiler_start(&profiler), 0);
	samples(9);
	ck_assert_int_eq(profiler_reset(&profiler, &diag), 0);
	ck_assert(profiler.running);
	ck_assert_uint_eq(session.stats.values[STATS_SEEN], 0);
	ck_assert_uint_eq(sum("current"), 0);
	samples(2);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(session.stats.values[STATS_SEEN], 2);
	conserved();
	ck_assert_int_eq(access("samples/current/meta/symbols", F_OK), 0);
	profiler_close(&profiler);
}
END_TEST

START_TEST(save_while_running_keeps_all_so_far_and_goes_on)
{
	open_it();
	ck_assert_int_eq(profiler_start(&profiler), 0);
	samples(9);
	ck_assert_int_eq(profiler_save(&profiler, "a", &diag), 0);
	samples(2);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(sum("a"), 9);
	ck_assert_uint_eq(sum("current"), 2);
	conserved();
	ck_assert_int_eq(access("samples/a/meta/symbols", F_OK), 0);
	ck_assert_int_eq(access("samples/current/meta/symbols", F_OK), 0);
	samples(1);
	ck_assert_int_eq(profiler_save(&profiler, "a", &diag), -EEXIST);
	ck_assert_int_eq(profiler_save(&profiler, "../a", &diag), -EINVAL);
	samples(1);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(sum("current"), 4);
	conserved();
	profiler_close(&profiler);
}
END_TEST

START_TEST(a_session_removed_under_the_daemon_is_begun_anew)
{
	open_it();
	samples(5);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	profiler_check_session(&profiler);
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 5);
	ck_assert_int_eq(file_remove_tree("samples"), 0);
	profiler_check_session(&profiler);
	ck_assert(!profiler.lost);
	samples(2);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 2);
	conserved();
	profiler_close(&profiler);
}
END_TEST

START_TEST(a_session_that_cannot_be_begun_anew_is_lost_and_nothing_crashes)
{
	open_it();
	ck_assert_int_eq(profiler_start(&profiler), 0);
	samples(5);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_int_eq(file_remove_tree("samples"), 0);
	ck_assert_int_eq(file_replace("samples", "", 0, 0600), 0);
	profiler_check_session(&profiler);
	ck_assert(profiler.lost);
	samples(5);
	profiler_round(&profiler, SOURCE_DRAIN_ALL);
	ck_assert_int_eq(profiler_dump(&profiler), -ENOENT);
	ck_assert_int_eq(profiler_sync(&profiler), -ENOENT);
	ck_assert_int_eq(profiler_reset(&profiler, &diag), -ENOENT);
	ck_assert_int_eq(profiler_save(&profiler, "a", &diag), -ENOENT);
	profiler_close(&profiler);
}
END_TEST

/* Store the path of the sample file whose name contains text. */
static int find_file(const char *path, const struct sample_name *name, const struct diag *why,
		     void *context)
{
	char *found = context;

	(void)why;
	if (name && name->image.kind == SAMPLE_PATH_ROOT)
		(void)snprintf(found, 4096, "%s", path);
	return 0;
}

static void damage_user_file(void)
{
	char path[4096] = "";

	ck_assert_int_eq(sample_name_walk("samples/current", find_file, path), 0);
	ck_assert_int_eq(file_replace(path, "nonsense", 8, 0600), 0);
}

START_TEST(samples_of_an_earlier_run_in_a_file_set_aside_are_lost_not_stored)
{
	open_it();
	samples(10);
	profiler_close(&profiler);
	damage_user_file();
	fake.seen = 0;
	open_it();
	samples(4);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	conserved();
	ck_assert_uint_eq(session.stats.values[STATS_SEEN], 14);
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 9);
	ck_assert_uint_eq(session.stats.values[STATS_LOST + OPROF_LOST_FILE], 5);
	ck_assert_uint_eq(session.stats.values[STATS_WEIGHT_STORED], 90);
	profiler_close(&profiler);
	conserved();
}
END_TEST

START_TEST(a_file_damaged_and_set_aside_while_sampling_moves_all_it_held_to_lost)
{
	char path[4096] = "";

	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	open_it();
	samples(10);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	ck_assert_int_eq(sample_name_walk("samples/current", find_file, path), 0);
	ck_assert_int_eq(truncate(path, 0), 0);
	samples(4);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	samples(4);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	conserved();
	ck_assert_uint_eq(session.stats.values[STATS_SEEN], 18);
	ck_assert_uint_ge(session.stats.values[STATS_LOST + OPROF_LOST_FILE], 5);
	profiler_close(&profiler);
	conserved();
}
END_TEST

START_TEST(weight_of_a_clock_told_by_frequency_is_counted_again_right)
{
	static const struct event_choice clocks[] = {
		{.name = "cpu-clock",
		 .frequency = true,
		 .period_or_hz = 100,
		 .perf_type = PERF_TYPE_SOFTWARE,
		 .config = PERF_COUNT_SW_CPU_CLOCK},
	};
	struct profiler_config of_clock = config;

	of_clock.source.events = clocks;
	ck_assert_int_eq(profiler_open(&profiler, &session, &of_clock, &diag), 0);
	samples(6);
	profiler_close(&profiler);
	session.killed = true;
	ck_assert_int_eq(profiler_open(&profiler, &session, &of_clock, &diag), 0);
	ck_assert_uint_eq(session.stats.values[STATS_WEIGHT_STORED], 6 * UINT64_C(10000000));
	profiler_close(&profiler);
}
END_TEST

/* 100 Hz: a sample stands for 10 ms, a thinned one for a multiple of that. */
static const struct event_choice clock_100[] = {
	{.name = "cpu-clock",
	 .frequency = true,
	 .period_or_hz = 100,
	 .perf_type = PERF_TYPE_SOFTWARE,
	 .config = PERF_COUNT_SW_CPU_CLOCK},
};

static void open_clock_100(void)
{
	struct profiler_config of_clock = config;

	of_clock.source.events = clock_100;
	ck_assert_int_eq(profiler_open(&profiler, &session, &of_clock, &diag), 0);
	ck_assert_int_eq(profiler_start(&profiler), 0);
}

/* nr samples, each of which stands for thinning requested samples. */
static void clock_samples(unsigned int nr, unsigned int thinning)
{
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	for (unsigned int i = 0; i < nr; i++)
		fake_sample(0, OPROF_MODE_USER, 1, i, thinning * UINT64_C(10000000));
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
}

/* The sum of weights over slices and live files, as in reports, in requested samples. */
static uint64_t weight_in_files(void)
{
	struct recount sums;

	ck_assert_int_eq(recount_session("samples/current", &sums), 0);
	return sums.weight / 10000000;
}

START_TEST(weights_stay_right_when_fewer_samples_are_taken_and_all_again)
{
	open_clock_100();
	clock_samples(40, 1);
	ck_assert_int_eq(profiler_set_thinning(&profiler, 2), 0);
	ck_assert_uint_eq(fake.thinning, 2);
	clock_samples(1, 1); /* it was still in a ring */
	clock_samples(20, 2);
	ck_assert_int_eq(profiler_set_thinning(&profiler, 8), 0);
	clock_samples(1, 2);
	clock_samples(5, 8);
	ck_assert_uint_eq(weight_in_files(), 40 + 1 + 40 + 2 + 40);
	ck_assert_uint_eq(sum("current"), 40 + 1 + 20 + 1 + 5);
	ck_assert_int_eq(profiler_set_thinning(&profiler, 1), 0);
	ck_assert_uint_eq(fake.thinning, 1);
	ck_assert(!profiler.thinned);
	clock_samples(7, 1);
	ck_assert_uint_eq(weight_in_files(), 123 + 7);
	ck_assert_uint_eq(session.stats.values[STATS_WEIGHT_STORED], 130 * UINT64_C(10000000));
	conserved();
	profiler_close(&profiler);
	/* The counter of weight is also recounted from the files. */
	session.killed = true;
	open_clock_100();
	ck_assert_uint_eq(session.stats.values[STATS_WEIGHT_STORED], 130 * UINT64_C(10000000));
	conserved();
	profiler_close(&profiler);
}
END_TEST

START_TEST(reports_are_told_that_samples_were_left_out)
{
	char *text = NULL;

	open_clock_100();
	ck_assert_int_eq(profiler_set_thinning(&profiler, 2), 0);
	ck_assert_int_eq(profiler_set_thinning(&profiler, 4), 0);
	ck_assert_int_eq(file_read_text("samples/current/meta/info", 65536, &text, NULL), 0);
	ck_assert_ptr_nonnull(strstr(text, "\nnote thinned "));
	ck_assert_ptr_null(strstr(strstr(text, "\nnote thinned ") + 1, "\nnote thinned "));
	free(text);
	profiler_close(&profiler);
}
END_TEST

START_TEST(a_source_that_cannot_leave_out_samples_goes_on_with_all)
{
	open_clock_100();
	clock_samples(3, 1);
	fake.thinning_error = -EINVAL;
	ck_assert_int_eq(profiler_set_thinning(&profiler, 2), -EINVAL);
	ck_assert_uint_eq(profiler.thinning, 1);
	clock_samples(4, 1);
	ck_assert_uint_eq(weight_in_files(), 7);
	fake.thinning_error = 0;
	ck_assert_int_eq(profiler_set_thinning(&profiler, 1), 0);
	ck_assert(!profiler.thinned);
	clock_samples(5, 1);
	ck_assert_uint_eq(weight_in_files(), 12);
	conserved();
	profiler_close(&profiler);
}
END_TEST

START_TEST(after_a_kill_between_file_and_counter_both_agree_again)
{
	open_it();
	samples(10);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	/* Three samples were added to files, and the kill came before they were counted. */
	stats_set(&session.stats, STATS_SEEN, 7);
	stats_set(&session.stats, STATS_STORED, 7);
	profiler_close(&profiler);
	session_unlock(&session);
	/* The lock was never released. */
	ck_assert_int_eq(file_replace("lock", "12345\n", 6, 0600), 0);
	ck_assert_int_eq(session_lock(&session, ".", &diag), 0);
	fake.seen = 0;
	open_it();
	conserved();
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 10);
	samples(2);
	profiler_close(&profiler);
	ck_assert_uint_eq(session.stats.values[STATS_SEEN], 12);
	conserved();
}
END_TEST

START_TEST(counters_begin_at_what_the_files_hold_when_meta_stats_was_damaged)
{
	open_it();
	samples(10);
	profiler_close(&profiler);
	session_unlock(&session);
	ck_assert_int_eq(file_replace("samples/current/meta/stats", "nonsense", 8, 0600), 0);
	ck_assert_int_eq(session_lock(&session, ".", &diag), 0);
	fake.seen = 0;
	open_it();
	conserved();
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 10);
	profiler_close(&profiler);
	conserved();
}
END_TEST

START_TEST(status_tells_state_events_and_every_counter)
{
	static struct control_answer answer;

	open_it();
	ck_assert_int_eq(profiler_start(&profiler), 0);
	samples(6);
	fake.late_records = 3;
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
	control_answer_init(&answer);
	profiler_status(&profiler, &answer);
	ck_assert_uint_lt(answer.nr_bytes, sizeof(answer.text));
	answer.text[answer.nr_bytes] = '\0';
	ck_assert_ptr_nonnull(strstr(answer.text, "state running\n"));
	ck_assert_ptr_nonnull(strstr(answer.text, "source fake\n"));
	ck_assert_ptr_nonnull(strstr(answer.text,
				     "\nevent cycles::0x0:1:1\nfrequency 99\n"
				     "separation none\ncallgraph 0\nunwind auto\nstack_bytes 0\n"
				     "sample_pages 0\n"));
	ck_assert_ptr_nonnull(strstr(answer.text, "\nseen 6\nstored 6\nidle 0\n"));
	ck_assert_ptr_nonnull(strstr(answer.text, "\nlate_records 3\n"));
	profiler_close(&profiler);
}
END_TEST

static size_t list_unread(const struct source *source, struct source_unread *list, size_t room,
			  uint64_t *nr_late)
{
	(void)source;
	ck_assert_uint_ge(room, 3);
	list[0] = (struct source_unread){.uid = SOURCE_UNREAD_ALL};
	list[1] = (struct source_unread){.uid = 1000};
	list[2] = (struct source_unread){.pid = 42, .uid = 1001, .name = "a b"};
	*nr_late = 1;
	return 3;
}

START_TEST(status_tells_which_users_and_processes_are_not_read)
{
	static struct control_answer answer;
	struct source_ops ops;

	open_it();
	ops = *profiler.source->ops;
	ops.unread = list_unread;
	profiler.source->ops = &ops;
	control_answer_init(&answer);
	profiler_status(&profiler, &answer);
	answer.text[answer.nr_bytes] = '\0';
	ck_assert_ptr_nonnull(strstr(answer.text, "\nunread_in_all 1\nunread_user all\n"
						  "unread_user 1000\nunread 42 1001 a b\n"));
	profiler_close(&profiler);
}
END_TEST

START_TEST(status_tells_what_a_start_may_choose)
{
	static const struct event_choice counted = {
		.name = "page-faults", .period_or_hz = 7, .user = true};
	static struct control_answer answer;
	const struct profiler_config before = config;

	config.source.events = &counted;
	config.source.chain_depth = 12;
	config.source.sample_pages = 128;
	config.separation = SEPARATION_LIB | SEPARATION_CPU;
	open_it();
	control_answer_init(&answer);
	profiler_status(&profiler, &answer);
	answer.text[answer.nr_bytes] = '\0';
	ck_assert_ptr_nonnull(
		strstr(answer.text, "\nevent page-faults:7:0x0:0:1\n"
				    "separation lib,cpu\ncallgraph 12\nunwind auto\nstack_bytes 0\n"
				    "sample_pages 128\n"));
	ck_assert_ptr_null(strstr(answer.text, "frequency"));
	ck_assert_ptr_null(strstr(answer.text, "source_re")); /* the source was not chosen */
	profiler_close(&profiler);
	config = before;
}
END_TEST

START_TEST(status_tells_why_a_source_was_chosen_and_whether_it_was_requested)
{
	static struct control_answer answer;
	const struct profiler_config before = config;
	struct source_choice choice;

	source_choice_init(&choice, SOURCE_WISH_PERF);
	choice.ops = &source_fake;
	config.choice = &choice;
	open_it();
	control_answer_init(&answer);
	profiler_status(&profiler, &answer);
	answer.text[answer.nr_bytes] = '\0';
	ck_assert_ptr_nonnull(
		strstr(answer.text, "\nsource_reason requested\nsource_requested perf\n"));
	profiler_close(&profiler);
	config = before;
}
END_TEST

static void info_has(const char *line)
{
	char *text;

	ck_assert_int_eq(file_read_text("samples/current/meta/info", 100000, &text, NULL), 0);
	ck_assert_msg(strstr(text, line) != NULL, "no '%s' in %s", line, text);
	free(text);
}

START_TEST(notes_of_the_source_stay_with_the_session_and_its_later_runs)
{
	static struct control_answer answer;

	fake.note = (struct source_note){"blind", "half of it was not seen"};
	open_it();
	info_has("\nnote blind half of it was not seen\n");
	control_answer_init(&answer);
	profiler_status(&profiler, &answer);
	answer.text[answer.nr_bytes] = '\0';
	ck_assert_ptr_nonnull(strstr(answer.text, "note blind half of it was not seen\n"));
	ck_assert_int_eq(profiler_reset(&profiler, &diag), 0);
	info_has("\nnote blind half of it was not seen\n");
	profiler_close(&profiler);
	fake.note = (struct source_note){"deaf", "nor heard"};
	open_it();
	info_has("\nnote deaf nor heard\nnote blind half of it was not seen\n");
	profiler_close(&profiler);
}
END_TEST

START_TEST(sync_leaves_nothing_to_sync)
{
	open_it();
	samples(6);
	ck_assert_int_eq(profiler_dump(&profiler), 0);
	ck_assert_int_eq(profiler_sync(&profiler), 0);
	profiler_synced(&profiler, 0);
	ck_assert_int_eq(profiler_sync(&profiler), 0);
	profiler_close(&profiler);
}
END_TEST

static void code_sample(uint64_t function)
{
	fake_cpu(0);
	fake_task(1, 1, 1, 0);
	fake_sample(0, OPROF_MODE_USER, 3, function, 10);
	profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
}

static void expect_names(const char *session_name, const char *expected)
{
	char path[256];
	char *text;

	(void)snprintf(path, sizeof(path), "samples/%s/meta/names", session_name);
	ck_assert_int_eq(file_read_text(path, 1000, &text, NULL), 0);
	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(each_session_has_names_of_its_own_for_code_without_files)
{
	fake_image(3, OPROF_IMAGE_CODE, "[jit]");
	open_it();
	code_sample(7);
	expect_names("current", "1 f7\n"); /* at once, since a kill may come */
	code_sample(9);
	code_sample(7);
	expect_names("current", "1 f7\n2 f9\n");
	ck_assert_int_eq(profiler_save(&profiler, "one", &diag), 0);
	code_sample(9);
	expect_names("one", "1 f7\n2 f9\n");
	expect_names("current", "1 f9\n");
	ck_assert_int_eq(profiler_reset(&profiler, &diag), 0);
	code_sample(7);
	expect_names("current", "1 f7\n");
	ck_assert_int_eq(file_remove_tree("samples/current"), 0);
	profiler_check_session(&profiler);
	code_sample(8);
	expect_names("current", "1 f8\n");
	profiler_close(&profiler);
	ck_assert_uint_eq(sum("current"), 1);
	ck_assert_uint_eq(sum("one"), 3);
}
END_TEST

START_TEST(a_session_gone_on_with_keeps_its_names)
{
	fake_image(3, OPROF_IMAGE_CODE, "[jit]");
	open_it();
	code_sample(7);
	profiler_close(&profiler);
	fake_init(NULL);
	fake_image(1, OPROF_IMAGE_FILE, "/bin/true");
	fake_image(3, OPROF_IMAGE_CODE, "[jit]");
	open_it();
	code_sample(9);
	code_sample(7);
	profiler_close(&profiler);
	expect_names("current", "1 f7\n2 f9\n");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("profiler");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_kernel_has_names_after_the_round_that_stored_its_first_samples);
	tcase_add_test(tc, symbols_that_cannot_be_written_are_logged_once);
	tcase_add_test(tc, samples_reach_files_and_counters_agree);
	tcase_add_test(tc, rings_are_read_between_the_files_of_a_slice);
	tcase_add_test(tc, closing_takes_what_is_still_in_the_rings);
	tcase_add_test(tc, a_refused_source_leaves_the_session_as_it_was);
	tcase_add_test(tc, appending_adds_up_files_and_counters);
	tcase_add_test(tc, reset_while_running_begins_at_nothing_and_goes_on);
	tcase_add_test(tc, save_while_running_keeps_all_so_far_and_goes_on);
	tcase_add_test(tc, a_session_removed_under_the_daemon_is_begun_anew);
	tcase_add_test(tc, a_session_that_cannot_be_begun_anew_is_lost_and_nothing_crashes);
	tcase_add_test(tc, samples_of_an_earlier_run_in_a_file_set_aside_are_lost_not_stored);
	tcase_add_test(tc, a_file_damaged_and_set_aside_while_sampling_moves_all_it_held_to_lost);
	tcase_add_test(tc, weight_of_a_clock_told_by_frequency_is_counted_again_right);
	tcase_add_test(tc, weights_stay_right_when_fewer_samples_are_taken_and_all_again);
	tcase_add_test(tc, reports_are_told_that_samples_were_left_out);
	tcase_add_test(tc, a_source_that_cannot_leave_out_samples_goes_on_with_all);
	tcase_add_test(tc, after_a_kill_between_file_and_counter_both_agree_again);
	tcase_add_test(tc, counters_begin_at_what_the_files_hold_when_meta_stats_was_damaged);
	tcase_add_test(tc, status_tells_state_events_and_every_counter);
	tcase_add_test(tc, status_tells_which_users_and_processes_are_not_read);
	tcase_add_test(tc, status_tells_what_a_start_may_choose);
	tcase_add_test(tc, status_tells_why_a_source_was_chosen_and_whether_it_was_requested);
	tcase_add_test(tc, notes_of_the_source_stay_with_the_session_and_its_later_runs);
	tcase_add_test(tc, sync_leaves_nothing_to_sync);
	tcase_add_test(tc, each_session_has_names_of_its_own_for_code_without_files);
	tcase_add_test(tc, a_session_gone_on_with_keeps_its_names);
	return test_run(tc);
}
