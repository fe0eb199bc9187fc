// SPDX-License-Identifier: GPL-2.0-or-later
/* The perf source on the running kernel. Skipped if the kernel does not allow it. */
#include "daemon/perf_source/perf_source.h"
#include "lib/file.h"
#include "tests/fixture/burn_cpu.h"
#include "tests/fixture/fake_perf_state.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/stay_on_cpu.h"

#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 20000
#define MS	    1000000u /* ns */

static struct source *source;
static uint64_t nr_samples, lost[OPROF_LOST_NR], nr_lost_records;
static struct diag diag;

static void sink_record(struct record_sink *sink, const struct oprof_record *record)
{
	const void *whole = record;

	(void)sink;
	nr_samples += record->type == OPROF_RECORD_SAMPLE;
	if (record->type == OPROF_RECORD_LOST) {
		const struct oprof_lost_record *it = whole;

		nr_lost_records++;
		lost[it->reason] += it->nr_samples;
	}
}

static struct record_sink sink = {sink_record};

static const struct event_choice clock_fixed = {
	.name = "cpu-clock",
	.perf_type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.period_or_hz = MS,
	.kernel = true,
	.user = true,
};

static const struct event_choice off_cpu = {.name = "off-cpu",
					    .perf_type = EVENT_TYPE_SWITCHES,
					    .period_or_hz = 1,
					    .kernel = true,
					    .user = true};

static void setup(void)
{
	source = NULL;
	nr_samples = 0;
	nr_lost_records = 0;
	memset(lost, 0, sizeof(lost));
	memset(&fake_perf_state, 0, sizeof(fake_perf_state));
}

static void teardown(void)
{
	source_perf.close(source);
}

static void open_source(const struct source_config *config)
{
	int error = source_perf.open(&source, config, &sink, &diag);

	ck_assert_msg(!error, "%d: %s", error, diag_show(&diag));
}

static void drain(enum source_drain how)
{
	ck_assert_int_eq(source_perf.drain(source, how), 0);
}

/* Check that seen is stored plus lost, and the records' order. Returns seen. */
static uint64_t check_accounts(void)
{
	uint64_t sum = nr_samples;

	for (size_t i = 0; i < OPROF_LOST_NR; i++)
		sum += lost[i];
	ck_assert_uint_eq(source_perf.seen(source), sum);
	ck_assert_uint_eq(lost[OPROF_LOST_BAD_RECORD], 0);
	return sum;
}

static uint64_t counter(const char *name)
{
	struct source_counter counters[64];
	size_t nr = source_perf.counters(source, counters, 64);

	for (size_t i = 0; i < nr && i < 64; i++)
		if (!strcmp(counters[i].name, name))
			return counters[i].value;
	ck_abort_msg("no counter %s", name);
}

static bool noted(const char *name)
{
	struct source_note notes[SOURCE_NOTES_MAX];
	size_t nr = source_perf.notes(source, notes, SOURCE_NOTES_MAX);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(notes[i].name, name))
			return true;
	return false;
}

static bool poll_source(void)
{
	struct pollfd pollfd = {.fd = source_perf.poll_fd(source), .events = POLLIN};

	return poll(&pollfd, 1, PATIENCE_MS) == 1;
}

/* A child that waits for a byte, then burns CPU time or executes a program that does. */
struct child {
	pid_t pid;
	int pipe;
};

