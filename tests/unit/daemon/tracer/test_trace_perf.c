// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_perf_internal.h"

#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR_TRIES 20000u

static const struct trace_perf_event events[] = {
	{.name = "sample", .kind = TRACE_RECORD_SAMPLE, .samples_hz = 4999},
	{.name = "mappings", .kind = TRACE_RECORD_MAPPING},
};

static struct trace_perf *perf;
static struct diag diag;
static struct {
	uint64_t nr[2], time[2]; /* records by CPU */
	uint64_t nr_mappings;
	uint64_t disordered;
	int32_t pid;
} seen;

static void take(struct trace_perf_sink *sink, const struct trace_perf_record *record)
{
	(void)sink;
	ck_assert_uint_lt(record->cpu, 2);
	seen.disordered += record->time < seen.time[record->cpu];
	seen.time[record->cpu] = record->time;
	seen.nr[record->cpu]++;
	seen.nr_mappings += record->kind == TRACE_RECORD_MAPPING;
	if (record->kind == TRACE_RECORD_SAMPLE)
		seen.pid = record->pid;
}

static void lose(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr)
{
	(void)sink;
	(void)cpu;
	(void)nr;
}

static struct trace_perf_sink sink = {.record = take, .lost = lose};

static void put(const char *path, const char *text)
{
	ck_assert_int_eq(file_make_parent_dirs(path, 0755), 0);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0644), 0);
}

