// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/import_trace.h"

#include "ctf/writer.h"
#include "daemon/import/perf_file.h"
#include "daemon/import/perf_normal.h"
#include "tests/fixture/make_packet.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGIN 1000000

#define NUMBER(field_name, nr_bits)                                                                \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = (nr_bits), .base = 10     \
	}
#define STRING(field_name)                                                                         \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_STRING, .bits = 8, .base = 10              \
	}
#define CHAIN(field_name)                                                                          \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_SEQUENCE, .bits = 64, .base = 16,          \
		.length_bits = 16                                                                  \
	}
#define EVENT(number, event_name, of)                                                              \
	{                                                                                          \
		.id = (number), .name = (event_name), .alignment = 1,                              \
		.nr_fields = sizeof(of) / sizeof((of)[0]), .fields = (of)                          \
	}

static const struct ctf_field sample_fields[] = {
	NUMBER("tid", 32), NUMBER("pid", 32),	      NUMBER("period", 64),
	NUMBER("ip", 64),  CHAIN("callchain_kernel"), CHAIN("callchain_user")};
static const struct ctf_field mapping_fields[] = {NUMBER("pid", 32), NUMBER("start", 64),
						  NUMBER("end", 64), NUMBER("offset", 64),
						  STRING("path")};
static const struct ctf_field state_fields[] = {NUMBER("tid", 32), NUMBER("pid", 32),
						NUMBER("type", 32), STRING("name")};
static const struct ctf_field new_fields[] = {NUMBER("pid", 32), NUMBER("clone_flags", 64)};
static const struct ctf_field fork_fields[] = {NUMBER("parent_tid", 32), NUMBER("child_tid", 32)};
static const struct ctf_field exec_fields[] = {STRING("filename"), NUMBER("tid", 32)};
static const struct ctf_field exit_fields[] = {NUMBER("tid", 32)};
static const struct ctf_field begin_fields[] = {NUMBER("tid", 32), NUMBER("pid", 32),
						NUMBER("parent_tid", 32), NUMBER("parent_pid", 32)};
static const struct ctf_field name_fields[] = {NUMBER("tid", 32), STRING("name")};

enum {
	SAMPLE,
	MAPPING,
	STATE_MAPPING,
	STATE,
	NEW_TASK,
	FORK,
	EXEC,
	EXIT,
	TASK_BEGIN,
	TASK_EXEC,
	TASK_END,
	NR_EVENTS
};
static const struct ctf_event events[NR_EVENTS] = {
	EVENT(SAMPLE, "oprof_sample", sample_fields),
	EVENT(MAPPING, "oprof_mapping", mapping_fields),
	EVENT(STATE_MAPPING, "oprof_statedump_mapping", mapping_fields),
	EVENT(STATE, "lttng_statedump_process_state", state_fields),
	EVENT(NEW_TASK, "task_newtask", new_fields),
	EVENT(FORK, "sched_process_fork", fork_fields),
	EVENT(EXEC, "sched_process_exec", exec_fields),
	EVENT(EXIT, "sched_process_exit", exit_fields),
	EVENT(TASK_BEGIN, "oprof_task_begin", begin_fields),
	EVENT(TASK_EXEC, "oprof_task_exec", name_fields),
	EVENT(TASK_END, "oprof_task_end", exit_fields)};
static const uint32_t streams[] = {0};
static const struct ctf_env envs[] = {{"hostname", "somewhere", 0},
				      {"kernel_release", "6.1-test", 0},
				      {"oprof_sample_hz", NULL, 499}};
static const struct ctf_trace trace = {
	.uuid = {1, 2, 3},
	.clock = {.name = "monotonic",
		  .description = "",
		  .freq_hz = 1000000000,
		  .offset_s = 1700000000,
		  .offset = 5},
	.nr_envs = 3,
	.envs = envs,
	.nr_streams = 1,
	.streams = streams,
	.nr_events = NR_EVENTS,
	.events = events,
};

/* ---- the folder ---- */

static struct make_packet packet;
static struct import_trace told;
static struct diag diag;

static void setup(void)
{
	test_folder_setup();
	told = (struct import_trace){0};
	make_packet_begin(&packet, trace.uuid, 0, 0, BEGIN, 8192);
}

