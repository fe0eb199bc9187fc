// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.data files, and the records made from them: those of tests/data/perf. */
#include "daemon/import/import_interrupt.h"
#include "daemon/import/import_machine.h"
#include "daemon/import/perf_file.h"
#include "daemon/import/perf_normal.h"
#include "daemon/perf/perf_regs.h"
#include "lib/buildid.h"
#include "lib/file.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/thorough.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zstd.h>

#define FILE_BYTES_MAX 65536
#define HEADER_BYTES   512 /* of a file with its events, where each byte may be a field */

static struct diag diag;
static uint8_t bytes[FILE_BYTES_MAX];
static size_t nr_bytes;

static void read_data(const char *name)
{
	char path[PATH_MAX];
	char *text;

	(void)snprintf(path, sizeof(path), "%s/tests/data/perf/%s.data",
		       getenv("OPROF_TOP_SRCDIR") ? getenv("OPROF_TOP_SRCDIR") : ".", name);
	ck_assert_int_eq(file_read_text(path, sizeof(bytes), &text, &nr_bytes), 0);
	memcpy(bytes, text, nr_bytes);
	free(text);
}

static void write_data(size_t nr)
{
	FILE *file = fopen("data", "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, nr, file), nr);
	ck_assert_int_eq(fclose(file), 0);
}

struct sum {
	unsigned int nr_samples, nr_maps, nr_execs, nr_bad, nr_with_stack, nr_callers;
	uint64_t periods;
	int end;
};

static void add_up(struct sum *sum, const struct perf_layout *layout,
		   const struct perf_event_header *made)
{
	struct perf_item item;

	if (perf_parse(layout, made, &item)) {
		sum->nr_bad++;
		return;
	}
	sum->nr_maps += item.type == PERF_RECORD_MMAP2;
	sum->nr_execs += item.type == PERF_RECORD_COMM && item.u.comm.exec;
	if (item.type != PERF_RECORD_SAMPLE)
		return;
	sum->nr_samples++;
	sum->periods += item.u.sample.period;
	sum->nr_with_stack += item.u.sample.stack_bytes > 0;
	sum->nr_callers += item.u.sample.nr_chain > 0;
}

/* Read all of it, as an import does. */
static struct sum go_through(void)
{
	const struct perf_event_header *record, *made;
	struct perf_normal normal;
	struct perf_layout layout;
	struct perf_file file;
	struct perf_ids ids;
	struct sum sum = {0};
	uint64_t time_ns;

	sum.end = perf_file_open(&file, "data", &diag);
	if (sum.end)
		return sum;
	sum.end = perf_normal_init(&normal, &file, &diag);
	if (!sum.end) {
		perf_ids_init(&ids);
		for (size_t i = 0; i < file.nr_events; i++)
			ck_assert_int_eq(perf_ids_add(&ids, i + 1, (uint32_t)i), 0);
		layout = (struct perf_layout){.sample_type = normal.sample_type,
					      .regs_mask = normal.regs_mask,
					      .ids = &ids};
		while (!(sum.end = perf_file_next(&file, &record, &diag))) {
			int error = perf_normal_record(&normal, record, &made, &time_ns);

			sum.nr_bad += error == -EILSEQ;
			if (!error)
				add_up(&sum, &layout, made);
		}
		perf_ids_deinit(&ids);
		perf_normal_deinit(&normal);
	}
	perf_file_close(&file);
	return sum;
}

static struct sum sum_of(const char *name)
{
	struct sum sum;

	read_data(name);
	write_data(nr_bytes);
	sum = go_through();
	ck_assert_int_eq(sum.end, -ENODATA);
	ck_assert_uint_eq(sum.nr_bad, 0);
	return sum;
}

START_TEST(all_samples_come_out_of_each_kind_of_file)
{
	ck_assert_uint_eq(sum_of("plain").nr_samples, 7);
	ck_assert_uint_eq(sum_of("packed").nr_samples, 7);
	ck_assert_uint_eq(sum_of("piped").nr_samples, 7);
	ck_assert_uint_eq(sum_of("period").nr_samples, 10);
}
END_TEST

START_TEST(maps_and_programs_come_with_them)
{
	struct sum sum = sum_of("plain");

	ck_assert_uint_gt(sum.nr_maps, 2);
	ck_assert_uint_gt(sum.nr_execs, 0);
}
END_TEST

START_TEST(a_constant_period_is_the_weight_of_each)
{
	ck_assert_uint_eq(sum_of("period").periods, 10 * UINT64_C(5000000));
}
END_TEST

START_TEST(chains_and_stacks_come_with_samples)
{
	ck_assert_uint_eq(sum_of("chains").nr_callers, 7);
	ck_assert_uint_eq(sum_of("plain").nr_callers, 0);
	if (perf_regs_here() == &perf_regs_x86_64)
		ck_assert_uint_eq(sum_of("dwarf").nr_with_stack, 2);
}
END_TEST

START_TEST(a_file_that_ends_anywhere_is_read_as_far_as_it_goes)
{
	static const char *const names[] = {"plain", "packed", "piped"};

	for (size_t i = 0; i < 3; i++) {
		unsigned int most = 0;

		read_data(names[i]);
		write_data(nr_bytes);
		for (size_t cut = 0; cut < nr_bytes; cut = thorough_next(cut, nr_bytes, 7)) {
			struct sum sum;

			ck_assert_int_eq(truncate("data", (off_t)(nr_bytes - 1 - cut)), 0);
			sum = go_through();
			ck_assert(sum.end == -EILSEQ || sum.end == -EINVAL || sum.end == -ENODATA);
			ck_assert_uint_le(sum.nr_samples, 7);
			most = sum.nr_samples > most ? sum.nr_samples : most;
		}
		ck_assert_uint_gt(most, 0);
	}
}
END_TEST

START_TEST(a_byte_that_is_another_never_makes_more_of_it)
{
	int fd;

	read_data("plain");
	write_data(nr_bytes);
	fd = open("data", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < nr_bytes;
	     i = i < HEADER_BYTES ? i + 1 : thorough_next(i, nr_bytes, 1)) {
		const uint8_t changed = bytes[i] ^ 0xff;

		ck_assert_int_eq(pwrite(fd, &changed, 1, (off_t)i), 1);
		ck_assert_uint_le(go_through().nr_samples, 8);
		ck_assert_int_eq(pwrite(fd, &bytes[i], 1, (off_t)i), 1);
	}
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(what_is_no_file_of_perf_is_refused_by_its_name)
{
	struct perf_file file;

	memcpy(bytes, "no perf data at all, but long enough to be one", 46);
	write_data(46);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), -EINVAL);
	ck_assert_str_eq(diag.file, "data");
	memcpy(bytes, "2ELIFREP", 8);
	write_data(200);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), -EPROTONOSUPPORT);
	ck_assert_ptr_nonnull(strstr(diag.text, "byte order"));
	ck_assert_int_eq(perf_file_open(&file, "missing", &diag), -ENOENT);
	ck_assert_int_eq(perf_file_open(&file, ".", &diag), -EPROTONOSUPPORT);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0); /* the pipe has no writer */
	ck_assert_int_eq(perf_file_open(&file, "pipe", &diag), -EPROTONOSUPPORT);
}
END_TEST

