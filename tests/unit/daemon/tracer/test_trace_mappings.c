// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_mappings.h"

#include "ctf/reader.h"
#include "daemon/trace/trace_clock.h"
#include "daemon/trace/trace_sample.h"
#include "daemon/trace/trace_tasks.h"
#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_ID 40
#define NR_TRIES 1000

static struct ctf_event events[TRACE_SAMPLE_NR_EVENTS];
static const uint32_t streams[] = {0};
static struct ctf_trace trace = {
	.uuid = {4, 5, 6},
	.clock = {.name = "monotonic", .description = "", .freq_hz = 1000000000},
	.nr_streams = 1,
	.streams = streams,
	.nr_events = TRACE_SAMPLE_NR_EVENTS,
	.events = events};
static struct trace_mappings *mappings;
static struct trace_mappings_counts taken;
static struct diag diag;
static uint64_t held; /* records are held since this time */

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t oldest(void *context)
{
	(void)context;
	return held;
}

/* Returns false if the kernel refuses performance events. */
static bool begin(size_t bytes_max)
{
	struct trace_mappings_config config = {
		.first_id = FIRST_ID, .oldest = oldest, .bytes_max = bytes_max};
	int error;

	memcpy(config.uuid, trace.uuid, sizeof(config.uuid));
	trace_sample_events(events, FIRST_ID, 0);
	held = 0;
	error = trace_mappings_open(&mappings, &config, &diag);
	if (error == -EACCES || error == -EPERM)
		return false;
	ck_assert_msg(!error, "%s", diag_show(&diag));
	ck_assert_int_eq(trace_mappings_start(mappings), 0);
	return true;
}

static void teardown(void)
{
	trace_mappings_close(mappings);
	mappings = NULL;
	test_folder_teardown();
}

/* A child that runs /bin/true or no program. */
static pid_t child(bool runs_program)
{
	/* A thousand forks that copy this process would be too slow. */
	const pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (runs_program)
			(void)execl("/bin/true", "true", (char *)NULL);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void round_of(void)
{
	ck_assert_int_eq(trace_mappings_round(mappings, &diag), 0);
}

/* ---- what is known at a time ---- */

struct known {
	struct trace_state_sink sink;
	int32_t pid;
	unsigned int nr_threads, nr_mappings;
	char name[TRACE_STATE_NAME_BYTES];
};

static void tell_thread(struct trace_state_sink *sink, const struct trace_state_thread *thread)
{
	struct known *known = (struct known *)(void *)sink;

	if (thread->pid != known->pid)
		return;
	known->nr_threads++;
	memcpy(known->name, thread->name, sizeof(known->name));
}

static void tell_mapping(struct trace_state_sink *sink, const struct trace_state_mapping *mapping)
{
	struct known *known = (struct known *)(void *)sink;

	known->nr_mappings += mapping->pid == known->pid;
}

static struct known known_at(uint64_t stamp, int32_t pid)
{
	struct known known = {.sink = {tell_thread, tell_mapping}, .pid = pid};
	const struct trace_tasks *tasks = trace_mappings_tasks(mappings, stamp);

	ck_assert_ptr_nonnull(tasks);
	ck_assert_int_eq(trace_tasks_tell(tasks, &known.sink), 0);
	return known;
}

/* ---- the content of a snapshot ---- */

#define PACKET_BYTES (64u << 10)

static char told[256]; /* events of one process, in order, without "oprof_" */
static uint64_t told_lost;
static struct ctf_writer_counts written;
static unsigned int nr_drains; /* while the snapshot was made, or in a round */
static bool first_drain_fails;

/* Called through the linker's --wrap. */
int __real_trace_channel_drain(struct trace_channel *channel, bool end, uint64_t time,
			       struct diag *why);
int __wrap_trace_channel_drain(struct trace_channel *channel, bool end, uint64_t time,
			       struct diag *why);

int __wrap_trace_channel_drain(struct trace_channel *channel, bool end, uint64_t time,
			       struct diag *why)
{
	const int error = __real_trace_channel_drain(channel, end, time, why);

	return !nr_drains++ && first_drain_fails ? diag_set(why, -EIO, "the first drain failed")
						 : error;
}

static void snapshot(uint64_t begin_stamp, int32_t pid)
{
	struct ctf_writer *writer;
	struct ctf_reader *reader;
	struct ctf_record record;
	int more;

	(void)file_remove_tree("trace");
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &trace, &diag), 0);
	nr_drains = 0;
	ck_assert_int_eq(trace_mappings_snapshot(mappings, writer, begin_stamp, &taken, &diag), 0);
	written = ctf_writer_counts(writer);
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	told[0] = '\0';
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	while ((more = ctf_reader_next(reader, &record, &diag)) > 0) {
		ck_assert_uint_ge(record.time, begin_stamp);
		for (unsigned int i = 0; i < record.event->nr_fields; i++)
			if ((!strcmp(record.event->fields[i].name, "pid") ||
			     !strcmp(record.event->name, "oprof_task_exec")) &&
			    record.event->fields[i].kind == CTF_FIELD_INTEGER &&
			    (int32_t)record.values[i].number == pid &&
			    strlen(told) + 32 < sizeof(told))
				(void)strcat(strcat(told, record.event->name + 6), " ");
	}
	ck_assert_int_eq(more, 0);
	told_lost = ctf_reader_nr_streams(reader)
			    ? ctf_stream_counts(ctf_reader_stream(reader, 0)).lost
			    : 0;
	ctf_reader_close(reader);
}

