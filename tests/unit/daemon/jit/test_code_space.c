// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's time for reading code files of programs, measured by the test's own clock. */
#include "daemon/jit/code_space.h"

#include "tests/fixture/fake_proc.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND	  UINT64_C(1000000000)
#define STEP_NS	  UINT64_C(10000000) /* each reading of the clock advances it so far */
#define ADDRESS	  UINT64_C(0x7f0000000100)
#define HUGE_FILE (INT64_C(1) << 40)
#define MB	  (UINT64_C(1) << 20)
#define DUMP	  "/home/x/jit-10.dump"

static struct fake_proc proc;
static struct code_spaces all;
static uint64_t used_ns;
static uint64_t time_ns;

static uint64_t cpu_ns(void)
{
	return used_ns += STEP_NS;
}

static void setup(void)
{
	fake_proc_init(&proc);
	ck_assert_int_eq(code_spaces_init(&all, proc.path, NULL), 0);
	all.cpu_ns = cpu_ns;
	time_ns = 100 * SECOND;
}

static void teardown(void)
{
	code_spaces_deinit(&all);
	fake_proc_deinit(&proc);
}

/* A process and its perf map, which grows to nr_bytes without further lines. */
static void make_process(int pid, off_t nr_bytes)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%d/status", pid);
	fake_proc_print(&proc, path, "Name:\ta\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%d\n", geteuid(),
			geteuid(), geteuid(), geteuid(), pid);
	(void)snprintf(path, sizeof(path), "%d/root/tmp/perf-%d.map", pid, pid);
	fake_proc_print(&proc, path, "7f0000000100 80 a\n");
	(void)snprintf(path, sizeof(path), "%s/%d/root/tmp/perf-%d.map", proc.path, pid, pid);
	if (nr_bytes)
		ck_assert_int_eq(truncate(path, nr_bytes), 0);
}

static bool find(struct code_space **space, int pid, uint64_t address)
{
	struct code_lookup place = {.tgid = pid, .time_ns = time_ns, .address = address};
	uint32_t number;

	return code_space_find(space, &all, &place, &number);
}

START_TEST(a_file_without_end_takes_a_small_part_of_the_time)
{
	struct code_space *space = NULL;

	make_process(10, HUGE_FILE);
	/* A minute of samples at an address without a name. */
	for (int i = 0; i < 600; i++) {
		ck_assert(!find(&space, 10, ADDRESS + 0x1000));
		time_ns += SECOND / 10;
	}
	/* Half a second at once, then one hundredth of the time. */
	ck_assert_uint_lt(used_ns, 3 * SECOND);
	ck_assert_uint_gt(all.nr_late, 0);
	/* Reading goes on, and names that were found stay. */
	ck_assert_uint_gt(space->perf_map.position, 50 * MB);
	ck_assert(find(&space, 10, ADDRESS));
	code_space_destroy(space);
}
END_TEST

START_TEST(many_files_without_end_leave_time_for_others)
{
	static struct code_space *spaces[100], *other;
	uint64_t found_ns;

	for (int i = 0; i < 100; i++)
		make_process(100 + i, HUGE_FILE);
	make_process(10, 0);
	for (int round = 0; round < 20; round++, time_ns += SECOND / 10)
		for (int i = 0; i < 100; i++)
			(void)find(&spaces[i], 100 + i, ADDRESS + 0x1000);
	ck_assert_uint_lt(used_ns, 4 * SECOND);
	found_ns = time_ns;
	while (!find(&other, 10, ADDRESS) && time_ns - found_ns < 60 * SECOND) {
		(void)find(&spaces[time_ns % 100], 100 + (int)(time_ns % 100), ADDRESS + 0x1000);
		time_ns += SECOND / 10;
	}
	ck_assert_uint_lt(time_ns - found_ns, 60 * SECOND);
	for (int i = 0; i < 100; i++)
		code_space_destroy(spaces[i]);
	code_space_destroy(other);
}
END_TEST

START_TEST(a_large_map_is_read_at_once)
{
	struct code_space *space = NULL;
	char path[256];
	FILE *file;

	make_process(10, 0);
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	file = fopen(path, "ae");
	ck_assert_ptr_nonnull(file);
	for (unsigned int i = 0; i < 100000; i++)
		ck_assert_int_gt(fprintf(file, "%x 10 Lsome/package/Function%u;::call\n",
					 0x10000 + i * 16, i),
				 0);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert(find(&space, 10, 0x10000 + 99999 * 16));
	ck_assert_uint_eq(all.nr_late, 0);
	code_space_destroy(space);
}
END_TEST

/* 0 is the lowest free descriptor if the daemon has no standard input. */
START_TEST(a_jitdump_of_descriptor_0_is_closed_with_its_process)
{
	char dump[] = DUMP;
	struct image_entry image = {.image = {.kind = OPROF_IMAGE_FILE, .path = dump}};
	struct mapping mapping = {.start = 0x1000, .end = 0x2000, .image = &image};
	const struct space mapped = {.nr_mappings = 1, .mappings = &mapping};
	struct code_lookup place = {
		.tgid = 10, .time_ns = time_ns, .address = ADDRESS, .space = &mapped};
	struct code_space *space = NULL;
	struct stat st;
	uint32_t number;
	char path[128];

	make_process(10, 0);
	fake_proc_print(&proc, "10/root" DUMP, "nothing of it is read");
	(void)snprintf(path, sizeof(path), "%s/10/root" DUMP, proc.path);
	ck_assert_int_eq(stat(path, &st), 0);
	image.image.identity.inode = st.st_ino;
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	ck_assert_int_eq(unlink(path), 0);
	(void)close(STDIN_FILENO);
	(void)code_space_find(&space, &all, &place, &number);
	ck_assert_int_eq(space->dump_file.fd, STDIN_FILENO);
	ck_assert_uint_eq(all.nr_open, 1);
	code_space_destroy(space);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	ck_assert_uint_eq(all.nr_open, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("code_space");
	TCase *tests = tcase_create("code_space");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_file_without_end_takes_a_small_part_of_the_time);
	tcase_add_test(tests, many_files_without_end_leave_time_for_others);
	tcase_add_test(tests, a_large_map_is_read_at_once);
	tcase_add_test(tests, a_jitdump_of_descriptor_0_is_closed_with_its_process);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(suite());
}
