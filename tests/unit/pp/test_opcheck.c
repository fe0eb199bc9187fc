// SPDX-License-Identifier: GPL-2.0-or-later
/* opcheck, run as its users run it. */
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "libdb/stacks/stack_file.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/make_slice.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct make_sdb make;
static char output[16384];

static void setup(void)
{
	make_sdb_init(&make);
}

static void teardown(void)
{
	make_sdb_deinit(&make);
}

/* Run opcheck in the folder. Returns its exit status; its text is in output. */
static int opcheck(const char *arguments)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char command[2048];
	size_t nr_bytes;
	FILE *pipe;
	int status;

	(void)snprintf(command, sizeof(command), "cd '%s' && '%s/opcheck' %s 2>&1", make.folder,
		       top ? top : ".", arguments);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	nr_bytes = fread(output, 1, sizeof(output) - 1, pipe);
	output[nr_bytes] = '\0';
	status = pclose(pipe);
	ck_assert_msg(WIFEXITED(status), "%s", output);
	return WEXITSTATUS(status);
}

static void says(const char *text)
{
	ck_assert_msg(strstr(output, text), "\"%s\" lacks \"%s\"", output, text);
}

/* Make a sample file in its place; make.path is its path. */
static void make_session_file(const char *app)
{
	struct sample_name name = {.event = "cpu-clock",
				   .period_or_hz = 1000,
				   .unit_mask = 5,
				   .tgid = SAMPLE_NAME_ALL,
				   .tid = SAMPLE_NAME_ALL,
				   .cpu = SAMPLE_NAME_ALL,
				   .cgroup = SAMPLE_NAME_ALL,
				   .identity = sample_identity(&make.identity.image)};
	struct sdb *db;
	size_t used;

	(void)strcpy(name.app.path, app);
	(void)strcpy(name.image.path, "/usr/lib/libimage.so");
	used = (size_t)snprintf(make.path, sizeof(make.path), "%s/s/", make.folder);
	ck_assert_int_eq(sample_name_format(&name, make.path + used, sizeof(make.path) - used), 0);
	ck_assert_int_eq(file_make_parent_dirs(make.path, 0700), 0);
	db = make_sdb_open(&make);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_int_eq(sdb_add(db, i * 8, 1), 0);
	sdb_close(db);
}

static void damage(off_t offset, char byte)
{
	int fd = open(make.path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, &byte, 1, offset), 1);
	ck_assert_int_eq(close(fd), 0);
}

START_TEST(sound_sessions_are_passed_without_a_word)
{
	make_session_file("/bin/a");
	make_session_file("/bin/b");
	ck_assert_int_eq(opcheck("s"), 0);
	ck_assert_str_eq(output, "");
}
END_TEST

START_TEST(verbose_tells_what_sound_files_hold)
{
	make_session_file("/bin/a");
	ck_assert_int_eq(opcheck("-v ."), 0);
	says("1000 keys, 1000 samples, ");
	says("1 sample files, 0 slices, 0 wrong");
}
END_TEST

START_TEST(a_part_of_a_session_may_be_checked)
{
	make_session_file("/bin/a");
	ck_assert_int_eq(opcheck("s/{root}/bin"), 0);
	ck_assert_int_eq(opcheck("-v s/{root}/bin/a"), 0);
	says("1 sample files, 0 slices, 0 wrong");
	ck_assert_str_eq(strstr(output, "wrong\n"), "wrong\n");
	/* Slashes at the end make no difference. */
	ck_assert_int_eq(opcheck("-v s/{root}/bin/"), 0);
	says("1 sample files, 0 slices, 0 wrong");
	ck_assert_int_eq(opcheck("-v s///"), 0);
	says("1 sample files, 0 slices, 0 wrong");
}
END_TEST

START_TEST(what_the_daemon_has_discarded_is_not_checked)
{
	make_session_file("/bin/a");
	ck_assert_int_eq(opcheck("-V; cp -r 's/{root}/bin' s/.removed.1.1"), 0);
	ck_assert_int_eq(opcheck("-v ."), 0);
	says("1 sample files, 0 slices, 0 wrong");
}
END_TEST

START_TEST(folders_above_a_session_may_have_braces)
{
	make_session_file("/bin/a");
	ck_assert_int_eq(opcheck("-V; mkdir '{x}' && mv s '{x}'"), 0);
	ck_assert_int_eq(opcheck("'{x}'"), 0);
	ck_assert_str_eq(output, "");
	ck_assert_int_eq(opcheck("-v \"$PWD\"/*x*/s"), 0);
	says("1 sample files, 0 slices, 0 wrong");
}
END_TEST