static struct child child_begin(const char *command)
{
	struct child child;
	int ends[2];
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	child.pid = fork();
	ck_assert_int_ge(child.pid, 0);
	if (!child.pid) {
		(void)close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		if (command)
			(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		else
			burn(100);
		_exit(0);
	}
	(void)close(ends[0]);
	child.pipe = ends[1];
	return child;
}

static void child_go(const struct child *child)
{
	ck_assert_int_eq(write(child->pipe, "x", 1), 1);
	(void)close(child->pipe);
}

static void child_end(const struct child *child)
{
	int status;

	ck_assert_int_eq(waitpid(child->pid, &status, 0), child->pid);
	ck_assert_int_eq(status, 0);
}

/* Readers add up counters whose names begin so; losses are in records, not in these counters. */
static void no_counter_is_taken_for_a_loss(void)
{
	struct source_counter counters[64];
	size_t nr = source_perf.counters(source, counters, 64);

	ck_assert_uint_gt(nr, 0);
	ck_assert_uint_le(nr, 64);
	for (size_t i = 0; i < nr; i++)
		ck_assert_msg(strncmp(counters[i].name, "lost_", 5) != 0, "%s", counters[i].name);
}

START_TEST(the_whole_machine_is_sampled_and_nothing_is_lost)
{
	struct source_config config = {
		.events = &clock_fixed, .nr_events = 1, .target = SOURCE_SYSTEM};

	if (geteuid())
		return;
	open_source(&config);
	ck_assert_uint_eq(fake_perf_state.nr_scans, 1);
	ck_assert(fake_perf_state.kernel);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_eq(nr_samples, 0); /* not started */
	fake_perf_state.watched = getpid();
	ck_assert_int_eq(source_perf.start(source), 0);
	burn(100);
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_gt(fake_perf_state.watched_samples, 0);
	ck_assert_uint_eq(check_accounts(), nr_samples);
	ck_assert_uint_eq(fake_perf_state.weight, nr_samples * MS);
	ck_assert_uint_eq(fake_perf_state.nr_disordered, 0);
	ck_assert_uint_eq(counter("late_records"), 0);
	ck_assert_uint_eq(counter("fake"), 4711);
	no_counter_is_taken_for_a_loss();
	ck_assert(noted("interrupts_off"));
	ck_assert(!noted("user_only"));
	/* Once stopped, the source takes no samples. */
	nr_samples = 0;
	burn(20);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_eq(nr_samples, 0);
}
END_TEST

START_TEST(what_one_page_cannot_hold_is_lost_and_counted_exactly)
{
	struct event_choice fast = clock_fixed;
	struct source_config config = {.events = &fast,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .sample_pages = 1,
				       .side_pages = 1};
	pid_t self = getpid();

	/* Each CPU's ring has one page. */
	stay_on_this_cpu();
	fast.period_or_hz = 50000;
	config.pids = &self;
	config.nr_pids = 1;
	open_source(&config);
	ck_assert_int_eq(source_perf.start(source), 0);
	for (int i = 0; i < 3; i++) {
		burn(30); /* far more than the 85 samples of a page */
		drain(SOURCE_DRAIN_PERIODIC);
		(void)check_accounts();
	}
	burn(30);
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain(SOURCE_DRAIN_ALL); /* the last loss has no record, only a count */
	(void)check_accounts();
	ck_assert_uint_gt(lost[OPROF_LOST_KERNEL_RING], 0);
	ck_assert_uint_gt(nr_samples, 0);
	ck_assert_uint_eq(fake_perf_state.nr_disordered, 0);
}
END_TEST

/* A scan that took long on a busy machine delays the next one. */
static void drain_until_scanned(void)
{
	for (int i = 0; i < 1000 && !counter("side_band_scans"); i++) {
		burn(5);
		drain(SOURCE_DRAIN_PERIODIC);
	}
}

static void fork_and_wait(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		pid_t pid = fork();

		ck_assert_int_ge(pid, 0);
		if (!pid)
			_exit(0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
}

START_TEST(lost_side_band_makes_it_read_the_processes_again)
{
	struct source_config config = {
		.events = &clock_fixed, .nr_events = 1, .target = SOURCE_TASKS, .side_pages = 4};
	pid_t self = getpid();
	uint64_t half_ns;

	stay_on_this_cpu();
	config.pids = &self;
	config.nr_pids = 1;
	open_source(&config);
	fork_and_wait(20); /* two records each, of about 80 bytes: the ring is not full */
	half_ns = clock_ns(CLOCK_MONOTONIC);
	fork_and_wait(400);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_gt(counter("side_band_lost"), 0);
	if (noted("last_loss_unknown")) /* kernels without counts do not report when */
		ck_assert_uint_eq(fake_perf_state.doubt_from_ns, 0);
	else
		ck_assert_uint_gt(fake_perf_state.doubt_from_ns, half_ns);
	drain_until_scanned();
	ck_assert_uint_eq(counter("side_band_scans"), 1);
	ck_assert_uint_eq(fake_perf_state.nr_scans, 2);
	ck_assert_uint_eq(fake_perf_state.nr_scan_pids, 1);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_eq(counter("side_band_scans"), 1);
}
END_TEST

START_TEST(what_comes_while_the_processes_are_read_again_does_not_pile_up)
{
	struct source_config config = {
		.events = &clock_fixed, .nr_events = 1, .target = SOURCE_TASKS, .side_pages = 1};
	pid_t self = getpid();

	stay_on_this_cpu();
	config.pids = &self;
	config.nr_pids = 1;
	fake_perf_state.nr_between = 3;
	open_source(&config);
	ck_assert_uint_eq(fake_perf_state.nr_items_in_scan, 0); /* the first scan */
	ck_assert_int_eq(source_perf.start(source), 0);
	burn(20);
	fork_and_wait(100);
	fake_perf_state.nr_between = 40;
	drain_until_scanned();
	ck_assert_uint_eq(counter("side_band_scans"), 1);
	ck_assert_uint_gt(fake_perf_state.nr_items_in_scan, 0);
	ck_assert_uint_eq(fake_perf_state.nr_disordered, 0);
	(void)check_accounts();
}
END_TEST

START_TEST(a_command_is_sampled_from_its_exec_on_with_its_side_band_before)
{
	struct child child = child_begin("i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done");
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &child.pid,
				       .nr_pids = 1,
				       .enable_on_exec = true};

	open_source(&config);
	fake_perf_state.watched = child.pid;
	ck_assert_int_eq(source_perf.start(source), 0);
	ck_assert(!source_perf.ended(source));
	child_go(&child);
	child_end(&child);
	while (!source_perf.ended(source)) {
		ck_assert(poll_source());
		drain(SOURCE_DRAIN_PERIODIC);
	}
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_eq(fake_perf_state.watched_execs, 1);
	ck_assert_uint_eq(fake_perf_state.watched_exits, 1);
	ck_assert_uint_gt(fake_perf_state.watched_samples, 0);
	ck_assert_uint_gt(fake_perf_state.nr_items[PERF_RECORD_MMAP2], 0);
	(void)check_accounts();
}
END_TEST

START_TEST(children_are_sampled_and_the_target_alone_decides_the_end)
{
	struct child child = child_begin("(i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done)");
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &child.pid,
				       .nr_pids = 1};

