// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples in memory without a file, of processes that report the code they made there. */
#include "daemon/perf_source/perf_state.h"

#include "daemon/jit/code_file.h"
#include "lib/file.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/jitdump_encode.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PID	 10
#define CHILD	 11
#define SECOND	 UINT64_C(1000000000)
#define JIT	 UINT64_C(0x7f0000000000)
#define JIT_SIZE UINT64_C(0x100000)

static struct fake_proc proc;
static struct perf_state *state;
static struct oprof_sample caught; /* the last sample; all 0 if it was lost */
static uint64_t time_ns;

static void catch_record(struct record_sink *sink, const struct oprof_record *record)
{
	(void)sink;
	if (record->type == OPROF_RECORD_SAMPLE)
		memcpy(&caught, record, sizeof(caught));
}

static struct record_sink catcher = {catch_record};

static void apply(struct perf_item item)
{
	item.time_ns = ++time_ns;
	if (!item.tid)
		item.tid = item.pid;
	perf_state_apply(state, &item);
}

static void exec_program(int pid)
{
	apply((struct perf_item){.type = PERF_RECORD_COMM,
				 .misc = PERF_RECORD_MISC_COMM_EXEC,
				 .pid = pid,
				 .u.comm = {"a", true}});
	apply((struct perf_item){.type = PERF_RECORD_MMAP2,
				 .pid = pid,
				 .misc = PERF_RECORD_MISC_USER,
				 .u.mmap = {.start = 0x400000,
					    .nr_bytes = 0x1000,
					    .prot = 5,
					    .identity = {.inode = 7},
					    .path = "/bin/a"}});
}

static void map_code(int pid, const char *path, uint64_t start, uint64_t nr_bytes, uint64_t inode)
{
	apply((struct perf_item){.type = PERF_RECORD_MMAP2,
				 .pid = pid,
				 .misc = PERF_RECORD_MISC_USER,
				 .u.mmap = {.start = start,
					    .nr_bytes = nr_bytes,
					    .prot = 7,
					    .identity = {.inode = inode},
					    .path = path}});
}

static void write_status(int pid, const char *inner)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%d/status", pid);
	fake_proc_print(&proc, path, "Name:\ta\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%s\n", geteuid(),
			geteuid(), geteuid(), geteuid(), inner);
}

static void setup(void)
{
	struct perf_state_config config = {
		.sink = &catcher, .nr_cpus = 2, .proc_path = proc.path, .sys_path = proc.path};

	fake_proc_init(&proc);
	write_status(PID, "10");
	time_ns = SECOND;
	ck_assert_int_eq(perf_state_create(&state, &config, NULL), 0);
	exec_program(PID);
	map_code(PID, "//anon", JIT, JIT_SIZE, 0);
}

static void teardown(void)
{
	perf_state_destroy(state);
	fake_proc_deinit(&proc);
}

static void write_map(const char *text)
{
	fake_proc_print(&proc, "10/root/tmp/perf-10.map", "%s", text);
}

static void append(const char *path, const void *bytes, size_t nr_bytes)
{
	char whole[256];
	int fd;

	(void)snprintf(whole, sizeof(whole), "%s/%s", proc.path, path);
	fd = open(whole, O_WRONLY | O_APPEND | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, nr_bytes), (ssize_t)nr_bytes);
	(void)close(fd);
}

static void append_map(const char *text)
{
	append("10/root/tmp/perf-10.map", text, strlen(text));
}

/* The name at the address in pid; "" if the sample belongs to the region itself. */
static const char *name_at(int pid, uint64_t address)
{
	const struct image *image;
	const char *name;

	memset(&caught, 0, sizeof(caught));
	apply((struct perf_item){.type = PERF_RECORD_SAMPLE,
				 .misc = PERF_RECORD_MISC_USER,
				 .pid = pid,
				 .u.sample = {.ip = address, .period = 1}});
	ck_assert_uint_ne(caught.leaf.image, OPROF_IMAGE_NONE);
	image = perf_state_image(state, caught.leaf.image);
	if (image->kind == OPROF_IMAGE_ANON) {
		ck_assert_uint_eq(caught.leaf.offset + image->start, address);
		return "";
	}
	ck_assert_int_eq(image->kind, OPROF_IMAGE_CODE);
	ck_assert_str_eq(image->path, "[jit]");
	name = perf_state_code_name(state, caught.leaf.image, caught.leaf.offset);
	ck_assert_ptr_nonnull(name);
	return name;
}

static void expect(uint64_t address, const char *name)
{
	ck_assert_str_eq(name_at(PID, address), name);
}