static uint64_t word_at(size_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

static void set_word(size_t offset, uint64_t word)
{
	memcpy(bytes + offset, &word, sizeof(word));
}

/* The file's first feature is the table of build-ids. Here the table has one entry of 8 bytes,
 * which claims to have a size. */
START_TEST(a_build_id_that_is_cut_is_not_read)
{
	const struct perf_event_header header = {PERF_FILE_BUILD_ID, 1 << 15, sizeof(header)};
	struct perf_file file;
	size_t table;

	read_data("plain");
	table = (size_t)(word_at(40) + word_at(48));
	memcpy(bytes + word_at(table), &header, sizeof(header));
	set_word(table + 8, sizeof(header));
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_uint_eq(file.nr_build_ids, 0);
	perf_file_close(&file);
}
END_TEST

/* 200 events of 8,000 ids each, all at the same bytes of the file. */
START_TEST(ids_of_all_events_have_a_bound)
{
	struct perf_file file;

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, "PERFILE2", 8);
	set_word(8, 104);
	set_word(16, 64 + 16);
	set_word(24, 104);
	set_word(32, UINT64_C(200) * 80);
	set_word(40, sizeof(bytes));
	for (size_t i = 0; i < 200; i++)
		set_word(104 + i * 80 + 72, 64000);
	write_data(sizeof(bytes));
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), -EILSEQ);
}
END_TEST