static void teardown(void)
{
	test_folder_teardown();
}

static uint8_t payload[1024];
static size_t nr_payload;

static void put(const void *bytes, size_t nr_bytes)
{
	memcpy(payload + nr_payload, bytes, nr_bytes);
	nr_payload += nr_bytes;
}

static void put32(uint32_t number)
{
	put(&number, sizeof(number));
}

static void put64(uint64_t number)
{
	put(&number, sizeof(number));
}

static void add(uint32_t event, uint64_t time)
{
	ck_assert(make_packet_add(&packet, event, BEGIN + time, 1, payload, nr_payload));
	nr_payload = 0;
}

static void chain(const uint64_t *addresses, uint16_t nr)
{
	put(&nr, sizeof(nr));
	put(addresses, nr * sizeof(addresses[0]));
}

static void sample(uint64_t time, uint32_t tid, uint32_t pid, uint64_t ip)
{
	const uint64_t kernel[] = {UINT64_C(0xffffffff81000010), UINT64_C(0xffffffff81000020)};
	const uint64_t user[] = {0x401010, 0x401020};

	put32(tid);
	put32(pid);
	put64(2000000);
	put64(ip);
	chain(kernel, ip >> 63 ? 2 : 0);
	chain(user, 2);
	add(SAMPLE, time);
}

static void mapping(uint32_t event, uint64_t time, uint32_t pid, uint64_t start, const char *path)
{
	put32(pid);
	put64(start);
	put64(start + 0x1000);
	put64(0x200);
	put(path, strlen(path) + 1);
	add(event, time);
}

static void state(uint64_t time, uint32_t tid, uint32_t pid, uint32_t type, const char *name)
{
	put32(tid);
	put32(pid);
	put32(type);
	put(name, strlen(name) + 1);
	add(STATE, time);
}

static void forks(uint64_t time, uint32_t parent, uint32_t child, uint64_t flags)
{
	put32(child);
	put64(flags);
	add(NEW_TASK, time);
	put32(parent);
	put32(child);
	add(FORK, time);
}

static void exec(uint64_t time, uint32_t tid, const char *file)
{
	put(file, strlen(file) + 1);
	put32(tid);
	add(EXEC, time);
}

static void write_folder(void)
{
	struct ctf_writer *writer;
	unsigned int file;

	make_packet_end(&packet, BEGIN + 10000);
	ck_assert_int_eq(ctf_writer_open(&writer, "trace", &trace, &diag), 0);
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &file, &diag), 0);
	ck_assert_int_eq(ctf_writer_append(writer, file, packet.bytes, packet.nr_bytes, &diag), 0);
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
}

/* ---- the recording that results ---- */

static struct perf_file file;
static struct perf_normal normal;
static struct perf_item item;
static struct perf_ids ids; /* of the records that normal returns */

static void open_recording(void)
{
	int fd;

	write_folder();
	ck_assert(import_trace_is("trace"));
	fd = import_trace_convert(&told, "trace", &diag);
	ck_assert_msg(fd >= 0, "%s", fd >= 0 ? "" : diag_show(&diag));
	ck_assert_int_eq(perf_file_open_fd(&file, fd, "trace", &diag), 0);
	ck_assert_int_eq(perf_normal_init(&normal, &file, &diag), 0);
	perf_ids_init(&ids);
	ck_assert_int_eq(perf_ids_add(&ids, 1, 0), 0);
}

static void close_recording(void)
{
	perf_ids_deinit(&ids);
	perf_normal_deinit(&normal);
	perf_file_close(&file);
}

/* Read the next record of that type into item; skip those of other types. */
static void next(uint32_t type)
{
	const struct perf_layout layout = {.sample_type = normal.sample_type, .ids = &ids};
	const struct perf_event_header *record, *made;
	uint64_t time_ns;

	do {
		ck_assert_int_eq(perf_file_next(&file, &record, &diag), 0);
	} while (record->type != type);
	ck_assert_int_eq(perf_normal_record(&normal, record, &made, &time_ns), 0);
	ck_assert_int_eq(perf_parse(&layout, made, &item), 0);
	ck_assert_uint_eq(item.time_ns, time_ns);
}

