// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_record.h"
#include "daemon/trace/trace_sample.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NR_BYTES_MAX 4096u

/* A record, made word by word as the kernel writes it. */
static struct {
	uint8_t bytes[NR_BYTES_MAX];
	size_t nr_bytes;
} made;

static void put(const void *bytes, size_t nr_bytes)
{
	ck_assert_uint_le(made.nr_bytes + nr_bytes, NR_BYTES_MAX);
	memcpy(made.bytes + made.nr_bytes, bytes, nr_bytes);
	made.nr_bytes += nr_bytes;
}

static void put_word(uint64_t word)
{
	put(&word, sizeof(word));
}

static void put_pair(uint32_t first, uint32_t second)
{
	put_word(first | (uint64_t)second << 32);
}

static void begin(uint32_t type)
{
	const struct perf_event_header header = {.type = type};

	made.nr_bytes = 0;
	put(&header, sizeof(header));
}

static void end(void)
{
	struct perf_event_header header;

	memcpy(&header, made.bytes, sizeof(header));
	header.size = (uint16_t)made.nr_bytes;
	memcpy(made.bytes, &header, sizeof(header));
}

static void make_sample(const uint64_t *chain, uint64_t nr)
{
	begin(PERF_RECORD_SAMPLE);
	put_word(77);	     /* id */
	put_word(0x401000);  /* ip */
	put_pair(10, 11);    /* pid, tid */
	put_word(123456789); /* time */
	put_word(1003009);   /* period */
	put_word(nr);
	for (uint64_t i = 0; i < nr; i++)
		put_word(chain[i]);
	end();
}

static void make_mapping(const char *path, size_t nr_path)
{
	begin(PERF_RECORD_MMAP2);
	put_pair(10, 11);
	put_word(0x7f0000000000);
	put_word(0x2000);
	put_word(0x1000);
	for (unsigned int i = 0; i < 3; i++)
		put_word(0); /* device, inode and its generation */
	put_pair(5, 2);
	put(path, nr_path);
	put_word(555); /* time */
	put_word(78);  /* id */
	end();
}

/* name: 8 bytes */
static void make_name(uint16_t misc, const char *name)
{
	begin(PERF_RECORD_COMM);
	memcpy(made.bytes + offsetof(struct perf_event_header, misc), &misc, sizeof(misc));
	put_pair(10, 11);
	put(name, 8);
	put_word(556); /* time */
	put_word(78);  /* id */
	end();
}

static void make_task(uint32_t type)
{
	begin(type);
	put_pair(10, 5); /* pid, ppid */
	put_pair(11, 6); /* tid, ptid */
	put_word(557);	 /* time */
	put_word(557);
	put_word(78);
	end();
}

static void make_tracepoint(uint32_t raw_bytes)
{
	begin(PERF_RECORD_SAMPLE);
	put_word(79);
	put_word(999);
	put_pair(raw_bytes, 0x01020304);
	end();
}

/* Memory of exactly this size, so that a read past its end is detected. */
static bool parse(enum trace_record_kind kind, size_t nr_bytes, struct trace_perf_record *record)
{
	uint8_t *copy = malloc(nr_bytes ? nr_bytes : 1);
	bool good, has_time;
	uint64_t time = 0;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, made.bytes, nr_bytes);
	has_time = trace_record_time(kind, copy, nr_bytes, &time);
	good = trace_record_parse(record, kind, copy, nr_bytes);
	if (good) {
		ck_assert(has_time);
		ck_assert_uint_eq(time, record->time);
	}
	if (good && kind != TRACE_RECORD_TRACEPOINT) {
		const uint32_t nr = trace_sample_bytes(record);
		uint8_t *payload = malloc(nr ? nr : 1);

		if (nr)
			trace_sample_write(record, payload);
		free(payload);
	}
	free(copy);
	return good;
}

START_TEST(the_id_is_at_the_front_of_samples_and_at_the_back_of_others)
{
	uint64_t id = 0;

	make_sample(NULL, 0);
	ck_assert(trace_record_id(made.bytes, made.nr_bytes, &id));
	ck_assert_uint_eq(id, 77);
	make_mapping("/bin/true\0\0\0\0\0\0", 16);
	ck_assert(trace_record_id(made.bytes, made.nr_bytes, &id));
	ck_assert_uint_eq(id, 78);
	ck_assert(!trace_record_id(made.bytes, 8, &id));
}
END_TEST

