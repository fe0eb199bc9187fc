// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/coverage.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S 1000000000ll
#define ADVICE                                                                                     \
	"  debug symbols: install -dbgsym, -dbg or -debuginfo packages, or debuginfod-find "       \
	"debuginfo FILE\n"

static struct make_session session;
static struct make_profile made;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1100, .name = "main"},
};

static void setup(void)
{
	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
	make_session_init(&session);
	session.name = "run";
	made = (struct make_profile){.profile_options.symbols = true};
	fake_symbols_set("/bin/prog", symbols, 1, NULL);
	fake_symbols_set("/lib/bare.so", NULL, 0, "no debug symbols");
}

static void teardown(void)
{
	fake_symbols_clear();
	make_session_deinit(&session);
}

static void write_before(FILE *out, void *context)
{
	coverage_write_before(out, &made.profile, context);
}

static void write_after(FILE *out, void *context)
{
	(void)context;
	coverage_write_after(out, &made.profile);
}

static void expect_after(const char *expected)
{
	char *text;

	make_profile_init(&made, &session, "session:run");
	text = make_profile_text(write_after, NULL);
	ck_assert_str_eq(text, expected);
	free(text);
	make_profile_deinit(&made);
}

static void add(const struct make_file *file, uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, file, key, nr_samples);
}

START_TEST(the_line_before_says_whose_samples_these_are)
{
	static const char info[] = "host box\nsource perf\nsource_reason requested\n"
				   "event 0 cpu-clock hz 99 0 1 1 time\n";
	char dir[] = "somewhere";
	char *text;

	make_session_meta(&session, "info", info, sizeof(info) - 1);
	add(&(struct make_file){.app = "/bin/prog",
				.frequency = true,
				.period_or_hz = 99,
				.start_time_ns = 1000 * NS_PER_S,
				.end_time_ns = 1010 * NS_PER_S},
	    0x100, 990);
	make_profile_init(&made, &session, "session:run");
	text = make_profile_text(write_before, dir);
	ck_assert_str_eq(
		text, "session run of somewhere, host box, from 1970-01-01 00:16:40 to "
		      "00:16:50, source perf (requested), event cpu-clock:99Hz, 99.0 samples/s\n");
	free(text);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(the_day_is_told_twice_when_there_are_two)
{
	char dir[] = "d";
	char *text;

	add(&(struct make_file){.app = "/bin/prog",
				.start_time_ns = 1000 * NS_PER_S,
				.end_time_ns = 101000 * NS_PER_S},
	    0x100, 1);
	add(&(struct make_file){.app = "/bin/prog", .event = "faults"}, 0x100, 1);
	make_profile_init(&made, &session, "session:run");
	text = make_profile_text(write_before, dir);
	ck_assert_str_eq(text, "session run of d, host testhost, from 1970-01-01 00:16:40 to "
			       "1970-01-02 04:03:20, events cpu-clock:1000000 faults:1000000, "
			       "0.0 + 0.0 samples/s\n");
	free(text);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(a_whole_profile_takes_one_line)
{
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 10);
	expect_after("samples 10; symbolized 100.00 %\n");
}
END_TEST

START_TEST(what_lacks_symbols_is_told_with_its_cost_and_remedy)
{
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 50);
	add(&(struct make_file){.app = "/bin/prog"}, 0x10, 10);
	add(&(struct make_file){.app = "/bin/prog", .image = "/lib/bare.so"}, 0x10, 40);
	expect_after("samples 100; symbolized 50.00 %\n"
		     "  40 samples (40.00 %) without a symbol in /lib/bare.so: no debug symbols\n"
		     "  10 samples (10.00 %) without a symbol in /bin/prog\n" ADVICE);
}
END_TEST

static void write_brief_before(FILE *out, void *context)
{
	coverage_brief_before(out, &made.profile, context);
}

static void write_brief_after(FILE *out, void *context)
{
	(void)context;
	coverage_brief_after(out, &made.profile, false);
}

static void expect_brief(void (*write)(FILE *out, void *context), const char *expected)
{
	char dir[] = "d";
	char *text;

	make_profile_init(&made, &session, "session:run");
	text = make_profile_text(write, dir);
	ck_assert_str_eq(text, expected);
	free(text);
	make_profile_deinit(&made);
}