static void none_follows(uint32_t type)
{
	const struct perf_event_header *record;
	int error;

	while (!(error = perf_file_next(&file, &record, &diag)))
		ck_assert_uint_ne(record->type, type);
	ck_assert_int_eq(error, -ENODATA);
}

START_TEST(samples_have_their_threads_times_and_callers)
{
	sample(100, 12, 10, 0x401010);
	sample(300, 12, 10, UINT64_C(0xffffffff81000010));
	open_recording();
	ck_assert_uint_eq(told.nr_samples, 2);
	ck_assert_str_eq(file.host, "somewhere");
	ck_assert_str_eq(file.release, "6.1-test");
	ck_assert_ptr_null(file.arch); /* the trace is of another boot, whose kernel is unknown */
	ck_assert_uint_eq(file.nr_cpus, 1);
	ck_assert_int_eq(file.wall_ns - (int64_t)file.clock_ns, INT64_C(1700000000000000005));
	ck_assert_uint_eq(file.nr_events, 1);
	ck_assert_uint_eq(file.events[0].attr.sample_freq, 499);
	next(PERF_RECORD_SAMPLE);
	ck_assert_uint_eq(item.time_ns, BEGIN + 100);
	ck_assert_int_eq(item.pid, 10);
	ck_assert_int_eq(item.tid, 12);
	ck_assert_uint_eq(item.u.sample.ip, 0x401010);
	ck_assert_uint_eq(item.u.sample.period, 2000000);
	ck_assert_uint_eq(item.u.sample.nr_chain, 3);
	ck_assert_uint_eq(item.misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_USER);
	next(PERF_RECORD_SAMPLE);
	ck_assert_uint_eq(item.u.sample.nr_chain, 6); /* both parts, each with its context marker */
	ck_assert_uint_eq(item.misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_KERNEL);
	none_follows(PERF_RECORD_SAMPLE);
	close_recording();
}
END_TEST

START_TEST(what_was_there_at_the_begin_comes_first_and_programs_before_libraries)
{
	sample(10, 10, 10, 0x401010);
	state(200, 10, 10, 0, "program");
	state(200, 11, 10, 0, "its thread");
	state(200, 2, 2, 1, "kthreadd");
	mapping(STATE_MAPPING, 201, 10, 0x1000, "/lib/library.so");
	mapping(STATE_MAPPING, 202, 10, 0x401000, "/bin/program");
	open_recording();
	next(PERF_RECORD_FORK);
	ck_assert_int_eq(item.pid, 10);
	ck_assert_uint_eq(item.time_ns, BEGIN + 10);
	next(PERF_RECORD_COMM);
	ck_assert(item.u.comm.exec);
	next(PERF_RECORD_FORK);
	ck_assert_int_eq(item.tid, 11);
	ck_assert_int_eq(item.u.task.ppid, 10);
	next(PERF_RECORD_FORK); /* a kernel thread runs no program */
	ck_assert_int_eq(item.pid, 2);
	next(PERF_RECORD_MMAP);
	ck_assert_str_eq(item.u.mmap.path, "/bin/program");
	ck_assert_uint_eq(item.time_ns, BEGIN + 10);
	ck_assert_uint_eq(item.u.mmap.start, 0x401000);
	ck_assert_uint_eq(item.u.mmap.nr_bytes, 0x1000);
	ck_assert_uint_eq(item.u.mmap.file_offset, 0x200);
	next(PERF_RECORD_MMAP);
	ck_assert_str_eq(item.u.mmap.path, "/lib/library.so");
	next(PERF_RECORD_SAMPLE);
	close_recording();
}
END_TEST

START_TEST(a_fork_tells_threads_from_processes)
{
	state(0, 10, 10, 0, "program");
	forks(100, 10, 11, 0x10000);
	forks(200, 11, 12, 0x100);
	put32(12);
	add(EXIT, 300);
	sample(400, 11, 10, 0x401010);
	open_recording();
	next(PERF_RECORD_FORK);
	next(PERF_RECORD_FORK);
	ck_assert_int_eq(item.pid, 10);
	ck_assert_int_eq(item.tid, 11);
	ck_assert_int_eq(item.u.task.ppid, 10);
	next(PERF_RECORD_FORK);
	ck_assert_int_eq(item.pid, 12);
	ck_assert_int_eq(item.u.task.ppid, 10); /* the parent was its thread 11 */
	ck_assert_int_eq(item.u.task.ptid, 11);
	next(PERF_RECORD_EXIT);
	ck_assert_int_eq(item.pid, 12);
	ck_assert_uint_eq(item.time_ns, BEGIN + 300);
	close_recording();
}
END_TEST