	open_source(&config);
	fake_perf_state.watched = child.pid;
	ck_assert_int_eq(source_perf.start(source), 0);
	child_go(&child);
	child_end(&child);
	drain(SOURCE_DRAIN_ALL);
	ck_assert(source_perf.ended(source));
	ck_assert_uint_gt(fake_perf_state.nr_items[PERF_RECORD_FORK], 0);
	ck_assert_uint_gt(nr_samples, fake_perf_state.watched_samples);
	(void)check_accounts();
}
END_TEST

static atomic_bool threads_end;

static void *thread_burn(void *unused)
{
	while (!atomic_load(&threads_end))
		;
	return unused;
}

START_TEST(all_threads_of_a_running_process_are_sampled)
{
	pid_t self = getpid();
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1};
	pthread_t threads[3];

	atomic_store(&threads_end, false);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, thread_burn, NULL), 0);
	open_source(&config);
	ck_assert_int_eq(source_perf.start(source), 0);
	while (fake_perf_state.nr_tids < 4) { /* this thread and the three */
		burn(50);
		drain(SOURCE_DRAIN_ALL);
	}
	ck_assert_int_eq(source_perf.stop(source), 0);
	atomic_store(&threads_end, true);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_eq(fake_perf_state.nr_tids, 4);
	(void)check_accounts();
}
END_TEST

START_TEST(a_drain_is_due_when_a_ring_fills_and_when_time_passes)
{
	struct event_choice fast = clock_fixed;
	pid_t self = getpid();
	struct source_config config = {.events = &fast,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1,
				       .sample_pages = 4};

	fast.period_or_hz = 50000;
	open_source(&config);
	ck_assert(poll_source()); /* the timer's tick */
	drain(SOURCE_DRAIN_PERIODIC);
	ck_assert_int_eq(source_perf.start(source), 0);
	burn(50);
	ck_assert(poll_source());
	drain(SOURCE_DRAIN_PERIODIC);
	drain(SOURCE_DRAIN_PERIODIC);
	ck_assert_uint_gt(nr_samples, 0);
	(void)check_accounts();
}
END_TEST

