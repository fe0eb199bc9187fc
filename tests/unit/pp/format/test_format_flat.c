// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct make_session session;
static struct make_profile made;
static struct text_options options;

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){0};
	options = (struct text_options){.header = true};
}

static void teardown(void)
{
	make_session_deinit(&session);
}

static void add(const struct make_file *file, uint64_t nr_samples)
{
	make_session_add_one(&session, file, 1, nr_samples);
}

static void write_flat(FILE *out, void *context)
{
	ck_assert_int_eq(text_format_flat(out, &made.profile, context), 0);
}

static void expect_text(const char *expected)
{
	char *text;

	make_profile_init(&made, &session, "");
	text = make_profile_text(write_flat, &options);
	ck_assert_str_eq(text, expected);
	free(text);
	make_profile_deinit(&made);
}

static void add_two_applications(void)
{
	add(&(struct make_file){.app = "/usr/bin/big"}, 600);
	add(&(struct make_file){.app = "/usr/bin/big", .image = "/lib/libc.so"}, 200);
	add(&(struct make_file){.app = "/bin/small"}, 200);
}

START_TEST(dependent_images_are_indented_with_shares_of_their_application)
{
	add_two_applications();
	expect_text("cpu-clock:1000000|\n"
		    "  samples|      %|\n"
		    "------------------\n"
		    "      800 80.0000 big\n"
		    "\tcpu-clock:1000000|\n"
		    "\t  samples|      %|\n"
		    "\t------------------\n"
		    "\t      600 75.0000 big\n"
		    "\t      200 25.0000 libc.so\n"
		    "      200 20.0000 small\n");
}
END_TEST

START_TEST(shares_are_of_everything_when_asked)
{
	add_two_applications();
	options.global_percent = true;
	options.header = false;
	expect_text("      800 80.0000 big\n"
		    "\t      600 60.0000 big\n"
		    "\t      200 20.0000 libc.so\n"
		    "      200 20.0000 small\n");
}
END_TEST

START_TEST(whole_paths_are_shown_when_asked)
{
	add_two_applications();
	options.long_names = true;
	options.header = false;
	options.threshold = 50;
	expect_text("      800 80.0000 /usr/bin/big\n"
		    "\t      600 75.0000 /usr/bin/big\n"
		    "\t      200 25.0000 /lib/libc.so\n");
}
END_TEST

START_TEST(the_order_is_reversed_when_asked)
{
	add_two_applications();
	options.reverse = true;
	options.header = false;
	expect_text("      200 20.0000 small\n"
		    "      800 80.0000 big\n"
		    "\t      200 25.0000 libc.so\n"
		    "\t      600 75.0000 big\n");
}
END_TEST

START_TEST(a_single_dependent_image_that_is_another_is_shown)
{
	options.header = false;
	add(&(struct make_file){.app = "/bin/a", .image = "vmlinux"}, 3);
	expect_text("        3 100.000 a\n"
		    "\t        3 100.000 vmlinux\n");
}
END_TEST

START_TEST(classes_stand_side_by_side_and_the_first_sorts)
{
	add(&(struct make_file){.app = "/bin/a", .event = "an-event-with-a-long-name"}, 3);
	add(&(struct make_file){.app = "/bin/b"}, 100000);
	add(&(struct make_file){.app = "/bin/a"}, 1);
	expect_text("an-event-with-...|cpu-clock:1000000|\n"
		    "  samples|      %|  samples|      %|\n"
		    "------------------------------------\n"
		    "        3 100.000         1 1.0e-03 a\n"
		    "        0       0    100000 99.9990 b\n");
}
END_TEST

START_TEST(control_groups_are_told_apart_by_the_ends_of_their_names)
{
	static const char cgroups[] = "1 /system.slice/the-long-one-b\033service\n"
				      "2 /system.slice/the-long-one-a.service\n";

	make_session_meta(&session, "cgroups", cgroups, sizeof(cgroups) - 1);
	add(&(struct make_file){.app = "/bin/a", .cgroup = 1}, 3);
	add(&(struct make_file){.app = "/bin/a", .cgroup = 2}, 1);
	expect_text("...-one-a.service|...-one-b?service|\n"
		    "  samples|      %|  samples|      %|\n"
		    "------------------------------------\n"
		    "        1 100.000         3 100.000 a\n");
}
END_TEST

START_TEST(a_replaced_binary_has_one_line)
{
	options.header = false;
	add(&(struct make_file){.app = "/bin/a", .version = 1}, 3);
	add(&(struct make_file){.app = "/bin/a", .version = 2}, 4);
	expect_text("        7 100.000 a\n");
}
END_TEST

START_TEST(equal_samples_are_ordered_by_name)
{
	options.header = false;
	add(&(struct make_file){.app = "/bin/b"}, 1);
	add(&(struct make_file){.app = "/bin/a"}, 1);
	expect_text("        1 50.0000 a\n"
		    "        1 50.0000 b\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_flat");
	TCase *tests = tcase_create("format_flat");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, dependent_images_are_indented_with_shares_of_their_application);
	tcase_add_test(tests, shares_are_of_everything_when_asked);
	tcase_add_test(tests, whole_paths_are_shown_when_asked);
	tcase_add_test(tests, the_order_is_reversed_when_asked);
	tcase_add_test(tests, a_single_dependent_image_that_is_another_is_shown);
	tcase_add_test(tests, classes_stand_side_by_side_and_the_first_sorts);
	tcase_add_test(tests, control_groups_are_told_apart_by_the_ends_of_their_names);
	tcase_add_test(tests, a_replaced_binary_has_one_line);
	tcase_add_test(tests, equal_samples_are_ordered_by_name);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
