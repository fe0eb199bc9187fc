// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/metrics.h"
#include "lib/file.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NOW_NS INT64_C(1700000000123456789)

static const char status[] = "version 0.1.0\nstate running\nfrequency 99\nfrequency_now 49\n"
			     "rate 12.5\nseen 100\nstored 60\nidle 30\nlost_kernel_ring 7\n"
			     "lost_disk 3\nthrottle_episodes 1\nthrottled_ns 1500000000\n"
			     "up_since 1700000000000000001\ncpu_ns 2000000001\n"
			     "resident_bytes 4096\nsample_files 12\nclose_errors 2\n"
			     "merge_errors 0\ndamaged_slices 1\nnote a b c\n";

static bool matches(const char *line, const char *pattern)
{
	regex_t regex;
	bool found;

	ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	found = !regexec(&regex, line, 0, NULL, 0);
	regfree(&regex);
	return found;
}

/*
 * Requirements of a strict reader of the format: each family has one HELP, one
 * TYPE and then all of its samples, in this order; names, types, labels and
 * numbers are well-formed; counters end in _total; no sample occurs twice.
 */
static void check_strictly(char *text)
{
	char name[128] = "";
	char type[32] = "";
	char seen[8192] = "\n";
	bool helped = false;
	char *line;

	ck_assert_uint_gt(strlen(text), 0);
	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	while ((line = strsep(&text, "\n")) && *line) {
		char key[200];
		char family[200];

		if (sscanf(line, "# HELP %127s", name) == 1) {
			ck_assert_msg(matches(line, "^# HELP oprof_[a-z_]+ [A-Z1].*\\.$"), "%s",
				      line);
			(void)snprintf(family, sizeof(family), "\nHELP %s\n", name);
			ck_assert_msg(!strstr(seen, family), "family twice: %s", name);
			(void)strcat(seen, family + 1);
			helped = true;
			type[0] = '\0';
			continue;
		}
		if (line[0] == '#') {
			ck_assert(helped && !type[0]);
			ck_assert_msg(matches(line, "^# TYPE oprof_[a-z_]+ (counter|gauge)$"), "%s",
				      line);
			ck_assert_int_eq(strncmp(line + 7, name, strlen(name)), 0);
			(void)strcpy(type, line + 8 + strlen(name));
			ck_assert_msg(!strcmp(type, "counter") == matches(name, "_total$"), "%s",
				      name);
			continue;
		}
		ck_assert_msg(matches(line, "^oprof_[a-z_]+(\\{[a-z]+=\"[^\"\\]*\"\\})? "
					    "-?[0-9]+(\\.[0-9]+)?$"),
			      "%s", line);
		ck_assert_msg(!strncmp(line, name, strlen(name)) &&
				      strchr("{ ", line[strlen(name)]) && type[0],
			      "outside its family: %s", line);
		(void)snprintf(key, sizeof(key), "\n%.*s\n", (int)(strrchr(line, ' ') - line),
			       line);
		ck_assert_msg(!strstr(seen, key), "twice: %s", line);
		(void)strcat(seen, key + 1);
	}
	ck_assert_ptr_null(text); /* no empty line except at the end */
}

static bool has_line(const char *text, const char *line)
{
	size_t nr = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && at[nr] == '\n')
			return true;
	return false;
}

START_TEST(figures_are_those_of_the_status)
{
	char *text = metrics_format(status, NOW_NS, true);

	ck_assert_ptr_nonnull(text);
	ck_assert(has_line(text, "oprof_up 1"));
	ck_assert(has_line(text, "oprof_sampling 1"));
	ck_assert(has_line(text, "oprof_samples_seen_total 100"));
	ck_assert(has_line(text, "oprof_samples_total{result=\"stored\"} 60"));
	ck_assert(has_line(text, "oprof_samples_total{result=\"idle\"} 30"));
	ck_assert(has_line(text, "oprof_samples_lost_total{reason=\"kernel_ring\"} 7"));
	ck_assert(has_line(text, "oprof_samples_lost_total{reason=\"disk\"} 3"));
	ck_assert(has_line(text, "oprof_sampling_frequency_hertz 49"));
	ck_assert(has_line(text, "oprof_daemon_resident_bytes 4096"));
	ck_assert(has_line(text, "oprof_close_errors_total 2"));
	ck_assert(has_line(text, "oprof_damaged_slices 1"));
	ck_assert(has_line(text, "# TYPE oprof_samples_lost_total counter"));
	free(text);
}
END_TEST

START_TEST(times_are_seconds_to_the_last_digit)
{
	char *text = metrics_format(status, NOW_NS, true);

	ck_assert(has_line(text, "oprof_metrics_timestamp_seconds 1700000000.123456789"));
	ck_assert(has_line(text, "oprof_start_time_seconds 1700000000.000000001"));
	ck_assert(has_line(text, "oprof_throttled_seconds_total 1.500000000"));
	ck_assert(has_line(text, "oprof_daemon_cpu_seconds_total 2.000000001"));
	free(text);
}
END_TEST

/* The clock of a machine can be set to a time before 1970. */
START_TEST(a_time_before_1970_has_one_sign)
{
	char *text = metrics_format("up_since -5\noldest -1000000005\n", -1, true);

	ck_assert(has_line(text, "oprof_metrics_timestamp_seconds -0.000000001"));
	ck_assert(has_line(text, "oprof_start_time_seconds -0.000000005"));
	ck_assert(has_line(text, "oprof_oldest_slice_timestamp_seconds -1.000000005"));
	check_strictly(text);
	free(text);
}
END_TEST

START_TEST(the_format_stands_a_strict_reader)
{
	char *text = metrics_format(status, NOW_NS, true);

	check_strictly(text);
	free(text);
}
END_TEST

START_TEST(a_daemon_that_ended_is_not_up)
{
	char *text = metrics_format(status, NOW_NS, false);

	ck_assert(has_line(text, "oprof_up 0"));
	ck_assert(has_line(text, "oprof_sampling 0"));
	free(text);
}
END_TEST

START_TEST(what_the_status_does_not_tell_is_not_there)
{
	char *text = metrics_format("state stopped\nrate much\nseen \n", NOW_NS, true);

	ck_assert_ptr_null(strstr(text, "oprof_samples_seen_total"));
	ck_assert_ptr_null(strstr(text, "oprof_samples_per_second"));
	ck_assert(has_line(text, "oprof_sampling 0"));
	check_strictly(text);
	free(text);
}
END_TEST

START_TEST(the_file_is_for_all_to_read_and_replaced_at_once)
{
	struct stat st;
	char *text;

	ck_assert_int_eq(metrics_write("m.prom", "first\n"), 0);
	ck_assert_int_eq(metrics_write("m.prom", "second\n"), 0);
	ck_assert_int_eq(stat("m.prom", &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0644);
	ck_assert_int_eq(file_read_text("m.prom", 100, &text, NULL), 0);
	ck_assert_str_eq(text, "second\n");
	free(text);
	ck_assert_int_eq(metrics_write("nowhere/m.prom", "x\n"), -ENOENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("metrics");
	TCase *tc = tcase_create("metrics");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, figures_are_those_of_the_status);
	tcase_add_test(tc, times_are_seconds_to_the_last_digit);
	tcase_add_test(tc, a_time_before_1970_has_one_sign);
	tcase_add_test(tc, the_format_stands_a_strict_reader);
	tcase_add_test(tc, a_daemon_that_ended_is_not_up);
	tcase_add_test(tc, what_the_status_does_not_tell_is_not_there);
	tcase_add_test(tc, the_file_is_for_all_to_read_and_replaced_at_once);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
