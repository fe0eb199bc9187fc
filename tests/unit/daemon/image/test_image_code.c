// SPDX-License-Identifier: GPL-2.0-or-later
/* Code tables of real binaries, built by a real keeper. */
#include "daemon/image/image_code.h"

#include "daemon/image/image_alias.h"
#include "daemon/image/image_keep.h"
#include "daemon/perf/perf_regs.h"
#include "daemon/image/table_folder.h"
#include "daemon/image/vdso.h"
#include "lib/buildid.h"
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define SECOND	 UINT64_C(1000000000)
#define PAUSE_NS UINT64_C(10000000) /* the first pause is longer; each next one doubles */

static struct image_table images;
static struct image_keep keep;
static struct image_code code;
static struct vdso vdso;
static uint64_t now_ns;
static const int32_t pids[KEEPER_PIDS] = {10};

static struct image_entry *image_of(const char *path)
{
	struct oprof_image_identity identity = {.nr_build_id = 0};
	struct image_key key = {.kind = OPROF_IMAGE_FILE, .path = path, .identity = &identity};
	struct image_entry *made;
	struct buildid id;
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	identity.dev = image_alias_dev(major(st.st_dev), minor(st.st_dev));
	identity.inode = st.st_ino;
	if (!buildid_read_file(path, &id)) {
		memcpy(identity.build_id, id.bytes, sizeof(id.bytes));
		identity.nr_build_id = id.nr_bytes;
	}
	made = image_table_get(&images, &key);
	ck_assert_ptr_nonnull(made);
	return made;
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static void begin(const char *path)
{
	image_table_init(&images);
	image_keep_init(&keep, &images, "proc");
	image_code_init(&code);
	keep.code = &code;
	ck_assert_int_eq(image_code_begin(&code, path, &vdso), 0);
}

static void end(void)
{
	image_keep_deinit(&keep);
	image_table_deinit(&images);
	image_code_deinit(&code);
}

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(vdso_init(&vdso), 0);
	now_ns = clock_ns();
	begin("code");
}

static void teardown(void)
{
	end();
	vdso_deinit(&vdso);
	test_folder_teardown();
}

/* Ask for the table and wait for the answer. */
static void ask(struct image_entry *entry)
{
	ck_assert(image_code_is_due(&code, entry, now_ns));
	image_keep_want_code(&keep, entry, pids, 0, -1, now_ns);
	for (int i = 0; i < 10 && keep.nr_tables; i++)
		image_keep_wait_code(&keep, 5000);
	ck_assert_uint_eq(keep.nr_tables, 0);
}

static void table_path(const struct image_entry *entry, char *path)
{
	char name[TABLE_FOLDER_NAME_BYTES];

	table_folder_name(sample_identity(&entry->image.identity), name);
	(void)snprintf(path, PATH_MAX, "code/%s", name);
}

static struct image_entry *libc_image(void)
{
	static char path[PATH_MAX];
	char *maps, *line;

