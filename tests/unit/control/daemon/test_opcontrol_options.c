// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/opcontrol_options.h"

#include "tests/fixture/control_test.h"

#include <errno.h>

static struct opcontrol_options options;

static int parse(const char *words)
{
	static char copy[256];
	const char *argv[32] = {"opcontrol"};
	char *rest = NULL;
	int argc = 1;

	(void)snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	return opcontrol_options_parse(&options, argc, argv, &diag);
}

static const struct {
	const char *words;
	unsigned int actions;
} actions[] = {
	{"--init", OPCONTROL_INIT},
	{"--setup", OPCONTROL_SETUP},
	{"--start-daemon", OPCONTROL_START_DAEMON},
	{"--start", OPCONTROL_START},
	{"--stop", OPCONTROL_STOP},
	{"--dump", OPCONTROL_DUMP},
	{"--save=x", OPCONTROL_SAVE},
	{"--reset", OPCONTROL_RESET},
	{"--shutdown", OPCONTROL_SHUTDOWN},
	{"--deinit", OPCONTROL_DEINIT},
	{"--status", OPCONTROL_STATUS},
	{"--list-events", OPCONTROL_LIST_EVENTS},
	{"--event=default --start", OPCONTROL_SETUP | OPCONTROL_START},
	{"--dump --save=a --reset", OPCONTROL_DUMP | OPCONTROL_SAVE | OPCONTROL_RESET},
	{"--stop --shutdown --deinit", OPCONTROL_STOP | OPCONTROL_SHUTDOWN | OPCONTROL_DEINIT},
};

START_TEST(options_mean_actions)
{
	ck_assert_msg(!parse(actions[_i].words), "%s", diag_show(&diag));
	ck_assert_uint_eq(options.actions, actions[_i].actions);
	ck_assert_str_eq(options.session_dir, OPCONTROL_SESSION_DIR);
	opcontrol_options_deinit(&options);
}
END_TEST

START_TEST(settings_given_replace_those_kept)
{
	struct setup setup;

	setup_init(&setup);
	ck_assert_int_eq(setup_set(&setup, "event", "old:1", &diag), 0);
	ck_assert_int_eq(setup_set(&setup, "separate", "cpu", &diag), 0);
	ck_assert_int_eq(setup_set(&setup, "callgraph", "5", &diag), 0);
	ck_assert_int_eq(parse("--event=a:1 --event=b:2 --separate=lib -F 50 --no-vmlinux "
			       "--session-dir=/x --verbose"),
			 0);
	ck_assert(options.verbose);
	ck_assert_str_eq(options.session_dir, "/x");
	ck_assert(opcontrol_options_has_setting(&options, "no-vmlinux"));
	ck_assert(!opcontrol_options_has_setting(&options, "image"));
	ck_assert_msg(!opcontrol_options_apply(&options, &setup, &diag), "%s", diag_show(&diag));
	ck_assert_uint_eq(setup.sampling.nr_events, 2);
	ck_assert_str_eq(setup.sampling.events[0], "a:1");
	ck_assert_uint_eq(setup.sampling.separation, SAMPLING_SEPARATE_LIB);
	ck_assert_uint_eq(setup.sampling.hz, 50);
	ck_assert_uint_eq(setup.sampling.depth, 5);
	ck_assert_int_eq(setup.kernel, SETUP_VMLINUX_NONE);
	setup_deinit(&setup);
	opcontrol_options_deinit(&options);
}
END_TEST

START_TEST(all_settings_have_a_key_that_the_setup_knows)
{
	struct setup setup;

	setup_init(&setup);
	ck_assert_int_eq(parse("--event=a --separate=lib --callgraph=1 -F 1 --image=a --vmlinux=a "
			       "--buffer-size=2048 --buffer-watershed=1 --cpu-buffer-size=128 "
			       "--source=perf"),
			 0);
	ck_assert_uint_eq(options.nr_settings, 10);
	ck_assert_msg(!opcontrol_options_apply(&options, &setup, &diag), "%s", diag_show(&diag));
	setup_deinit(&setup);
	opcontrol_options_deinit(&options);
}
END_TEST

/* The default of oprof start applies only if the user has chosen nothing, not even none. */
static const struct {
	const char *words;
	unsigned int separation;
} left_on[] = {
	{"--start", SAMPLING_SEPARATE_LIB},
	{"--start --separate=none", 0},
	{"--start --separate=cpu", SAMPLING_SEPARATE_CPU},
};

START_TEST(a_separation_that_is_given_is_kept)
{
	struct setup setup;

	setup_init(&setup);
	ck_assert_int_eq(parse(left_on[_i].words), 0);
	options.left_on = true;
	ck_assert_msg(!opcontrol_options_apply(&options, &setup, &diag), "%s", diag_show(&diag));
	ck_assert_uint_eq(setup.sampling.separation, left_on[_i].separation);
	setup_deinit(&setup);
	opcontrol_options_deinit(&options);
}
END_TEST

static const struct {
	const char *words, *message;
} bad[] = {
	{"", "nothing to do"},
	{"--verbose", "nothing to do"},
	{"--start --stop", "cannot be combined with --stop"},
	{"--start --shutdown", "cannot be combined with --stop"},
	{"--start-daemon --deinit", "cannot be combined with --stop"},
	{"--list-events --start", "cannot be combined with other actions"},
	{"--init --deinit", "run opcontrol twice"},
	{"--start --no-build", "--no-build requires --init"},
	{"--vmlinux=a --no-vmlinux", "--vmlinux cannot be combined with --no-vmlinux"},
	{"--save=", "1 to 200 bytes"},
	{"--save=current", "being written"},
	{"--save=../x", "cannot begin with"},
	{"--save=a/b", "cannot contain"},
	{"--save=a,b", "cannot contain"},
	{"--save=a*", "cannot contain"},
	{"--save", "missing argument"},
	{"--bogus", "--bogus"},
	{"--start ls", "to profile a command: operf ls"},
	{"--session-dir= --start", "--session-dir requires"},
};

START_TEST(bad_command_lines_say_what_to_do)
{
	ck_assert_int_eq(parse(bad[_i].words), -EINVAL);
	assert_has(diag.text, bad[_i].message);
	opcontrol_options_deinit(&options);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("opcontrol_options");

	tcase_add_loop_test(cases, options_mean_actions, 0, sizeof(actions) / sizeof(actions[0]));
	tcase_add_test(cases, settings_given_replace_those_kept);
	tcase_add_test(cases, all_settings_have_a_key_that_the_setup_knows);
	tcase_add_loop_test(cases, a_separation_that_is_given_is_kept, 0,
			    sizeof(left_on) / sizeof(left_on[0]));
	tcase_add_loop_test(cases, bad_command_lines_say_what_to_do, 0,
			    sizeof(bad) / sizeof(bad[0]));
	return test_run(cases);
}
