// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_tasks.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct trace_tasks *tasks;

static void setup(void)
{
	ck_assert_int_eq(trace_tasks_create(&tasks), 0);
}

static void teardown(void)
{
	trace_tasks_destroy(tasks);
}

/* ---- records of tasks ---- */

static void runs(int32_t tid, int32_t pid, int32_t ppid, const char *name, bool is_kernel)
{
	struct trace_state_thread thread = trace_state_thread(tid, pid, ppid);

	(void)snprintf(thread.name, sizeof(thread.name), "%s", name);
	thread.type = is_kernel ? TRACE_STATE_KERNEL : TRACE_STATE_USER;
	trace_tasks_sink(tasks)->thread(trace_tasks_sink(tasks), &thread);
}

static void has_mapped(int32_t pid, uint64_t start, const char *path)
{
	const struct trace_state_mapping mapping = {
		.pid = pid, .start = start, .end = start + 0x1000, .offset = 0x200, .path = path};

	trace_tasks_sink(tasks)->mapping(trace_tasks_sink(tasks), &mapping);
}

static void maps(int32_t pid, uint64_t start, uint64_t nr_bytes, const char *path)
{
	const struct trace_perf_record record = {.kind = TRACE_RECORD_MAPPING,
						 .pid = pid,
						 .start = start,
						 .end = start + nr_bytes,
						 .path = path};

	trace_tasks_take(tasks, &record);
}

static void begins(int32_t pid, int32_t tid, int32_t ppid, int32_t ptid)
{
	const struct trace_perf_record record = {.kind = TRACE_RECORD_TASK_BEGIN,
						 .pid = pid,
						 .tid = tid,
						 .ppid = ppid,
						 .ptid = ptid};

	trace_tasks_take(tasks, &record);
}

static void is_named(enum trace_record_kind kind, int32_t pid, int32_t tid, const char *name)
{
	const struct trace_perf_record record = {
		.kind = kind, .pid = pid, .tid = tid, .path = name};

	trace_tasks_take(tasks, &record);
}

static void ends(int32_t pid, int32_t tid)
{
	const struct trace_perf_record record = {
		.kind = TRACE_RECORD_TASK_END, .pid = pid, .tid = tid};

	trace_tasks_take(tasks, &record);
}

/* ---- what is known ---- */

struct known {
	struct trace_state_sink sink;
	FILE *stream;
};

static void tell_thread(struct trace_state_sink *sink, const struct trace_state_thread *thread)
{
	(void)fprintf(((struct known *)(void *)sink)->stream, "%d/%d<%d %s%s\n", thread->pid,
		      thread->tid, thread->ppid, thread->name,
		      thread->type == TRACE_STATE_KERNEL ? " of the kernel" : "");
	ck_assert_int_eq(thread->cpu, -1);
	ck_assert_int_eq(thread->syscall, -1);
	ck_assert_int_eq(thread->status, 0);
}

static void tell_mapping(struct trace_state_sink *sink, const struct trace_state_mapping *mapping)
{
	(void)fprintf(((struct known *)(void *)sink)->stream, "%d %llx-%llx %s\n", mapping->pid,
		      (unsigned long long)mapping->start, (unsigned long long)mapping->end,
		      mapping->path);
}

static const char *known(void)
{
	static char text[4096];
	struct known to = {{tell_thread, tell_mapping}, fmemopen(text, sizeof(text), "w")};

	memset(text, 0, sizeof(text));
	ck_assert_int_eq(trace_tasks_tell(tasks, &to.sink), 0);
	(void)fclose(to.stream);
	return text;
}

START_TEST(what_ran_is_known_by_process)
{
	runs(10, 10, 1, "program", false);
	runs(2, 2, 0, "kthreadd", true);
	runs(12, 10, 1, "its thread", false);
	has_mapped(10, 0x401000, "/bin/program");
	ck_assert_str_eq(known(), "2/2<0 kthreadd of the kernel\n"
				  "10/10<1 program\n10/12<1 its thread\n"
				  "10 401000-402000 /bin/program\n");
	ck_assert_uint_eq(trace_tasks_lost(tasks), 0);
}
END_TEST

