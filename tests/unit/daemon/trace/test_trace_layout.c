// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_layout.h"

#include "ctf/reader.h"
#include "ctf/writer.h"
#include "events/tracefs.h"
#include "tests/fixture/make_packet.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(declaration, offset, size, is_signed)                                                \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

static struct diag diag;
static struct trace_layout layout;

static void make(const char *system, const char *name, const char *fields)
{
	struct tracepoint *tracepoint;
	char text[4096];

	(void)snprintf(text, sizeof(text), "name: %s\nID: 7\nformat:\n%s\nprint fmt: \"\"\n", name,
		       fields);
	ck_assert_msg(!tracepoint_parse(&tracepoint, system, "format", text, &diag), "%s",
		      diag_show(&diag));
	ck_assert_msg(!trace_layout_init(&layout, tracepoint, 3, 0, &diag), "%s", diag_show(&diag));
}

static const char *name_of(const char *system, const char *name)
{
	static char copy[128];

	make(system, name, "");
	(void)snprintf(copy, sizeof(copy), "%s", layout.event.name);
	trace_layout_deinit(&layout);
	return copy;
}

START_TEST(events_have_the_names_that_readers_know)
{
	ck_assert_str_eq(name_of("sched", "sched_switch"), "sched_switch");
	ck_assert_str_eq(name_of("irq", "irq_handler_entry"), "irq_handler_entry");
	ck_assert_str_eq(name_of("irq", "softirq_entry"), "irq_softirq_entry");
	ck_assert_str_eq(name_of("timer", "hrtimer_start"), "timer_hrtimer_start");
	ck_assert_str_eq(name_of("power", "cpu_idle"), "power_cpu_idle");
	ck_assert_str_eq(name_of("net", "network"), "net_network");
	ck_assert_str_eq(name_of("net", "net"), "net_net");
	ck_assert_str_eq(name_of("exceptions", "page_fault_user"),
			 "x86_exceptions_page_fault_user");
	ck_assert_str_eq(name_of("net", "netif_receive_skb"), "net_if_receive_skb");
}
END_TEST

START_TEST(threads_are_called_so_where_the_kernel_says_pid)
{
	make("sched", "sched_switch",
	     FIELD("pid_t prev_pid", 8, 4, 1) FIELD("pid_t pid", 12, 4, 1)
		     FIELD("int rapid", 16, 4, 1) FIELD("char tpid[8]", 20, 8, 0));
	ck_assert_str_eq(layout.fields[0].name, "prev_tid");
	ck_assert_str_eq(layout.fields[1].name, "tid");
	ck_assert_str_eq(layout.fields[2].name, "rapid");
	ck_assert_str_eq(layout.fields[3].name, "tpid");
	trace_layout_deinit(&layout);
	make("filelock", "locks_get_lock_context", FIELD("pid_t pid", 8, 4, 1));
	ck_assert_str_eq(layout.fields[0].name, "pid");
	trace_layout_deinit(&layout);
}
END_TEST

START_TEST(neighbours_are_copied_at_once)
{
	make("sched", "sched_switch",
	     FIELD("char prev_comm[16]", 8, 16, 0) FIELD("pid_t prev_pid", 24, 4, 1)
		     FIELD("int prev_prio", 28, 4, 1) FIELD("long prev_state", 32, 8, 1)
			     FIELD("u64 far", 48, 8, 0));
	ck_assert_uint_eq(layout.nr_copies, 2);
	ck_assert_uint_eq(layout.copies[0].nr_bytes, 32);
	trace_layout_deinit(&layout);
}
END_TEST

/* ---- a record written to a trace and read back ---- */

static struct make_packet packet;

static void write_trace(const uint8_t *record, size_t nr_bytes)
{
	static const uint32_t streams[] = {0};
	const struct ctf_trace trace = {
		.uuid = {1, 2, 3},
		.clock = {.name = "monotonic", .description = "", .freq_hz = 1000000000},
		.nr_streams = 1,
		.streams = streams,
		.nr_events = 1,
		.events = &layout.event};
	const int64_t nr_payload = trace_layout_bytes(&layout, record, nr_bytes);
	struct ctf_writer *writer;
	uint8_t payload[8192];
	unsigned int file;

	ck_assert_int_ge(nr_payload, 0);
	ck_assert_int_le(nr_payload, sizeof(payload) - 1);
	payload[nr_payload] = 0x5a;
	trace_layout_write(&layout, record, nr_bytes, payload);
	ck_assert_uint_eq(payload[nr_payload], 0x5a);
	ck_assert_msg(!ctf_writer_open(&writer, "trace", &trace, &diag), "%s", diag_show(&diag));
	ck_assert_int_eq(ctf_writer_add_file(writer, "channel_0", 0, &file, &diag), 0);
	make_packet_begin(&packet, trace.uuid, 0, 0, 1000, 16384);
	ck_assert(make_packet_add(&packet, 3, 1001, 1, payload, (size_t)nr_payload));
	make_packet_end(&packet, 1002);
	ck_assert_msg(!ctf_writer_append(writer, file, packet.bytes, packet.nr_bytes, &diag), "%s",
		      diag_show(&diag));
	ck_assert_int_eq(ctf_writer_close(writer, &diag), 0);
}