/* A file from a pipe: an event, and half of a record of 16 bytes, compressed. */
START_TEST(a_packed_record_that_is_not_whole_at_the_end_is_told)
{
	const struct perf_event_header record = {PERF_RECORD_LOST, 0, 16};
	const struct perf_event_header attr = {PERF_FILE_HEADER_ATTR, 0, 8 + 64};
	struct perf_event_header packed = {PERF_FILE_COMPRESSED, 0, 0};
	const struct perf_event_header *next;
	const uint32_t attr_bytes = 64;
	struct perf_file file;
	size_t nr;

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, "PERFILE2", 8);
	set_word(8, 16);
	memcpy(bytes + 16, &attr, sizeof(attr));
	memcpy(bytes + 16 + 8 + 4, &attr_bytes, sizeof(attr_bytes));
	nr = ZSTD_compress(bytes + 96, 1024, &record, sizeof(record), 1);
	ck_assert(!ZSTD_isError(nr));
	packed.size = (uint16_t)(sizeof(packed) + nr);
	memcpy(bytes + 88, &packed, sizeof(packed));
	write_data(96 + nr);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(perf_file_next(&file, &next, &diag), 0);
	ck_assert_int_eq(perf_file_next(&file, &next, &diag), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(diag.text, "incomplete"));
	perf_file_close(&file);
}
END_TEST

/* ---- a file from a pipe, made here ---- */

static void begin_pipe(void)
{
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, "PERFILE2", 8);
	set_word(8, 16);
	nr_bytes = 16;
}

static void put_record(uint32_t type, uint16_t misc, const void *body, size_t nr)
{
	const struct perf_event_header header = {type, misc, (uint16_t)(sizeof(header) + nr)};

	memcpy(bytes + nr_bytes, &header, sizeof(header));
	memcpy(bytes + nr_bytes + sizeof(header), body, nr);
	nr_bytes += header.size;
}

static void put_event(uint64_t sample_type, uint64_t id)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = PERF_ATTR_SIZE_VER0,
					     .sample_period = 1000,
					     .sample_type = sample_type,
					     .sample_id_all = 1};
	uint8_t body[PERF_ATTR_SIZE_VER0 + 8];

	memcpy(body, &attr, PERF_ATTR_SIZE_VER0);
	memcpy(body + PERF_ATTR_SIZE_VER0, &id, sizeof(id));
	put_record(PERF_FILE_HEADER_ATTR, 0, body, sizeof(body));
}

/* Both in the file and in compressed records. */
START_TEST(a_record_is_aligned_after_one_of_odd_size)
{
	const struct perf_event_header odd = {PERF_FILE_FINISHED_ROUND, 0, 8 + 5};
	const struct perf_event_header lost = {PERF_RECORD_LOST, 0, 16};
	uint8_t plain[13 + 16] = {0}, packed[256];
	const struct perf_event_header *next;
	struct perf_file file;
	size_t nr;

	memcpy(plain, &odd, sizeof(odd));
	memcpy(plain + 13, &lost, sizeof(lost));
	nr = ZSTD_compress(packed, sizeof(packed), plain, sizeof(plain), 1);
	ck_assert(!ZSTD_isError(nr));
	begin_pipe();
	put_event(PERF_SAMPLE_IP, 1);
	if (_i) {
		put_record(PERF_FILE_COMPRESSED, 0, packed, nr);
	} else {
		memcpy(bytes + nr_bytes, plain, sizeof(plain));
		nr_bytes += sizeof(plain);
	}
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	for (unsigned int i = 0; i < 3; i++) {
		ck_assert_int_eq(perf_file_next(&file, &next, &diag), 0);
		ck_assert_uint_eq((uintptr_t)next % 8, 0);
	}
	ck_assert_uint_eq(next->type, PERF_RECORD_LOST);
	perf_file_close(&file);
}
END_TEST

/* A COMM record of process 7, with a trailer of nr words. */
static void put_comm(const uint64_t *trailer, size_t nr)
{
	const uint32_t pids[2] = {7, 7};
	uint8_t body[128] = {0};

	memcpy(body, pids, sizeof(pids));
	memcpy(body + 8, "name", 4);
	memcpy(body + 16, trailer, nr * 8);
	put_record(PERF_RECORD_COMM, 0, body, 16 + nr * 8);
}

#define ONE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define PIDS	 (UINT64_C(7) << 32 | 7)

