// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The load of weeks on a machine of 256 CPUs, through the perf source's input
 * and on to what the daemon keeps of it: programs that are built, run once and
 * removed, each with memory of its own that it makes code in; one that makes
 * code at ever new places; 5,000 threads that begin, wait and end; 10,000
 * cgroups, 500 at a time; BPF programs. Memory must not grow with time, and no
 * record may name a released object.
 */
#include "daemon/filing/attribution.h"
#include "daemon/filing/off_cpu.h"
#include "daemon/perf/perf_feed.h"
#include "daemon/perf_source/perf_state_internal.h"
#include "daemon/filing/recent.h"
#include "daemon/session/separation.h"
#include "tests/fixture/perf_encode.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/thorough.h"

#include <check.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NR_CPUS	     256
#define NR_THREADS   5000
#define NR_CGROUPS   500 /* at a time */
#define ALL_CGROUPS  10000
#define NR_REGIONS   3
#define START_NS     1000000u /* from one program's start to the next */
#define WARM_UP	     20000    /* starts; half as many unless all is tested */
#define NR_STARTS    50000
#define COOKIES_MAX  2000000
#define FILES	     16
#define MAKER_PID    5
#define THREADED_PID 6
#define FIRST_PID    1000
#define NR_PIDS	     4000
#define FIRST_TID    100000
#define SWITCH_TYPE  (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define SIDE_TYPE    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define SAMPLE_TYPE  (SIDE_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_CGROUP)

enum { EVENT_CLOCK, EVENT_OFF_CPU, NR_EVENTS };

static struct perf_state *state;
static struct perf_feed *feed;
static struct perf_ids ids;
static struct off_cpu off_cpu;
static struct attribution attribution;
static struct sample_cache *cache;
static struct recent *recent;
static struct stats stats;

/* First in the chain of sinks: checks that every cookie in a record is still valid. */
static struct {
	struct record_sink sink;
	uint8_t released[COOKIES_MAX];
	uint64_t nr_released, nr_samples;
} watcher;

static void consumer_apply(struct perf_consumer *consumer, const struct perf_item *item)
{
	(void)consumer;
	perf_state_apply(state, item);
}

static struct perf_consumer consumer = {.apply = consumer_apply};

/* ---- output ---- */

static void check_cookie(uint32_t cookie)
{
	if (cookie == OPROF_IMAGE_NONE || cookie == OPROF_IMAGE_COOKIE_OFF_CPU)
		return;
	ck_assert_uint_lt(cookie, COOKIES_MAX);
	ck_assert_msg(!watcher.released[cookie], "cookie %u was given up", cookie);
	ck_assert_ptr_nonnull(perf_state_image(state, cookie));
}

static void watch(struct record_sink *sink, const struct oprof_record *record)
{
	const void *whole = record;
	uint32_t cookie;

	(void)sink;
	switch (record->type) {
	case OPROF_RECORD_TASK:
		check_cookie(((const struct oprof_task *)whole)->app_image);
		break;
	case OPROF_RECORD_SAMPLE:
		check_cookie(((const struct oprof_sample *)whole)->leaf.image);
		watcher.nr_samples++;
		break;
	case OPROF_RECORD_RELEASE:
		cookie = ((const struct oprof_release *)whole)->image;
		check_cookie(cookie);
		watcher.released[cookie] = 1;
		watcher.nr_released++;
		break;
	default:
		break;
	}
	attribution.sink.record(&attribution.sink, record);
}

static void release(void *context, uint32_t cookie)
{
	(void)context;
	sample_cache_release(cache, cookie);
	recent_release(recent, perf_state_image(state, cookie));
}

/* All samples go to a few files: the number of files is not tested here. */
static int place(void *context, const struct sample_key *key, struct placement *placement)
{
	(void)context;
	memset(placement, 0, sizeof(*placement));
	placement->name.image.kind = SAMPLE_PATH_KERN;
	(void)snprintf(placement->name.image.path, sizeof(placement->name.image.path), "f%u",
		       key->image % FILES);
	placement->name.app = placement->name.image;
	(void)snprintf(placement->name.event, sizeof(placement->name.event), "e%u", key->event);
	placement->name.period_or_hz = 1;
	placement->name.identity = sample_identity(&placement->identity.image);
	placement->identity.image_kind = OPROF_IMAGE_KERNEL;
	placement->identity.event = placement->name.event;
	placement->identity.cpu_type = placement->identity.host = "";
	placement->identity.app_path = placement->identity.image_path = placement->name.image.path;
	placement->identity.period_or_hz = 1;
	placement->identity.flags = key->event == EVENT_OFF_CPU ? OPROF_SDB_WEIGHTED : 0;
	return 0;
}

