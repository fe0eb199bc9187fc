// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_backwards.h"

#include "tests/fixture/make_trace.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_PACKETS 40

/* What identifies a record. */
struct mark {
	uint64_t time, sum, cpu; /* no padding: compared as bytes */
};

struct marks {
	struct mark *marks;
	size_t nr, room, stretch; /* stretch: index where it began */
	size_t bound;		  /* stop after this many records; 0: no limit */
	unsigned int nr_stretches, nr_damaged;
};

static struct made_trace made;
static struct ctf_reader *reader;
static struct trace_who *who;
static struct diag diag;
static struct marks forwards, backwards;

static void setup(void)
{
	test_folder_setup();
	make_trace(&made, "trace", 7, NR_PACKETS);
}

static void teardown(void)
{
	ctf_reader_close(reader);
	trace_who_destroy(who);
	reader = NULL;
	who = NULL;
	free(forwards.marks);
	free(backwards.marks);
	forwards = backwards = (struct marks){0};
	make_trace_deinit(&made);
	memset(&made, 0, sizeof(made));
	test_folder_teardown();
}

static void open_trace(void)
{
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	ck_assert_int_eq(trace_who_create(&who, ctf_reader_trace(reader)), 0);
}

static void add(struct marks *marks, const struct ctf_record *record)
{
	const struct ctf_event *event = record->event;
	struct mark mark = {.time = record->time, .cpu = record->packet->cpu_id, .sum = event->id};

	for (unsigned int i = 0; i < event->nr_fields; i++)
		mark.sum = mark.sum * 31 + record->values[i].number + record->values[i].nr;
	if (marks->nr == marks->room) {
		marks->room = marks->room ? 2 * marks->room : 1024;
		marks->marks = reallocarray(marks->marks, marks->room, sizeof(mark));
		ck_assert_ptr_nonnull(marks->marks);
	}
	marks->marks[marks->nr++] = mark;
}

static void read_forwards(uint64_t from, uint64_t to)
{
	struct ctf_record record;
	int more;

	open_trace();
	while ((more = ctf_reader_next(reader, &record, &diag))) {
		forwards.nr_damaged += more < 0;
		if (more > 0 && record.time >= from && record.time < to)
			add(&forwards, &record);
	}
	ctf_reader_close(reader);
	reader = NULL;
	trace_who_destroy(who);
	who = NULL;
}

static int take(void *context, const struct ctf_record *record, const struct trace_runner *runner)
{
	struct marks *marks = context;

	ck_assert_ptr_nonnull(runner);
	add(marks, record);
	return 0;
}

/* Records are in order of time within a stretch. Reversing each gives the backward order. */
static int end(void *context)
{
	struct marks *marks = context;

	for (size_t i = marks->stretch, j = marks->nr; i + 1 < j; i++) {
		const struct mark mark = marks->marks[i];

		marks->marks[i] = marks->marks[--j];
		marks->marks[j] = mark;
	}
	marks->stretch = marks->nr;
	marks->nr_stretches++;
	return marks->bound && marks->nr >= marks->bound;
}

static void damage(void *context, const struct diag *told)
{
	struct marks *marks = context;

	ck_assert_str_ne(diag_show(told), "");
	marks->nr_damaged++;
}

static void read_backwards(uint64_t from, uint64_t to)
{
	const struct trace_backwards wanted = {
		.take = take, .end = end, .damage = damage, .context = &backwards};

	open_trace();
	ck_assert_int_eq(trace_backwards(reader, who, from, to, &wanted), 0);
}

static void check_same(void)
{
	ck_assert_uint_eq(backwards.nr, forwards.nr);
	for (size_t i = 0; i < forwards.nr; i++)
		if (memcmp(&backwards.marks[i], &forwards.marks[forwards.nr - 1 - i],
			   sizeof(struct mark)) != 0)
			ck_abort_msg("record %zu from the end differs", i);
}