static void task_begins(uint64_t time, uint32_t tid, uint32_t pid, uint32_t ppid)
{
	put32(tid);
	put32(pid);
	put32(ppid);
	put32(ppid);
	add(TASK_BEGIN, time);
}

START_TEST(a_fork_of_a_number_used_again_is_not_taken_for_that_of_before)
{
	task_begins(100, 10, 10, 5); /* the CPU's ring no longer holds its fork */
	put32(10);
	add(EXIT, 200);
	forks(300, 5, 10, 0);
	sample(400, 10, 10, 0x401010);
	open_recording();
	next(PERF_RECORD_FORK);
	ck_assert_uint_eq(item.time_ns, BEGIN + 100);
	next(PERF_RECORD_EXIT);
	next(PERF_RECORD_FORK);
	ck_assert_uint_eq(item.time_ns, BEGIN + 300);
	close_recording();
}
END_TEST

/* A flight recorder's snapshot: it has events that its rings no longer hold, and some of them
 * twice. */
START_TEST(a_number_used_again_has_what_was_mapped_in_its_own_life)
{
	state(0, 10, 10, 0, "first");
	mapping(STATE_MAPPING, 0, 10, 0x1000, "/bin/first");
	put32(10);
	add(TASK_END, 100);
	task_begins(200, 10, 10, 5);
	forks(201, 5, 10, 0);
	put32(10);
	put("second", 7);
	add(TASK_EXEC, 300);
	mapping(MAPPING, 310, 10, 0x1000, "/bin/second");
	task_begins(350, 11, 10, 10);
	forks(351, 10, 11, 0); /* 11 is already known to be a thread */
	sample(400, 11, 10, 0x401010);
	open_recording();
	next(PERF_RECORD_FORK);
	next(PERF_RECORD_MMAP);
	ck_assert_str_eq(item.u.mmap.path, "/bin/first");
	next(PERF_RECORD_EXIT);
	ck_assert_uint_eq(item.time_ns, BEGIN + 100);
	next(PERF_RECORD_FORK);
	ck_assert_uint_eq(item.time_ns, BEGIN + 200);
	ck_assert_int_eq(item.u.task.ppid, 5);
	next(PERF_RECORD_COMM);
	ck_assert(item.u.comm.exec);
	ck_assert_uint_eq(item.time_ns, BEGIN + 300);
	next(PERF_RECORD_MMAP);
	ck_assert_str_eq(item.u.mmap.path, "/bin/second");
	next(PERF_RECORD_FORK);
	ck_assert_int_eq(item.pid, 10);
	ck_assert_int_eq(item.tid, 11);
	none_follows(PERF_RECORD_FORK);
	close_recording();
}
END_TEST

/* The kernel maps the program and the interpreter before it reports the exec. */
START_TEST(an_exec_keeps_what_it_mapped_itself)
{
	mapping(MAPPING, 50, 10, 0x1000, "/lib/of_the_program_before.so");
	mapping(MAPPING, 100, 10, 0x401000, "/bin/program");
	mapping(MAPPING, 110, 10, 0x7000, "/lib64/ld-linux-x86-64.so.2");
	exec(120, 10, "./program");
	mapping(MAPPING, 130, 10, 0x9000, "/lib/libc.so.6");
	sample(140, 10, 10, 0x401010);
	open_recording();
	next(PERF_RECORD_COMM);
	ck_assert(item.u.comm.exec);
	ck_assert_str_eq(item.u.comm.name, "program");
	next(PERF_RECORD_MMAP);
	ck_assert_str_eq(item.u.mmap.path, "/bin/program");
	ck_assert_uint_eq(item.time_ns, BEGIN + 120);
	next(PERF_RECORD_MMAP);
	ck_assert_str_eq(item.u.mmap.path, "/lib64/ld-linux-x86-64.so.2");
	next(PERF_RECORD_MMAP);
	ck_assert_str_eq(item.u.mmap.path, "/lib/libc.so.6");
	none_follows(PERF_RECORD_MMAP);
	close_recording();
}
END_TEST