static void set_aside(void *context)
{
	(void)context;
}

/* ---- the parts ---- */

static void add_rings(struct perf_layout layout)
{
	for (uint32_t cpu = 0; cpu < NR_CPUS; cpu++) {
		uint32_t ring;

		layout.cpu = cpu;
		layout.ids = &ids;
		ck_assert_int_eq(perf_feed_add_ring(feed, &layout, 0, &ring), 0);
	}
}

static const struct perf_layout side = {.sample_type = SIDE_TYPE, .side_band = true};
static const struct perf_layout samples = {.sample_type = SAMPLE_TYPE};
static const struct perf_layout switches = {.sample_type = SWITCH_TYPE, .switches = true};

static void setup(void)
{
	struct perf_state_config config = {.sink = &off_cpu.sink,
					   .nr_cpus = NR_CPUS,
					   .proc_path = "empty",
					   .sys_path = "empty",
					   .want_cgroup = true,
					   .want_switches = true};
	struct sample_cache_config files = {
		.folder = "s", .nr_files_max = 64, .place = place, .set_aside = set_aside};

	test_folder_setup();
	ck_assert_int_eq(mkdir("empty", 0700), 0);
	ck_assert_int_eq(stats_open(&stats, "stats"), 0);
	ck_assert_int_eq(sample_cache_create(&cache, &files), 0);
	ck_assert_int_eq(recent_create(&recent), 0);
	ck_assert_int_eq(attribution_init(&attribution, SEPARATION_ALL, NR_EVENTS, NR_CPUS), 0);
	attribution.cache = cache;
	attribution.stats = &stats;
	attribution.recent = recent;
	attribution.release = release;
	watcher.sink.record = watch;
	ck_assert_int_eq(off_cpu_init(&off_cpu, &watcher.sink, EVENT_OFF_CPU), 0);
	ck_assert_int_eq(perf_state_create(&state, &config, NULL), 0);
	ck_assert_int_eq(perf_feed_create(&feed, &consumer, &off_cpu.sink), 0);
	perf_ids_init(&ids);
	ck_assert_int_eq(perf_ids_add(&ids, 1, EVENT_CLOCK), 0);
	ids.periods[EVENT_CLOCK] = 1;
	add_rings(side);
	add_rings(samples);
	add_rings(switches);
}

static void teardown(void)
{
	perf_feed_destroy(feed);
	perf_state_destroy(state);
	perf_ids_deinit(&ids);
	off_cpu_deinit(&off_cpu);
	sample_cache_destroy(cache);
	attribution_deinit(&attribution);
	recent_destroy(recent);
	stats_close(&stats);
	test_folder_teardown();
}

/* ---- input ---- */

static uint64_t now_ns = 1000000000;

/* Each record takes a nanosecond. */
static void put(const struct perf_layout *layout, unsigned int cpu, struct perf_item item,
		int32_t pid, int32_t tid)
{
	static uint64_t record[PERF_ENCODE_BYTES_MAX / 8];
	uint32_t ring = cpu % NR_CPUS;

	ring += layout == &samples ? NR_CPUS : layout == &switches ? 2 * NR_CPUS : 0;
	item.time_ns = now_ns++;
	item.pid = pid;
	item.tid = tid;
	item.cpu = cpu % NR_CPUS;
	item.event = layout == &samples ? EVENT_CLOCK : UINT16_MAX;
	ck_assert_int_eq(perf_feed_bytes(feed, ring, record, perf_encode(layout, 1, &item, record)),
			 0);
}

static void put_task(unsigned int cpu, uint32_t type, int32_t pid, int32_t tid, int32_t parent)
{
	put(&side, cpu, (struct perf_item){.type = type, .u.task = {parent, parent}}, pid, tid);
}

static void put_exec(unsigned int cpu, int32_t pid)
{
	put(&side, cpu,
	    (struct perf_item){.type = PERF_RECORD_COMM,
			       .misc = PERF_RECORD_MISC_COMM_EXEC,
			       .u.comm = {"x", true}},
	    pid, pid);
}