START_TEST(two_events_share_a_ring_and_keep_apart)
{
	struct event_choice events[2] = {clock_fixed, clock_fixed};
	pid_t self = getpid();
	struct source_config config = {.events = events,
				       .nr_events = 2,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1,
				       .chain_depth = 16,
				       .unwind = SOURCE_UNWIND_FP,
				       .want_cgroup = true};

	events[0].frequency = true;
	events[0].period_or_hz = 997;
	events[1].config = PERF_COUNT_SW_PAGE_FAULTS;
	events[1].frequency = false;
	events[1].period_or_hz = 1;
	open_source(&config);
	ck_assert_int_eq(source_perf.start(source), 0);
	for (int i = 0; i < 50; i++) {
		volatile char *page = malloc(1 << 20);

		ck_assert_ptr_nonnull((void *)(uintptr_t)page);
		for (int k = 0; k < 1 << 20; k += 4096)
			page[k] = 1;
		free((void *)(uintptr_t)page);
	}
	burn(50);
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain(SOURCE_DRAIN_ALL);
	(void)check_accounts();
	ck_assert_uint_gt(fake_perf_state.nr_chain_frames, nr_samples);
	/* Faults weigh 1 each, clock samples 1e9 / 997. */
	ck_assert_uint_gt(fake_perf_state.weight % (1000000000u / 997), 0);
	ck_assert_uint_gt(fake_perf_state.weight, 1000000000u / 997);
}
END_TEST

static char cpu_path[] = "/tmp/test_perf_source-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", cpu_path, name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
}

/* Overwrite in place, as sysfs does: the source keeps the file open. */
static void overwrite_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", cpu_path, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static void drain_until_changes(uint64_t nr_changes)
{
	/* A ring that fills also wakes the source. */
	for (int i = 0; i < 10000 && counter("cpu_changes") < nr_changes; i++) {
		ck_assert(poll_source());
		drain(SOURCE_DRAIN_PERIODIC);
	}
	ck_assert_uint_eq(counter("cpu_changes"), nr_changes);
}

START_TEST(a_cpu_that_goes_is_drained_and_one_that_comes_is_sampled)
{
	struct perf_source_options options = {.cpu_path = cpu_path};
	struct source_config config = {
		.events = &clock_fixed, .nr_events = 1, .target = SOURCE_SYSTEM};
	uint64_t seen;

	if (geteuid() || !stay_on_cpus_0_and_1())
		return;
	ck_assert_ptr_nonnull(mkdtemp(cpu_path));
	write_file("online", "0-1\n");
	write_file("possible", "0-1\n");
	write_file("cpu1/online", "1\n");
	ck_assert_int_eq(perf_source_open(&source, &config, &options, &sink, &diag), 0);
	ck_assert_int_eq(source_perf.start(source), 0);
	burn(20);
	overwrite_file("online", "0\n");
	drain_until_changes(1);
	drain(SOURCE_DRAIN_ALL);
	seen = check_accounts();
	ck_assert_uint_gt(seen, 0);
	overwrite_file("online", "0-1\n");
	drain_until_changes(2);
	ck_assert_uint_eq(fake_perf_state.nr_scans, 2);
	burn(20);
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain(SOURCE_DRAIN_ALL);
	ck_assert_uint_gt(check_accounts(), seen);
	ck_assert_int_eq(file_remove_tree(cpu_path), 0);
}
END_TEST

/* Returns the samples of this process while it uses ms of CPU time. */
static uint64_t watched_while_burning(uint64_t ms)
{
	fake_perf_state.watched_samples = 0;
	ck_assert_int_eq(source_perf.start(source), 0);
	burn(ms);
	ck_assert_int_eq(source_perf.stop(source), 0);
	drain(SOURCE_DRAIN_ALL);
	return fake_perf_state.watched_samples;
}