static uint64_t counter(const char *name)
{
	struct source_counter counters[64];
	size_t nr = perf_state_counters(state, counters, 64);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(counters[i].name, name))
			return counters[i].value;
	ck_abort_msg("no counter %s", name);
}

START_TEST(functions_have_the_names_that_the_program_tells)
{
	write_map("7f0000000100 80 JS:*hot /a b.js:1:2\n7f0000000200 10 JS:~warm /a.js\n");
	expect(JIT + 0x100, "JS:*hot /a b.js:1:2");
	expect(JIT + 0x17f, "JS:*hot /a b.js:1:2");
	expect(JIT + 0x180, "");
	expect(JIT + 0x200, "JS:~warm /a.js");
	expect(JIT + 0x100, "JS:*hot /a b.js:1:2");
	ck_assert_uint_eq(counter("code_functions"), 2);
	ck_assert_uint_eq(counter("code_names"), 2);
}
END_TEST

START_TEST(a_program_that_tells_nothing_has_regions_as_ever)
{
	expect(JIT + 0x100, "");
	time_ns += 100 * SECOND;
	expect(JIT + 0x100, "");
	ck_assert_uint_eq(counter("code_files"), 0);
}
END_TEST

START_TEST(what_is_told_later_is_found_soon)
{
	write_map("7f0000000100 80 a\n");
	expect(JIT + 0x100, "a");
	append_map("7f0000001000 80 b\n7f0000000100 80 c\n");
	expect(JIT + 0x1000, ""); /* files are not read with each sample */
	time_ns += SECOND / 10;
	expect(JIT + 0x1000, "b");
	expect(JIT + 0x100, "c");
	append_map("7f0000000100 80 d\n");
	time_ns += SECOND / 2;
	expect(JIT + 0x100, "c");
	time_ns += SECOND;
	expect(JIT + 0x100, "d");
	ck_assert_uint_eq(counter("code_files"), 1);
}
END_TEST

START_TEST(a_map_that_comes_late_is_found)
{
	expect(JIT + 0x100, "");
	write_map("7f0000000100 80 a\n");
	time_ns += 2 * SECOND;
	expect(JIT + 0x100, "a");
}
END_TEST

START_TEST(growth_of_the_region_changes_nothing)
{
	write_map("7f0000000100 80 a\n");
	expect(JIT + 0x100, "a");
	map_code(PID, "//anon", JIT, 4 * JIT_SIZE, 0);
	expect(JIT + 0x100, "a");
	map_code(PID, "//anon", JIT + 0x100, 0x1000, 0);
	expect(JIT + 0x100, "a");
	ck_assert_uint_eq(counter("code_names"), 1);
}
END_TEST

START_TEST(a_replaced_map_is_read_anew)
{
	write_map("7f0000000100 80 a\n7f0000000200 80 b\n");
	expect(JIT + 0x100, "a");
	write_map("7f0000000100 80 x\n"); /* replaced by rename */
	time_ns += 2 * SECOND;
	expect(JIT + 0x100, "x");
	expect(JIT + 0x200, "");
}
END_TEST

START_TEST(a_map_cut_short_is_read_anew)
{
	char path[256];

	write_map("7f0000000100 80 a\n7f0000000200 80 b\n");
	expect(JIT + 0x100, "a");
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	ck_assert_int_eq(truncate(path, 18), 0);
	time_ns += 2 * SECOND;
	expect(JIT + 0x100, "a");
	expect(JIT + 0x200, "");
}
END_TEST

START_TEST(a_fork_has_its_parents_functions_and_an_exec_none)
{
	write_map("7f0000000100 80 a\n7f0000000200 80 b\n");
	expect(JIT + 0x100, "a");
	apply((struct perf_item){
		.type = PERF_RECORD_FORK, .pid = CHILD, .tid = CHILD, .u.task = {PID, PID}});
	append_map("7f0000000100 80 parent\n");
	time_ns += 2 * SECOND;
	expect(JIT + 0x100, "parent");
	ck_assert_str_eq(name_at(CHILD, JIT + 0x100), "a");
	write_status(CHILD, "11");
	fake_proc_print(&proc, "11/root/tmp/perf-11.map", "7f0000000100 80 child\n");
	time_ns += 2 * SECOND;
	ck_assert_str_eq(name_at(CHILD, JIT + 0x100), "child");
	ck_assert_str_eq(name_at(CHILD, JIT + 0x200), "b");
	expect(JIT + 0x100, "parent");
	fake_proc_remove(&proc, CHILD);
	exec_program(CHILD);
	map_code(CHILD, "//anon", JIT, JIT_SIZE, 0);
	ck_assert_str_eq(name_at(CHILD, JIT + 0x100), "");
	expect(JIT + 0x100, "parent");
}
END_TEST

