// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/setup_file.h"

#include "tests/fixture/control_test.h"

#include <errno.h>

static struct setup setup;

static void set_up(void)
{
	test_dir_set_up();
	setup_init(&setup);
}

static void tear_down(void)
{
	setup_deinit(&setup);
	test_dir_tear_down();
}

START_TEST(a_folder_without_a_setup_has_the_defaults)
{
	ck_assert_int_eq(setup_load(&setup, test_fd, test_dir, &diag), 0);
	ck_assert(!setup.kept);
	ck_assert_uint_eq(setup.sampling.nr_events, 0);
	ck_assert_uint_eq(setup.sampling.separation, 0);
	ck_assert_int_eq(setup.kernel, SETUP_VMLINUX_UNSET);
}
END_TEST

START_TEST(what_is_saved_is_loaded_again)
{
	static const char *const settings[][2] = {{"event", "cpu-clock:200000"},
						  {"event", "page-faults:5:0:0:1"},
						  {"separate", "lib,thread"},
						  {"callgraph", "7"},
						  {"unwind", "fp"},
						  {"stack-bytes", "4096"},
						  {"frequency", "123"},
						  {"image", "/bin/a b,/bin/c"},
						  {"vmlinux", "/boot/v=1"},
						  {"buffer-size", "1024"},
						  {"buffer-watershed", "2"},
						  {"cpu-buffer-size", "128"},
						  {"source", "kmod"}};
	struct setup loaded;
	char *first;
	char *second;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		ck_assert_msg(!setup_set(&setup, settings[i][0], settings[i][1], &diag), "%s",
			      diag_show(&diag));
	ck_assert_int_eq(setup_save(&setup, test_fd, test_dir, &diag), 0);
	ck_assert_msg(!setup_load(&loaded, test_fd, test_dir, &diag), "%s", diag_show(&diag));
	ck_assert(loaded.kept);
	ck_assert_uint_eq(loaded.sampling.nr_events, 2);
	ck_assert_str_eq(loaded.sampling.events[1], "page-faults:5:0:0:1");
	ck_assert_int_eq(loaded.sampling.unwind, SAMPLING_UNWIND_FP);
	ck_assert_uint_eq(loaded.sampling.stack_bytes, 4096);
	ck_assert_str_eq(loaded.vmlinux, "/boot/v=1");
	ck_assert_str_eq(loaded.image, "/bin/a b,/bin/c");
	ck_assert_uint_eq(loaded.buffer_size, 1024);
	ck_assert_uint_eq(loaded.buffer_watershed, 2);
	ck_assert_uint_eq(loaded.cpu_buffer_size, 128);
	ck_assert_int_eq(loaded.source, SETUP_SOURCE_KMOD);
	first = setup_format(&setup);
	second = setup_format(&loaded);
	ck_assert_str_eq(first, second);
	free(first);
	free(second);
	setup_deinit(&loaded);
}
END_TEST

START_TEST(vmlinux_and_no_vmlinux_replace_one_another)
{
	ck_assert_int_eq(setup_set(&setup, "vmlinux", "/x", &diag), 0);
	ck_assert_int_eq(setup_set(&setup, "no-vmlinux", "1", &diag), 0);
	ck_assert_int_eq(setup.kernel, SETUP_VMLINUX_NONE);
	ck_assert_ptr_null(setup.vmlinux);
	ck_assert_int_eq(setup_set(&setup, "vmlinux", "/x", &diag), 0);
	ck_assert_int_eq(setup.kernel, SETUP_VMLINUX_FILE);
}
END_TEST

static const struct {
	const char *text, *message;
} bad_files[] = {
	{"event\n", "setup:1: \"event\" is not a setting"},
	{"# c\n\ncolour=red\n", "setup:3: unknown setting \"colour\""},
	{"=x\n", "setup:1: unknown setting \"\""},
	{"separate=lib\nseparate=cpu\n", "setup:2: setting separate is given twice"},
	{"separate=libs\n", "setup:1: separate: \"libs\" is not a separation"},
	{"event=\n", "setup:1: an event is empty"},
	{"frequency=0\n", "setup:1: \"0\" is not a frequency"},
	{"callgraph=200\n", "setup:1: \"200\" is not a call graph depth"},
	{"unwind=dwarf\n", "setup:1: unwind: \"dwarf\" is not one of auto"},
	{"stack-bytes=5\n", "setup:1: stack-bytes: \"5\" is invalid"},
	{"image=\n", "setup:1: image is empty"},
	{"image=a\001b\n", "setup:1: image cannot contain control characters"},
	{"event=a\tb\n", "setup:1: an event cannot contain control characters"},
	{"no-vmlinux=yes\n", "setup:1: no-vmlinux can only have the value 1"},
	{"buffer-size=-1\n", "setup:1: buffer-size: \"-1\""},
	{"cpu-buffer-size=99999999999\n", "setup:1: cpu-buffer-size"},
	{"cpu-buffer-size=127\n", "is not a number of samples from 128 to 1048576"},
	{"buffer-size=1023\n", "is not a number of samples from 1024 to 4194304"},
	{"source=oprofile\n", "setup:1: source: \"oprofile\" is not one of auto, kmod"},
	{"source=perf\nsource=auto\n", "setup:2: setting source is given twice"},
};

START_TEST(a_bad_setup_is_refused_with_its_line)
{
	test_put("setup", bad_files[_i].text);
	ck_assert_int_eq(setup_load(&setup, test_fd, test_dir, &diag), -EINVAL);
	assert_has(diag_show(&diag), bad_files[_i].message);
	assert_has(diag_show(&diag), test_dir);
}
END_TEST

START_TEST(a_ring_has_room_for_the_samples_asked_for)
{
	static const struct {
		unsigned int samples, pages;
	} cases[] = {{0, 0}, {1, 1}, {64, 1}, {65, 2}, {1000, 16}, {16777216, 16384}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup.cpu_buffer_size = cases[i].samples;
		ck_assert_uint_eq(setup_ring_pages(&setup), cases[i].pages);
	}
}
END_TEST

START_TEST(without_a_folder_the_defaults_hold_and_a_link_is_not_read)
{
	ck_assert_int_eq(setup_load(&setup, -1, "/nonexistent/folder", &diag), 0);
	test_put("elsewhere", "buffer-size=1\n");
	ck_assert_int_eq(symlinkat("elsewhere", test_fd, SETUP_FILE_NAME), 0);
	ck_assert_int_eq(setup_load(&setup, test_fd, test_dir, &diag), -ELOOP);
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_told)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/" SETUP_FILE_NAME "/a", test_dir);
	ck_assert_int_eq(file_make_dirs(path, 0700), 0);
	ck_assert_int_lt(setup_save(&setup, test_fd, test_dir, &diag), 0);
	assert_has(diag_show(&diag), test_dir);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("setup_file");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, a_folder_without_a_setup_has_the_defaults);
	tcase_add_test(cases, what_is_saved_is_loaded_again);
	tcase_add_test(cases, vmlinux_and_no_vmlinux_replace_one_another);
	tcase_add_loop_test(cases, a_bad_setup_is_refused_with_its_line, 0,
			    sizeof(bad_files) / sizeof(bad_files[0]));
	tcase_add_test(cases, a_ring_has_room_for_the_samples_asked_for);
	tcase_add_test(cases, without_a_folder_the_defaults_hold_and_a_link_is_not_read);
	tcase_add_test(cases, a_folder_that_cannot_be_written_is_told);
	return test_run(cases);
}