START_TEST(a_tracepoint_is_its_raw_bytes)
{
	struct trace_perf_record record = {0};

	make_tracepoint(4);
	ck_assert(trace_record_parse(&record, TRACE_RECORD_TRACEPOINT, made.bytes, made.nr_bytes));
	ck_assert_uint_eq(record.time, 999);
	ck_assert_uint_eq(record.nr_bytes, 4);
	ck_assert_mem_eq(record.raw, "\4\3\2\1", 4);
	make_tracepoint(5);
	ck_assert(!parse(TRACE_RECORD_TRACEPOINT, made.nr_bytes, &record));
	make_tracepoint(UINT32_MAX);
	ck_assert(!parse(TRACE_RECORD_TRACEPOINT, made.nr_bytes, &record));
}
END_TEST

/* Read the part of an oprof_sample payload that follows its fixed fields. */
static const uint8_t *take_chain(const uint8_t *at, uint16_t *nr, uint64_t addresses[8])
{
	memcpy(nr, at, sizeof(*nr));
	ck_assert_uint_le(*nr, 8);
	memcpy(addresses, at + sizeof(*nr), *nr * sizeof(uint64_t));
	return at + sizeof(*nr) + *nr * sizeof(uint64_t);
}

START_TEST(a_call_chain_is_parted_into_kernel_and_user_without_marks)
{
	static const uint64_t chain[] = {PERF_CONTEXT_KERNEL,
					 0xffffffff81000001,
					 0xffffffff81000002,
					 PERF_CONTEXT_USER,
					 0x401000,
					 0x402000,
					 PERF_CONTEXT_GUEST,
					 0x666,
					 PERF_CONTEXT_USER,
					 0x403000};
	const size_t nr_chain = sizeof(chain) / sizeof(chain[0]);
	struct trace_perf_record record = {0};
	uint8_t payload[256];
	const uint8_t *at = payload + 24;
	uint64_t addresses[8], ip;
	int32_t tid, pid;
	uint16_t nr;

	make_sample(chain, nr_chain);
	ck_assert(trace_record_parse(&record, TRACE_RECORD_SAMPLE, made.bytes, made.nr_bytes));
	ck_assert_uint_eq(record.time, 123456789);
	ck_assert_uint_eq(trace_sample_bytes(&record), 24 + 2 + 2 * 8 + 2 + 3 * 8);
	trace_sample_write(&record, payload);
	memcpy(&tid, payload, 4);
	memcpy(&pid, payload + 4, 4);
	memcpy(&ip, payload + 16, 8);
	ck_assert_int_eq(tid, 11);
	ck_assert_int_eq(pid, 10);
	ck_assert_uint_eq(ip, 0x401000);
	at = take_chain(at, &nr, addresses);
	ck_assert_uint_eq(nr, 2);
	ck_assert_uint_eq(addresses[0], 0xffffffff81000001);
	ck_assert_uint_eq(addresses[1], 0xffffffff81000002);
	at = take_chain(at, &nr, addresses);
	ck_assert_uint_eq(nr, 3);
	ck_assert_uint_eq(addresses[0], 0x401000);
	ck_assert_uint_eq(addresses[2], 0x403000);
	ck_assert_ptr_eq(at, payload + trace_sample_bytes(&record));
}
END_TEST

START_TEST(a_mapping_is_a_files_or_none)
{
	struct trace_perf_record record = {0};
	uint8_t payload[64];
	uint64_t limit;

	make_mapping("/bin/true\0\0\0\0\0\0", 16);
	ck_assert(trace_record_parse(&record, TRACE_RECORD_MAPPING, made.bytes, made.nr_bytes));
	ck_assert_uint_eq(record.time, 555);
	ck_assert_uint_eq(record.start, 0x7f0000000000);
	ck_assert_uint_eq(record.end, 0x7f0000002000);
	ck_assert_uint_eq(trace_sample_bytes(&record), 4 + 3 * 8 + 10);
	trace_sample_write(&record, payload);
	memcpy(&limit, payload + 12, 8);
	ck_assert_uint_eq(limit, 0x7f0000002000);
	ck_assert_str_eq((char *)payload + 28, "/bin/true");
	make_mapping("//anon\0", 8);
	ck_assert(trace_record_parse(&record, TRACE_RECORD_MAPPING, made.bytes, made.nr_bytes));
	ck_assert_uint_eq(trace_sample_bytes(&record), 0);
}
END_TEST

START_TEST(a_path_without_an_end_is_refused)
{
	struct trace_perf_record record = {0};

	make_mapping("/bin/trueXXXXXXX", 16);
	ck_assert(!parse(TRACE_RECORD_MAPPING, made.nr_bytes, &record));
}
END_TEST

START_TEST(a_chain_that_is_longer_than_its_record_is_refused)
{
	static const uint64_t bad[] = {1, 2, UINT64_MAX, UINT64_C(1) << 61,
				       (UINT64_C(1) << 61) + 1};
	struct trace_perf_record record = {0};

	make_sample(NULL, 0);
	ck_assert(parse(TRACE_RECORD_SAMPLE, made.nr_bytes, &record));
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(made.bytes + made.nr_bytes - 8, &bad[i], 8);
		ck_assert(!parse(TRACE_RECORD_SAMPLE, made.nr_bytes, &record));
	}
}
END_TEST