START_TEST(records_of_an_event_with_more_fields_than_the_first_have_their_time)
{
	const uint64_t of_one[] = {PIDS, 1111, 100};
	const uint64_t of_other[] = {PIDS, 2222, 3, 200};
	const uint64_t of_none[] = {0, 0, 0}; /* perf's own record */
	const uint64_t times[] = {1111, 2222, 0};
	const uint64_t events[] = {1, 2, 0}; /* numbered from 1; perf's own record has no event */
	const struct perf_event_header *record, *made;
	struct perf_normal normal;
	struct perf_file file;
	uint64_t time_ns, event;
	size_t nr = 0;

	begin_pipe();
	put_event(ONE_TYPE | PERF_SAMPLE_IDENTIFIER, 100);
	put_event(ONE_TYPE | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU, 200);
	put_comm(of_one, 3);
	put_comm(of_other, 4);
	put_comm(of_none, 3);
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(perf_normal_init(&normal, &file, &diag), 0);
	while (!perf_file_next(&file, &record, &diag)) {
		if (perf_normal_record(&normal, record, &made, &time_ns))
			continue;
		ck_assert_uint_lt(nr, 3);
		ck_assert_uint_eq(time_ns, times[nr]);
		/* The name and our trailer: nothing of the file's trailer is left in between. */
		ck_assert_uint_eq(made->size, sizeof(*made) + 16 + 32);
		memcpy(&event, (const uint8_t *)made + made->size - sizeof(event), sizeof(event));
		ck_assert_uint_eq(event, events[nr++]);
	}
	ck_assert_uint_eq(nr, 3);
	perf_normal_deinit(&normal);
	perf_file_close(&file);
}
END_TEST

START_TEST(a_record_that_is_shorter_than_its_trailer_is_damaged)
{
	const uint64_t trailer[] = {PIDS, 1111, 100}, pids = PIDS;
	const struct perf_event_header *record, *made;
	struct perf_normal normal;
	struct perf_file file;
	uint64_t time_ns;

	begin_pipe();
	put_event(ONE_TYPE | PERF_SAMPLE_IDENTIFIER, 100);
	put_record(PERF_RECORD_COMM, 0, trailer, 8 * (unsigned int)_i);
	put_comm(trailer, 3);
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(perf_normal_init(&normal, &file, &diag), 0);
	ck_assert_int_eq(perf_file_next(&file, &record, &diag), 0); /* the event */
	ck_assert_int_eq(perf_file_next(&file, &record, &diag), 0);
	ck_assert_int_eq(perf_normal_record(&normal, record, &made, &time_ns),
			 _i < 3 ? -EILSEQ : 0);
	ck_assert_int_eq(perf_file_next(&file, &record, &diag), 0);
	ck_assert_int_eq(perf_normal_record(&normal, record, &made, &time_ns), 0);
	ck_assert_uint_eq(time_ns, 1111);
	ck_assert_mem_eq(made + 1, &pids, sizeof(pids));
	perf_normal_deinit(&normal);
	perf_file_close(&file);
}
END_TEST

START_TEST(a_sample_of_more_counters_than_it_can_hold_is_damaged)
{
	/* With 8 bytes for each, the second number of counters also makes 8 bytes modulo 2^64. */
	static const uint64_t nr_counters[] = {1, UINT64_C(1) << 61 | 1};

	for (unsigned int i = 0; i < 2; i++) {
		const uint64_t sample[] = {100, PIDS, 1111, nr_counters[i], 5 /* a counter */};
		struct sum sum;

		begin_pipe();
		put_event(ONE_TYPE | PERF_SAMPLE_READ, 100);
		set_word(16 + sizeof(struct perf_event_header) +
				 offsetof(struct perf_event_attr, read_format),
			 PERF_FORMAT_GROUP);
		put_record(PERF_RECORD_SAMPLE, 0, sample, sizeof(sample));
		write_data(nr_bytes);
		sum = go_through();
		ck_assert_int_eq(sum.end, -ENODATA);
		ck_assert_uint_eq(sum.nr_samples, 1 - i);
		ck_assert_uint_eq(sum.nr_bad, i);
	}
}
END_TEST