START_TEST(thinned_samples_are_fewer_and_weigh_more_also_of_a_cpu_that_comes)
{
	struct event_choice events[2] = {clock_fixed, clock_fixed};
	struct perf_source_options options = {.cpu_path = cpu_path};
	struct source_config config = {.events = events, .nr_events = 1, .target = SOURCE_SYSTEM};
	uint64_t all, thinned, nr_before, weight_before;

	if (geteuid() || !stay_on_cpus_0_and_1())
		return;
	events[0].frequency = true;
	events[0].period_or_hz = 1000;
	ck_assert_ptr_nonnull(mkdtemp(cpu_path));
	write_file("online", "0-1\n");
	write_file("possible", "0-1\n");
	write_file("cpu1/online", "1\n");
	ck_assert_int_eq(perf_source_open(&source, &config, &options, &sink, &diag), 0);
	fake_perf_state.watched = getpid();
	all = watched_while_burning(200);
	ck_assert_uint_eq(fake_perf_state.weight, nr_samples * MS);
	ck_assert_int_eq(source_perf.set_thinning(source, 16), 0);
	overwrite_file("online", "0\n");
	drain_until_changes(1);
	overwrite_file("online", "0-1\n");
	drain_until_changes(2);
	nr_before = nr_samples;
	weight_before = fake_perf_state.weight;
	thinned = watched_while_burning(200);
	ck_assert_uint_gt(nr_samples, nr_before);
	ck_assert_uint_eq(fake_perf_state.weight - weight_before,
			  (nr_samples - nr_before) * 16 * MS);
	ck_assert_uint_lt(thinned * 4, all);
	ck_assert_int_eq(source_perf.set_thinning(source, 1), 0);
	ck_assert_uint_gt(watched_while_burning(200), 4 * thinned);
	(void)check_accounts();
	ck_assert_int_eq(source_perf.set_thinning(source, 0), -EINVAL);
	ck_assert_int_eq(file_remove_tree(cpu_path), 0);
}
END_TEST

START_TEST(processes_alone_are_not_thinned)
{
	pid_t self = getpid();
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1};

	open_source(&config);
	ck_assert_int_eq(source_perf.set_thinning(source, 2), -EOPNOTSUPP);
}
END_TEST

START_TEST(a_process_that_is_not_there_is_said)
{
	pid_t nobody = INT_MAX;
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &nobody,
				       .nr_pids = 1};

	ck_assert_int_eq(source_perf.open(&source, &config, &sink, &diag), -ESRCH);
	ck_assert_str_ne(diag.text, "");
}
END_TEST

START_TEST(an_event_that_the_machine_lacks_is_said)
{
	struct event_choice odd = clock_fixed;
	pid_t self = getpid();
	struct source_config config = {.events = &odd,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1};

	odd.perf_type = 4711; /* not a known PMU */
	ck_assert_int_eq(source_perf.open(&source, &config, &sink, &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "cpu-clock"));
}
END_TEST

/*
 * Become a user that no other process has: rings of another run, or of a child
 * that has just ended, then do not count against the locked memory. A user
 * namespace may lack such large numbers.
 */
static bool become_nobody(void)
{
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number) || setgid(65534))
		return false;
	return !setuid(0x40000000 | number >> 2) || !setuid(60001 + (uid_t)(getpid() % 5000));
}

