// SPDX-License-Identifier: GPL-2.0-or-later
/* The packets that the module would have written: its file is not needed for them. */
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

static void take_all(uint64_t lost)
{
	const struct oprof_packet_header header = {.content_bits = 8 * nr_bytes, .lost = lost};
	const struct oprof_ktrace_packet of = {.bytes = sizeof(packet)};

	memcpy(packet, &header, sizeof(header));
	ring.map = packet;
	ring.map_bytes = sizeof(packet);
	trace_watch_take_packet(&watch, 0, &of);
	nr_bytes = sizeof(header);
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

/* The switch from 5 to another thread is what was lost: the exit is the other's. */
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

int main(void)
{
	TCase *tests = tcase_create("trace_watch");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_call_is_of_who_was_switched_to);
	tcase_add_test(tests, behind_a_loss_at_a_packets_end_nobody_runs);
	tcase_add_test(tests, a_switch_behind_the_loss_tells_who_runs);
	return test_run(tests);
}
