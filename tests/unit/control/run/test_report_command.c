// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/run/report_command.h"

#include "tests/fixture/control_test.h"

#include <sys/stat.h>
#include <unistd.h>

static char text[REPORT_COMMAND_BYTES];

static void set_up(void)
{
	test_dir_set_up();
	ck_assert_int_eq(chdir(test_dir), 0);
}

static void tear_down(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	test_dir_tear_down();
}

START_TEST(the_systems_folder_needs_no_option)
{
	report_command("opreport", "/var/lib/oprofile", text);
	ck_assert_str_eq(text, "opreport");
}
END_TEST

START_TEST(beside_a_profile_of_ones_own_the_systems_folder_must_be_named)
{
	ck_assert_int_eq(mkdir("oprofile_data", 0700), 0);
	report_command("opreport", "/var/lib/oprofile", text);
	ck_assert_str_eq(text, "opreport --session-dir=/var/lib/oprofile");
	report_command("opreport", "./oprofile_data", text);
	ck_assert_str_eq(text, "opreport");
	(void)strcat(test_dir, "/oprofile_data"); /* a session directory of another name */
	report_command("opreport", test_dir, text);
	ck_assert_str_eq(text, "opreport");
	*strrchr(test_dir, '/') = '\0';
}
END_TEST

START_TEST(a_folder_elsewhere_is_named_as_a_shell_takes_it)
{
	report_command("opreport", "../run_1", text);
	ck_assert_str_eq(text, "opreport --session-dir=../run_1");
	report_command("opreport", "a b", text);
	ck_assert_str_eq(text, "opreport --session-dir='a b'");
	report_command("opreport", "it's $HOME", text);
	ck_assert_str_eq(text, "opreport --session-dir='it'\\''s $HOME'");
}
END_TEST

START_TEST(the_longest_name_fits)
{
	static char name[PATH_MAX];

	memset(name, '\'', sizeof(name) - 1);
	report_command("opreport", name, text);
	ck_assert_uint_eq(strlen(text), strlen("opreport --session-dir=''") + 4 * strlen(name));
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("command");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, the_systems_folder_needs_no_option);
	tcase_add_test(cases, beside_a_profile_of_ones_own_the_systems_folder_must_be_named);
	tcase_add_test(cases, a_folder_elsewhere_is_named_as_a_shell_takes_it);
	tcase_add_test(cases, the_longest_name_fits);
	return test_run(cases);
}