static void fork_process(int pid, int parent)
{
	apply((struct perf_item){.type = PERF_RECORD_FORK, .pid = pid, .u.task = {parent, parent}});
}

START_TEST(children_run_what_a_parent_made_that_was_never_sampled)
{
	write_map("7f0000000100 80 of_parent\n");
	fork_process(CHILD, PID);
	ck_assert_str_eq(name_at(CHILD, JIT + 0x100), "of_parent");
	/* Code that the parent makes from now on is not the child's. */
	append_map("7f0000000200 80 later\n");
	time_ns += 2 * SECOND;
	ck_assert_str_eq(name_at(CHILD, JIT + 0x200), "");
	expect(JIT + 0x200, "later");
}
END_TEST

START_TEST(a_parent_whose_own_is_gone_has_children_all_the_same)
{
	fork_process(CHILD, PID);
	write_status(CHILD, "11");
	fake_proc_print(&proc, "11/root/tmp/perf-11.map", "7f0000000100 80 of_child\n");
	fork_process(CHILD + 1, CHILD);
	apply((struct perf_item){.type = PERF_RECORD_EXIT, .pid = PID, .tid = PID});
	time_ns += 600 * SECOND;
	fork_process(4711, 4712);
	ck_assert_str_eq(name_at(CHILD + 1, JIT + 0x100), "of_child");
}
END_TEST

START_TEST(children_run_what_a_parent_made_since_it_was_sampled)
{
	write_map("7f0000000100 80 of_parent\n");
	expect(JIT + 0x100, "of_parent");
	append_map("7f0000000200 80 more\n");
	time_ns += 2 * SECOND;
	fork_process(CHILD, PID);
	fork_process(CHILD + 1, CHILD);
	ck_assert_str_eq(name_at(CHILD + 1, JIT + 0x200), "more");
	ck_assert_str_eq(name_at(CHILD, JIT + 0x100), "of_parent");
}
END_TEST

START_TEST(the_end_of_a_process_does_not_end_its_map)
{
	write_map("7f0000000100 80 a\n");
	expect(JIT + 0x100, "a");
	append_map("7f0000000200 80 last\n");
	fake_proc_remove(&proc, PID);
	time_ns += SECOND / 2;
	expect(JIT + 0x200, "last");
}
END_TEST

START_TEST(a_process_that_was_gone_before_it_was_looked_at_is_found_by_the_machines_tmp)
{
	char path[256];

	fake_proc_print(&proc, "1/root/tmp/perf-10.map", "7f0000000100 80 a\n");
	(void)snprintf(path, sizeof(path), "%s/1/root/tmp/perf-10.map", proc.path);
	ck_assert_int_eq(chmod(path, 0644), 0);
	fake_proc_remove(&proc, PID);
	apply((struct perf_item){
		.type = PERF_RECORD_EXIT, .pid = PID, .tid = PID, .u.task = {1, 1}});
	expect(JIT + 0x100, "a");
}
END_TEST

START_TEST(the_process_is_known_by_its_own_name_for_itself)
{
	write_status(PID, "10\t7\t3");
	fake_proc_print(&proc, "10/root/tmp/perf-3.map", "7f0000000100 80 a\n");
	expect(JIT + 0x100, "a");
}
END_TEST