/* Converts the only record of a file, and returns the field misc of the result. */
static uint16_t misc_of(uint32_t type, uint16_t misc, const void *body, size_t nr)
{
	const struct perf_event_header *record, *made;
	struct perf_normal normal;
	struct perf_file file;
	uint64_t time_ns;

	begin_pipe();
	put_event(ONE_TYPE | PERF_SAMPLE_IDENTIFIER, 100);
	put_record(type, misc, body, nr);
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(perf_normal_init(&normal, &file, &diag), 0);
	ck_assert_int_eq(perf_file_next(&file, &record, &diag), 0); /* the event */
	ck_assert_int_eq(perf_file_next(&file, &record, &diag), 0);
	ck_assert_int_eq(perf_normal_record(&normal, record, &made, &time_ns), 0);
	misc = made->misc;
	perf_normal_deinit(&normal);
	perf_file_close(&file);
	return misc;
}

static const struct name {
	uint32_t pids[2];
	uint64_t time_ns;
	size_t nr_bytes; /* of the record without its trailer */
	bool is_exec;
} told_names[] = {
	{{7, 7}, 0, 16, true},	{{7, 7}, 1, 16, false}, {{7, 8}, 0, 16, false},
	{{7, 8}, 1, 16, false}, {{7, 7}, 0, 8, true},	{{7, 8}, 0, 8, false},
};

/* perf reports programs that ran before it by records of time 0, as if they began then. */
START_TEST(programs_that_ran_before_the_recording_began_with_their_names)
{
	const struct name *name = &told_names[_i];
	const uint64_t trailer[] = {PIDS, name->time_ns, 100};
	uint8_t body[16 + sizeof(trailer)] = {0};
	uint16_t misc;

	memcpy(body, name->pids, sizeof(name->pids));
	memcpy(body + name->nr_bytes, trailer, sizeof(trailer));
	misc = misc_of(PERF_RECORD_COMM, 0, body, name->nr_bytes + sizeof(trailer));
	ck_assert_uint_eq(misc, name->is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
}
END_TEST

/* The body of a build-id record: 64 bytes, of which byte 32 is the id's size, and the path. */
static const struct told_id {
	uint8_t size;
	size_t path_bytes;
	bool is_kept;
} told_ids[] = {
	{20, 8, true},	{16, 8, true}, {15, 8, false}, {17, 8, false}, {19, 8, false},
	{21, 8, false}, {0, 8, false}, {20, 0, false}, {16, 0, false},
};

START_TEST(a_build_id_of_no_known_size_and_of_no_path_is_none)
{
	const struct told_id *id = &told_ids[_i];
	const uint64_t trailer[] = {PIDS, 1111, 100};
	uint8_t body[64 + 8 + sizeof(trailer)] = {0};
	uint16_t misc;

	body[32] = id->size;
	memcpy(body + 64, "/bin/a", id->path_bytes ? 6 : 0);
	memcpy(body + 64 + id->path_bytes, trailer, sizeof(trailer));
	misc = misc_of(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, body,
		       64 + id->path_bytes + sizeof(trailer));
	ck_assert_uint_eq(misc, id->is_kept ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
}
END_TEST

START_TEST(records_that_do_not_say_of_which_layout_they_are_are_refused)
{
	struct perf_normal normal;
	struct perf_file file;

	begin_pipe();
	put_event(ONE_TYPE | PERF_SAMPLE_ID, 100);
	put_event(ONE_TYPE | PERF_SAMPLE_ID | PERF_SAMPLE_CPU, 200);
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(perf_normal_init(&normal, &file, &diag), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(diag.text, "no event id"));
	perf_file_close(&file);
}
END_TEST

static void put_build_id(const char *path, uint8_t first)
{
	uint8_t body[4 + 24 + 32] = {0};

	body[4] = first;
	memcpy(body + 28, path, strlen(path));
	put_record(PERF_FILE_BUILD_ID, 0, body, sizeof(body));
}

START_TEST(a_path_has_the_first_build_id_that_is_told_of_it)
{
	static const char whole[] = "/bin/a_path_of_32_bytes_in_all..";
	const struct perf_file_build_id *id;
	struct perf_file file;

	begin_pipe();
	put_event(ONE_TYPE, 100);
	put_build_id("/bin/m", 1);
	put_build_id("/bin/z", 2);
	put_build_id("/bin/a", 3);
	put_build_id("/bin/m", 4);
	put_build_id(whole, 5); /* the path fills its record */
	put_build_id("/bin/y", 6);
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	id = perf_file_build_id(&file, "/bin/m", 7);
	ck_assert(id && id->id[0] == 1);
	id = perf_file_build_id(&file, "/bin/z", 100);
	ck_assert(id && id->id[0] == 2);
	id = perf_file_build_id(&file, "/bin/a", 100);
	ck_assert(id && id->id[0] == 3);
	id = perf_file_build_id(&file, whole, 100);
	ck_assert(id && id->id[0] == 5);
	ck_assert_ptr_null(perf_file_build_id(&file, "/bin/b", 100));
	ck_assert_ptr_null(perf_file_build_id(&file, "/bin/zz", 100));
	ck_assert_ptr_null(perf_file_build_id(&file, "/bin/m", 6)); /* the path has no end */
	perf_file_close(&file);
}
END_TEST

START_TEST(an_interrupt_ends_what_goes_through_the_file)
{
	struct import_machine machine;
	struct perf_file file;

	read_data("plain");
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	import_interrupt_catch();
	ck_assert_int_eq(raise(SIGTERM), 0);
	ck_assert_int_eq(import_machine_make(&machine, &file, &diag), -EINTR);
	ck_assert_str_eq(machine.path, "");
	perf_file_close(&file);
	read_data("piped");
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), -EINTR);
}
END_TEST