/* Change the file in place: the reader keeps it open. */
static void set_online(const char *text)
{
	FILE *file = fopen("cpu/online", "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static void setup(void)
{
	test_folder_setup();
	put("cpu/online", "0\n");
	put("cpu/possible", "0-1\n");
	put("cpu/cpu1/online", "1\n");
	memset(&seen, 0, sizeof(seen));
}

static void teardown(void)
{
	trace_perf_close(perf);
	perf = NULL;
	test_folder_teardown();
}

/* Returns false if performance events are not available here. */
static bool open_all(const int32_t *tids, unsigned int nr_tids)
{
	const struct trace_perf_config config = {.events = events,
						 .nr_events = 2,
						 .ring_bytes = 1 << 16,
						 .sink = &sink,
						 .tids = tids,
						 .nr_tids = nr_tids,
						 .cpu_path = "cpu"};
	int error;

	error = trace_perf_open(&perf, &config, &diag);
	/* ENODEV: one of the CPUs is offline. */
	ck_assert_msg(!error || error == -ENODEV, "%s", diag_show(&diag));
	return !error;
}

/* Computes on a CPU until a record from it has been read. */
static bool wait_record(int cpu)
{
	const uint64_t before = seen.nr[cpu];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	for (unsigned int i = 0; i < NR_TRIES && seen.nr[cpu] == before; i++) {
		for (volatile unsigned int spin = 0; spin < 100000; spin++)
			;
		ck_assert_int_eq(trace_perf_read(perf, false), 0);
	}
	return seen.nr[cpu] > before;
}

/* Check that each event has an id for each open CPU and is found by it. */
static void verify_ids(void)
{
	ck_assert_uint_eq(perf->nr_ids, (size_t)perf->config.nr_events * perf->nr_open);
	for (size_t i = 0; i < perf->nr_ids; i++) {
		ck_assert(trace_perf_has_cpu(perf, perf->ids[i].cpu));
		ck_assert(!i || perf->ids[i - 1].id < perf->ids[i].id);
	}
}

START_TEST(a_cpu_that_comes_is_recorded_and_one_that_goes_is_not)
{
	if (!open_all(NULL, 0))
		return;
	ck_assert_uint_eq(trace_perf_nr_cpus(perf), 2);
	verify_ids();
	ck_assert_int_eq(trace_perf_enable(perf, true), 0);
	ck_assert(wait_record(0));
	ck_assert(!trace_perf_has_cpu(perf, 1));
	ck_assert_uint_eq(seen.nr[1], 0);
	set_online("0-1\n");
	ck_assert_int_eq(trace_perf_follow_cpus(perf, &diag), 0);
	verify_ids();
	ck_assert(trace_perf_has_cpu(perf, 1));
	ck_assert(wait_record(1));
	set_online("0\n");
	ck_assert_int_eq(trace_perf_follow_cpus(perf, &diag), 0);
	verify_ids();
	ck_assert(!trace_perf_has_cpu(perf, 1));
	ck_assert(wait_record(0));
	set_online("0-1\n");
	ck_assert_int_eq(trace_perf_follow_cpus(perf, &diag), 0);
	verify_ids();
	ck_assert(wait_record(1));
	ck_assert_uint_eq(seen.disordered, 0);
	ck_assert_uint_eq(trace_perf_counts(perf).nr_records, seen.nr[0] + seen.nr[1]);
	ck_assert_uint_eq(trace_perf_counts(perf).bad_records, 0);
}
END_TEST

START_TEST(only_the_threads_that_are_asked_for_are_recorded)
{
	const int32_t self = (int32_t)getpid();

	set_online("0-1\n");
	if (!open_all(&self, 1))
		return;
	ck_assert_int_eq(trace_perf_enable(perf, true), 0);
	ck_assert(wait_record(1));
	ck_assert_int_eq(seen.pid, self);
	ck_assert(wait_record(0));
	ck_assert_int_eq(seen.pid, self);
}
END_TEST

START_TEST(the_last_event_is_recorded_too)
{
	const int32_t self = (int32_t)getpid();
	void *code;
	int fd;

	set_online("0-1\n");
	if (!open_all(&self, 1))
		return;
	ck_assert_int_eq(trace_perf_enable(perf, true), 0);
	ck_assert(wait_record(0)); /* the thread stays on CPU 0 from here on */
	seen.nr_mappings = 0;
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(code, MAP_FAILED);
	ck_assert_int_eq(munmap(code, 4096), 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert(wait_record(0));
	ck_assert_uint_gt(seen.nr_mappings, 0);
}
END_TEST

/* As in a program started without standard input; here no CPU can be added or removed. */
START_TEST(descriptor_0_is_as_good_as_any)
{
	ck_assert_int_eq(unlink("cpu/cpu1/online"), 0);
	ck_assert_int_eq(close(0), 0);
	if (open_all(NULL, 0))
		ck_assert_int_eq(trace_perf_poll_fd(perf), 0);
}
END_TEST

START_TEST(a_thread_that_there_is_not_is_told)
{
	const int32_t nobody = INT32_MAX;

	if (open_all(NULL, 0)) {
		const struct trace_perf_config config = {.events = events,
							 .nr_events = 2,
							 .ring_bytes = 1 << 16,
							 .sink = &sink,
							 .tids = &nobody,
							 .nr_tids = 1,
							 .cpu_path = "cpu"};
		struct trace_perf *none;

		ck_assert_int_eq(trace_perf_open(&none, &config, &diag), -ESRCH);
		ck_assert_ptr_null(none);
	}
}
END_TEST

/* Whether this user may open performance events of a whole CPU, and there are two CPUs. */
static bool can_test(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0 && sysconf(_SC_NPROCESSORS_ONLN) >= 2;
}

int main(void)
{
	TCase *tests = tcase_create("trace_perf");

	if (!can_test()) {
		puts("1..0 # SKIP performance events of a CPU are refused here, or there is one CPU");
		return 77;
	}
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_cpu_that_comes_is_recorded_and_one_that_goes_is_not);
	tcase_add_test(tests, only_the_threads_that_are_asked_for_are_recorded);
	tcase_add_test(tests, the_last_event_is_recorded_too);
	tcase_add_test(tests, descriptor_0_is_as_good_as_any);
	tcase_add_test(tests, a_thread_that_there_is_not_is_told);
	return test_run(tests);
}