START_TEST(backwards_is_forwards_turned_round)
{
	read_forwards(0, UINT64_MAX);
	read_backwards(0, UINT64_MAX);
	check_same();
	ck_assert_uint_gt(backwards.nr, 1000);
	ck_assert_uint_gt(backwards.nr_stretches, 3);
	ck_assert_uint_eq(backwards.nr_damaged, 0);
}
END_TEST

START_TEST(a_stretch_of_time_is_cut_to_the_tick)
{
	uint64_t from, to;

	read_forwards(0, UINT64_MAX);
	from = forwards.marks[forwards.nr / 3].time;
	to = forwards.marks[forwards.nr / 3 * 2].time;
	forwards.nr = 0;
	read_forwards(from, to);
	read_backwards(from, to);
	check_same();
	ck_assert_uint_gt(backwards.nr, 100);
}
END_TEST

/* The kernel's count of bytes read: only packet headers and the newest packets. */
static uint64_t bytes_read(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	char line[128];
	uint64_t nr = 0;

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "rchar: %" SCNu64, &nr) == 1)
			break;
	(void)fclose(file);
	return nr;
}

START_TEST(the_newest_records_cost_a_few_packets)
{
	const uint64_t folder_bytes = (uint64_t)MADE_NR_STREAMS * NR_PACKETS * MADE_PACKET_BYTES;
	uint64_t before, all, few;

	read_forwards(0, UINT64_MAX);
	before = bytes_read();
	read_backwards(0, UINT64_MAX);
	all = bytes_read() - before;
	ck_assert_uint_ge(all, folder_bytes);
	ctf_reader_close(reader);
	trace_who_destroy(who);
	backwards.nr = backwards.stretch = 0;
	backwards.bound = 1;
	before = bytes_read();
	read_backwards(0, UINT64_MAX);
	few = bytes_read() - before;
	ck_assert_uint_ge(backwards.nr, 1);
	for (size_t i = 0; i < backwards.nr; i++)
		ck_assert_uint_eq(backwards.marks[i].time,
				  forwards.marks[forwards.nr - 1 - i].time);
	ck_assert_uint_lt(few, folder_bytes);
}
END_TEST

/* ---- folders with unexpected content ---- */

static const char *first_stream(void)
{
	static char path[64];

	(void)snprintf(path, sizeof(path), "trace/%s", made.streams[0].name);
	return path;
}

static void overwrite(const char *path, off_t at, const void *bytes, size_t nr_bytes)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, bytes, nr_bytes, at), (ssize_t)nr_bytes);
	close(fd);
}

static void same_damaged(void)
{
	read_forwards(0, UINT64_MAX);
	read_backwards(0, UINT64_MAX);
	check_same();
	ck_assert_uint_gt(forwards.nr_damaged, 0);
}

START_TEST(a_damaged_header_costs_its_packet)
{
	overwrite(first_stream(), 7 * MADE_PACKET_BYTES, "damage", 6);
	same_damaged();
}
END_TEST

START_TEST(a_damaged_last_header_costs_its_packet)
{
	struct stat st;

	ck_assert_int_eq(stat(first_stream(), &st), 0);
	overwrite(first_stream(), st.st_size - MADE_PACKET_BYTES, "damage", 6);
	same_damaged();
}
END_TEST

START_TEST(a_file_that_is_cut_is_read_up_to_there)
{
	struct stat st;

	ck_assert_int_eq(stat(first_stream(), &st), 0);
	ck_assert_int_eq(truncate(first_stream(), st.st_size - 100), 0);
	same_damaged();
	ck_assert_uint_gt(backwards.nr_damaged, 0);
}
END_TEST