/* number 0: memory without a file. */
static void put_map(unsigned int cpu, int32_t pid, uint64_t start, uint32_t number)
{
	char path[64] = "//anon";
	struct perf_item item = {
		.type = PERF_RECORD_MMAP2,
		.misc = PERF_RECORD_MISC_USER,
		.u.mmap = {.start = start, .nr_bytes = 0x10000, .prot = 5, .path = path}};

	if (number) {
		(void)snprintf(path, sizeof(path), "/build/%u/test", number);
		item.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		item.u.mmap.identity.nr_build_id = 4;
		memcpy(item.u.mmap.identity.build_id, &number, 4);
	}
	put(&side, cpu, item, pid, pid);
}

static void put_sample(unsigned int cpu, int32_t pid, int32_t tid, uint64_t ip, uint64_t cgroup)
{
	put(&samples, cpu,
	    (struct perf_item){.type = PERF_RECORD_SAMPLE,
			       .misc = PERF_RECORD_MISC_USER,
			       .u.sample = {.ip = ip, .period = 1, .cgroup = cgroup}},
	    pid, tid);
}

static void put_switch(unsigned int cpu, int32_t from_pid, int32_t from, int32_t to_pid, int32_t to)
{
	put(&switches, cpu,
	    (struct perf_item){.type = PERF_RECORD_SWITCH_CPU_WIDE,
			       .misc = PERF_RECORD_MISC_SWITCH_OUT,
			       .u.cpu_switch = {.next_pid = to_pid, .next_tid = to}},
	    from_pid, from);
}

/* A program that runs only once, in one of the cgroups of its time. */
static void run_program(unsigned int start)
{
	int32_t pid = (int32_t)(FIRST_PID + start % NR_PIDS);
	uint64_t place = 0x10000000 + (uint64_t)(start % 101) * 0x1000000;
	uint64_t cgroup = 1 + start % ALL_CGROUPS;

	put_task(start, PERF_RECORD_FORK, pid, pid, MAKER_PID);
	put_exec(start, pid);
	put_map(start, pid, 0x400000, start + 1);
	put_sample(start, pid, pid, 0x400010, cgroup);
	for (unsigned int i = 0; i < NR_REGIONS; i++) {
		put_map(start, pid, place + i * 0x100000, 0);
		put_sample(start, pid, pid, place + i * 0x100000 + 16, cgroup);
	}
	put_switch(start, pid, pid, 0, 0);
	put_switch(start + 1, 0, 0, pid, pid);
	put_task(start + 1, PERF_RECORD_EXIT, pid, pid, MAKER_PID);
	put_switch(start + 1, pid, pid, 0, 0);
}

/* Code at a place where there was none before. */
static void make_code(unsigned int start)
{
	uint64_t place = 0x100000000 + (uint64_t)start * 0x20000;

	put_map(start, MAKER_PID, place, start % 2 ? 0 : 0x40000000 + start);
	put_sample(start, MAKER_PID, MAKER_PID, place + 8, 1);
}

/* One of 5,000 threads waits and ends; another takes its place. */
static void run_threads(unsigned int start)
{
	int32_t tid = (int32_t)(FIRST_TID + start % NR_THREADS);

	if (start >= NR_THREADS) {
		put_switch(start + 7, 0, 0, THREADED_PID, tid);
		put_task(start + 7, PERF_RECORD_EXIT, THREADED_PID, tid, THREADED_PID);
		put_switch(start + 7, THREADED_PID, tid, 0, 0);
	}
	put_task(start, PERF_RECORD_FORK, THREADED_PID, tid, THREADED_PID);
	put_switch(start, 0, 0, THREADED_PID, tid);
	put_switch(start, THREADED_PID, tid, 0, 0);
}

static void run_bpf(unsigned int start)
{
	char name[64];
	struct perf_item item = {
		.type = PERF_RECORD_KSYMBOL,
		.u.ksymbol = {.start = 0xffffffffc0000000 + (uint64_t)(start % 64) * 0x1000,
			      .nr_bytes = 0x800,
			      .kind = PERF_RECORD_KSYMBOL_TYPE_BPF,
			      .name = name}};

	(void)snprintf(name, sizeof(name), "bpf_prog_%08x", start);
	put(&side, start, item, -1, -1);
	item.u.ksymbol.unregister = true;
	put(&side, start + 3, item, -1, -1);
}

