// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/setup_match.h"

#include "tests/fixture/control_test.h"

#include <errno.h>

static struct setup setup;

static void set_up(void)
{
	diag_clear(&diag);
	setup_init(&setup);
}

static void tear_down(void)
{
	setup_deinit(&setup);
}

static void set(const char *key, const char *value)
{
	ck_assert_msg(!setup_set(&setup, key, value, &diag), "%s", diag_show(&diag));
}

/* The status of a daemon that was started with two events and all other settings. */
static const char full[] =
	"version 1\nstate running\ntarget system\n"
	"event cpu-clock::0x0:1:1\nevent page-faults:5:0x0:0:1\n"
	"frequency 123\nseparation lib,thread\ncallgraph 7\nunwind fp\nstack_bytes 4096\n"
	"sample_pages 16\nbuffer_size 2048\nbuffer_watershed 100\n"
	"cpu_buffer_size 1024\nsource perf\nbudget_asked 536870912\nbudget_days 30\nseen 0\n";

static void set_full(void)
{
	set("event", "page-faults:5:0:0:1,cpu-clock");
	set("frequency", "123");
	set("separate", "lib,thread");
	set("callgraph", "7");
	set("unwind", "fp");
	set("stack-bytes", "4096");
	set("cpu-buffer-size", "1024");
	set("buffer-size", "2048");
	set("buffer-watershed", "100");
	set("history-bytes", "512M");
	set("history-days", "30");
}

static void assert_differs(const char *status, const char *what)
{
	ck_assert_int_eq(setup_match(&setup, status, &diag), -EBUSY);
	assert_has(diag.text, what);
	assert_has(diag.text, "opcontrol --shutdown");
}

START_TEST(a_daemon_with_all_the_settings_matches_in_any_order_of_events)
{
	set_full();
	ck_assert_msg(!setup_match(&setup, full, &diag), "%s", diag_show(&diag));
}
END_TEST

START_TEST(defaults_match_a_daemon_that_was_told_nothing)
{
	set("event", "cpu-clock");
	ck_assert_msg(!setup_match(&setup,
				   "target system\nevent cpu-clock::0x0:1:1\nfrequency 99\n"
				   "separation none\ncallgraph 0\nunwind auto\nstack_bytes 0\n"
				   "sample_pages 0\n"
				   "buffer_size 0\nbuffer_watershed 0\ncpu_buffer_size 0\n"
				   "budget_asked 0\nbudget_days 0\n",
				   &diag),
		      "%s", diag_show(&diag));
}
END_TEST

/* Changes of one line each, and the text that the message then shows. */
static const struct {
	const char *line, *other, *shown;
} differences[] = {
	{"target system", "target processes", "target is processes, but the setup has system"},
	{"event page-faults:5:0x0:0:1", "event page-faults:6:0x0:0:1", "page-faults:6:0x0:0:1,"},
	{"event page-faults:5:0x0:0:1\n", "", "event is cpu-clock::0x0:1:1,"},
	{"frequency 123", "frequency 1234", "frequency is 1234, but the setup has 123"},
	{"frequency 123", "frequency 12", "frequency is 12, but the setup has 123"},
	{"frequency 123\n", "", "frequency is none, but the setup has 123"},
	{"separation lib,thread", "separation none",
	 "separation is none, but the setup has lib,thread"},
	{"separation lib,thread", "separation lib,thread,cpu", "lib,thread,cpu"},
	{"callgraph 7", "callgraph 0", "callgraph is 0, but the setup has 7"},
	{"unwind fp", "unwind auto", "unwind is auto, but the setup has fp"},
	{"stack_bytes 4096", "stack_bytes 0", "stack_bytes is 0, but the setup has 4096"},
	{"sample_pages 16", "sample_pages 0", "sample_pages is 0, but the setup has 16"},
	{"buffer_size 2048", "buffer_size 0", "buffer_size is 0, but the setup has 2048"},
	{"buffer_watershed 100", "buffer_watershed 1",
	 "buffer_watershed is 1, but the setup has 100"},
	{"cpu_buffer_size 1024", "cpu_buffer_size 1",
	 "cpu_buffer_size is 1, but the setup has 1024"},
	{"budget_asked 536870912", "budget_asked 0",
	 "budget_asked is 0, but the setup has 536870912"},
	{"budget_days 30", "budget_days 31", "budget_days is 31, but the setup has 30"},
	{"seen 0", "event minor-faults:1:0x0:1:1", "minor-faults"},
};

START_TEST(every_setting_that_differs_is_told)
{
	const char *at = strstr(full, differences[_i].line);
	char status[1024];

	ck_assert_ptr_nonnull(at);
	(void)snprintf(status, sizeof(status), "%.*s%s%s", (int)(at - full), full,
		       differences[_i].other, at + strlen(differences[_i].line));
	set_full();
	assert_differs(status, differences[_i].shown);
}
END_TEST

START_TEST(a_daemon_with_more_than_was_asked_for_differs)
{
	set("event", "cpu-clock:1000000");
	assert_differs("target system\nevent cpu-clock:1000000:0x0:1:1\nseparation none\n"
		       "callgraph 9\nsample_pages 0\n",
		       "callgraph is 9, but the setup has 0");
	assert_differs("target system\nevent cpu-clock:1000000:0x0:1:1\nseparation none\n"
		       "callgraph 0\nunwind auto\nstack_bytes 0\nsample_pages 64\n",
		       "sample_pages is 64");
	assert_differs("", "target is none");
}
END_TEST

START_TEST(a_source_that_was_asked_for_has_to_be_the_daemons)
{
	set_full();
	set("source", "perf");
	ck_assert_msg(!setup_match(&setup, full, &diag), "%s", diag_show(&diag));
	set("source", "kmod");
	assert_differs(full, "source is perf, but the setup has kmod");
	set("source", "auto"); /* accepts any source */
	ck_assert_int_eq(setup_match(&setup, full, &diag), 0);
}
END_TEST

START_TEST(settings_without_effect_are_not_compared)
{
	set_full();
	set("image", "/bin/x");
	set("no-vmlinux", "1");
	ck_assert_int_eq(setup_match(&setup, full, &diag), 0);
}
END_TEST

START_TEST(a_setup_that_no_daemon_takes_is_refused_as_such)
{
	set("event", "no-such-event");
	ck_assert_int_eq(setup_match(&setup, full, &diag), -ENOENT);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("match");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, a_daemon_with_all_the_settings_matches_in_any_order_of_events);
	tcase_add_test(cases, defaults_match_a_daemon_that_was_told_nothing);
	tcase_add_loop_test(cases, every_setting_that_differs_is_told, 0,
			    sizeof(differences) / sizeof(differences[0]));
	tcase_add_test(cases, a_source_that_was_asked_for_has_to_be_the_daemons);
	tcase_add_test(cases, a_daemon_with_more_than_was_asked_for_differs);
	tcase_add_test(cases, settings_without_effect_are_not_compared);
	tcase_add_test(cases, a_setup_that_no_daemon_takes_is_refused_as_such);
	return test_run(cases);
}