START_TEST(a_child_has_its_parents_name_and_mappings_until_it_runs_another_program)
{
	runs(10, 10, 1, "shell", false);
	has_mapped(10, 0x401000, "/bin/shell");
	begins(20, 20, 10, 10);
	maps(20, 0x7000, 0x1000, "/lib/late.so");
	ck_assert_str_eq(known(), "10/10<1 shell\n10 401000-402000 /bin/shell\n"
				  "20/20<10 shell\n20 401000-402000 /bin/shell\n"
				  "20 7000-8000 /lib/late.so\n");
	is_named(TRACE_RECORD_TASK_EXEC, 20, 20, "program");
	maps(20, 0x501000, 0x2000, "/bin/program");
	ck_assert_str_eq(known(), "10/10<1 shell\n10 401000-402000 /bin/shell\n"
				  "20/20<10 program\n20 501000-503000 /bin/program\n");
}
END_TEST

START_TEST(who_was_read_before_its_begin_came_keeps_its_name_though_its_parent_has_gone)
{
	runs(20, 20, 1, "server", false);
	has_mapped(20, 0x401000, "/bin/server");
	begins(20, 20, 10, 10);
	ck_assert_str_eq(known(), "20/20<10 server\n20 401000-402000 /bin/server\n");
}
END_TEST

START_TEST(who_has_ended_is_not_known_any_more)
{
	runs(10, 10, 1, "program", false);
	begins(10, 11, 10, 10);
	is_named(TRACE_RECORD_TASK_NAME, 10, 11, "a name that is cut");
	ck_assert_str_eq(known(), "10/10<1 program\n10/11<1 a name that is \n");
	ends(10, 11);
	ck_assert_str_eq(known(), "10/10<1 program\n");
	ends(10, 10);
	ck_assert_str_eq(known(), "");
	ends(10, 10);
	ck_assert_str_eq(known(), "");
}
END_TEST

START_TEST(a_process_is_there_as_long_as_any_of_its_threads)
{
	runs(10, 10, 1, "program", false);
	has_mapped(10, 0x401000, "/bin/program");
	begins(10, 11, 10, 10);
	ends(10, 10);
	ck_assert_str_eq(known(),
			 "10/10<1 program\n10/11<1 program\n10 401000-402000 /bin/program\n");
	ends(10, 11);
	ck_assert_str_eq(known(), "");
}
END_TEST

/* The other threads' ends are not reported, nor that of the thread that takes the process's
 * number. */
START_TEST(who_runs_another_program_is_alone_in_its_process)
{
	runs(10, 10, 1, "program", false);
	runs(11, 10, 1, "thread", false);
	ends(10, 10);
	is_named(TRACE_RECORD_TASK_EXEC, 10, 10, "another");
	ck_assert_str_eq(known(), "10/10<1 another\n");
	ends(10, 10);
	ck_assert_str_eq(known(), "");
}
END_TEST

START_TEST(a_number_used_again_is_another_process_also_where_the_end_was_lost)
{
	runs(10, 10, 1, "shell", false);
	runs(2, 2, 0, "kthreadd", true);
	runs(20, 20, 10, "first", false);
	runs(21, 20, 10, "its thread", false);
	has_mapped(20, 0x401000, "/bin/first");
	begins(20, 20, 2, 2);
	ck_assert_str_eq(known(), "2/2<0 kthreadd of the kernel\n10/10<1 shell\n"
				  "20/20<2 kthreadd of the kernel\n");
	/* A thread's number is now a process's, and vice versa. */
	begins(10, 30, 10, 10);
	begins(30, 30, 10, 10);
	begins(10, 20, 10, 10);
	ck_assert_str_eq(known(), "2/2<0 kthreadd of the kernel\n10/10<1 shell\n10/20<1 shell\n"
				  "30/30<10 shell\n");
}
END_TEST

