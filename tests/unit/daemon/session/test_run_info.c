// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/run_info.h"

#include "daemon/session/separation.h"
#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT_EVENTS 64 /* of earlier runs */

static struct event_choice events[] = {
	{.name = "cpu-clock",
	 .description = "time\non a CPU",
	 .frequency = true,
	 .period_or_hz = 99,
	 .kernel = true,
	 .user = true},
	{.name = "page-faults",
	 .description = "faults",
	 .period_or_hz = 7,
	 .unit_mask = 3,
	 .user = true},
};

static void fill(struct run_info *info, const struct event_choice *choice, size_t nr)
{
	run_info_init(info);
	info->source = "test";
	info->target = "system";
	info->events = choice;
	info->nr_events = nr;
	info->separation = SEPARATION_LIB;
	info->started_ns = 2000;
}

static char *written(void)
{
	char *text;

	ck_assert_int_eq(file_read_text("info", 100000, &text, NULL), 0);
	return text;
}

START_TEST(a_machine_tells_its_name_boot_and_cpu)
{
	struct run_info info;
	char host[RUN_INFO_TEXT_BYTES];
	uint8_t none[16] = {0};

	run_info_init(&info);
	ck_assert_int_eq(gethostname(host, sizeof(host)), 0);
	ck_assert_str_eq(info.host, host);
	ck_assert_mem_ne(info.boot_id, none, sizeof(none));
	ck_assert_uint_eq(strlen(info.boot_id_text), 36);
	ck_assert_str_ne(info.cpu_type, "");
	ck_assert_uint_eq(info.clock, CLOCK_MONOTONIC);
}
END_TEST

START_TEST(every_key_has_its_line_and_events_are_numbered)
{
	struct run_info info;
	char *text;

	fill(&info, events, 2);
	ck_assert_int_eq(run_info_write(&info, "info"), 0);
	text = written();
	ck_assert_ptr_nonnull(strstr(text, "source test\n"));
	ck_assert_ptr_nonnull(strstr(text, "separation lib\n"));
	ck_assert_ptr_nonnull(strstr(text, "started 2000\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nevent 0 cpu-clock hz 99 0x0 1 1 time on a CPU\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nevent 1 page-faults period 7 0x3 0 1 faults\n"));
	free(text);
}
END_TEST

START_TEST(the_same_again_keeps_the_first_start_and_warns_of_nothing)
{
	struct run_info info;

	fill(&info, events, 2);
	ck_assert_int_eq(run_info_write(&info, "info"), 0);
	info.started_ns = 3000;
	ck_assert_int_eq(run_info_write(&info, "info"), 0);
	ck_assert_int_eq(info.started_ns, 2000);
}
END_TEST

START_TEST(events_of_earlier_runs_stand_behind_the_new_ones)
{
	struct run_info info;
	char *text;

	fill(&info, events, 1);
	ck_assert_int_eq(run_info_write(&info, "info"), 0);
	fill(&info, events + 1, 1);
	ck_assert_int_eq(run_info_write(&info, "info"), 1);
	text = written();
	ck_assert_ptr_nonnull(strstr(text, "\nevent 0 page-faults "));
	ck_assert_ptr_nonnull(strstr(text, "\nevent 1 cpu-clock "));
	free(text);
	fill(&info, events, 2);
	(void)run_info_write(&info, "info");
	text = written();
	ck_assert_ptr_null(strstr(text, "\nevent 2 ")); /* no event is listed twice */
	free(text);
}
END_TEST

START_TEST(another_separation_is_warned_of)
{
	struct run_info info;

	fill(&info, events, 1);
	ck_assert_int_eq(run_info_write(&info, "info"), 0);
	info.separation = 0;
	ck_assert_int_eq(run_info_write(&info, "info"), 1);
}
END_TEST

START_TEST(a_file_full_of_nonsense_is_replaced)
{
	static const char nonsense[] =
		"started x\nevent\nevent \nevent 1\n\n \nseparation\nstarted";
	struct run_info info;
	char *text;

	ck_assert_int_eq(file_replace("info", nonsense, strlen(nonsense), 0600), 0);
	fill(&info, events, 1);
	ck_assert_int_ge(run_info_write(&info, "info"), 0);
	text = written();
	ck_assert_ptr_nonnull(strstr(text, "started 2000\n"));
	ck_assert_ptr_null(strstr(text, "\nevent 1 "));
	free(text);
}
END_TEST

static unsigned int nr_lines(const char *text, const char *begin)
{
	unsigned int nr = 0;

	for (const char *at = strstr(text, begin); at; at = strstr(at + 1, begin))
		nr++;
	return nr;
}

START_TEST(notes_of_earlier_runs_stand_behind_the_new_ones_of_other_names)
{
	static const struct source_note first[] = {{"depth", "127"}, {"clock", "of old"}},
					second[] = {{"clock", "new"}, {"clocks", "two"}};
	struct run_info info;
	char *text;

	fill(&info, events, 1);
	info.notes = first;
	info.nr_notes = 2;
	ck_assert_int_eq(run_info_write(&info, "info"), 0);
	info.notes = second;
	/* Changed notes cause no warning, and this run's notes are not doubled. */
	ck_assert_int_eq(run_info_write(&info, "info"), 0);
	ck_assert_int_eq(run_info_write(&info, "info"), 0);
	text = written();
	ck_assert_ptr_nonnull(strstr(text, "\nnote clock new\nnote clocks two\nnote depth 127\n"));
	ck_assert_ptr_null(strstr(text, "of old"));
	ck_assert_uint_eq(nr_lines(text, "\nnote "), 3);
	free(text);
}
END_TEST

START_TEST(of_many_old_events_and_notes_the_first_are_kept)
{
	char old[16384];
	size_t nr_bytes = 0;
	struct run_info info;
	char *text;

	for (int i = 0; i < 2 * KEPT_EVENTS; i++)
		nr_bytes += (size_t)snprintf(old + nr_bytes, sizeof(old) - nr_bytes,
					     "event %d old period %d 0x0 1 1 text\n", i, i + 1);
	for (int i = 0; i < 2 * SOURCE_NOTES_MAX; i++)
		nr_bytes += (size_t)snprintf(old + nr_bytes, sizeof(old) - nr_bytes,
					     "note old%d text\n", i);
	ck_assert_uint_lt(nr_bytes, sizeof(old));
	ck_assert_int_eq(file_replace("info", old, nr_bytes, 0600), 0);
	fill(&info, events, 1);
	ck_assert_int_eq(run_info_write(&info, "info"), 1);
	text = written();
	ck_assert_uint_eq(nr_lines(text, "\nevent "), 1 + KEPT_EVENTS);
	ck_assert_uint_eq(nr_lines(text, "\nnote old"), SOURCE_NOTES_MAX);
	free(text);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("run_info");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, a_machine_tells_its_name_boot_and_cpu);
	tcase_add_test(tc, every_key_has_its_line_and_events_are_numbered);
	tcase_add_test(tc, the_same_again_keeps_the_first_start_and_warns_of_nothing);
	tcase_add_test(tc, events_of_earlier_runs_stand_behind_the_new_ones);
	tcase_add_test(tc, another_separation_is_warned_of);
	tcase_add_test(tc, a_file_full_of_nonsense_is_replaced);
	tcase_add_test(tc, notes_of_earlier_runs_stand_behind_the_new_ones_of_other_names);
	tcase_add_test(tc, of_many_old_events_and_notes_the_first_are_kept);
	return test_run(tc);
}
