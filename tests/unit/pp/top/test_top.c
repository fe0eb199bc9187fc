// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top_options.h"
#include "pp/top/top_rows.h"
#include "pp/top/top_samples.h"
#include "pp/top/top_symbols.h"
#include "pp/top/top_text.h"

#include "tests/fixture/test_folder.h"
#include "tests/fixture/top_slice.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct top_samples samples;
static struct top_symbols *symbols;
static struct top_rows rows;
static struct diag diag;

static void setup(void)
{
	test_folder_setup();
	top_slice_make_symbols("meta");
	ck_assert_int_eq(top_samples_read(&samples, top_slice_make(), &diag), 0);
	ck_assert_int_eq(top_symbols_create(&symbols, "meta"), 0);
	rows = (struct top_rows){0};
}

static void teardown(void)
{
	top_rows_deinit(&rows);
	top_symbols_destroy(symbols);
	top_samples_deinit(&samples);
	test_folder_teardown();
}

static size_t event_of(const char *name)
{
	for (size_t i = 0; i < samples.nr_events; i++)
		if (!strcmp(samples.events[i].name, name))
			return i;
	ck_abort_msg("no event %s", name);
	return 0;
}

static void make(const char *event, enum top_view view, const char *filter)
{
	const struct top_choice choice = {event_of(event), view, filter};

	top_symbols_begin(symbols);
	top_rows_deinit(&rows);
	ck_assert_int_eq(top_rows_make(&rows, &samples, &choice, symbols), 0);
}

static void expect_row(size_t index, const char *name, const char *detail, uint64_t nr_samples)
{
	ck_assert_uint_lt(index, rows.nr_rows);
	ck_assert_str_eq(rows.rows[index].name, name);
	ck_assert_str_eq(rows.rows[index].detail, detail);
	ck_assert_uint_eq(rows.rows[index].nr_samples, nr_samples);
}

START_TEST(events_idle_and_losses_are_summed)
{
	const struct top_event *clock = &samples.events[event_of("cpu-clock")];
	const struct top_event *off = &samples.events[event_of("off-cpu")];

	ck_assert_uint_eq(samples.nr_events, 2);
	ck_assert_uint_eq(clock->nr_samples, 1000);
	ck_assert_uint_eq(clock->nr_idle, 500);
	ck_assert(clock->frequency);
	ck_assert(!clock->exact);
	ck_assert(off->exact);
	ck_assert_uint_eq(off->weight, 4000000);
	ck_assert_uint_eq(samples.seen, 1533);
	ck_assert_uint_eq(samples.lost, 30);
}
END_TEST

START_TEST(symbols_come_when_they_are_loaded_and_stand_by_share)
{
	make("cpu-clock", TOP_SYMBOLS, "");
	/* Whether or not symbols are loaded, all samples are present. */
	ck_assert_uint_ge(rows.nr_rows, 3);
	top_symbols_wait(symbols);
	make("cpu-clock", TOP_SYMBOLS, "");
	ck_assert_uint_eq(rows.nr_loading, 0);
	ck_assert_uint_eq(rows.nr_rows, 5);
	expect_row(0, "hot_function", "vmlinux", 600);
	expect_row(1, "cold_function", "vmlinux", 280);
	expect_row(2, "(no symbol)", "ext4", 98);
	expect_row(3, "(no symbol)", "vmlinux", 20);
	expect_row(4, "(no symbol)", "such", 2);
	ck_assert_double_eq_tol(rows.rows[0].share, 60, 1e-9);
}
END_TEST

START_TEST(each_view_sums_all_samples)
{
	make("cpu-clock", TOP_IMAGES, "");
	expect_row(0, "vmlinux", "", 900);
	expect_row(1, "ext4", "", 98);
	expect_row(2, "/no/such", "", 2);
	make("cpu-clock", TOP_PROGRAMS, "");
	expect_row(0, "/usr/bin/load", "", 900);
	expect_row(1, "/usr/bin/save", "", 100);
	make("cpu-clock", TOP_CGROUPS, "");
	expect_row(0, "a.service", "/a.service", 900);
	expect_row(1, "b.service", "/b.service", 100);
	make("cpu-clock", TOP_CPUS, "");
	expect_row(0, "CPU 0", "", 700);
	expect_row(1, "CPU 1", "", 300);
	ck_assert_uint_eq(rows.rows[1].nr_idle, 500);
	make("off-cpu", TOP_PROGRAMS, "");
	expect_row(0, "/usr/bin/save", "", 3000);
	ck_assert(rows.rows[0].exact);
	make("off-cpu", TOP_SYMBOLS, "");
	top_symbols_wait(symbols);
	make("off-cpu", TOP_SYMBOLS, "");
	expect_row(0, "[waiting]", "save", 3000);
}
END_TEST