/*
 * Takes a snapshot of the life of a child. Begins again if the kernel lost records, since programs
 * of others may fill its rings. Returns false if the kernel refuses performance events.
 */
static bool snapshot_of_child(void)
{
	for (unsigned int i = 0; i < NR_TRIES; i++) {
		pid_t pid;

		if (!begin(0))
			return false;
		pid = child(true);
		round_of();
		snapshot(0, pid);
		if (!taken.lost)
			break;
		trace_mappings_close(mappings);
		mappings = NULL;
	}
	return true;
}

/* With sanitizers, the move of no records in an array that did not exist was an error. */
START_TEST(a_trace_can_be_closed_before_its_first_record)
{
	const struct trace_mappings_config config = {.first_id = FIRST_ID, .oldest = oldest};
	const int error = trace_mappings_open(&mappings, &config, &diag);

	if (error == -EACCES || error == -EPERM)
		return;
	ck_assert_msg(!error, "%s", diag_show(&diag));
	trace_mappings_close(mappings);
	mappings = NULL;
}
END_TEST

START_TEST(what_began_and_ended_is_told_in_order)
{
	if (!snapshot_of_child())
		return;
	ck_assert_msg(!strncmp(told, "task_begin task_exec mapping ", 29), "%s", told);
	ck_assert_msg(strlen(told) > 9 && !strcmp(told + strlen(told) - 9, "task_end "), "%s",
		      told);
	ck_assert_uint_eq(taken.lost, 0);
}
END_TEST

START_TEST(what_ran_before_the_begin_is_known_and_what_ended_before_it_is_not)
{
	uint64_t between;
	pid_t pid;

	if (!begin(0))
		return;
	pid = child(true);
	between = now_ns();
	round_of();
	ck_assert_uint_eq(known_at(between, pid).nr_threads, 0);
	ck_assert_uint_eq(known_at(between, getpid()).nr_threads, 1);
	ck_assert_uint_gt(known_at(between, getpid()).nr_mappings, 0);
	snapshot(between, pid);
	ck_assert_str_eq(told, "");
}
END_TEST