START_TEST(a_terminal_gets_one_line_for_all_images_without_symbols)
{
	static const char info[] = "host box\nsource perf\nsource_reason requested\n"
				   "event 0 cpu-clock count 1000000 0 1 1 time\n";

	make_session_meta(&session, "info", info, sizeof(info) - 1);
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 50);
	expect_brief(write_brief_after, "samples 50; symbolized 100.00 %\n");
	add(&(struct make_file){.app = "/bin/prog"}, 0x10, 10);
	expect_brief(write_brief_after, "samples 60; symbolized 83.33 %\n"
					"no symbols for 16.67 %, in /bin/prog; -V lists reasons\n");
	add(&(struct make_file){.app = "/bin/prog", .image = "/lib/bare.so"}, 0x10, 40);
	expect_brief(write_brief_after,
		     "samples 100; symbolized 50.00 %\n"
		     "no symbols for 50.00 %, in 2 images, most in /lib/bare.so (40.00 %); "
		     "install -dbgsym, -dbg or -debuginfo packages, or debuginfod-find debuginfo "
		     "FILE; -V lists reasons\n");
	expect_brief(write_brief_before, "session run of d, host box, source perf, event "
					 "cpu-clock:1000000\n");
	add(&(struct make_file){.app = "/bin/prog", .event = "faults"}, 0x100, 1);
	expect_brief(write_brief_after,
		     "samples 101; symbolized 50.00 % of cpu-clock:1000000, 100.00 % of "
		     "faults:1000000\n"
		     "no symbols for 50.00 % of cpu-clock:1000000, in 2 images, most in "
		     "/lib/bare.so (40.00 % of cpu-clock:1000000); install -dbgsym, -dbg or "
		     "-debuginfo packages, or debuginfod-find debuginfo FILE; -V lists reasons\n");
}
END_TEST

START_TEST(a_terminal_lists_damaged_and_replaced_binaries)
{
	fake_symbols_lack("/bin/old", SYMBOLS_WRONG_FILE, "replaced since it was profiled");
	fake_symbols_lack("/bin/bad", SYMBOLS_DAMAGED, "cannot be read");
	add(&(struct make_file){.app = "/bin/old"}, 0x10, 10);
	expect_brief(write_brief_after,
		     "samples 10; symbolized 0.00 %\n"
		     "no symbols for 100.00 %, in /bin/old; -V lists reasons\n"
		     "  10 samples (100.00 %) without a symbol in /bin/old: replaced since it was "
		     "profiled\n");
	add(&(struct make_file){.app = "/bin/prog"}, 0x10, 80);
	add(&(struct make_file){.app = "/bin/bad"}, 0x10, 10);
	expect_brief(write_brief_after,
		     "samples 100; symbolized 0.00 %\n"
		     "no symbols for 100.00 %, in 3 images, most in /bin/prog (80.00 %); -V lists "
		     "reasons\n"
		     "  10 samples (10.00 %) without a symbol in /bin/bad: cannot be read\n"
		     "  10 samples (10.00 %) without a symbol in /bin/old: replaced since it was "
		     "profiled\n");
}
END_TEST

START_TEST(a_terminal_gets_the_reason_where_packages_do_not_help)
{
	fake_symbols_lack("/bin/gone", SYMBOLS_NO_FILE, "no such file");
	add(&(struct make_file){.app = "/bin/gone"}, 0x10, 10);
	expect_brief(write_brief_after,
		     "samples 10; symbolized 0.00 %\n"
		     "no symbols for 100.00 %, in /bin/gone: no such file; -V lists reasons\n");
}
END_TEST

/* The percentage is of one event; images of other events are not counted beside it. */
START_TEST(a_terminal_gets_the_images_of_the_event_of_the_percentage)
{
	fake_symbols_lack("/bin/gone", SYMBOLS_NO_FILE, "no such file");
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 10);
	add(&(struct make_file){.app = "/bin/prog"}, 0x10, 90);
	add(&(struct make_file){.app = "/bin/prog", .event = "faults"}, 0x100, 11);
	add(&(struct make_file){.app = "/bin/gone", .event = "faults"}, 0x10, 80);
	add(&(struct make_file){.app = "/lib/bare.so", .event = "faults"}, 0x10, 9);
	expect_brief(write_brief_after,
		     "samples 200; symbolized 10.00 % of cpu-clock:1000000, 11.00 % of "
		     "faults:1000000\n"
		     "no symbols for 90.00 % of cpu-clock:1000000, in /bin/prog; -V lists "
		     "reasons\n");
}
END_TEST

