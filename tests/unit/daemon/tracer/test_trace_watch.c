// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets as the module writes them; the module itself is not needed. */
#include "daemon/tracer/trace_watch_internal.h"

#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define MS UINT64_C(1000000)

enum { SWITCH, ENTER, EXIT, NR_EVENTS };

static struct ktrace_ring ring = {.fd = -1};
static struct watched_cpu cpu;
static struct trace_watch watch;
static struct diag diag;
static uint8_t packet[4096];
static size_t nr_bytes;

static void describe(const char *name, const char *fields)
{
	char path[128], text[512];

	(void)snprintf(path, sizeof(path), "events/raw_syscalls/%s/format", name);
	(void)snprintf(text, sizeof(text), "name: %s\nID: 7\nformat:\n%s\nprint fmt: \"\"\n", name,
		       fields);
	ck_assert_int_eq(file_make_parent_dirs(path, 0755), 0);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0644), 0);
}

static void setup(void)
{
	static const char id[] = "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n";
	const char *const texts[] = {"sys_enter..sys_exit>1ms"};

	test_folder_setup();
	describe("sys_enter", id);
	describe("sys_exit", id);
	watch = (struct trace_watch){.cpus = &cpu};
	watch.ktrace = (struct ktrace){.fd = -1, .rings = &ring};
	watch.ktrace.info =
		(struct oprof_ktrace_info){.freq_hz = 1000 * MS, .nr_cpus = 1, .syscalls = 1};
	cpu = (struct watched_cpu){.tid = TRACE_TRIGGER_NO_TID};
	ck_assert_msg(!trace_trigger_create(&watch.trigger, texts, 1, ".", &diag), "%s",
		      diag_show(&diag));
	trace_watch_add_kind(&watch, OPROF_KTRACE_SCHED_SWITCH, TRACE_TRIGGER_NONE);
	trace_watch_add_calls(&watch, false,
			      trace_trigger_find(watch.trigger, "raw_syscalls", "sys_enter"));
	trace_watch_add_calls(&watch, true,
			      trace_trigger_find(watch.trigger, "raw_syscalls", "sys_exit"));
	ck_assert_uint_eq(watch.nr_events, NR_EVENTS);
	ck_assert_int_eq(trace_watch_lay_out(&watch, false, &diag), 0);
	nr_bytes = sizeof(struct oprof_packet_header);
}

static void teardown(void)
{
	trace_trigger_destroy(watch.trigger);
	test_folder_teardown();
}

static void add(uint32_t id, uint64_t time, const void *payload, size_t nr)
{
	const uint32_t words[4] = {OPROF_EVENT_ESCAPE, id, (uint32_t)time, (uint32_t)(time >> 32)};

	nr_bytes = (nr_bytes + 3) & ~(size_t)3;
	memcpy(packet + nr_bytes, words, sizeof(words));
	memcpy(packet + nr_bytes + sizeof(words), payload, nr);
	nr_bytes += sizeof(words) + nr;
}

static void add_switch(uint64_t time, int32_t to)
{
	const struct oprof_ktrace_payload_sched_switch payload = {.f_next_tid = to};

	add(SWITCH, time, &payload, sizeof(payload));
}

static void add_enter(uint64_t time)
{
	add(ENTER, time, &(struct call_entry){.id = 3}, sizeof(struct call_entry));
}

static void add_exit(uint64_t time)
{
	add(EXIT, time, &(struct call_exit){.id = 3}, sizeof(struct call_exit));
}

/* Add a record with a compact header, which has the low bits of time. */
static void add_compact(uint32_t id, uint64_t time, const void *payload, size_t nr)
{
	const uint32_t word = id | (uint32_t)time << OPROF_RECORD_ID_BITS;

	nr_bytes = (nr_bytes + 3) & ~(size_t)3;
	memcpy(packet + nr_bytes, &word, sizeof(word));
	memcpy(packet + nr_bytes + sizeof(word), payload, nr);
	nr_bytes += sizeof(word) + nr;
}

static void take(const struct oprof_ktrace_packet *of, uint64_t lost)
{
	const struct oprof_packet_header header = {.content_bits = 8 * nr_bytes, .lost = lost};

	memcpy(packet, &header, sizeof(header));
	ring.map = packet;
	ring.map_bytes = sizeof(packet);
	trace_watch_take_packet(&watch, 0, of);
	nr_bytes = sizeof(header);
}

static void take_all(uint64_t lost)
{
	take(&(struct oprof_ktrace_packet){.bytes = sizeof(packet)}, lost);
}

static bool is_true(void)
{
	return trace_trigger_decide(watch.trigger, UINT64_MAX) != NULL;
}

START_TEST(a_call_is_of_who_was_switched_to)
{
	add_switch(1 * MS, 5);
	add_enter(2 * MS);
	take_all(0);
	add_exit(9 * MS);
	take_all(0);
	ck_assert(is_true());
}
END_TEST

/* The lost event is the switch from 5 to another thread, so the exit is the other thread's. */
START_TEST(behind_a_loss_at_a_packets_end_nobody_runs)
{
	add_switch(1 * MS, 5);
	add_enter(2 * MS);
	take_all(0);
	add_switch(3 * MS, 6);
	add_switch(4 * MS, 5);
	take_all(1);
	add_exit(9 * MS);
	take_all(1);
	ck_assert(!is_true());
}
END_TEST

START_TEST(a_switch_behind_the_loss_tells_who_runs)
{
	add_switch(1 * MS, 5);
	take_all(1);
	add_switch(2 * MS, 5);
	add_enter(3 * MS);
	add_exit(9 * MS);
	take_all(1);
	ck_assert(is_true());
}
END_TEST