static unsigned int nr_entries(const char *path)
{
	struct dirent **names;
	int nr = scandir(path, &names, NULL, NULL);

	for (int i = 0; i < nr; i++)
		free(names[i]);
	if (nr >= 0)
		free(names);
	return nr < 0 ? 0 : (unsigned int)nr;
}

START_TEST(processes_of_a_recording_make_no_folders)
{
	struct import_machine machine;
	struct perf_file file;
	char proc[96];

	read_data("plain");
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(import_machine_make(&machine, &file, &diag), 0);
	(void)snprintf(proc, sizeof(proc), "%s/proc", machine.path);
	ck_assert_uint_eq(nr_entries(proc), 2 + 2); /* modules and kallsyms */
	import_machine_remove(&machine);
	perf_file_close(&file);
}
END_TEST

START_TEST(the_kernels_build_id_is_a_note_of_its_machine)
{
	struct import_machine machine;
	struct perf_file file;
	struct buildid found;
	char path[96];
	char *notes;
	size_t nr;

	begin_pipe();
	put_event(ONE_TYPE | PERF_SAMPLE_IDENTIFIER, 100);
	put_build_id("[kernel.kallsyms]", 9);
	write_data(nr_bytes);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(import_machine_make(&machine, &file, &diag), 0);
	ck_assert(machine.kernel_build_told);
	(void)snprintf(path, sizeof(path), "%s/sys/kernel/notes", machine.path);
	ck_assert_int_eq(file_read_text(path, 4096, &notes, &nr), 0);
	ck_assert_int_eq(buildid_parse_notes(notes, nr, &found), 0);
	ck_assert_uint_eq(found.nr_bytes, file.build_ids[0].nr_bytes);
	ck_assert_uint_eq(found.bytes[0], 9);
	ck_assert_mem_eq(found.bytes, file.build_ids[0].id, found.nr_bytes);
	free(notes);
	import_machine_remove(&machine);
	perf_file_close(&file);
}
END_TEST

START_TEST(its_machine_is_told)
{
	const struct timespec times[2] = {{.tv_sec = 1000000000}, {1000000000, 7}};
	struct import_machine machine;
	struct perf_file file;
	struct stat status;

	read_data("plain");
	write_data(nr_bytes);
	ck_assert_int_eq(utimensat(AT_FDCWD, "data", times, 0), 0);
	ck_assert_int_eq(stat("data", &status), 0); /* the file system may store less than ns */
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(file.mtime_ns,
			 status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec);
	ck_assert_str_eq(file.arch, "x86_64");
	ck_assert_uint_gt(file.nr_build_ids, 1);
	ck_assert_uint_gt(file.nr_cpus, 0);
	ck_assert_int_eq(strncmp(file.events[0].name, "cpu-clock", 9), 0);
	ck_assert_int_eq(import_machine_make(&machine, &file, &diag), 0);
	ck_assert_uint_gt(machine.first_ns, 0);
	ck_assert_uint_gt(machine.last_ns, machine.first_ns);
	ck_assert_int_eq(access(machine.path, F_OK), 0);
	import_machine_remove(&machine);
	perf_file_close(&file);
}
END_TEST

/* ---- a file that is larger than the window on it ---- */

/* Replaces the library's function: all records are read into the same memory, not past its end. */
static const uint8_t *window;
static bool is_watched;