START_TEST(damage_is_named_and_the_rest_still_checked)
{
	make_session_file("/bin/a");
	damage(offsetof(struct oprof_sdb_header, version), 77);
	make_session_file("/bin/b");
	damage(offsetof(struct oprof_sdb_header, nr_pages), 0x7f);
	make_session_file("/bin/c");
	ck_assert_int_eq(opcheck("s"), 1);
	says("s/{root}/bin/a/{dep}/");
	says("version 77");
	says("s/{root}/bin/b/{dep}/");
	ck_assert_ptr_null(strstr(output, "/bin/c/"));
}
END_TEST

START_TEST(a_file_under_the_wrong_name_is_named)
{
	char other[sizeof(make.path)];

	make_session_file("/bin/a");
	(void)strcpy(other, make.path);
	(void)strcpy(strrchr(other, '.'), ".0000000000000001");
	ck_assert_int_eq(rename(make.path, other), 0);
	ck_assert_int_eq(opcheck("s"), 1);
	says("different images");
}
END_TEST

/* Replace the name's first fields: cpu-clock.1000.5.all... */
static void check_renamed(const char *fields, const char *what)
{
	char other[sizeof(make.path) + 16];
	const char *rest;

	make_session_file("/bin/a");
	rest = strstr(make.path, "cpu-clock.1000.5.");
	ck_assert_ptr_nonnull(rest);
	(void)snprintf(other, sizeof(other), "%.*s%s%s", (int)(rest - make.path), make.path, fields,
		       rest + strlen("cpu-clock.1000.5."));
	ck_assert_int_eq(rename(make.path, other), 0);
	ck_assert_int_eq(opcheck("s"), 1);
	says(what);
	ck_assert_int_eq(remove(other), 0);
}

START_TEST(a_file_under_the_name_of_another_event_is_named)
{
	check_renamed("faults.1000.5.", "different events");
	check_renamed("cpu-clock.1001.5.", "different counts");
	check_renamed("cpu-clock.1000Hz.5.", "different counts");
	check_renamed("cpu-clock.1000.6.", "different unit masks");
}
END_TEST

START_TEST(a_name_that_does_not_parse_is_named)
{
	char other[sizeof(make.path) + 8];

	make_session_file("/bin/a");
	(void)snprintf(other, sizeof(other), "%s.more", make.path);
	ck_assert_int_eq(rename(make.path, other), 0);
	ck_assert_int_eq(opcheck("s"), 1);
	says("9 fields");
}
END_TEST

START_TEST(a_lost_page_is_named)
{
	make_session_file("/bin/a");
	damage(offsetof(struct oprof_sdb_header, flags), OPROF_SDB_HOLED);
	ck_assert_int_eq(opcheck("s"), 1);
	says("page was lost");
}
END_TEST

START_TEST(what_cannot_be_looked_at_is_trouble)
{
	ck_assert_int_eq(opcheck("nowhere"), 2);
	says("nowhere: No such file");
	ck_assert_int_eq(opcheck(""), 2);
	says("--help");
	ck_assert_int_eq(opcheck("--nonsense"), 2);
	says("--nonsense");
}
END_TEST

START_TEST(a_folder_without_sample_files_is_told)
{
	make_sdb_write(make.path, "x", 1);
	ck_assert_int_eq(opcheck("."), 0);
	says("no sample files");
}
END_TEST

START_TEST(a_file_named_itself_is_checked_wherever_it_lies)
{
	make_sdb_write(make.path, "x", 1);
	ck_assert_int_eq(opcheck("file"), 1);
	says("not a sample file");
}
END_TEST

START_TEST(help_and_version_are_there)
{
	ck_assert_int_eq(opcheck("--help"), 0);
	says("FILE|FOLDER");
	ck_assert_int_eq(opcheck("--version"), 0);
	says("opcheck ");
}
END_TEST