/* A million page faults with symbols must not hide that half of the time has none. */
START_TEST(events_are_told_apart)
{
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 50);
	add(&(struct make_file){.app = "/bin/prog"}, 0x10, 10);
	add(&(struct make_file){.app = "/bin/prog", .image = "/lib/bare.so"}, 0x10, 40);
	add(&(struct make_file){.app = "/bin/prog", .event = "faults"}, 0x100, 999999);
	add(&(struct make_file){.app = "/bin/prog", .event = "faults"}, 0x10, 1);
	add(&(struct make_file){.app = "/bin/prog", .image = "/lib/bare.so", .event = "faults"},
	    0x10, 1);
	expect_after("samples 1000101; symbolized 50.00 % of cpu-clock:1000000, 99.99 % of "
		     "faults:1000000\n"
		     "  40 samples (40.00 % of cpu-clock:1000000) without a symbol in "
		     "/lib/bare.so: no debug symbols\n"
		     "  10 samples (10.00 % of cpu-clock:1000000) without a symbol in "
		     "/bin/prog\n" ADVICE);
}
END_TEST

START_TEST(a_filter_that_leaves_nothing_says_how_it_matches)
{
	char name[] = "main";
	char *exclude[] = {name};

	made.profile_options.exclude = (struct spec_list){exclude, 1};
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 50);
	expect_after(
		"samples 0, 50 excluded by symbol: no samples are left; -e and -i match whole names "
		"and globs, such as 'foo(int)' or 'foo*'\n");
}
END_TEST

START_TEST(what_was_left_out_as_damaged_is_not_called_a_running_daemon)
{
	const struct make_stat stats[] = {{"seen", 30}, {"stored", 30}};
	const struct make_sample sample = {0x100, 20};
	char path[PATH_MAX];

	made.profile_options.symbols = false;
	make_session_stats(&session, stats, 2);
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 10);
	make_session_add(&session, &(struct make_file){.app = "/bin/other"}, &sample, 1, path);
	ck_assert_int_eq(truncate(path, 100), 0);
	expect_after("samples 10\n1 sample file could not be read and is left out\n");
}
END_TEST

START_TEST(what_makes_counts_another_thing_is_told)
{
	const struct make_sample sample = {0x100, 10};
	const uint32_t flags = OPROF_SDB_HOLED;
	char path[PATH_MAX];
	int fd;
	char dir[] = "d";
	char *text;

	made.profile_options.symbols = false;
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 10);
	add(&(struct make_file){.app = "/bin/other", .host = "abroad", .flags = OPROF_SDB_WEIGHTED},
	    0x100, 10);
	make_session_add(&session, &(struct make_file){.app = "/bin/third"}, &sample, 1, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(
		pwrite(fd, &flags, sizeof(flags), offsetof(struct oprof_sdb_header, flags)),
		sizeof(flags));
	ck_assert_int_eq(close(fd), 0);
	make_profile_init(&made, &session, "session:run");
	text = make_profile_text(write_before, dir);
	ck_assert_ptr_nonnull(strstr(text, ", several hosts, first "));
	free(text);
	text = make_profile_text(write_after, NULL);
	ck_assert_str_eq(
		text,
		"samples 30\n"
		"cpu-clock: numbers are samples, percentages refer to the events that the samples "
		"stand for\n"
		"1 sample file lost a page while it was written (full disk?): the file's counts "
		"are too low\n");
	free(text);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(the_view_of_images_says_nothing_of_symbols)
{
	made.profile_options.symbols = false;
	add(&(struct make_file){.app = "/bin/prog"}, 0x10, 10);
	expect_after("samples 10\n");
}
END_TEST

START_TEST(only_the_worst_of_many_are_named)
{
	for (uint64_t i = 1; i <= 7; i++) {
		char app[16];

		(void)snprintf(app, sizeof(app), "/bin/%d", (int)i);
		add(&(struct make_file){.app = app}, 1, i);
	}
	expect_after("samples 28; symbolized 0.00 %\n"
		     "  7 samples (25.00 %) without a symbol in /bin/7\n"
		     "  6 samples (21.43 %) without a symbol in /bin/6\n"
		     "  5 samples (17.86 %) without a symbol in /bin/5\n"
		     "  4 samples (14.29 %) without a symbol in /bin/4\n"
		     "  3 samples (10.71 %) without a symbol in /bin/3\n"
		     "  and 2 more images with such samples\n");
}
END_TEST

START_TEST(losses_are_told_by_reason_and_throttling_apart)
{
	const struct make_stat stats[] = {
		{"seen", 125},
		{"stored", 100},
		{"idle", 5},
		{"lost_kernel_ring", 18},
		{"lost_no_task", 0},
		{"lost_no_mapping", 2},
		{"throttle_episodes", 3},
		{"throttled_ns", 1500000},
	};

	made.profile_options.symbols = false;
	make_session_stats(&session, stats, 8);
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 100);
	add(&(struct make_file){.app = "{idle}"}, 0x100, 5);
	expect_after("samples 100, not counting 5 of idle CPUs\n"
		     "lost 20 of 125 seen in the whole session (16.00 %): kernel_ring 18, "
		     "no_mapping 2\n"
		     "throttled 3 times by the kernel, 1.5 ms in all: the rate is too high for "
		     "this machine\n");
}
END_TEST