/* Run test in a child, as a user without privileges or locked memory. */
static void as_nobody(void (*test)(void))
{
	const struct rlimit none = {0, 0};
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (setrlimit(RLIMIT_MEMLOCK, &none) || (!geteuid() && !become_nobody()))
			_exit(1);
		test();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static void child_check(bool good, const char *what)
{
	if (good)
		return;
	(void)fprintf(stderr, "%s: %s\n", what, diag_show(&diag));
	_exit(1);
}

static void profile_self_with(unsigned int pages)
{
	struct event_choice events[2] = {clock_fixed, off_cpu};
	pid_t self = getpid();
	struct source_config config = {.events = events,
				       .nr_events = 2,
				       .want_switches = true,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1,
				       .sample_pages = pages};
	int error = source_perf.open(&source, &config, &sink, &diag);

	if (error == -EACCES) /* the kernel refuses: the message must name the remedy */
		_exit(strstr(diag.text, "perf_event_paranoid") ? 0 : 1);
	child_check(!error, "open");
	child_check(!source_perf.start(source), "start");
	burn(50);
	child_check(!source_perf.stop(source), "stop");
	child_check(!source_perf.drain(source, SOURCE_DRAIN_ALL), "drain");
	child_check(nr_samples > 0, "no samples");
}

static void profile_self(void)
{
	profile_self_with(0);
	child_check(!counter("rings_halved"), "default rings do not fit");
	/* The kernel refuses kernel samples to users if perf_event_paranoid is 2. */
	child_check(!noted("user_only") || !fake_perf_state.nr_kernel_samples, "kernel samples");
}

START_TEST(a_user_profiles_their_own_process_with_the_default_rings)
{
	as_nobody(profile_self);
}
END_TEST

static void profile_self_large(void)
{
	profile_self_with(4096);
	child_check(counter("rings_halved") > 0, "16 MB a CPU cannot fit");
}

START_TEST(rings_too_large_for_a_users_locked_memory_are_halved)
{
	as_nobody(profile_self_large);
}
END_TEST

static void profile_system(void)
{
	struct source_config config = {
		.events = &clock_fixed, .nr_events = 1, .target = SOURCE_SYSTEM};
	int error = source_perf.open(&source, &config, &sink, &diag);

	if (!error)
		_exit(0); /* perf_event_paranoid below 1 */
	child_check(error == -EACCES || error == -EPERM, "system-wide");
	child_check(strstr(diag.text, "perf_event_paranoid"), "no remedy");
}

START_TEST(a_user_who_may_not_profile_the_machine_gets_the_remedy)
{
	as_nobody(profile_system);
}
END_TEST

/* The kernel may refuse entirely (seccomp, perf_event_paranoid). Tests find any other error. */
static bool permitted(void)
{
	pid_t self = getpid();
	struct source_config config = {.events = &clock_fixed,
				       .nr_events = 1,
				       .target = SOURCE_TASKS,
				       .pids = &self,
				       .nr_pids = 1};
	const int error = source_perf.open(&source, &config, &sink, &diag);
	const bool is_refused = error == -EACCES || error == -EPERM || error == -ENOSYS ||
				error == -EOPNOTSUPP || error == -ENOENT;

	if (!error)
		source_perf.close(source);
	if (is_refused)
		printf("1..0 # SKIP %s\n", diag_show(&diag));
	return !is_refused;
}

int main(void)
{
	Suite *suite = suite_create("perf_source");
	TCase *tests = tcase_create("perf_source");

	if (!permitted())
		return 0;
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, the_whole_machine_is_sampled_and_nothing_is_lost);
	tcase_add_test(tests, what_one_page_cannot_hold_is_lost_and_counted_exactly);
	tcase_add_test(tests, lost_side_band_makes_it_read_the_processes_again);
	tcase_add_test(tests, what_comes_while_the_processes_are_read_again_does_not_pile_up);
	tcase_add_test(tests, a_command_is_sampled_from_its_exec_on_with_its_side_band_before);
	tcase_add_test(tests, children_are_sampled_and_the_target_alone_decides_the_end);
	tcase_add_test(tests, all_threads_of_a_running_process_are_sampled);
	tcase_add_test(tests, a_drain_is_due_when_a_ring_fills_and_when_time_passes);
	tcase_add_test(tests, two_events_share_a_ring_and_keep_apart);
	tcase_add_test(tests, a_cpu_that_goes_is_drained_and_one_that_comes_is_sampled);
	tcase_add_test(tests, thinned_samples_are_fewer_and_weigh_more_also_of_a_cpu_that_comes);
	tcase_add_test(tests, processes_alone_are_not_thinned);
	tcase_add_test(tests, a_process_that_is_not_there_is_said);
	tcase_add_test(tests, an_event_that_the_machine_lacks_is_said);
	tcase_add_test(tests, a_user_profiles_their_own_process_with_the_default_rings);
	tcase_add_test(tests, rings_too_large_for_a_users_locked_memory_are_halved);
	tcase_add_test(tests, a_user_who_may_not_profile_the_machine_gets_the_remedy);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