START_TEST(only_samples_of_a_stretch_of_time_and_of_some_threads)
{
	mapping(MAPPING, 0, 10, 0x401000, "/bin/program");
	sample(100, 10, 10, 0x401010);
	sample(200, 10, 10, 0x401010);
	sample(250, 11, 10, 0x401010);
	sample(300, 10, 10, 0x401010);
	told = (struct import_trace){.from_ns = 200, .to_ns = 300, .threads = "7,10"};
	open_recording();
	ck_assert_uint_eq(told.nr_samples, 1);
	next(PERF_RECORD_MMAP); /* from before the range: needed to find the sample's image */
	next(PERF_RECORD_SAMPLE);
	ck_assert_uint_eq(item.time_ns, BEGIN + 200);
	none_follows(PERF_RECORD_SAMPLE);
	close_recording();
}
END_TEST

START_TEST(a_trace_in_chunks_is_one)
{
	sample(100, 10, 10, 0x401010);
	write_folder();
	ck_assert_int_eq(mkdir("rotated", 0700), 0);
	ck_assert_int_eq(rename("trace", "rotated/00000001"), 0);
	ck_assert(import_trace_is("rotated"));
	ck_assert_int_ge(import_trace_convert(&told, "rotated", &diag), 0);
	ck_assert_uint_eq(told.nr_samples, 1);
}
END_TEST

START_TEST(mappings_without_end_are_bounded_and_counted)
{
	told.kept_bytes_max = 1000;
	state(100, 50, 50, 0, "one");
	for (uint32_t i = 0; i < 40; i++)
		mapping(STATE_MAPPING, 101 + i, 50, 0x1000 * (i + 1), "/p");
	for (uint32_t i = 0; i < 40; i++)
		mapping(MAPPING, 200 + i, 100 + i, 0x400000, "/q");
	sample(300, 50, 50, 0x401000);
	open_recording();
	/* As many of the initial mappings as fit are kept. Other mappings are noted only as
	 * places that may be mapped anew. */
	ck_assert_uint_ge(told.nr_unkept, 60);
	ck_assert_uint_lt(told.nr_unkept, 80);
	ck_assert_uint_eq(told.nr_samples, 1);
	for (uint64_t i = 0; i < 80 + 40 - told.nr_unkept; i++)
		next(PERF_RECORD_MMAP);
	none_follows(PERF_RECORD_MMAP);
	close_recording();
}
END_TEST

START_TEST(what_cannot_be_is_told)
{
	sample(100, 10, 10, 0x401010);
	write_folder();
	told.from_ns = 500;
	ck_assert_int_eq(import_trace_convert(&told, "trace", &diag), -ENODATA);
	told = (struct import_trace){.threads = "1,x"};
	ck_assert_int_eq(import_trace_convert(&told, "trace", &diag), -EINVAL);
	ck_assert_int_eq(import_trace_convert(&told, "nowhere", &diag), -ENOENT);
	ck_assert(!import_trace_is("nowhere"));
	ck_assert(!import_trace_is("."));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("import_trace");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, samples_have_their_threads_times_and_callers);
	tcase_add_test(tests,
		       what_was_there_at_the_begin_comes_first_and_programs_before_libraries);
	tcase_add_test(tests, a_fork_tells_threads_from_processes);
	tcase_add_test(tests, a_number_used_again_has_what_was_mapped_in_its_own_life);
	tcase_add_test(tests, an_exec_keeps_what_it_mapped_itself);
	tcase_add_test(tests, only_samples_of_a_stretch_of_time_and_of_some_threads);
	tcase_add_test(tests, a_fork_of_a_number_used_again_is_not_taken_for_that_of_before);
	tcase_add_test(tests, a_trace_in_chunks_is_one);
	tcase_add_test(tests, mappings_without_end_are_bounded_and_counted);
	tcase_add_test(tests, what_cannot_be_is_told);
	return test_run(tests);
}
