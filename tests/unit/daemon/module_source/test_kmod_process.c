// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of code made at run time by processes of which the kernel module
 * reported only that they run.
 */
#include "daemon/module_source/kmod_process.h"

#include "daemon/image/image_alias.h"
#include "daemon/image/vdso.h"
#include "daemon/places/proc_scan.h"
#include "lib/file.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/jitdump_encode.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PID    10
#define CHILD  11
#define SECOND UINT64_C(1000000000)
#define JIT    UINT64_C(0x7f0000000000)

static struct fake_proc proc;
static struct image_table images;
static struct image_alias_table aliases;
static struct vdso vdso;
static struct region_maker regions;
static struct code_spaces code;
static struct kmod_processes processes;
static struct image_entry *program, *other;
static uint64_t time_ns;

static struct image_entry *image_of(const char *path)
{
	const struct image_key key = {.kind = OPROF_IMAGE_FILE, .path = path};

	return image_table_get(&images, &key);
}

/* Let the process run path from now on. */
static void run_program(int pid, const char *path)
{
	char exe[128];

	(void)snprintf(exe, sizeof(exe), "%s/%d/exe", proc.path, pid);
	(void)unlink(exe);
	ck_assert_int_eq(symlink(path, exe), 0);
}

/* A process that runs /bin/a and whose parent is parent. */
static void make_process(int pid, int parent)
{
	char path[64];

	fake_proc_process(&proc, pid, 0, "/bin/a", "");
	run_program(pid, "/bin/a");
	(void)snprintf(path, sizeof(path), "%d/status", pid);
	fake_proc_print(&proc, path, "Name:\ta\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%d\n", geteuid(),
			geteuid(), geteuid(), geteuid(), pid);
	(void)snprintf(path, sizeof(path), "%d/stat", pid);
	fake_proc_print(&proc, path, "%d (a) R %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n",
			pid, parent, pid * 10);
}

static void write_map(int pid, const char *text)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%d/root/tmp/perf-%d.map", pid, pid);
	fake_proc_print(&proc, path, "%s", text);
}

static void setup(void)
{
	struct timespec now;

	fake_proc_init(&proc);
	/* The files have their true times. */
	ck_assert_int_eq(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	time_ns = (uint64_t)now.tv_sec * SECOND;
	ck_assert_int_eq(image_table_init(&images), 0);
	ck_assert_int_eq(image_alias_init(&aliases, proc.path), 0);
	ck_assert_int_eq(vdso_init(&vdso), 0);
	regions = (struct region_maker){&images, &aliases, &vdso};
	ck_assert_int_eq(code_spaces_init(&code, proc.path, NULL), 0);
	ck_assert_int_eq(kmod_processes_init(&processes, &code, &regions, proc.path), 0);
	program = image_of("/bin/a");
	other = image_of("/bin/b");
}

static void teardown(void)
{
	kmod_processes_deinit(&processes);
	ck_assert_uint_eq(processes.nr_spaces, 0);
	code_spaces_deinit(&code);
	ck_assert_uint_eq(program->nr_refs, 1);
	image_put(program);
	image_put(other);
	vdso_deinit(&vdso);
	image_alias_deinit(&aliases);
	image_table_deinit(&images);
	fake_proc_deinit(&proc);
}

/* The name of the code at address in the process of that generation; "" if none. */
static const char *name_at(int pid, uint64_t generation, struct image_entry *app, uint64_t address)
{
	const struct kmod_runner runner = {.generation = generation, .tgid = pid, .app = app};
	uint32_t number;

	time_ns += 10 * SECOND; /* time advances without waiting */
	if (!kmod_processes_code(&processes, &runner, time_ns, address, &number))
		return "";
	return code_pool_name(&code.pool, number);
}

START_TEST(a_process_is_known_by_what_it_writes)
{
	make_process(PID, 1);
	ck_assert_str_eq(name_at(PID, 100, program, JIT + 0x10), "");
	write_map(PID, "7f0000000000 100 made\n");
	ck_assert_str_eq(name_at(PID, 100, program, JIT + 0x10), "made");
	ck_assert_str_eq(name_at(PID, 100, program, JIT + 0x100), "");
}
END_TEST

/* Writes a jitdump to place, below the folder of processes. PID maps it as its jitdump. */
static void write_dump(const char *place)
{
	struct jitdump_bytes bytes = {NULL, 0, 0};
	char path[128], maps[256];
	struct stat st;

	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, 5, JIT, 0x100, "dumped", 0x100);
	fake_proc_write(&proc, place, bytes.bytes, bytes.nr_bytes);
	free(bytes.bytes);
	(void)snprintf(path, sizeof(path), "%s/%s", proc.path, place);
	ck_assert_int_eq(stat(path, &st), 0);
	(void)snprintf(maps, sizeof(maps),
		       "1000-2000 r-xp 00000000 00:01 %lu                       "
		       "/tmp/jit-10.dump\n",
		       (unsigned long)st.st_ino);
	fake_proc_print(&proc, "10/task/10/maps", "%s", maps);
}