START_TEST(threads_and_processes_are_named_by_number_and_name)
{
	make("cpu-clock", TOP_THREADS, "");
	ck_assert_uint_eq(rows.nr_rows, 3);
	ck_assert_ptr_nonnull(strstr(rows.rows[0].name, "100.101 "));
	ck_assert_str_eq(rows.rows[0].detail, "load");
	ck_assert_uint_eq(rows.rows[0].nr_samples, 600);
	make("cpu-clock", TOP_PROCESSES, "");
	ck_assert_uint_eq(rows.nr_rows, 2);
	ck_assert_uint_eq(rows.rows[0].nr_samples, 900);
}
END_TEST

START_TEST(a_filter_hides_rows_and_changes_no_share)
{
	make("cpu-clock", TOP_PROGRAMS, "SAVE");
	ck_assert_uint_eq(rows.nr_rows, 1);
	ck_assert_uint_eq(rows.nr_hidden, 1);
	ck_assert_double_eq_tol(rows.rows[0].share, 10, 1e-9);
	make("cpu-clock", TOP_PROGRAMS, "nothing has this");
	ck_assert_uint_eq(rows.nr_rows, 0);
}
END_TEST

START_TEST(shares_carry_twice_their_standard_error)
{
	make("cpu-clock", TOP_PROGRAMS, "");
	/* 2 sqrt(0.9 x 0.1 / 1000) */
	ck_assert_double_eq_tol(rows.rows[0].error, 1.897, 0.001);
	ck_assert(!top_row_is_noise(&rows.rows[0]));
	make("cpu-clock", TOP_IMAGES, "");
	ck_assert(top_row_is_noise(&rows.rows[2]));
}
END_TEST

START_TEST(lines_have_their_width_and_say_what_is_so)
{
	struct top_show show = {.samples = &samples,
				.rows = &rows,
				.choice = {event_of("cpu-clock"), TOP_SYMBOLS, ""},
				.daemon_percent = 0.031,
				.host = "testhost"};
	char line[TOP_LINE_BYTES];

	top_symbols_wait(symbols);
	make("cpu-clock", TOP_SYMBOLS, "");
	top_symbols_wait(symbols);
	make("cpu-clock", TOP_SYMBOLS, "");
	top_text_title(line, 80, &show);
	ck_assert_ptr_nonnull(strstr(line, "testhost"));
	ck_assert_ptr_nonnull(strstr(line, "last 10.0 s  cpu-clock at 99 Hz (1 of 2)"));
	top_text_sums(line, 80, &show);
	ck_assert_str_eq(line, "samples 1000 (100/s)  idle 33.3 %  lost 30 (2.0 %)  "
			       "daemon 0.03 % of a CPU");
	for (int width = TOP_WIDTH_MIN; width < 200; width++) {
		top_text_heads(line, width, &show);
		ck_assert_uint_eq(strlen(line), (size_t)width);
		top_text_row(line, width, TOP_SYMBOLS, &rows.rows[0]);
		ck_assert_uint_eq(strlen(line), (size_t)width);
		top_text_title(line, width, &show);
		ck_assert_uint_le(strlen(line), (size_t)width);
	}
	top_text_row(line, 80, TOP_SYMBOLS, &rows.rows[0]);
	ck_assert_ptr_nonnull(strstr(line, " 60.00%  3.10%       600 hot_function "));
}
END_TEST

START_TEST(time_off_cpu_is_told_as_time)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = {{0, " 0us "},
		     {999499, " 999us "},
		     {999500, " 1ms "},
		     {999499999, " 999ms "},
		     {999500000, " 1.00s "},
		     {99994000000, " 99.99s "},
		     {99996000000, " 100s "},
		     {9999400000000, " 9999s "},
		     {36000000000000, " 10h "},
		     {UINT64_MAX, "5124096h "}};
	struct top_show show = {.samples = &samples,
				.rows = &rows,
				.choice = {event_of("off-cpu"), TOP_THREADS, ""},
				.daemon_percent = -1};
	struct top_row row = {.name = "", .detail = "", .exact = true};
	char line[TOP_LINE_BYTES];

	top_text_sums(line, 80, &show);
	ck_assert_str_eq(line, "off 3000 times, average 0.0 tasks  lost 30 (2.0 %)");
	top_text_heads(line, 80, &show);
	ck_assert_ptr_nonnull(strstr(line, "SHARE   TIME     TIMES THREAD"));
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		row.weight = times[i].ns;
		top_text_row(line, 80, TOP_THREADS, &row);
		ck_assert_msg(strstr(line, times[i].text), "%s in %s", times[i].text, line);
	}
}
END_TEST