static void make_cgroup(unsigned int start)
{
	char path[64];
	uint64_t id = 1 + (start + NR_CGROUPS) % ALL_CGROUPS;

	(void)snprintf(path, sizeof(path), "/jobs/%u.scope", start);
	put(&side, start,
	    (struct perf_item){.type = PERF_RECORD_CGROUP, .u.cgroup = {.id = id, .path = path}},
	    -1, -1);
}

/* ---- what is kept ---- */

static size_t memory_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void check_tables(void)
{
	const struct task_table *tasks = &state->tasks;

	/* The processes that end within a second, at a millisecond each, and those of a round. */
	ck_assert_uint_le(tasks->processes.nr_nodes, 1300);
	ck_assert_uint_le(tasks->tasks.nr_nodes, NR_THREADS + 300);
	ck_assert_uint_le(tasks->nr_spaces, 1300);
	/* Unmapped images (4096 told and 4096 others), mappings, and regions of programs. */
	ck_assert_uint_le(state->places.images.entries.nr_nodes, 8192 + 8192 + 1300 * 5);
	ck_assert_uint_le(state->places.images.cookies.nr_nodes, 4096 + 8192 + 1300 * 5);
	ck_assert_uint_le(state->places.cgroups.names.nr_nodes, 2 * 4097 + 2);
	ck_assert_uint_le(state->places.kernel.map.made.nr_ranges, 1);
	ck_assert_uint_le(off_cpu.stretches.nr_nodes, NR_THREADS + 300);
	ck_assert_uint_le(sample_cache_nr_files(cache), 64);
}

static void run_until(unsigned int *start, unsigned int end)
{
	for (; *start < end; ++*start) {
		now_ns = 1000000000 + (uint64_t)*start * START_NS;
		run_program(*start);
		make_code(*start);
		run_threads(*start);
		run_bpf(*start);
		make_cgroup(*start);
		if (*start % 200 != 199)
			continue;
		sample_cache_begin_round(cache, now_ns, 0);
		perf_feed_round(feed, now_ns);
		sample_cache_end_round(cache);
		recent_mark(recent, now_ns, &stats);
		check_tables();
		if (*start % 10000 == 9999)
			off_cpu_settle(&off_cpu, now_ns - 1000000000);
	}
}

START_TEST(weeks_of_programs_threads_and_code_take_no_more_memory_than_days)
{
	const unsigned int part = thorough_all() ? 1 : 2;
	const unsigned int warm_up = WARM_UP / part, nr_starts = NR_STARTS / part;
	unsigned int start = 0;
	size_t after_warm_up;
	uint64_t lost = 0;

	put_exec(0, MAKER_PID);
	put_exec(0, THREADED_PID);
	put_map(0, THREADED_PID, 0x400000, 0x7fffffff);
	run_until(&start, warm_up);
	after_warm_up = memory_in_use();
	for (unsigned int i = 1; i <= 3; i++) {
		size_t now;

		run_until(&start, warm_up + i * (nr_starts - warm_up) / 3);
		now = memory_in_use();
		/* Tables double and lists vary in length, but memory does not grow with time. */
		ck_assert_msg(now < after_warm_up + after_warm_up / 10 + (1u << 20),
			      "%zu bytes after %u programs, %zu after %u", after_warm_up, warm_up,
			      now, start);
	}
	perf_feed_flush(feed, UINT64_MAX);
	for (unsigned int i = 0; i < OPROF_LOST_NR; i++)
		lost += stats.values[STATS_LOST + i];
	ck_assert_uint_eq(stats.values[STATS_SEEN], stats.values[STATS_STORED] + lost);
	ck_assert_uint_eq(watcher.nr_samples, stats.values[STATS_STORED]);
	ck_assert_uint_gt(watcher.nr_released, nr_starts * NR_REGIONS - 5000);
	ck_assert_uint_eq(state->tasks.lost_memory, 0);
	/*
	 * A space in which code is made at ever new places is scanned again;
	 * its one sample may be lost in the meantime.
	 */
	ck_assert_uint_eq(stats.values[STATS_LOST + OPROF_LOST_NO_TASK], 0);
	ck_assert_uint_ge(stats.values[STATS_STORED], nr_starts * (NR_REGIONS + 2));
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("perf_weeks");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, weeks_of_programs_threads_and_code_take_no_more_memory_than_days);
	return test_run(tc);
}
