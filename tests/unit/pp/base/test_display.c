// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/display.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/terminal.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int not_terminal;

static void setup(void)
{
	ck_assert_int_eq(setenv("TERM", "linux", 1), 0);
	ck_assert_int_eq(unsetenv("COLUMNS"), 0);
	ck_assert_int_eq(unsetenv("NO_COLOR"), 0);
	not_terminal = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(not_terminal, 0);
	ck_assert_int_eq(dup2(not_terminal, STDERR_FILENO), STDERR_FILENO);
}

static void teardown(void)
{
	(void)close(not_terminal);
}

static int width_of(int fd)
{
	struct display display;

	display_find(&display, fd, COLOR_AUTO);
	return display.width;
}

static bool has_colors(int fd, enum color_when when)
{
	struct display display;

	display_find(&display, fd, when);
	return display.colors;
}

START_TEST(columns_decide_the_width_within_limits)
{
	static const struct {
		const char *columns;
		int width;
	} cases[] = {{"80", 80},
		     {"200", 200},
		     {"20", DISPLAY_WIDTH_MIN},
		     {"1", 60},
		     {"0", 100},
		     {"99999", DISPLAY_WIDTH_MAX},
		     {"", 100},
		     {"80x", 100},
		     {"-5", 100},
		     {"nine", 100},
		     {"99999999999999999999", 100}};

	ck_assert_int_eq(width_of(not_terminal), DISPLAY_WIDTH_DEFAULT);
	ck_assert_int_eq(width_of(-1), DISPLAY_WIDTH_DEFAULT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(setenv("COLUMNS", cases[i].columns, 1), 0);
		ck_assert_msg(width_of(-1) == cases[i].width, "COLUMNS=%s: %d", cases[i].columns,
			      width_of(-1));
	}
}
END_TEST

START_TEST(a_terminal_has_its_width_and_lends_it_to_a_pager)
{
	struct winsize size = {.ws_row = 24, .ws_col = 132};
	int master = terminal_become_stderr();

	ck_assert_int_eq(ioctl(STDERR_FILENO, TIOCSWINSZ, &size), 0);
	ck_assert_int_eq(width_of(STDERR_FILENO), 132);
	ck_assert_int_eq(width_of(not_terminal), 132);
	ck_assert_int_eq(setenv("COLUMNS", "90", 1), 0);
	ck_assert_int_eq(width_of(STDERR_FILENO), 90);
	(void)close(master);
}
END_TEST

START_TEST(colours_need_a_terminal_that_has_them_and_no_NO_COLOR)
{
	int master = terminal_become_stderr();
	int terminal = STDERR_FILENO;

	ck_assert(has_colors(terminal, COLOR_AUTO));
	ck_assert(!has_colors(terminal, COLOR_NEVER));
	ck_assert(!has_colors(not_terminal, COLOR_AUTO));
	ck_assert(has_colors(not_terminal, COLOR_ALWAYS));
	ck_assert_int_eq(setenv("NO_COLOR", "", 1), 0);
	ck_assert(has_colors(terminal, COLOR_AUTO));
	ck_assert_int_eq(setenv("NO_COLOR", "1", 1), 0);
	ck_assert(!has_colors(terminal, COLOR_AUTO));
	ck_assert(has_colors(terminal, COLOR_ALWAYS));
	ck_assert_int_eq(unsetenv("NO_COLOR"), 0);
	ck_assert_int_eq(setenv("TERM", "dumb", 1), 0);
	ck_assert(!has_colors(terminal, COLOR_AUTO));
	ck_assert_int_eq(setenv("TERM", "", 1), 0);
	ck_assert(!has_colors(terminal, COLOR_AUTO));
	ck_assert_int_eq(unsetenv("TERM"), 0);
	ck_assert(!has_colors(terminal, COLOR_AUTO));
	(void)close(master);
}
END_TEST

START_TEST(color_has_three_values)
{
	enum color_when when;
	struct diag diag;

	ck_assert_int_eq(color_when_parse("auto", &when, &diag), 0);
	ck_assert_int_eq(when, COLOR_AUTO);
	ck_assert_int_eq(color_when_parse("always", &when, &diag), 0);
	ck_assert_int_eq(when, COLOR_ALWAYS);
	ck_assert_int_eq(color_when_parse("never", &when, &diag), 0);
	ck_assert_int_eq(when, COLOR_NEVER);
	ck_assert_int_eq(color_when_parse("red", &when, &diag), -EINVAL);
	ck_assert_str_eq(diag.text, "--color: \"red\" is not one of auto, always, never");
	ck_assert_int_eq(when, COLOR_NEVER);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("display");
	TCase *tests = tcase_create("display");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, columns_decide_the_width_within_limits);
	if (terminal_works()) {
		tcase_add_test(tests, a_terminal_has_its_width_and_lends_it_to_a_pager);
		tcase_add_test(tests, colours_need_a_terminal_that_has_them_and_no_NO_COLOR);
	}
	tcase_add_test(tests, color_has_three_values);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
