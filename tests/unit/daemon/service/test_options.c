// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/options.h"

#include "daemon/session/separation.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct options options;
static enum options_result result;
static struct diag diag;

/* Words separated by blanks. */
static int parse(const char *words)
{
	static char text[4096];
	const char *argv[128] = {"oprofiled"};
	char *rest = text;
	char *word;
	int argc = 1;

	(void)snprintf(text, sizeof(text), "%s", words);
	while ((word = strsep(&rest, " ")))
		if (*word)
			argv[argc++] = word;
	diag_clear(&diag);
	result = OPTIONS_RUN;
	return options_parse(&options, argc, argv, &result, &diag);
}

static void refused(const char *words, const char *why)
{
	ck_assert_msg(parse(words) < 0, "taken: %s", words);
	ck_assert_msg(strstr(diag.text, why) != NULL, "%s: %s", words, diag.text);
	options_deinit(&options);
}

START_TEST(without_options_it_is_the_whole_machine_at_99_hz)
{
	ck_assert_int_eq(parse(""), 0);
	ck_assert_str_eq(options.session_dir, "/var/lib/oprofile");
	ck_assert_uint_eq(options.nr_events, 1);
	ck_assert(options.events[0].frequency);
	ck_assert_uint_eq(options.events[0].period_or_hz, 99);
	ck_assert_uint_eq(options.nr_pids, 0);
	ck_assert_uint_eq(options.separation, 0);
	ck_assert(!options.foreground && !options.start);
	ck_assert_int_eq(options.begin, SESSION_APPEND);
	ck_assert_int_eq(options.ready_fd, -1);
	options_deinit(&options);
}
END_TEST

START_TEST(every_option_reaches_its_field)
{
	ck_assert_int_eq(parse("--session-dir=d --foreground --start --fresh --verbose --pid=1,2 "
			       "--pid 3 --enable-on-exec --parent=8 --callgraph=5 "
			       "--unwind=tables --stack-bytes=32768 "
			       "--sample-pages=16 --side-pages=8 --ready-fd=7 --separate=lib,cpu "
			       "--frequency=997 --history-bytes=2G --history-days=400 "
			       "--log-file=/l --session-owner=998"),
			 0);
	ck_assert_str_eq(options.session_dir, "d");
	ck_assert(options.foreground && options.start && options.verbose);
	ck_assert(options.enable_on_exec);
	ck_assert_int_eq(options.parent, 8);
	ck_assert_uint_eq(options.session_owner, 998);
	ck_assert_int_eq(options.begin, SESSION_FRESH);
	ck_assert_uint_eq(options.nr_pids, 3);
	ck_assert_int_eq(options.pids[2], 3);
	ck_assert_uint_eq(options.chain_depth, 5);
	ck_assert_int_eq(options.unwind, SOURCE_UNWIND_TABLES);
	ck_assert_uint_eq(options.stack_bytes, 32768);
	ck_assert_uint_eq(options.sample_pages, 16);
	ck_assert_uint_eq(options.history_bytes, UINT64_C(2) << 30);
	ck_assert_uint_eq(options.history_days, 400);
	ck_assert_uint_eq(options.side_pages, 8);
	ck_assert_int_eq(options.ready_fd, 7);
	ck_assert_uint_eq(options.separation, SEPARATION_LIB | SEPARATION_CPU);
	ck_assert_uint_eq(options.events[0].period_or_hz, 997);
	ck_assert_str_eq(options.log_file, "/l");
	options_deinit(&options);
}
END_TEST

START_TEST(a_source_and_the_sizes_of_its_buffers_may_be_asked_for)
{
	ck_assert_int_eq(parse(""), 0);
	ck_assert_int_eq(options.source, SOURCE_WISH_AUTO);
	ck_assert_uint_eq(options.buffer_size, 0);
	options_deinit(&options);
	ck_assert_int_eq(parse("--source=kmod --buffer-size=1024 --buffer-watershed=1 "
			       "--cpu-buffer-size=128"),
			 0);
	ck_assert_int_eq(options.source, SOURCE_WISH_KMOD);
	ck_assert_uint_eq(options.buffer_size, 1024);
	ck_assert_uint_eq(options.buffer_watershed, 1);
	ck_assert_uint_eq(options.cpu_buffer_size, 128);
	options_deinit(&options);
	refused("--source=oprofile", "auto, kmod or perf");
	refused("--buffer-size=1023", "1024 to 4194304");
	refused("--buffer-watershed=0", "--buffer-watershed");
	refused("--cpu-buffer-size=1048577", "128 to 1048576");
}
END_TEST