START_TEST(a_jitdump_is_found_by_what_the_process_maps)
{
	make_process(PID, 1);
	write_dump("10/root/tmp/jit-10.dump");
	ck_assert_str_eq(name_at(PID, 100, program, JIT + 0x10), "dumped");
}
END_TEST

START_TEST(a_process_that_cannot_be_read_any_more_keeps_its_mappings)
{
	static slow_work *const works[] = {proc_scan_look};
	static struct slow_reader reader;
	char from[128], to[128];

	slow_reader_init(&reader, proc.path, works, 1);
	aliases.reader = &reader;
	make_process(PID, 1);
	write_dump("10/root/tmp/later");
	ck_assert_str_eq(name_at(PID, 100, program, JIT + 0x10), "");
	(void)snprintf(to, sizeof(to), "%s/10/task/10/maps", proc.path);
	ck_assert_int_eq(unlink(to), 0);
	ck_assert_int_eq(mkfifo(to, 0600), 0); /* its open() never returns */
	ck_assert_str_eq(name_at(PID, 100, program, JIT + 0x10), "");
	ck_assert_uint_eq(reader.unread.nr_missed, 1);
	(void)snprintf(from, sizeof(from), "%s/10/root/tmp/later", proc.path);
	(void)snprintf(to, sizeof(to), "%s/10/root/tmp/jit-10.dump", proc.path);
	ck_assert_int_eq(rename(from, to), 0);
	ck_assert_str_eq(name_at(PID, 100, program, JIT + 0x10), "dumped");
	slow_reader_deinit(&reader);
}
END_TEST

START_TEST(another_program_of_the_process_has_nothing_of_the_one_before)
{
	make_process(PID, 1);
	write_map(PID, "7f0000000000 100 made\n");
	ck_assert_str_eq(name_at(PID, 100, program, JIT), "made");
	/* The file is older than that program. */
	ck_assert_str_eq(name_at(PID, 100, other, JIT), "");
}
END_TEST

START_TEST(what_a_parent_made_is_its_childrens_though_nobody_met_the_parent)
{
	make_process(PID, 1);
	make_process(CHILD, PID);
	make_process(CHILD + 1, CHILD);
	write_map(PID, "7f0000000000 100 of_parent\n");
	ck_assert_str_eq(name_at(CHILD + 1, 101, program, JIT), "of_parent");
	/* Until the child writes a file of its own. */
	write_map(CHILD + 1, "7f0000000000 100 own\n");
	ck_assert_str_eq(name_at(CHILD + 1, 101, program, JIT), "own");
}
END_TEST

START_TEST(a_parent_of_another_program_has_nothing_to_leave)
{
	make_process(PID, 1);
	make_process(CHILD, PID);
	run_program(PID, "/bin/shell");
	write_map(PID, "7f0000000000 100 of_parent\n");
	ck_assert_str_eq(name_at(CHILD, 101, program, JIT), "");
}
END_TEST

START_TEST(a_second_life_of_a_pid_begins_with_nothing)
{
	make_process(PID, 1);
	write_map(PID, "7f0000000000 100 made\n");
	ck_assert_str_eq(name_at(PID, 100, program, JIT), "made");
	fake_proc_remove(&proc, PID);
	make_process(PID, 1);
	ck_assert_str_eq(name_at(PID, 100, program, JIT), "made"); /* still the old process */
	ck_assert_str_eq(name_at(PID, 200, program, JIT), "");
	kmod_processes_end(&processes, 100);
	kmod_processes_end(&processes, 100);
	ck_assert_uint_eq(processes.generations.nr_nodes, 1);
	ck_assert_uint_eq(processes.tgids.nr_nodes, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kmod_process");
	TCase *tests = tcase_create("kmod_process");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_process_is_known_by_what_it_writes);
	tcase_add_test(tests, a_jitdump_is_found_by_what_the_process_maps);
	tcase_add_test(tests, a_process_that_cannot_be_read_any_more_keeps_its_mappings);
	tcase_add_test(tests, another_program_of_the_process_has_nothing_of_the_one_before);
	tcase_add_test(tests, what_a_parent_made_is_its_childrens_though_nobody_met_the_parent);
	tcase_add_test(tests, a_parent_of_another_program_has_nothing_to_leave);
	tcase_add_test(tests, a_second_life_of_a_pid_begins_with_nothing);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