START_TEST(what_the_rings_have_forgotten_takes_no_memory)
{
	pid_t pid = 0;

	if (!begin(64 << 10))
		return;
	for (unsigned int i = 0; i < NR_TRIES; i++) {
		pid = child(false);
		held = now_ns();
		if (i % 10 == 0)
			round_of();
	}
	round_of();
	ck_assert_uint_eq(trace_mappings_counts(mappings).forgotten, 0);
	ck_assert_uint_eq(known_at(now_ns(), pid).nr_threads, 0);
	ck_assert_uint_eq(known_at(now_ns(), getpid()).nr_threads, 1);
}
END_TEST

START_TEST(without_room_who_ended_is_forgotten_first_which_is_told)
{
	pid_t first, last = 0;

	if (!begin(64 << 10))
		return;
	first = child(false);
	for (unsigned int i = 0; i < NR_TRIES; i++) {
		last = child(false);
		if (i % 10 == 0)
			round_of();
	}
	round_of();
	ck_assert_uint_gt(trace_mappings_counts(mappings).forgotten, 0);
	ck_assert_uint_eq(trace_mappings_counts(mappings).lost, 0);
	snapshot(0, last);
	ck_assert_str_eq(told, "task_begin task_end ");
	ck_assert_uint_eq(taken.lost, trace_mappings_counts(mappings).forgotten);
	ck_assert_uint_eq(told_lost, taken.lost);
	snapshot(0, first);
	ck_assert_str_eq(told, "");
	ck_assert_uint_eq(known_at(0, getpid()).nr_threads, 1);
	ck_assert_uint_gt(known_at(0, getpid()).nr_mappings, 0);
	/* Nothing is missing for a time when everything was known. */
	(void)trace_mappings_tasks(mappings, now_ns());
	snapshot(now_ns(), last);
	ck_assert_uint_eq(taken.lost, 0);
}
END_TEST

/* Called through the linker's --wrap. */
static bool no_channel;
int __real_trace_channel_create(struct trace_channel **channel,
				const struct trace_channel_config *config, struct diag *why);
int __wrap_trace_channel_create(struct trace_channel **channel,
				const struct trace_channel_config *config, struct diag *why);

int __wrap_trace_channel_create(struct trace_channel **channel,
				const struct trace_channel_config *config, struct diag *why)
{
	return no_channel ? diag_set(why, -ENOMEM, "no memory")
			  : __real_trace_channel_create(channel, config, why);
}

START_TEST(what_finds_no_memory_for_a_file_is_counted_as_taken)
{
	uint64_t nr_records;

	if (!begin(0))
		return;
	(void)child(true);
	round_of();
	snapshot(0, 0);
	nr_records = taken.nr_records;
	ck_assert_uint_gt(nr_records, 0);
	no_channel = true;
	ck_assert_int_eq(trace_mappings_snapshot(mappings, NULL, 0, &taken, &diag), -ENOMEM);
	ck_assert_uint_eq(taken.nr_records, nr_records);
}
END_TEST

START_TEST(a_full_disk_keeps_none_from_being_tried)
{
	struct rlimit limit;
	rlim_t before;
	struct ctf_writer *writer;
	struct trace_mappings_counts whole;

	if (!begin(0))
		return;
	for (unsigned int i = 0; i < NR_TRIES; i++) {
		(void)child(true);
		if (i % 10 == 0)
			round_of();
	}
	round_of();
	snapshot(0, 0);
	whole = taken;
	/* Packets are written when two of them are full, not after each record. */
	ck_assert_uint_gt(nr_drains, 0);
	ck_assert_uint_le(nr_drains, written.nr_bytes / (2 * PACKET_BYTES));
	(void)file_remove_tree("trace");
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	before = limit.rlim_cur;
	limit.rlim_cur = PACKET_BYTES;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &trace, &diag), 0);
	ck_assert_int_eq(trace_mappings_snapshot(mappings, writer, 0, &taken, &diag), -EFBIG);
	written = ctf_writer_counts(writer);
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
	limit.rlim_cur = before;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_uint_eq(written.nr_packets, 1);
	ck_assert_uint_gt(written.lost_unwritten_packets, 2);
	ck_assert_uint_eq(taken.nr_records, whole.nr_records);
	ck_assert_uint_eq(written.nr_records + written.lost_unwritten_records, whole.nr_records);
	ck_assert_uint_eq(taken.lost, whole.lost);
}
END_TEST