/* A slice in the history of session s. */
static void make_history_file(const char *name, uint64_t first, uint64_t last)
{
	struct slice_info info = make_slice_info(first);
	struct slice_builder *builder;
	struct make_slice model = {0};
	char path[600];

	info.epoch_last = last;
	info.level = strncmp(name, "hour", 4) ? OPROF_SLICE_MINUTE : OPROF_SLICE_HOUR;
	(void)snprintf(path, sizeof(path), "%s/s/history/%s", make.folder, name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(slice_builder_create(&builder), 0);
	make_slice_add_random(&model, builder, 100);
	(void)make_slice_write(builder, &info, path);
	slice_builder_destroy(builder);
	make_slice_deinit(&model);
}

START_TEST(sound_slices_are_passed_and_superseded_ones_are_told)
{
	static const char *const folders[] = {".", "s", "s/history", "s/history/"};

	make_history_file("minute.1.1.slice", 1, 1);
	make_history_file("minute.2.2.slice", 2, 2);
	make_history_file("hour.1.2.slice", 1, 2);
	make_history_file("minute.3.3.slice.tmp", 3, 3);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char arguments[64];

		ck_assert_int_eq(opcheck(folders[i]), 0);
		ck_assert_str_eq(output, "");
		(void)snprintf(arguments, sizeof(arguments), "-v %s", folders[i]);
		ck_assert_int_eq(opcheck(arguments), 0);
		says("minute.1.1.slice: ");
		says("; superseded by a wider slice");
		says("0 sample files, 3 slices, 0 wrong");
	}
	ck_assert_int_eq(opcheck("-v s/history/hour.1.2.slice"), 0);
	says("1 slices, 0 wrong");
}
END_TEST

START_TEST(what_is_wrong_with_a_history_is_told)
{
	make_history_file("minute.1.1.slice", 1, 1);
	make_history_file("hour.1.7.slice", 1, 2); /* its content differs from its name */
	make_history_file("hour.10.12.slice", 10, 12);
	make_history_file("hour.11.14.slice", 11, 14); /* overlaps a part of the one before */
	make_history_file("minute.20.20.slice", 20, 20);
	make_history_file("minute.21.21.slice.damaged", 21, 21);
	(void)snprintf(make.path, sizeof(make.path), "%s/s/history/minute.20.20.slice",
		       make.folder);
	damage(600, 0x55);
	(void)snprintf(make.path, sizeof(make.path), "%s/s/history/minute.21.21.slice.damaged",
		       make.folder);
	damage(5, 0x55);
	ck_assert_int_eq(opcheck("s"), 1);
	says("hour.1.7.slice: its file name does not match its header");
	says("hour.11.14.slice: shares some of its epochs with another slice");
	says("minute.20.20.slice: damaged: ");
	says("minute.21.21.slice.damaged: not a slice");
	ck_assert_ptr_null(strstr(output, "minute.1.1.slice"));
	ck_assert_ptr_null(strstr(output, "hour.10.12.slice"));
	ck_assert_int_eq(opcheck("-v s"), 1);
	says("6 slices, 4 wrong");
}
END_TEST

START_TEST(a_sample_file_whose_epoch_is_in_a_slice_is_told)
{
	make.identity.epoch = 2;
	make_session_file("/bin/a");
	make.identity.epoch = 3;
	make_session_file("/bin/b");
	make_history_file("minute.2.2.slice", 2, 2);
	ck_assert_int_eq(opcheck("-v s"), 0);
	says("2 sample files, 1 slices, 0 wrong");
	ck_assert_ptr_nonnull(strstr(output, "; superseded by a slice\n"));
	ck_assert_ptr_null(strstr(strstr(output, "; superseded") + 1, "; superseded"));
}
END_TEST

START_TEST(a_folder_named_history_among_sample_files_is_none_of_slices)
{
	make_session_file("/opt/history/a");
	ck_assert_int_eq(opcheck("-v s"), 0);
	says("1 sample files, 0 slices, 0 wrong");
}
END_TEST

/* The stack file of session s for epoch, with two samples in one call path of two functions. */
static void make_stack_file(uint64_t epoch)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	struct stack_file *file;
	struct diag diag;
	bool folded = false;
	int64_t node, position;

	(void)snprintf(make.path, sizeof(make.path), "%s/s/stacks", make.folder);
	ck_assert_int_eq(file_make_parent_dirs(make.path, 0700), 0);
	ck_assert_msg(!stack_file_open(&file, make.path, epoch, 1 << 20, &diag), "%s",
		      diag_show(&diag));
	node = stack_file_root(file, &section);
	position = stack_file_image(file, &image);
	node = stack_file_child(file, (uint32_t)node, (uint32_t)position, 16, &folded);
	node = stack_file_child(file, (uint32_t)node, (uint32_t)position, 32, &folded);
	ck_assert_int_eq(stack_file_add(file, (uint32_t)node, 2, 2), 0);
	node = stack_file_child(file, (uint32_t)node, OPROF_STACK_OTHER, 0, &folded);
	ck_assert_int_eq(stack_file_add(file, (uint32_t)node, 3, 3), 0);
	stack_file_close(file);
}