#define WRAP (UINT64_C(1) << OPROF_RECORD_TIME_BITS) /* ns until a compact header's time wraps */

START_TEST(a_compact_header_has_the_next_time_with_its_low_bits)
{
	static const struct {
		uint64_t enter, exit;
		bool is_true; /* true if the call took more than 1 ms */
	} cases[] = {
		{2 * MS, 4 * MS, true},
		{2 * MS, 2 * MS, false}, /* the same time, not a wrap later */
		{WRAP - 1, WRAP, false},
		{WRAP - 1, WRAP - 1 + MS, false},
		{WRAP - 1, WRAP + MS, true},
		{2 * MS, WRAP + 2 * MS - 1, true},
	};
	const struct call_entry enter = {.id = 3};
	const struct call_exit exit = {.id = 3};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (i) {
			teardown();
			setup();
		}
		add_switch(1 * MS, 5);
		add_compact(ENTER, cases[i].enter, &enter, sizeof(enter));
		add_compact(EXIT, cases[i].exit, &exit, sizeof(exit));
		take_all(0);
		ck_assert_msg(is_true() == cases[i].is_true, "case %zu", i);
	}
}
END_TEST

/* No event is lost by this: the running thread stays known. */
START_TEST(a_packet_ends_where_a_header_does_not_fit)
{
	static const uint32_t words[4] = {OPROF_EVENT_ESCAPE, ENTER};
	static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 15};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (i) {
			teardown();
			setup();
		}
		add_switch(1 * MS, 5);
		add_enter(2 * MS);
		memcpy(packet + nr_bytes, words, sizes[i]);
		nr_bytes += sizes[i];
		take_all(0);
		add_exit(9 * MS);
		take_all(0);
		ck_assert_msg(is_true(), "%zu bytes", sizes[i]);
	}
}
END_TEST

/* Padding, also at the very end of a packet, and between two records. */
START_TEST(padding_is_skipped)
{
	const struct call_entry enter = {.id = 3};
	const struct call_exit exit = {.id = 3};

	add_switch(1 * MS, 5);
	add_compact(OPROF_EVENT_PADDING, 1 * MS, "abc", 4);
	add_compact(ENTER, 2 * MS, &enter, sizeof(enter));
	add_compact(OPROF_EVENT_PADDING, 2 * MS, "", 1);
	add_compact(OPROF_EVENT_PADDING_EMPTY, 2 * MS, "", 0);
	take_all(0);
	add_compact(EXIT, 9 * MS, &exit, sizeof(exit));
	take_all(0);
	ck_assert(is_true());
}
END_TEST

START_TEST(a_packet_that_is_not_in_its_mapping_is_ignored)
{
	for (int i = 0; i < 6; i++) {
		struct oprof_ktrace_packet of = {.bytes = sizeof(packet)};

		if (i) {
			teardown();
			setup();
		}
		add_switch(1 * MS, 5);
		add_enter(2 * MS);
		add_exit(9 * MS);
		if (i == 1)
			of.bytes = nr_bytes;
		else if (i == 2)
			of.bytes = nr_bytes - 1;
		else if (i == 3)
			of.bytes++;
		else if (i == 4)
			of.map_offset = 1;
		else if (i == 5)
			of = (struct oprof_ktrace_packet){.map_offset = sizeof(packet) + 1};
		take(&of, 0);
		ck_assert_msg(is_true() == (i < 2), "case %d", i);
	}
}
END_TEST

/* Records up to that place count; which thread runs after it is unknown. */
START_TEST(a_packet_is_left_where_it_is_not_as_the_module_writes_it)
{
	static const struct {
		uint32_t id;
		size_t nr;
		const char *what;
		bool is_compact;
	} cases[] = {
		{NR_EVENTS, 0, "no such event", false},
		{NR_EVENTS, 0, "no such event", true},
		{OPROF_EVENT_PADDING_EMPTY - 1, 4, "no such event", false},
		{OPROF_EVENT_PADDING, 0, "padding without its end", false},
		{OPROF_EVENT_PADDING, 3, "padding without its end", false},
		{ENTER, 0, "no payload", false},
		{ENTER, sizeof(struct call_entry) - 1, "a payload too short", false},
		{EXIT, sizeof(struct call_exit) - 1, "a payload too short", false},
	};
	static const uint8_t bytes[64] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (i) {
			teardown();
			setup();
		}
		add_switch(1 * MS, 5);
		add_enter(2 * MS);
		(cases[i].is_compact ? add_compact : add)(cases[i].id, 3 * MS, bytes, cases[i].nr);
		take_all(0);
		ck_assert_msg(cpu.tid == TRACE_TRIGGER_NO_TID, "%s", cases[i].what);
		add_switch(3 * MS, 5);
		add_exit(9 * MS);
		take_all(0);
		ck_assert_msg(is_true(), "%s", cases[i].what);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_watch");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_call_is_of_who_was_switched_to);
	tcase_add_test(tests, behind_a_loss_at_a_packets_end_nobody_runs);
	tcase_add_test(tests, a_switch_behind_the_loss_tells_who_runs);
	tcase_add_test(tests, a_compact_header_has_the_next_time_with_its_low_bits);
	tcase_add_test(tests, a_packet_ends_where_a_header_does_not_fit);
	tcase_add_test(tests, padding_is_skipped);
	tcase_add_test(tests, a_packet_is_left_where_it_is_not_as_the_module_writes_it);
	tcase_add_test(tests, a_packet_that_is_not_in_its_mapping_is_ignored);
	return test_run(tests);
}