START_TEST(events_keep_their_order_and_their_own_count)
{
	ck_assert_int_eq(parse("--event=page-faults:7 -e cpu-clock,context-switches:3 -F 50"), 0);
	ck_assert_uint_eq(options.nr_events, 3);
	ck_assert_str_eq(options.events[0].name, "page-faults");
	ck_assert(!options.events[0].frequency);
	ck_assert_uint_eq(options.events[0].period_or_hz, 7);
	ck_assert_str_eq(options.events[1].name, "cpu-clock");
	ck_assert(options.events[1].frequency);
	ck_assert_uint_eq(options.events[1].period_or_hz, 50);
	ck_assert_uint_eq(options.events[2].period_or_hz, 3);
	options_deinit(&options);
}
END_TEST

START_TEST(a_relative_log_file_is_meant_from_here)
{
	char folder[PATH_MAX];
	char expected[PATH_MAX + 16];

	ck_assert_ptr_nonnull(getcwd(folder, sizeof(folder)));
	ck_assert_int_eq(parse("--log-file=a/b"), 0);
	(void)snprintf(expected, sizeof(expected), "%s/a/b", folder);
	ck_assert_str_eq(options.log_file, expected);
	options_deinit(&options);
}
END_TEST

START_TEST(wrong_values_are_refused_with_their_option)
{
	refused("--nonsense", "--nonsense");
	refused("word", "word");
	refused("--frequency=0", "--frequency");
	refused("--frequency=-5", "--frequency");
	refused("--frequency=12x", "--frequency");
	refused("--pid=0", "--pid");
	refused("--pid=", "--pid");
	refused("--pid=1,,2", "--pid");
	refused("--pid=99999999999", "--pid");
	refused("--sample-pages=3", "power of two");
	refused("--side-pages=0", "--side-pages");
	refused("--callgraph=100000", "--callgraph");
	refused("--unwind=dwarf", "give auto, fp or tables");
	refused("--stack-bytes=1023", "--stack-bytes");
	refused("--stack-bytes=65536", "--stack-bytes");
	refused("--ready-fd=x", "--ready-fd");
	refused("--parent=0", "--parent");
	refused("--session-owner=0", "--session-owner");
	refused("--session-owner=4294967295", "--session-owner");
	refused("--session-owner=oprof", "--session-owner");
	refused("--history-bytes=15M", "--history-bytes");
	refused("--history-bytes=1T", "--history-bytes");
	refused("--history-days=0", "--history-days");
	refused("--history-days=36501", "--history-days");
	refused("--separate=libs", "libs");
	refused("--event=no-such-event", "no-such-event");
	refused("--event=", "");
	refused("--event=cpu-clock --event=cpu-clock", "twice");
}
END_TEST

START_TEST(options_that_exclude_each_other_are_refused)
{
	refused("--append --fresh", "--fresh");
	refused("--system --pid=1", "--pid");
	refused("--enable-on-exec", "--pid");
	refused("--parent=8", "--foreground");
}
END_TEST

START_TEST(more_events_than_the_source_takes_are_refused)
{
	char words[4096] = "";

	for (unsigned int i = 0; i < 33; i++) {
		size_t used = strlen(words);

		(void)snprintf(words + used, sizeof(words) - used, " -e page-faults:%u", 100 + i);
	}
	refused(words, "at most 32");
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("options");

	tcase_add_test(tc, without_options_it_is_the_whole_machine_at_99_hz);
	tcase_add_test(tc, every_option_reaches_its_field);
	tcase_add_test(tc, events_keep_their_order_and_their_own_count);
	tcase_add_test(tc, a_source_and_the_sizes_of_its_buffers_may_be_asked_for);
	tcase_add_test(tc, a_relative_log_file_is_meant_from_here);
	tcase_add_test(tc, wrong_values_are_refused_with_their_option);
	tcase_add_test(tc, options_that_exclude_each_other_are_refused);
	tcase_add_test(tc, more_events_than_the_source_takes_are_refused);
	return test_run(tc);
}