START_TEST(stack_files_are_checked_and_told)
{
	make_stack_file(4);
	ck_assert_int_eq(opcheck("s"), 0);
	ck_assert_str_eq(output, "");
	ck_assert_int_eq(opcheck("-v s"), 0);
	says("stacks: 1 roots, 1 images, 4 nodes, 5 samples, 3 of them folded\n");
	says("0 sample files, 0 slices, 1 stack files, 0 wrong");
	ck_assert_int_eq(opcheck("-v s/stacks"), 0);
	says("1 stack files, 0 wrong");
	make_history_file("minute.4.4.slice", 4, 4);
	ck_assert_int_eq(opcheck("-v s"), 0);
	says("folded; superseded by a slice");
	damage(4096, 0x55);
	ck_assert_int_eq(opcheck("s"), 1);
	says("s/stacks: damaged: a record at byte 4096\n");
	damage(0, 0x55);
	ck_assert_int_eq(opcheck("s"), 1);
	says("s/stacks: not a stack file\n");
}
END_TEST

/* Make make.path unreadable, even for root from now on. */
static void forbid_reading(void)
{
	(void)prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0);
	(void)prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH, 0, 0, 0);
	ck_assert_int_eq(chmod(make.path, 0), 0);
}

START_TEST(each_kind_of_file_that_cannot_be_read_is_trouble)
{
	make_stack_file(4);
	forbid_reading();
	ck_assert_int_eq(opcheck("-v s"), 2);
	says("s/stacks: Permission denied\n");
	says("0 sample files, 0 slices, 1 stack files, 0 wrong");
	ck_assert_int_eq(unlink(make.path), 0);
	make_session_file("/bin/a");
	forbid_reading();
	ck_assert_int_eq(opcheck("-v s"), 2);
	says("s/{root}/bin/a/{dep}/");
	says(": Permission denied\n");
	says("1 sample files, 0 slices, 0 wrong");
	ck_assert_int_eq(unlink(make.path), 0);
	make_history_file("minute.4.4.slice.damaged", 4, 4);
	(void)snprintf(make.path, sizeof(make.path), "%s/s/history/minute.4.4.slice.damaged",
		       make.folder);
	forbid_reading();
	ck_assert_int_eq(opcheck("-v s"), 2);
	says("minute.4.4.slice.damaged: Permission denied\n");
	says("0 sample files, 1 slices, 0 wrong");
}
END_TEST

START_TEST(call_trees_of_a_slice_are_told)
{
	const struct slice_info info = make_slice_info(1);
	struct stack_tree tree;
	struct slice_builder *builder;
	char path[600];

	ck_assert_int_eq(stack_tree_init(&tree), 0);
	make_stacks_fill(&tree, &(uint64_t){1}, 5);
	(void)snprintf(path, sizeof(path), "%s/slice", make.folder);
	ck_assert_int_eq(slice_builder_create(&builder), 0);
	slice_builder_stacks(builder, &tree);
	(void)make_slice_write(builder, &info, path);
	slice_builder_destroy(builder);
	stack_tree_deinit(&tree);
	ck_assert_int_eq(opcheck("-v slice"), 0);
	says(" bytes, stacks of ");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opcheck");
	TCase *tests = tcase_create("opcheck");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, sound_sessions_are_passed_without_a_word);
	tcase_add_test(tests, verbose_tells_what_sound_files_hold);
	tcase_add_test(tests, a_part_of_a_session_may_be_checked);
	tcase_add_test(tests, what_the_daemon_has_discarded_is_not_checked);
	tcase_add_test(tests, folders_above_a_session_may_have_braces);
	tcase_add_test(tests, damage_is_named_and_the_rest_still_checked);
	tcase_add_test(tests, a_file_under_the_wrong_name_is_named);
	tcase_add_test(tests, a_file_under_the_name_of_another_event_is_named);
	tcase_add_test(tests, a_name_that_does_not_parse_is_named);
	tcase_add_test(tests, a_lost_page_is_named);
	tcase_add_test(tests, what_cannot_be_looked_at_is_trouble);
	tcase_add_test(tests, a_folder_without_sample_files_is_told);
	tcase_add_test(tests, a_file_named_itself_is_checked_wherever_it_lies);
	tcase_add_test(tests, help_and_version_are_there);
	tcase_add_test(tests, sound_slices_are_passed_and_superseded_ones_are_told);
	tcase_add_test(tests, what_is_wrong_with_a_history_is_told);
	tcase_add_test(tests, a_sample_file_whose_epoch_is_in_a_slice_is_told);
	tcase_add_test(tests, a_folder_named_history_among_sample_files_is_none_of_slices);
	tcase_add_test(tests, stack_files_are_checked_and_told);
	tcase_add_test(tests, each_kind_of_file_that_cannot_be_read_is_trouble);
	tcase_add_test(tests, call_trees_of_a_slice_are_told);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