START_TEST(values_of_every_kind_come_through)
{
	uint8_t record[64] = {0};
	const uint32_t words[] = {40 | 6u << 16, 48 | 8u << 16};
	const int32_t tid = -5;
	const uint16_t list[] = {1, 2, 65535, 4};
	struct ctf_reader *reader;
	struct ctf_record got;

	make("sched", "sched_all",
	     FIELD("char comm[8]", 8, 8, 0) FIELD("__data_loc char[] file", 16, 4, 0)
		     FIELD("pid_t pid", 24, 4, 1) FIELD("__data_loc u16[] list", 20, 4, 0)
			     FIELD("u8 mac[6]", 28, 6, 0) FIELD("void * at", 8, 8, 0));
	memcpy(record + 8, "program", 8);
	memcpy(record + 16, words, sizeof(words));
	memcpy(record + 24, &tid, sizeof(tid));
	memcpy(record + 28, "\1\2\3\4\5\377", 6);
	memcpy(record + 40, "/a/b\0x", 6);
	memcpy(record + 48, list, sizeof(list));
	write_trace(record, sizeof(record));
	ck_assert_int_eq(ctf_reader_open(&reader, "trace", &diag), 0);
	ck_assert_int_eq(ctf_reader_next(reader, &got, &diag), 1);
	ck_assert_str_eq(got.event->name, "sched_all");
	ck_assert_uint_eq(got.time, 1001);
	ck_assert(!memcmp(got.values[0].bytes, "program", 7));
	ck_assert_uint_eq(got.values[1].nr, 4);
	ck_assert(!memcmp(got.values[1].bytes, "/a/b", 4));
	ck_assert_int_eq((int64_t)got.values[2].number, -5);
	ck_assert_uint_eq(got.values[3].nr, 4);
	ck_assert_uint_eq(ctf_value_element(&got.event->fields[3], &got.values[3], 2), 65535);
	ck_assert_uint_eq(ctf_value_element(&got.event->fields[4], &got.values[4], 5), 255);
	ck_assert(!memcmp(&got.values[5].number, "program", 8));
	ck_assert_int_eq(ctf_reader_next(reader, &got, &diag), 0);
	ctf_reader_close(reader);
	trace_layout_deinit(&layout);
}
END_TEST

START_TEST(a_record_shorter_than_its_tracepoint_says_is_refused)
{
	uint8_t record[64] = {0};
	const uint32_t word = 40 | 30u << 16;

	make("sched", "sched_x", FIELD("int a", 8, 4, 1) FIELD("__data_loc char[] file", 16, 4, 0));
	memcpy(record + 16, &word, sizeof(word));
	ck_assert_int_eq(trace_layout_bytes(&layout, record, 64), -EBADMSG);
	ck_assert_int_eq(trace_layout_bytes(&layout, record, 18), -EBADMSG);
	ck_assert_int_eq(trace_layout_bytes(&layout, record, 10), -EBADMSG);
	ck_assert_int_eq(trace_layout_bytes(&layout, record, 0), -EBADMSG);
	trace_layout_deinit(&layout);
}
END_TEST

START_TEST(a_value_of_many_bytes_is_cut)
{
	static uint8_t record[20 + 60000];
	const uint32_t word = 20 | 60000u << 16;

	make("sched", "sched_x", FIELD("__data_loc u8[] all", 16, 4, 0));
	memset(record, 0x11, sizeof(record));
	memcpy(record + 16, &word, sizeof(word));
	ck_assert_int_eq(trace_layout_bytes(&layout, record, sizeof(record)),
			 TRACE_ELSEWHERE_BYTES_MAX + 2);
	write_trace(record, sizeof(record));
	trace_layout_deinit(&layout);
}
END_TEST

/* ---- events of the running kernel ---- */

static struct trace_layout all[8192];
static struct ctf_event events[8192];
static unsigned int nr_all;

static int add_real(const char *system, const char *name, void *context)
{
	struct tracepoint *tracepoint;

	ck_assert_int_eq(tracepoint_read(&tracepoint, context, system, name, &diag), 0);
	ck_assert_msg(!trace_layout_init(&all[nr_all], tracepoint, nr_all + 32, 0, &diag), "%s",
		      diag_show(&diag));
	events[nr_all] = all[nr_all].event;
	return ++nr_all == sizeof(all) / sizeof(all[0]);
}

START_TEST(all_events_of_the_kernel_that_runs_fit_into_one_trace)
{
	static const uint32_t streams[] = {0};
	struct ctf_trace trace = {
		.clock = {.name = "monotonic", .description = "", .freq_hz = 1000000000},
		.nr_streams = 1,
		.streams = streams,
		.events = events};
	char *folder;

	if (tracefs_find("", &folder, &diag))
		return; /* not permitted to this user */
	ck_assert_int_ge(tracepoint_list(folder, "*:*", add_real, folder, &diag), 0);
	trace.nr_events = nr_all;
	ck_assert_msg(!ctf_trace_check(&trace, &diag), "%s", diag_show(&diag));
	while (nr_all)
		trace_layout_deinit(&all[--nr_all]);
	free(folder);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_layout");

	tcase_add_checked_fixture(tests, test_folder_setup, test_folder_teardown);
	tcase_add_test(tests, events_have_the_names_that_readers_know);
	tcase_add_test(tests, threads_are_called_so_where_the_kernel_says_pid);
	tcase_add_test(tests, neighbours_are_copied_at_once);
	tcase_add_test(tests, values_of_every_kind_come_through);
	tcase_add_test(tests, a_record_shorter_than_its_tracepoint_says_is_refused);
	tcase_add_test(tests, a_value_of_many_bytes_is_cut);
	tcase_add_test(tests, all_events_of_the_kernel_that_runs_fit_into_one_trace);
	return test_run(tests);
}