/* Searches by time fail there, but they end. */
START_TEST(times_that_go_back_do_not_make_it_read_for_ever)
{
	const off_t time_begin = offsetof(struct oprof_packet_header, time_begin);

	for (off_t packet = 3; packet < NR_PACKETS; packet += 2) {
		const uint64_t times[2] = {UINT64_MAX - (uint64_t)packet, UINT64_MAX - 1};

		overwrite(first_stream(), packet * MADE_PACKET_BYTES + time_begin, times,
			  sizeof(times));
	}
	read_forwards(0, UINT64_MAX);
	read_backwards(0, UINT64_MAX);
	ck_assert_uint_gt(backwards.nr, 1000);
	ck_assert_uint_le(backwards.nr_stretches, MADE_NR_STREAMS * NR_PACKETS);
}
END_TEST

START_TEST(packets_need_not_be_of_one_size)
{
	struct make_packet *packet = calloc(1, sizeof(*packet));
	const int fd = open(first_stream(), O_WRONLY | O_APPEND | O_CLOEXEC);
	const struct made_stream *stream = &made.streams[0];

	ck_assert(packet && fd >= 0);
	make_packet_begin(packet, made_trace.uuid, stream->cpu, stream->seq + 1, stream->time,
			  4 * MADE_PACKET_BYTES);
	packet->header.stream_id = stream->stream_id;
	memcpy(packet->header.lost_by, stream->lost_by, sizeof(stream->lost_by));
	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		packet->header.lost += stream->lost_by[i];
	for (unsigned int i = 0; i < 100; i++)
		ck_assert(make_packet_pad(packet, stream->time + i, 16));
	make_packet_end(packet, stream->time + 1000);
	ck_assert_int_eq(write(fd, packet->bytes, packet->nr_bytes), (ssize_t)packet->nr_bytes);
	close(fd);
	free(packet);
	same_damaged(); /* the packet is reported and read */
}
END_TEST

START_TEST(what_is_no_stream_is_passed_over)
{
	const int fd = open("trace/other", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "something else", 14), 14);
	close(fd);
	ck_assert_int_eq(symlink("other", "trace/link"), 0);
	ck_assert_int_eq(mkfifo("trace/pipe", 0600), 0);
	same_damaged();
}
END_TEST

/* ---- running threads ---- */

#define INTEGER(field_name)                                                                        \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_INTEGER, .bits = 64, .is_signed = true     \
	}
#define TEXT(field_name)                                                                           \
	{                                                                                          \
		.name = (field_name), .kind = CTF_FIELD_TEXT, .bits = 8, .nr = 16                  \
	}
static const struct ctf_field switch_fields[] = {INTEGER("prev_tid"), TEXT("prev_comm"),
						 INTEGER("next_tid"), TEXT("next_comm")};
static const struct ctf_field exec_fields[] = {TEXT("filename"), INTEGER("tid")};
static const struct ctf_event who_events[] = {
	{.name = "sched_switch", .nr_fields = 4, .fields = switch_fields},
	{.name = "sched_process_exec", .nr_fields = 2, .fields = exec_fields},
	{.name = "other"},
	{.name = "syscall_entry_read"}};
static const struct ctf_trace who_trace = {.nr_events = 4, .events = who_events};
static const struct oprof_packet_header who_packets[2] = {{.cpu_id = 0}, {.cpu_id = 1}};

static struct ctf_value text(const char *of)
{
	return (struct ctf_value){.bytes = (const uint8_t *)of, .nr = (uint32_t)strlen(of)};
}

static struct ctf_record switch_record(unsigned int cpu, int prev, int next,
				       struct ctf_value values[4])
{
	values[0] = (struct ctf_value){.number = (uint64_t)prev};
	values[1] = text("prev");
	values[2] = (struct ctf_value){.number = (uint64_t)next};
	values[3] = text("next");
	return (struct ctf_record){
		.event = &who_events[0], .values = values, .packet = &who_packets[cpu]};
}