/* The link's target is a valid file, but links are never followed. */
START_TEST(links_are_not_followed)
{
	char path[256];

	fake_proc_print(&proc, "10/root/else/perf-10.map", "7f0000000100 80 a\n");
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp", proc.path);
	if (_i) {
		ck_assert_int_eq(mkdir(path, 0700), 0);
		(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	}
	ck_assert_int_eq(symlink(_i ? "../else/perf-10.map" : "else", path), 0);
	expect(JIT + 0x100, "");
	ck_assert_uint_eq(counter("code_files"), 0);
}
END_TEST

START_TEST(what_is_no_file_is_not_opened)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/10/root/tmp", proc.path);
	ck_assert_int_eq(file_make_dirs(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	ck_assert_int_eq(_i ? mkdir(path, 0700) : mkfifo(path, 0700), 0);
	expect(JIT + 0x100, ""); /* opening a FIFO would wait for its writer */
	ck_assert_uint_eq(counter("code_files"), 0);
}
END_TEST

START_TEST(files_of_another_user_are_not_believed)
{
	char path[256];

	if (geteuid())
		return;
	write_map("7f0000000100 80 a\n");
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	ck_assert_int_eq(chown(path, 4711, 4711), 0);
	expect(JIT + 0x100, "");
	/* The process has that user, so its files are accepted. */
	fake_proc_print(&proc, "10/status", "Name:\ta\nUid:\t1\t4711\t1\t1\nNSpid:\t10\n");
	time_ns += 2 * SECOND;
	expect(JIT + 0x100, "a");
}
END_TEST

/* As if a user had mounted a file of root's at the path of the map. */
START_TEST(a_file_of_root_that_others_may_not_read_does_not_name_their_functions)
{
	char path[256];

	if (geteuid())
		return;
	fake_proc_print(&proc, "10/status", "Name:\ta\nUid:\t1\t1\t1\t1\nNSpid:\t10\n");
	write_map("7f0000000100 80 secret\n");
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	ck_assert_int_eq(chmod(path, 0640), 0);
	expect(JIT + 0x100, "");
	ck_assert_int_eq(chmod(path, 0644), 0);
	time_ns += 2 * SECOND;
	expect(JIT + 0x100, "secret");
}
END_TEST

START_TEST(a_file_of_root_that_others_may_not_read_does_not_name_functions_of_an_unknown_user)
{
	char path[256];

	if (geteuid())
		return;
	(void)snprintf(path, sizeof(path), "%s/10/status", proc.path);
	ck_assert_int_eq(unlink(path), 0);
	write_map("7f0000000100 80 secret\n");
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	ck_assert_int_eq(chmod(path, 0600), 0);
	expect(JIT + 0x100, "");
}
END_TEST

START_TEST(a_file_older_than_the_process_is_of_another)
{
	const struct timespec times[2] = {{100, 0}, {100, 0}};
	char path[256];

	write_map("7f0000000100 80 a\n");
	(void)snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", proc.path);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
	expect(JIT + 0x100, "");
	append_map("7f0000000200 80 b\n");
	time_ns += 2 * SECOND;
	expect(JIT + 0x100, "a");
}
END_TEST

START_TEST(a_file_written_before_the_machine_slept_is_the_processs_own)
{
	/* Begun at 100 s of both clocks, real time 1100 s; 50 s later suspended for 1000 s; then
	 * now. */
	const struct code_clocks slept = {2200 * (int64_t)SECOND, 200 * (int64_t)SECOND,
					  1200 * (int64_t)SECOND};
	const struct code_clocks awake = {1200 * (int64_t)SECOND, 200 * (int64_t)SECOND,
					  200 * (int64_t)SECOND};

	ck_assert_int_eq(code_owner_earliest(100 * SECOND, &slept), 1100 * (int64_t)SECOND);
	ck_assert_int_eq(code_owner_earliest(100 * SECOND, &awake), 1100 * (int64_t)SECOND);
}
END_TEST

START_TEST(many_processes_hold_few_descriptors)
{
	char path[64];

	for (int pid = 100; pid < 400; pid++) {
		(void)snprintf(path, sizeof(path), "%d/root/tmp/perf-%d.map", pid, pid);
		fake_proc_print(&proc, path, "7f0000000100 80 f%d\n", pid);
		(void)snprintf(path, sizeof(path), "%d", pid);
		write_status(pid, path);
		exec_program(pid);
		map_code(pid, "//anon", JIT, JIT_SIZE, 0);
		(void)snprintf(path, sizeof(path), "f%d", pid);
		ck_assert_str_eq(name_at(pid, JIT + 0x100), path);
	}
	ck_assert_int_lt(dup(0), 200);
	/* The first process's file was closed; a line added to it is still found, and read once. */
	append("100/root/tmp/perf-100.map", "7f0000000200 80 more\n", 21);
	time_ns += 2 * SECOND;
	ck_assert_str_eq(name_at(100, JIT + 0x200), "more");
	ck_assert_str_eq(name_at(100, JIT + 0x100), "f100");
	ck_assert_uint_eq(counter("code_functions"), 301);
}
END_TEST

/* ---- jitdump ---- */

static void write_dump(const char *folder, struct jitdump_bytes *bytes, uint64_t *inode)
{
	char path[256];
	struct stat st;

	(void)snprintf(path, sizeof(path), "10/root/%s/jit-10.dump", folder);
	append(path, bytes->bytes, bytes->nr_bytes);
	(void)snprintf(path, sizeof(path), "%s/10/root/%s/jit-10.dump", proc.path, folder);
	ck_assert_int_eq(stat(path, &st), 0);
	*inode = st.st_ino;
	free(bytes->bytes);
	*bytes = (struct jitdump_bytes){NULL, 0, 0};
}

static void make_folder(const char *folder)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/10/root/%s", proc.path, folder);
	ck_assert_int_eq(file_make_dirs(path, 0700), 0);
}

START_TEST(a_jitdump_says_what_was_where_when)
{
	struct jitdump_bytes bytes = {NULL, 0, 0};
	uint64_t inode;

	make_folder("home/x");
	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, time_ns + SECOND, JIT + 0x100, 0x80, "first", 0x80);
	jitdump_load(&bytes, time_ns + 2 * SECOND, JIT + 0x100, 0x80, "second", 0x80);
	write_dump("home/x", &bytes, &inode);
	write_map("7f0000000200 80 listed\n7f0000000100 80 listed\n");
	map_code(PID, "/home/x/jit-10.dump", 0x500000, 0x1000, inode);
	time_ns += SECOND;
	expect(JIT + 0x100, "first");
	expect(JIT + 0x200, "listed"); /* not in the jitdump */
	time_ns += SECOND;
	expect(JIT + 0x100, "second");
	jitdump_load(&bytes, time_ns, JIT + 0x200, 0x80, "third", 0x80);
	write_dump("home/x", &bytes, &inode);
	time_ns += 2 * SECOND;
	expect(JIT + 0x200, "third");
}
END_TEST

