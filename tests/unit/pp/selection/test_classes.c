// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/classes.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct classes classes;
static struct diag diag;

static const struct class_key plain = {
	.event = "cpu-clock", .period_or_hz = 1000, .tgid = -1, .tid = -1, .cpu = -1, .cgroup = ""};

static void teardown(void)
{
	classes_deinit(&classes);
}

static void expect_names(const char *first, const char *second)
{
	ck_assert_uint_eq(classes.nr_classes, 2);
	ck_assert_str_eq(classes.classes[0].name, first);
	ck_assert_str_eq(classes.classes[1].name, second);
}

START_TEST(equal_keys_are_one_class_without_an_axis)
{
	const struct class_key keys[] = {plain, plain, plain};

	ck_assert_int_eq(classes_arrange(&classes, keys, 3, &diag), 0);
	ck_assert_uint_eq(classes.nr_classes, 1);
	ck_assert_int_eq(classes.axis, AXIS_NONE);
	ck_assert_str_eq(classes.classes[0].name, "cpu-clock:1000");
	ck_assert_ptr_null(classes.classes[0].long_name);
	ck_assert_uint_eq(classes_find(&classes, &keys[1]), 0);
}
END_TEST

START_TEST(events_come_in_the_order_of_the_configuration)
{
	struct class_key keys[] = {plain, plain};

	keys[0].event_order = 1;
	keys[1].event = "page-faults";
	keys[1].period_or_hz = 99;
	keys[1].frequency = true;
	ck_assert_int_eq(classes_arrange(&classes, keys, 2, &diag), 0);
	ck_assert_int_eq(classes.axis, AXIS_EVENT);
	expect_names("page-faults:99Hz", "cpu-clock:1000");
	ck_assert_uint_eq(classes_find(&classes, &keys[0]), 1);
}
END_TEST

START_TEST(counts_and_unit_masks_are_of_the_event_axis)
{
	struct class_key keys[] = {plain, plain, plain};

	keys[1].period_or_hz = 2000;
	keys[2].unit_mask = 2;
	ck_assert_int_eq(classes_arrange(&classes, keys, 3, &diag), 0);
	ck_assert_int_eq(classes.axis, AXIS_EVENT);
	ck_assert_uint_eq(classes.nr_classes, 3);
	ck_assert_str_eq(classes.classes[1].name, "cpu-clock:1000:0x02");
}
END_TEST

START_TEST(cpus_are_in_order_of_their_number)
{
	struct class_key keys[] = {plain, plain};

	keys[0].cpu = 10;
	keys[1].cpu = 9;
	ck_assert_int_eq(classes_arrange(&classes, keys, 2, &diag), 0);
	ck_assert_int_eq(classes.axis, AXIS_CPU);
	expect_names("cpu:9", "cpu:10");
	ck_assert_str_eq(classes.classes[0].long_name, "Samples on CPU 9");
}
END_TEST

START_TEST(threads_of_several_processes_are_one_axis)
{
	struct class_key keys[] = {plain, plain};

	keys[0].tgid = keys[0].tid = 5;
	keys[1].tgid = 7;
	keys[1].tid = 8;
	ck_assert_int_eq(classes_arrange(&classes, keys, 2, &diag), 0);
	ck_assert_int_eq(classes.axis, AXIS_TID);
	expect_names("tid:5", "tid:8");
	ck_assert_str_eq(classes.classes[1].long_name,
			 "Processes with a thread ID of 8 (thread group ID 7)");
}
END_TEST

START_TEST(processes_and_cgroups_name_their_column)
{
	struct class_key keys[] = {plain, plain};

	keys[0].tgid = 5;
	keys[1].tgid = 7;
	ck_assert_int_eq(classes_arrange(&classes, keys, 2, &diag), 0);
	expect_names("tgid:5", "tgid:7");
	ck_assert_str_eq(classes.classes[0].long_name, "Processes with a thread group ID of 5");
	classes_deinit(&classes);
	keys[0] = keys[1] = plain;
	keys[0].cgroup = "/system.slice/b.service";
	keys[1].cgroup = "/a";
	ck_assert_int_eq(classes_arrange(&classes, keys, 2, &diag), 0);
	expect_names("/a", "b.service");
	ck_assert_str_eq(classes.classes[1].long_name,
			 "Samples of control group /system.slice/b.service");
}
END_TEST

START_TEST(two_axes_are_refused_with_their_values_and_the_way_out)
{
	struct class_key keys[] = {plain, plain};

	keys[0].cpu = 0;
	keys[1].cpu = 1;
	keys[1].event = "page-faults";
	ck_assert_int_eq(classes_arrange(&classes, keys, 2, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "cpu-clock:1000, page-faults:1000"));
	ck_assert_ptr_nonnull(strstr(diag.text, "event:"));
	ck_assert_ptr_nonnull(strstr(diag.text, "cpu:0, cpu:1"));
	ck_assert_ptr_nonnull(strstr(diag.text, "--merge=cpu"));
	ck_assert_uint_eq(classes.nr_classes, 0);
}
END_TEST

START_TEST(long_names_leave_room_for_the_way_out)
{
	struct class_key keys[20];
	char cgroups[20][600];

	for (int i = 0; i < 20; i++) {
		(void)snprintf(cgroups[i], sizeof(cgroups[i]), "/%0590d", i);
		keys[i] = plain;
		keys[i].cgroup = cgroups[i];
		keys[i].cpu = i % 2;
		keys[i].tgid = keys[i].tid = 1000000 + i;
	}
	ck_assert_int_eq(classes_arrange(&classes, keys, 20, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, ", ...00000000000000000000000000001, ..."));
	ck_assert_ptr_nonnull(strstr(diag.text, "--by=cgroup)"));
}
END_TEST

START_TEST(columns_of_long_names_are_told_apart)
{
	struct class_key keys[] = {plain, plain};
	char first[600], second[600];

	(void)snprintf(first, sizeof(first), "/%0590d", 1);
	(void)snprintf(second, sizeof(second), "/%0590d", 2);
	keys[0].cgroup = first;
	keys[1].cgroup = second;
	ck_assert_int_eq(classes_arrange(&classes, keys, 2, &diag), 0);
	ck_assert_str_ne(classes.classes[0].name, classes.classes[1].name);
}
END_TEST

START_TEST(too_many_columns_are_refused)
{
	struct class_key keys[CLASSES_MAX + 1];

	for (int i = 0; i <= CLASSES_MAX; i++) {
		keys[i] = plain;
		keys[i].tid = i + 1;
	}
	ck_assert_int_eq(classes_arrange(&classes, keys, CLASSES_MAX + 1, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "--merge=tid"));
	ck_assert_ptr_nonnull(strstr(diag.text, ", ..."));
	ck_assert_int_eq(classes_arrange(&classes, keys, CLASSES_MAX, &diag), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("classes");
	TCase *tests = tcase_create("classes");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, equal_keys_are_one_class_without_an_axis);
	tcase_add_test(tests, events_come_in_the_order_of_the_configuration);
	tcase_add_test(tests, counts_and_unit_masks_are_of_the_event_axis);
	tcase_add_test(tests, cpus_are_in_order_of_their_number);
	tcase_add_test(tests, threads_of_several_processes_are_one_axis);
	tcase_add_test(tests, processes_and_cgroups_name_their_column);
	tcase_add_test(tests, two_axes_are_refused_with_their_values_and_the_way_out);
	tcase_add_test(tests, long_names_leave_room_for_the_way_out);
	tcase_add_test(tests, columns_of_long_names_are_told_apart);
	tcase_add_test(tests, too_many_columns_are_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