START_TEST(a_helper_of_the_kernel_becomes_a_program)
{
	runs(2, 2, 0, "kthreadd", true);
	begins(20, 20, 2, 2);
	is_named(TRACE_RECORD_TASK_EXEC, 20, 20, "modprobe");
	ends(2, 2);
	ck_assert_str_eq(known(), "20/20<2 modprobe\n");
}
END_TEST

START_TEST(what_is_mapped_over_another_takes_its_place)
{
	runs(10, 10, 1, "program", false);
	maps(10, 0x1000, 0x1000, "/a");
	maps(10, 0x3000, 0x2000, "/b");
	maps(10, 0x1000, 0x1000, "/c");
	maps(10, 0x4000, 0x2000, "/d"); /* over a part of /b */
	ck_assert_str_eq(known(), "10/10<1 program\n10 3000-5000 /b\n10 1000-2000 /c\n"
				  "10 4000-6000 /d\n");
	maps(10, 0, 0x10000, "/e");
	ck_assert_str_eq(known(), "10/10<1 program\n10 0-10000 /e\n");
}
END_TEST

START_TEST(what_is_not_known_is_named_by_what_follows)
{
	maps(10, 0x1000, 0x1000, "/a");
	is_named(TRACE_RECORD_TASK_NAME, 10, 12, "thread");
	begins(20, 20, 15, 15);
	maps(-1, 0x1000, 0x1000, "/a");
	begins(0, 0, 0, 0);
	ends(30, 30);
	ck_assert_str_eq(known(), "10/10<0 \n10/12<0 thread\n10 1000-2000 /a\n20/20<15 \n");
}
END_TEST

START_TEST(who_maps_code_ever_elsewhere_takes_no_more_memory_and_it_is_told)
{
	char path[32];
	uint64_t nr = 0;

	runs(10, 10, 1, "program", false);
	for (; nr < TRACE_TASKS_MAPPINGS_MAX + 10; nr++) {
		(void)snprintf(path, sizeof(path), "/%u", (unsigned int)nr);
		maps(10, nr << 12, 0x1000, path);
	}
	ck_assert_uint_eq(trace_tasks_lost(tasks), 10);
	is_named(TRACE_RECORD_TASK_EXEC, 10, 10, "another");
	ck_assert_str_eq(known(), "10/10<1 another\n");
}
END_TEST

START_TEST(many_tasks_are_found)
{
	runs(1, 1, 0, "init", false);
	for (int32_t pid = 2; pid < 10000; pid++)
		begins(pid, pid, 1, 1);
	for (int32_t pid = 2; pid < 10000; pid++)
		if (pid != 5000)
			ends(pid, pid);
	ck_assert_str_eq(known(), "1/1<0 init\n5000/5000<1 init\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_tasks");
	TCase *tests = tcase_create("trace_tasks");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, what_ran_is_known_by_process);
	tcase_add_test(tests,
		       a_child_has_its_parents_name_and_mappings_until_it_runs_another_program);
	tcase_add_test(
		tests,
		who_was_read_before_its_begin_came_keeps_its_name_though_its_parent_has_gone);
	tcase_add_test(tests, who_has_ended_is_not_known_any_more);
	tcase_add_test(tests, a_process_is_there_as_long_as_any_of_its_threads);
	tcase_add_test(tests, who_runs_another_program_is_alone_in_its_process);
	tcase_add_test(tests, a_number_used_again_is_another_process_also_where_the_end_was_lost);
	tcase_add_test(tests, a_helper_of_the_kernel_becomes_a_program);
	tcase_add_test(tests, what_is_mapped_over_another_takes_its_place);
	tcase_add_test(tests, what_is_not_known_is_named_by_what_follows);
	tcase_add_test(tests, who_maps_code_ever_elsewhere_takes_no_more_memory_and_it_is_told);
	tcase_add_test(tests, many_tasks_are_found);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