START_TEST(call_stacks_are_told_of_where_some_are_lost_or_folded)
{
	struct make_stat stats[] = {
		{"seen", 100},		 {"stored", 100},	  {"stacks_stored", 100},
		{"stacks_lost_disk", 0}, {"stacks_lost_file", 0}, {"stacks_folded", 0},
		{"stacks_broken", 9},
	};

	made.profile_options.symbols = false;
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 100);
	make_session_stats(&session, stats, 7);
	expect_after("samples 100\n");
	stats[5].value = 12;
	make_session_stats(&session, stats, 7);
	expect_after(
		"samples 100\ncall stacks of the whole session: 100 stored, 12 of them folded into "
		"[other] because the call tree was full\n");
	stats[2].value = 95;
	stats[3].value = 3;
	stats[4].value = 2;
	make_session_stats(&session, stats, 7);
	expect_after(
		"samples 100\ncall stacks of the whole session: 95 stored, 12 of them folded into "
		"[other] because the call tree was full; 5 lost (disk 3, file 2)\n");
}
END_TEST

START_TEST(notes_of_the_source_are_told_once_and_as_they_are)
{
	static const char info[] =
		"note a first \033 line\nnote b second line\nnote a first line\n";

	made.profile_options.symbols = false;
	make_session_meta(&session, "info", info, sizeof(info) - 1);
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 100);
	expect_after("samples 100\nfirst ? line\nsecond line\n");
}
END_TEST

START_TEST(a_loss_in_several_sessions_is_told_once)
{
	const struct make_stat stats[] = {{"seen", 12}, {"stored", 10}, {"lost_disk", 2}};
	const char *names[] = {"a", "b"};
	char *text;

	made.profile_options.symbols = false;
	for (int i = 0; i < 2; i++) {
		session.name = names[i];
		make_session_stats(&session, stats, 3);
		add(&(struct make_file){.app = "/bin/prog"}, 0x100, 10);
	}
	make_profile_init(&made, &session, "session:?");
	text = make_profile_text(write_after, NULL);
	ck_assert_str_eq(text, "samples 20\nlost 4 of 24 seen in the whole session (16.67 %): "
			       "disk 4\n");
	free(text);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(counters_that_do_not_balance_are_told)
{
	const struct make_stat stats[] = {{"seen", 130}, {"stored", 101}, {"lost_disk", 4}};

	made.profile_options.symbols = false;
	make_session_stats(&session, stats, 3);
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 100);
	expect_after("samples 100\n"
		     "lost 4 of 130 seen in the whole session (3.08 %): disk 4\n"
		     "the counters do not balance: seen 130, but stored 101 + idle 0 + lost 4\n"
		     "the sample files contain 100 samples, but the daemon stored 101\n");
}
END_TEST

/* The report has read 100 samples; the counters change from those in read to those in later. */
static const char *after_change(const struct make_stat *read, const struct make_stat *later,
				size_t nr)
{
	static char kept[512];
	char *text;

	made.profile_options.symbols = false;
	make_session_stats(&session, read, nr);
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 100);
	make_profile_init(&made, &session, "session:run");
	make_session_stats(&session, later, nr);
	text = make_profile_text(write_after, NULL);
	(void)snprintf(kept, sizeof(kept), "%s", text);
	free(text);
	make_profile_deinit(&made);
	return kept;
}