START_TEST(who_ran_first_is_told_by_the_first_switch_or_the_stretch_behind)
{
	struct ctf_value values[4], of_exec[] = {text("/bin/program"), {.number = 3}};
	struct ctf_record to_seven = switch_record(0, 3, 7, values);
	const struct ctf_record other[2] = {{.event = &who_events[2], .packet = &who_packets[0]},
					    {.event = &who_events[2], .packet = &who_packets[1]}};
	const struct ctf_record exec = {
		.event = &who_events[1], .values = of_exec, .packet = &who_packets[0]};

	ck_assert_int_eq(trace_who_create(&who, &who_trace), 0);
	/* The later stretch: CPU 0 first ran 3; nothing is known of CPU 1. */
	trace_who_begin_look(who);
	ck_assert_int_eq(trace_who_look(who, &other[0]), 0);
	ck_assert_int_eq(trace_who_look(who, &to_seven), 0);
	ck_assert_int_eq(trace_who_look(who, &other[1]), 0);
	trace_who_end_look(who);
	ck_assert_int_eq(trace_who_at(who, &other[0])->tid, 3);
	ck_assert_str_eq(trace_who_at(who, &other[0])->name, "prev");
	ck_assert_int_eq(trace_who_at(who, &to_seven)->tid, 3);
	ck_assert_int_eq(trace_who_at(who, &other[0])->tid, 7);
	ck_assert_int_eq(trace_who_at(who, &other[1])->tid, TRACE_WHO_UNKNOWN);
	/* The stretch before it has no switch: 3 always ran, at first with another program. */
	trace_who_begin_look(who);
	ck_assert_int_eq(trace_who_look(who, &exec), 0);
	trace_who_end_look(who);
	ck_assert_int_eq(trace_who_at(who, &other[0])->tid, 3);
	ck_assert_str_eq(trace_who_at(who, &other[0])->name, "");
	ck_assert_str_eq(trace_who_at(who, &exec)->name, "program");
}
END_TEST

/* Some kernels leave out switches. */
START_TEST(a_system_call_is_not_by_the_idle_thread)
{
	struct ctf_value values[4];
	const struct ctf_record to_idle = switch_record(0, 3, 0, values);
	const struct ctf_record other = {.event = &who_events[2], .packet = &who_packets[0]};
	const struct ctf_record call = {.event = &who_events[3], .packet = &who_packets[0]};

	ck_assert_int_eq(trace_who_create(&who, &who_trace), 0);
	ck_assert_int_eq(trace_who_at(who, &to_idle)->tid, 3);
	ck_assert_int_eq(trace_who_at(who, &other)->tid, 0);
	ck_assert_int_eq(trace_who_at(who, &call)->tid, TRACE_WHO_UNKNOWN);
	ck_assert_int_eq(trace_who_at(who, &other)->tid, TRACE_WHO_UNKNOWN);
}
END_TEST

START_TEST(who_runs_another_program_is_known_though_a_switch_was_not_told)
{
	const struct ctf_trace without = {.nr_events = 3, .events = who_events + 1};
	struct ctf_value values[4], of_exec[] = {text("/bin/program"), {.number = 9}};
	const struct ctf_record to_idle = switch_record(0, 3, 0, values);
	const struct ctf_record call = {.event = &who_events[3], .packet = &who_packets[0]};
	const struct ctf_record exec = {
		.event = &who_events[1], .values = of_exec, .packet = &who_packets[0]};

	ck_assert_int_eq(trace_who_create(&who, &who_trace), 0);
	ck_assert_int_eq(trace_who_at(who, &to_idle)->tid, 3);
	ck_assert_int_eq(trace_who_at(who, &exec)->tid, 9);
	ck_assert_int_eq(trace_who_at(who, &call)->tid, 9);
	ck_assert_str_eq(trace_who_at(who, &call)->name, "program");
	trace_who_destroy(who);
	/* In a trace without switches, another thread may run soon. */
	ck_assert_int_eq(trace_who_create(&who, &without), 0);
	ck_assert_int_eq(trace_who_at(who, &exec)->tid, TRACE_WHO_UNKNOWN);
	ck_assert_str_eq(trace_who_at(who, &call)->name, "program");
}
END_TEST