START_TEST(a_file_that_was_not_the_one_mapped_is_not_read)
{
	struct jitdump_bytes bytes = {NULL, 0, 0};
	uint64_t inode;

	make_folder("home");
	jitdump_header(&bytes, 1, 0);
	jitdump_load(&bytes, 1, JIT + 0x100, 0x80, "f", 0x80);
	write_dump("home", &bytes, &inode);
	map_code(PID, "/home/jit-10.dump", 0x500000, 0x1000, inode + 1);
	expect(JIT + 0x100, "");
	/* A file of another process does not count either, even if mapped. */
	map_code(PID, "/home/jit-9.dump", 0x600000, 0x1000, inode);
	time_ns += 2 * SECOND;
	expect(JIT + 0x100, "");
	map_code(PID, "/home/jit-10.dump", 0x700000, 0x1000, inode);
	time_ns += 4 * SECOND;
	expect(JIT + 0x100, "f");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perf_code");
	TCase *tests = tcase_create("perf_code");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, functions_have_the_names_that_the_program_tells);
	tcase_add_test(tests, a_program_that_tells_nothing_has_regions_as_ever);
	tcase_add_test(tests, what_is_told_later_is_found_soon);
	tcase_add_test(tests, a_map_that_comes_late_is_found);
	tcase_add_test(tests, growth_of_the_region_changes_nothing);
	tcase_add_test(tests, a_replaced_map_is_read_anew);
	tcase_add_test(tests, a_map_cut_short_is_read_anew);
	tcase_add_test(tests, a_fork_has_its_parents_functions_and_an_exec_none);
	tcase_add_test(tests, children_run_what_a_parent_made_that_was_never_sampled);
	tcase_add_test(tests, a_parent_whose_own_is_gone_has_children_all_the_same);
	tcase_add_test(tests, children_run_what_a_parent_made_since_it_was_sampled);
	tcase_add_test(tests, the_end_of_a_process_does_not_end_its_map);
	tcase_add_test(
		tests,
		a_process_that_was_gone_before_it_was_looked_at_is_found_by_the_machines_tmp);
	tcase_add_test(tests, the_process_is_known_by_its_own_name_for_itself);
	tcase_add_loop_test(tests, links_are_not_followed, 0, 2);
	tcase_add_loop_test(tests, what_is_no_file_is_not_opened, 0, 2);
	tcase_add_test(tests, files_of_another_user_are_not_believed);
	tcase_add_test(tests,
		       a_file_of_root_that_others_may_not_read_does_not_name_their_functions);
	tcase_add_test(
		tests,
		a_file_of_root_that_others_may_not_read_does_not_name_functions_of_an_unknown_user);
	tcase_add_test(tests, a_file_older_than_the_process_is_of_another);
	tcase_add_test(tests, a_file_written_before_the_machine_slept_is_the_processs_own);
	tcase_add_test(tests, many_processes_hold_few_descriptors);
	tcase_add_test(tests, a_jitdump_says_what_was_where_when);
	tcase_add_test(tests, a_file_that_was_not_the_one_mapped_is_not_read);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