ssize_t pread(int fd, void *to, size_t nr, off_t position)
{
	if (is_watched && !window)
		window = to;
	if (is_watched) {
		ck_assert(window <= (const uint8_t *)to);
		ck_assert_uint_le((size_t)((const uint8_t *)to - window) + nr,
				  malloc_usable_size((void *)(uintptr_t)window));
	}
	return syscall(SYS_pread64, fd, to, nr, position);
}

#define LARGE_WORDS 7000u /* of a record */
#define NR_LARGE    100u  /* more than two windows */

START_TEST(a_record_at_the_end_of_a_window_is_read_whole_and_nothing_is_read_past_it)
{
	static uint64_t words[1 + LARGE_WORDS];
	const struct perf_event_header header = {.type = PERF_FILE_FINISHED_ROUND,
						 .size = sizeof(words)};
	const struct perf_event_header *record;
	struct perf_file file;
	FILE *made;

	begin_pipe();
	put_event(ONE_TYPE | PERF_SAMPLE_IDENTIFIER, 100);
	write_data(nr_bytes);
	made = fopen("data", "ae");
	ck_assert_ptr_nonnull(made);
	memcpy(words, &header, sizeof(header));
	for (uint64_t i = 0; i < NR_LARGE; i++) {
		words[1] = words[LARGE_WORDS] = i;
		ck_assert_uint_eq(fwrite(words, sizeof(words), 1, made), 1);
	}
	ck_assert_int_eq(fclose(made), 0);
	ck_assert_int_eq(perf_file_open(&file, "data", &diag), 0);
	ck_assert_int_eq(perf_file_rewind(&file), 0);
	is_watched = true;
	ck_assert_int_eq(perf_file_next(&file, &record, &diag), 0); /* the event */
	for (uint64_t i = 0; i < NR_LARGE; i++) {
		ck_assert_int_eq(perf_file_next(&file, &record, &diag), 0);
		memcpy(words, record, record->size);
		ck_assert_uint_eq(words[1], i);
		ck_assert_uint_eq(words[LARGE_WORDS], i);
	}
	ck_assert_int_eq(perf_file_next(&file, &record, &diag), -ENODATA);
	ck_assert_ptr_nonnull(window);
	is_watched = false;
	perf_file_close(&file);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("perf_file");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, all_samples_come_out_of_each_kind_of_file);
	tcase_add_test(tc, maps_and_programs_come_with_them);
	tcase_add_test(tc, a_constant_period_is_the_weight_of_each);
	tcase_add_test(tc, chains_and_stacks_come_with_samples);
	tcase_add_test(tc, a_file_that_ends_anywhere_is_read_as_far_as_it_goes);
	tcase_add_test(tc, a_byte_that_is_another_never_makes_more_of_it);
	tcase_add_test(tc, what_is_no_file_of_perf_is_refused_by_its_name);
	tcase_add_test(tc, a_build_id_that_is_cut_is_not_read);
	tcase_add_test(tc, ids_of_all_events_have_a_bound);
	tcase_add_test(tc, a_packed_record_that_is_not_whole_at_the_end_is_told);
	tcase_add_loop_test(tc, a_record_is_aligned_after_one_of_odd_size, 0, 2);
	tcase_add_test(tc, records_of_an_event_with_more_fields_than_the_first_have_their_time);
	tcase_add_loop_test(tc, a_record_that_is_shorter_than_its_trailer_is_damaged, 0, 4);
	tcase_add_loop_test(tc, programs_that_ran_before_the_recording_began_with_their_names, 0,
			    sizeof(told_names) / sizeof(told_names[0]));
	tcase_add_loop_test(tc, a_build_id_of_no_known_size_and_of_no_path_is_none, 0,
			    sizeof(told_ids) / sizeof(told_ids[0]));
	tcase_add_test(tc, records_that_do_not_say_of_which_layout_they_are_are_refused);
	tcase_add_test(tc, a_path_has_the_first_build_id_that_is_told_of_it);
	tcase_add_test(tc, a_sample_of_more_counters_than_it_can_hold_is_damaged);
	tcase_add_test(tc, an_interrupt_ends_what_goes_through_the_file);
	tcase_add_test(tc, processes_of_a_recording_make_no_folders);
	tcase_add_test(tc, the_kernels_build_id_is_a_note_of_its_machine);
	tcase_add_test(tc, its_machine_is_told);
	tcase_add_test(tc,
		       a_record_at_the_end_of_a_window_is_read_whole_and_nothing_is_read_past_it);
	return test_run(tc);
}