/* The kernel's name of a thread: 15 bytes of the file's last part. The event's text has no end
 * mark. */
START_TEST(a_name_is_the_last_part_of_the_file_and_no_byte_behind_it)
{
	static const struct {
		const char *bytes;
		uint32_t nr;
		const char *name;
	} cases[] = {
		{"/bin/programXXXXXXXXXXXX", 12, "program"},
		{"/bin/14_characters_X", 5 + 14, "14_characters_"},
		{"/bin/15_characters__X", 5 + 15, "15_characters__"},
		{"/bin/16_characters___X", 5 + 16, "16_characters__"},
		{"programXXX", 7, "program"},
		{"/bin/XXXXXXXXXXXXXXXX", 5, ""},
		{"XXXXXXXXXXXXXXXXXXXXX", 0, ""},
	};

	ck_assert_int_eq(trace_who_create(&who, &who_trace), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ctf_value values[] = {
			{.bytes = (const uint8_t *)cases[i].bytes, .nr = cases[i].nr},
			{.number = 3}};
		const struct ctf_record exec = {
			.event = &who_events[1], .values = values, .packet = &who_packets[0]};

		ck_assert_str_eq(trace_who_at(who, &exec)->name, cases[i].name);
	}
}
END_TEST

START_TEST(a_switch_tells_all_of_its_cpu_and_an_exec_does_not)
{
	const struct oprof_packet_header of_none = {.cpu_id = OPROF_PACKET_NO_CPU};
	const struct ctf_trace without = {.nr_events = 3, .events = who_events + 1};
	struct ctf_value values[4], of_exec[] = {text("/bin/program"), {.number = 3}};
	const struct ctf_record to_seven = switch_record(0, 3, 7, values);
	const struct ctf_record exec = {
		.event = &who_events[1], .values = of_exec, .packet = &who_packets[0]};
	const struct ctf_record other = {.event = &who_events[2], .packet = &of_none};
	struct ctf_known known;

	ck_assert_int_eq(trace_who_create(&who, &who_trace), 0);
	ck_assert(trace_who_known(who, &known));
	ck_assert(known.by(known.context, &to_seven));
	ck_assert(!known.by(known.context, &exec));
	ck_assert(known.by(known.context, &other));
	trace_who_destroy(who);
	/* In a trace without switches, the last exec on any CPU names the running program. */
	ck_assert_int_eq(trace_who_create(&who, &without), 0);
	ck_assert(!trace_who_known(who, &known));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_backwards");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, backwards_is_forwards_turned_round);
	tcase_add_test(tests, a_stretch_of_time_is_cut_to_the_tick);
	tcase_add_test(tests, the_newest_records_cost_a_few_packets);
	tcase_add_test(tests, a_damaged_header_costs_its_packet);
	tcase_add_test(tests, a_damaged_last_header_costs_its_packet);
	tcase_add_test(tests, a_file_that_is_cut_is_read_up_to_there);
	tcase_add_test(tests, times_that_go_back_do_not_make_it_read_for_ever);
	tcase_add_test(tests, packets_need_not_be_of_one_size);
	tcase_add_test(tests, what_is_no_stream_is_passed_over);
	tcase_add_test(tests, a_system_call_is_not_by_the_idle_thread);
	tcase_add_test(tests, who_runs_another_program_is_known_though_a_switch_was_not_told);
	tcase_add_test(tests, a_name_is_the_last_part_of_the_file_and_no_byte_behind_it);
	tcase_add_test(tests, a_switch_tells_all_of_its_cpu_and_an_exec_does_not);
	tcase_add_test(tests, who_ran_first_is_told_by_the_first_switch_or_the_stretch_behind);
	return test_run(tests);
}