/* ---- a trace that is written all the time ---- */

#define NAME_BYTES  249		      /* the longest name that memfd_create() accepts */
#define PATH_BYTES  (NAME_BYTES + 17) /* "/memfd:NAME (deleted)", the path in each mapping */
#define NR_MAPPINGS 500

/*
 * A round drains the channel as soon as it has added two packets of records. A mapping's record in
 * the kernel's ring, of 256 KiB, has at most 400 bytes.
 */
_Static_assert(PATH_BYTES > 2 * PACKET_BYTES / NR_MAPPINGS, "records are added after a drain");
_Static_assert(400 < (256 << 10) / NR_MAPPINGS, "the ring holds all records");

/* The file has no folder, so its pages may be executed also if TMPDIR is mounted with noexec. */
static int open_long_name(void)
{
	char name[NAME_BYTES + 1] = "";
	int fd;

	(void)memset(name, 'a', NAME_BYTES);
	fd = memfd_create(name, MFD_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 4096), 0);
	return fd;
}

static void map_often(int fd)
{
	for (unsigned int i = 0; i < NR_MAPPINGS; i++) {
		void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		ck_assert_ptr_ne(code, MAP_FAILED);
		ck_assert_int_eq(munmap(code, 4096), 0);
	}
}

START_TEST(a_round_returns_its_first_error)
{
	struct trace_mappings_config config = {.first_id = FIRST_ID};
	const struct timespec slack = {.tv_nsec = 2 * TRACE_SLACK_NS};
	struct ctf_writer *writer;
	bool is_tested = false;
	int error, fd;

	memcpy(config.uuid, trace.uuid, sizeof(config.uuid));
	trace_sample_events(events, FIRST_ID, 0);
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &trace, &diag), 0);
	config.writer = writer;
	error = trace_mappings_open(&mappings, &config, &diag);
	if (error == -EACCES || error == -EPERM) {
		ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
		return;
	}
	ck_assert_msg(!error, "%s", diag_show(&diag));
	ck_assert_int_eq(trace_mappings_start(mappings), 0);
	fd = open_long_name();
	/* Tries again if the kernel lost records, because other programs may fill its rings. */
	for (unsigned int i = 0; i < NR_TRIES && !is_tested; i++) {
		const uint64_t lost = trace_mappings_counts(mappings).lost;

		map_often(fd);
		(void)nanosleep(&slack, NULL);
		first_drain_fails = true;
		nr_drains = 0;
		error = trace_mappings_round(mappings, &diag);
		first_drain_fails = false;
		if (trace_mappings_counts(mappings).lost != lost)
			continue;
		ck_assert_int_eq(error, -EIO);
		ck_assert_str_eq(diag.text, "the first drain failed");
		is_tested = true;
	}
	ck_assert(is_tested);
	(void)close(fd);
	trace_mappings_close(mappings);
	mappings = NULL;
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_mappings");

	tcase_add_checked_fixture(tests, test_folder_setup, teardown);
	tcase_add_test(tests, a_trace_can_be_closed_before_its_first_record);
	tcase_add_test(tests, what_began_and_ended_is_told_in_order);
	tcase_add_test(tests, what_ran_before_the_begin_is_known_and_what_ended_before_it_is_not);
	tcase_add_test(tests, what_the_rings_have_forgotten_takes_no_memory);
	tcase_add_test(tests, without_room_who_ended_is_forgotten_first_which_is_told);
	tcase_add_test(tests, a_round_returns_its_first_error);
	tcase_add_test(tests, what_finds_no_memory_for_a_file_is_counted_as_taken);
	tcase_add_test(tests, a_full_disk_keeps_none_from_being_tried);
	return test_run(tests);
}