START_TEST(samples_that_come_while_a_report_is_made_are_no_imbalance)
{
	const struct make_stat read[] = {{"seen", 95}, {"stored", 93}, {"idle", 1}};
	const struct make_stat later[] = {{"seen", 120}, {"stored", 119}, {"idle", 1}};

	ck_assert_str_eq(after_change(read, later, 3), "samples 100\n");
}
END_TEST

START_TEST(an_imbalance_that_a_daemon_at_work_does_not_explain_is_told)
{
	const struct make_stat read[] = {{"seen", 95}, {"stored", 60}, {"idle", 0}};
	const struct make_stat later[] = {{"seen", 97}, {"stored", 62}, {"idle", 0}};

	ck_assert_str_eq(after_change(read, later, 3),
			 "samples 100\n"
			 "the counters do not balance: seen 95, but stored 60 + idle 0 + lost 0\n"
			 "the sample files contain 100 samples, but the daemon stored 60\n");
}
END_TEST

START_TEST(samples_that_went_missing_while_a_daemon_is_at_work_are_told)
{
	const struct make_stat read[] = {{"seen", 105}, {"stored", 105}, {"idle", 0}};
	const struct make_stat later[] = {{"seen", 120}, {"stored", 120}, {"idle", 0}};

	ck_assert_str_eq(
		after_change(read, later, 3),
		"samples 100\nthe sample files contain 100 samples, but the daemon stored 105\n");
}
END_TEST

START_TEST(a_part_of_the_session_is_not_compared_with_its_counters)
{
	const struct make_stat stats[] = {{"seen", 30}, {"stored", 30}};
	char *text;

	made.profile_options.symbols = false;
	make_session_stats(&session, stats, 2);
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 10);
	add(&(struct make_file){.app = "/bin/other"}, 0x100, 20);
	make_profile_init(&made, &session, "session:run prog");
	text = make_profile_text(write_after, NULL);
	ck_assert_str_eq(text, "samples 10\n");
	free(text);
	make_profile_deinit(&made);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("coverage");
	TCase *tests = tcase_create("coverage");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, the_line_before_says_whose_samples_these_are);
	tcase_add_test(tests, the_day_is_told_twice_when_there_are_two);
	tcase_add_test(tests, a_whole_profile_takes_one_line);
	tcase_add_test(tests, what_lacks_symbols_is_told_with_its_cost_and_remedy);
	tcase_add_test(tests, a_terminal_gets_one_line_for_all_images_without_symbols);
	tcase_add_test(tests, a_terminal_lists_damaged_and_replaced_binaries);
	tcase_add_test(tests, a_terminal_gets_the_reason_where_packages_do_not_help);
	tcase_add_test(tests, a_terminal_gets_the_images_of_the_event_of_the_percentage);
	tcase_add_test(tests, events_are_told_apart);
	tcase_add_test(tests, a_filter_that_leaves_nothing_says_how_it_matches);
	tcase_add_test(tests, what_was_left_out_as_damaged_is_not_called_a_running_daemon);
	tcase_add_test(tests, what_makes_counts_another_thing_is_told);
	tcase_add_test(tests, the_view_of_images_says_nothing_of_symbols);
	tcase_add_test(tests, only_the_worst_of_many_are_named);
	tcase_add_test(tests, losses_are_told_by_reason_and_throttling_apart);
	tcase_add_test(tests, a_loss_in_several_sessions_is_told_once);
	tcase_add_test(tests, counters_that_do_not_balance_are_told);
	tcase_add_test(tests, samples_that_come_while_a_report_is_made_are_no_imbalance);
	tcase_add_test(tests, an_imbalance_that_a_daemon_at_work_does_not_explain_is_told);
	tcase_add_test(tests, samples_that_went_missing_while_a_daemon_is_at_work_are_told);
	tcase_add_test(tests, call_stacks_are_told_of_where_some_are_lost_or_folded);
	tcase_add_test(tests, notes_of_the_source_are_told_once_and_as_they_are);
	tcase_add_test(tests, a_part_of_the_session_is_not_compared_with_its_counters);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