START_TEST(tasks_begin_are_named_and_end)
{
	struct trace_perf_record record = {0};

	make_task(PERF_RECORD_FORK);
	ck_assert(parse(TRACE_RECORD_MAPPING, made.nr_bytes, &record));
	ck_assert_int_eq(record.kind, TRACE_RECORD_TASK_BEGIN);
	ck_assert_uint_eq(record.time, 557);
	ck_assert_int_eq(record.pid, 10);
	ck_assert_int_eq(record.tid, 11);
	ck_assert_int_eq(record.ppid, 5);
	ck_assert_int_eq(record.ptid, 6);
	make_task(PERF_RECORD_EXIT);
	ck_assert(parse(TRACE_RECORD_MAPPING, made.nr_bytes, &record));
	ck_assert_int_eq(record.kind, TRACE_RECORD_TASK_END);
	make_name(0, "name\0\0\0");
	ck_assert(trace_record_parse(&record, TRACE_RECORD_MAPPING, made.bytes, made.nr_bytes));
	ck_assert_int_eq(record.kind, TRACE_RECORD_TASK_NAME);
	ck_assert_uint_eq(record.time, 556);
	ck_assert_str_eq(record.path, "name");
	ck_assert_uint_eq(trace_sample_bytes(&record), 0);
	make_name(PERF_RECORD_MISC_COMM_EXEC, "name\0\0\0");
	ck_assert(trace_record_parse(&record, TRACE_RECORD_MAPPING, made.bytes, made.nr_bytes));
	ck_assert_int_eq(record.kind, TRACE_RECORD_TASK_EXEC);
	ck_assert_uint_eq(trace_sample_bytes(&record), 4 + 5);
	make_name(0, "no end..");
	ck_assert(!parse(TRACE_RECORD_MAPPING, made.nr_bytes, &record));
	make_task(PERF_RECORD_READ);
	ck_assert(!parse(TRACE_RECORD_MAPPING, made.nr_bytes, &record));
}
END_TEST

START_TEST(a_record_cut_anywhere_or_of_another_kind_does_no_harm)
{
	static const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 1, PERF_CONTEXT_USER, 2};
	struct trace_perf_record record = {0};

	for (unsigned int which = 0; which < 5; which++) {
		if (which == 0)
			make_sample(chain, 4);
		else if (which == 1)
			make_mapping("/bin/true\0\0\0\0\0\0", 16);
		else if (which == 2)
			make_tracepoint(4);
		else if (which == 3)
			make_task(PERF_RECORD_FORK);
		else
			make_name(0, "a name\0");
		for (size_t nr = 0; nr <= made.nr_bytes; nr++)
			for (unsigned int kind = 0; kind < 3; kind++)
				(void)parse((enum trace_record_kind)kind, nr, &record);
	}
}
END_TEST

START_TEST(bytes_at_random_do_no_harm)
{
	struct trace_perf_record record = {0};
	static const uint8_t types[] = {PERF_RECORD_SAMPLE, PERF_RECORD_MMAP2, PERF_RECORD_COMM,
					PERF_RECORD_FORK};
	unsigned int seed = 1;

	for (unsigned int i = 0; i < 20000; i++) {
		made.nr_bytes = 8 + 8 * ((unsigned int)rand_r(&seed) % 20);
		for (size_t at = 0; at < made.nr_bytes; at++)
			made.bytes[at] = (uint8_t)((unsigned int)rand_r(&seed) % 4);
		made.bytes[0] = types[i % (sizeof(types) / sizeof(types[0]))];
		memset(made.bytes + 1, 0, 3);
		for (unsigned int kind = 0; kind < 3; kind++)
			(void)parse((enum trace_record_kind)kind, made.nr_bytes, &record);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_record");

	tcase_add_test(tests, the_id_is_at_the_front_of_samples_and_at_the_back_of_others);
	tcase_add_test(tests, a_tracepoint_is_its_raw_bytes);
	tcase_add_test(tests, a_call_chain_is_parted_into_kernel_and_user_without_marks);
	tcase_add_test(tests, a_mapping_is_a_files_or_none);
	tcase_add_test(tests, a_path_without_an_end_is_refused);
	tcase_add_test(tests, a_chain_that_is_longer_than_its_record_is_refused);
	tcase_add_test(tests, tasks_begin_are_named_and_end);
	tcase_add_test(tests, a_record_cut_anywhere_or_of_another_kind_does_no_harm);
	tcase_add_test(tests, bytes_at_random_do_no_harm);
	return test_run(tests);
}