	ck_assert_int_eq(file_read_text("/proc/self/maps", 1 << 20, &maps, NULL), 0);
	line = strstr(maps, "/libc");
	ck_assert_ptr_nonnull(line);
	while (*line != ' ')
		line--;
	(void)snprintf(path, sizeof(path), "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
	free(maps);
	return image_of(path);
}

START_TEST(a_table_is_built_and_kept_for_later_runs)
{
	struct image_entry *entry = libc_image();
	char path[PATH_MAX];
	struct stat st;

	image_keep_start(&keep);
	ck_assert_ptr_null(image_code_of(&code, entry));
	ask(entry);
	ck_assert_ptr_nonnull(image_code_of(&code, entry));
	ck_assert_int_eq(code_table_machine(image_code_of(&code, entry)),
			 perf_regs_here()->machine);
	ck_assert_uint_eq(code.counters.wanted, 1);
	ck_assert_uint_eq(code.counters.built, 1);
	ck_assert(!image_code_is_due(&code, entry, UINT64_MAX - 1));
	table_path(entry, path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	/* The next run finds the table and does not build it. */
	end();
	begin("code");
	entry = libc_image();
	image_keep_want_code(&keep, entry, pids, 0, -1, now_ns);
	ck_assert_ptr_nonnull(image_code_of(&code, entry));
	ck_assert_uint_eq(code.counters.found, 1);
	ck_assert_uint_eq(code.counters.built, 0);
}
END_TEST

START_TEST(a_damaged_table_is_built_anew)
{
	struct image_entry *entry = libc_image();
	char path[PATH_MAX];
	struct stat st;

	table_path(entry, path);
	ck_assert_int_eq(file_make_dirs("code", 0700), 0);
	ck_assert_int_eq(file_replace(path, "no table at all", 15, 0600), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert_ptr_nonnull(image_code_of(&code, entry));
	ck_assert_uint_eq(code.counters.built, 1);
	ck_assert_uint_eq(code.counters.found, 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_gt(st.st_size, 10000);
}
END_TEST

/* A folder has the table's name, so that not even root can remove it as a file. */
START_TEST(a_damaged_table_that_stays_is_not_asked_for_every_30_seconds)
{
	struct image_entry *entry = libc_image();
	char path[PATH_MAX], inside[PATH_MAX + 8];

	table_path(entry, path);
	(void)snprintf(inside, sizeof(inside), "%s/in", path);
	ck_assert_int_eq(file_make_dirs(inside, 0700), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert_ptr_nonnull(image_code_of(&code, entry));
	ck_assert_uint_eq(code.counters.built, 1);
	ck_assert_uint_eq(code.counters.failed, 0);
	ck_assert(code.told_damage);
	ck_assert(!image_code_is_due(&code, entry, UINT64_MAX - 1));
}
END_TEST

/* The damaged table appears between the daemon's look-up and the keeper's. */
START_TEST(a_damaged_table_from_the_keeper_is_asked_for_once_more_without_the_folder)
{
	const struct keeper_answer answer = {.result = KEEPER_THERE, .work = KEEPER_TABLE};
	struct image_entry *entry = libc_image();
	int fd = open("damaged", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(ftruncate(fd, i * 4096), 0);
		ck_assert(image_code_is_due(&code, entry, now_ns));
		entry->code_asked = true;
		entry->code_due_ns = now_ns + 30 * SECOND; /* while no answer has come */
		image_code_take(&code, entry, &answer, fd, now_ns);
	}
	ck_assert_uint_eq(code.counters.failed, 0);
	ck_assert_uint_eq(code.counters.unreadable, 1);
	ck_assert(!image_code_is_due(&code, entry, UINT64_MAX - 1));
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(without_a_folder_tables_live_as_long_as_the_daemon)
{
	struct image_entry *entry;
	struct stat st;

	end();
	begin(NULL);
	entry = libc_image();
	image_keep_start(&keep);
	ask(entry);
	ck_assert_ptr_nonnull(image_code_of(&code, entry));
	ck_assert_uint_eq(code.counters.built, 1);
	ck_assert_int_ne(stat("code", &st), 0);
}
END_TEST

START_TEST(where_the_folder_can_not_be_made_tables_are_of_this_run_only)
{
	struct image_entry *entry;

	ck_assert_int_eq(file_replace("plain", "x", 1, 0600), 0);
	end();
	begin("plain/code");
	entry = libc_image();
	image_keep_start(&keep);
	ask(entry);
	ck_assert_ptr_nonnull(image_code_of(&code, entry));
	ck_assert_uint_eq(code.counters.built, 1);
}
END_TEST

/* The table's file is a link to /dev/full, in place of a full disk. */
START_TEST(where_the_disk_is_full_tables_are_of_this_run_only)
{
	struct image_entry *entry = libc_image();
	char path[PATH_MAX];

	ck_assert_int_eq(file_make_dirs("code", 0700), 0);
	(void)snprintf(path, sizeof(path), "code/.%016" PRIx64 ".tmp",
		       sample_identity(&entry->image.identity));
	ck_assert_int_eq(symlink("/dev/full", path), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert_ptr_nonnull(image_code_of(&code, entry));
	ck_assert_uint_eq(code.counters.built, 1);
	table_path(entry, path);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_file_that_is_no_binary_has_none_and_is_not_asked_for_again)
{
	struct image_entry *entry;
	char path[PATH_MAX];

	ck_assert_int_eq(file_replace("script", "#!/bin/sh\n", 10, 0700), 0);
	ck_assert_ptr_nonnull(realpath("script", path));
	entry = image_of(path);
	image_keep_start(&keep);
	ask(entry);
	ck_assert_ptr_null(image_code_of(&code, entry));
	ck_assert_uint_eq(code.counters.none, 1);
	ck_assert(!image_code_is_due(&code, entry, UINT64_MAX - 1));
}
END_TEST

START_TEST(one_that_nobody_has_is_asked_for_again_after_growing_pauses)
{
	struct image_entry *entry;
	char path[PATH_MAX];
	uint64_t pause_ns = 0;

	ck_assert_int_eq(file_replace("script", "#!/bin/sh\n", 10, 0700), 0);
	ck_assert_ptr_nonnull(realpath("script", path));
	entry = image_of(path);
	ck_assert_int_eq(unlink(path), 0);
	image_keep_start(&keep);
	for (int i = 0; i < 20; i++) {
		uint64_t asked_ns = clock_ns();

		entry->code_due_ns = 0;
		ask(entry);
		ck_assert_uint_gt(entry->code_due_ns, asked_ns + pause_ns);
		pause_ns = PAUSE_NS << (i < 12 ? i : 12);
	}
	ck_assert_uint_lt(entry->code_due_ns, clock_ns() + 120 * SECOND);
	ck_assert_uint_eq(code.counters.wanted, 1);
}
END_TEST

START_TEST(without_a_keeper_none_is_asked_for)
{
	struct image_entry *entry = libc_image();

	image_keep_want_code(&keep, entry, pids, 0, -1, now_ns);
	ck_assert_uint_eq(keep.nr_tables, 0);
	ck_assert(!image_code_is_due(&code, entry, UINT64_MAX - 1));
}
END_TEST

START_TEST(the_vdso_has_its_table_at_once)
{
	struct image_key key = {
		.kind = OPROF_IMAGE_VDSO, .path = "[vdso]", .identity = &vdso.identity};
	struct oprof_image_identity other = {.size_bytes = 4711};
	struct image_entry *entry;

	if (!vdso.bytes)
		return;
	entry = image_table_get(&images, &key);
	ck_assert_ptr_nonnull(image_code_of(&code, entry));
	key.identity = &other;
	ck_assert_ptr_null(image_code_of(&code, image_table_get(&images, &key)));
}
END_TEST

START_TEST(a_keeper_that_ends_leaves_the_daemon_without_tables_not_waiting)
{
	struct image_entry *entry = libc_image();

	image_keep_start(&keep);
	image_keep_want_code(&keep, entry, pids, 0, -1, now_ns);
	ck_assert_int_eq(kill(keep.pid, SIGKILL), 0);
	image_keep_wait_code(&keep, 60000);
	image_keep_tend(&keep, now_ns);
	ck_assert_uint_eq(keep.nr_tables, 0);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("all");

	if (!perf_regs_here()) {
		printf("1..0 # SKIP there are no tables of this machine's code\n");
		return 0;
	}
	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, a_table_is_built_and_kept_for_later_runs);
	tcase_add_test(all, a_damaged_table_is_built_anew);
	tcase_add_test(all, a_damaged_table_that_stays_is_not_asked_for_every_30_seconds);
	tcase_add_test(all,
		       a_damaged_table_from_the_keeper_is_asked_for_once_more_without_the_folder);
	tcase_add_test(all, without_a_folder_tables_live_as_long_as_the_daemon);
	tcase_add_test(all, where_the_folder_can_not_be_made_tables_are_of_this_run_only);
	tcase_add_test(all, where_the_disk_is_full_tables_are_of_this_run_only);
	tcase_add_test(all, a_file_that_is_no_binary_has_none_and_is_not_asked_for_again);
	tcase_add_test(all, one_that_nobody_has_is_asked_for_again_after_growing_pauses);
	tcase_add_test(all, without_a_keeper_none_is_asked_for);
	tcase_add_test(all, the_vdso_has_its_table_at_once);
	tcase_add_test(all, a_keeper_that_ends_leaves_the_daemon_without_tables_not_waiting);
	return test_run(all);
}