START_TEST(what_is_no_slice_is_refused)
{
	struct top_samples other;
	int pipes[2];
	int fd = top_slice_make();

	ck_assert_int_eq(pipe(pipes), 0);
	(void)close(pipes[1]);
	ck_assert_int_lt(top_samples_read(&other, pipes[0], &diag), 0);
	ck_assert_int_eq(pwrite(fd, "XXXXXXXX", 8, 40), 8);
	ck_assert_int_lt(top_samples_read(&other, fd, &diag), 0);
	ck_assert_int_ne(diag.text[0], '\0');
}
END_TEST

static int parse(struct top_options *options, const char *a, const char *b)
{
	const char *argv[] = {"optop", a, b, NULL};

	return top_options_parse(options, b ? 3 : a ? 2 : 1, argv, &diag);
}

START_TEST(options_are_checked)
{
	static const char *const bad[][2] = {
		{"--delay=0", NULL}, {"--delay=x", NULL},   {"--window=0.5", NULL},
		{"--view=x", NULL},  {"--rows=-1", NULL},   {"--what", NULL},
		{"word", NULL},	     {"--delay=nan", NULL}, {"--view=", NULL},
	};
	struct top_options options;

	ck_assert_int_eq(parse(&options, NULL, NULL), 0);
	ck_assert_uint_eq(options.delay_ns, 2000000000);
	ck_assert_uint_eq(options.window_ns, UINT64_C(10000000000));
	top_options_deinit(&options);
	ck_assert_int_eq(parse(&options, "--once", "--view=thr"), 0);
	ck_assert(options.batch);
	ck_assert_uint_eq(options.nr_refreshes, 1);
	ck_assert_int_eq(options.view, TOP_THREADS);
	top_options_deinit(&options);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(parse(&options, bad[i][0], bad[i][1]), -EINVAL);
		ck_assert_int_ne(diag.text[0], '\0');
		top_options_deinit(&options);
	}
}
END_TEST

static const struct {
	const char *option;
	uint64_t value; /* in milliseconds, or a number */
	bool good;
} bounds[] = {
	{"--delay=0.1", 100, true},
	{"--delay=0.0999", 0, false},
	{"--delay=3600", 3600000, true},
	{"--delay=3600.1", 0, false},
	{"--delay=1x", 0, false},
	{"--delay=", 0, false},
	{"--window=1", 1000, true},
	{"--window=0.999", 0, false},
	{"--window=3600", 3600000, true},
	{"--window=3601", 0, false},
	{"--rows=0", 0, true},
	{"--rows=1000000000", 1000000000, true},
	{"--rows=1000000001", 0, false},
	{"--rows=18446744073709551616", 0, false},
	{"--rows=3x", 0, false},
	{"--rows=", 0, false},
	{"--iterations=7", 7, true},
};

START_TEST(an_option_s_number_is_taken_up_to_its_bound)
{
	const char *option = bounds[_i].option;
	struct top_options options;

	errno = ERANGE; /* from an earlier failure */
	ck_assert_int_eq(parse(&options, option, NULL), bounds[_i].good ? 0 : -EINVAL);
	if (!bounds[_i].good)
		ck_assert_ptr_nonnull(strstr(diag.text, "is not a number"));
	else if (!strncmp(option, "--delay", 7))
		ck_assert_uint_eq(options.delay_ns, bounds[_i].value * 1000000);
	else if (!strncmp(option, "--window", 8))
		ck_assert_uint_eq(options.window_ns, bounds[_i].value * 1000000);
	else if (!strncmp(option, "--rows", 6))
		ck_assert_uint_eq(options.nr_rows, bounds[_i].value);
	else
		ck_assert_uint_eq(options.nr_refreshes, bounds[_i].value);
	top_options_deinit(&options);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("top");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, events_idle_and_losses_are_summed);
	tcase_add_test(tc, symbols_come_when_they_are_loaded_and_stand_by_share);
	tcase_add_test(tc, each_view_sums_all_samples);
	tcase_add_test(tc, threads_and_processes_are_named_by_number_and_name);
	tcase_add_test(tc, a_filter_hides_rows_and_changes_no_share);
	tcase_add_test(tc, shares_carry_twice_their_standard_error);
	tcase_add_test(tc, lines_have_their_width_and_say_what_is_so);
	tcase_add_test(tc, time_off_cpu_is_told_as_time);
	tcase_add_test(tc, what_is_no_slice_is_refused);
	tcase_add_test(tc, options_are_checked);
	tcase_add_loop_test(tc, an_option_s_number_is_taken_up_to_its_bound, 0,
			    sizeof(bounds) / sizeof(bounds[0]));
	return test_run(tc);
}
