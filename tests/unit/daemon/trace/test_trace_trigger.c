// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_trigger.h"

#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define MS UINT64_C(1000000)

static const char common[] = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/* A record in the kernel's layout: the common fields, then the event's. */
struct record {
	uint16_t type;
	uint8_t flags, depth;
	int32_t tid;
	int64_t first; /* each event names its own fields here */
	int32_t second;
	char name[16];
};

static const struct {
	const char *system, *name, *fields;
} formats[] = {
	{"sched", "sched_switch",
	 "\tfield:long prev_pid;\toffset:8;\tsize:8;\tsigned:1;\n"
	 "\tfield:int next_pid;\toffset:16;\tsize:4;\tsigned:1;\n"},
	{"sched", "sched_wakeup", "\tfield:int pid;\toffset:16;\tsize:4;\tsigned:1;\n"},
	{"sched", "sched_wakeup_new", "\tfield:int pid;\toffset:16;\tsize:4;\tsigned:1;\n"},
	{"raw_syscalls", "sys_enter", "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"},
	{"raw_syscalls", "sys_exit", "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"},
	{"irq", "irq_handler_entry", "\tfield:int irq;\toffset:16;\tsize:4;\tsigned:1;\n"},
	{"irq", "irq_handler_exit", "\tfield:int irq;\toffset:16;\tsize:4;\tsigned:1;\n"},
	{"some", "thing",
	 "\tfield:long amount;\toffset:8;\tsize:8;\tsigned:1;\n"
	 "\tfield:int kind;\toffset:16;\tsize:4;\tsigned:0;\n"
	 "\tfield:char name[16];\toffset:20;\tsize:16;\tsigned:0;\n"},
};

static struct trace_trigger *trigger;
static struct diag diag;

static void setup(void)
{
	test_folder_setup();
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char path[128], text[2048];

		(void)snprintf(path, sizeof(path), "events/%s/%s/format", formats[i].system,
			       formats[i].name);
		(void)snprintf(text, sizeof(text),
			       "name: %s\nID: %zu\nformat:\n%s%s\nprint fmt: \"\"\n",
			       formats[i].name, i + 10, common, formats[i].fields);
		ck_assert_int_eq(file_make_parent_dirs(path, 0755), 0);
		ck_assert_int_eq(file_replace(path, text, strlen(text), 0644), 0);
	}
}

static void teardown(void)
{
	trace_trigger_destroy(trigger);
	trigger = NULL;
	test_folder_teardown();
}

static int create(const char *text)
{
	static const char *texts[1];

	trace_trigger_destroy(trigger);
	texts[0] = text;
	diag_clear(&diag);
	return trace_trigger_create(&trigger, texts, 1, ".", &diag);
}

static void begin(const char *text)
{
	ck_assert_msg(!create(text), "%s", diag_show(&diag));
}

static void note(const char *system, const char *name, unsigned int cpu, uint64_t time,
		 const struct record *record)
{
	const uint32_t event = trace_trigger_find(trigger, system, name);

	const struct trace_trigger_record told = {.event = event,
						  .cpu = cpu,
						  .tid = record->tid,
						  .time = time,
						  .bytes = (const uint8_t *)record,
						  .nr_bytes = sizeof(*record)};

	if (event != TRACE_TRIGGER_NONE)
		trace_trigger_note(trigger, &told);
}

static void wakeup(uint64_t time, int32_t tid)
{
	note("sched", "sched_wakeup", 1, time, &(struct record){.second = tid});
}

static void switch_to(uint64_t time, int32_t from, int32_t to)
{
	note("sched", "sched_switch", 0, time,
	     &(struct record){.tid = from, .first = from, .second = to});
}

static void call(bool ends, uint64_t time, int32_t tid, int64_t number)
{
	note("raw_syscalls", ends ? "sys_exit" : "sys_enter", 0, time,
	     &(struct record){.tid = tid, .first = number});
}

static bool is_true(void)
{
	return trace_trigger_decide(trigger, UINT64_MAX) != NULL;
}

START_TEST(a_thread_that_waited_too_long_to_run_is_found)
{
	begin("wakeup>10ms");
	wakeup(5 * MS, 7);
	switch_to(15 * MS, 1, 7);
	ck_assert(!is_true()); /* not longer than the limit */
	wakeup(20 * MS, 7);
	wakeup(21 * MS, 8);
	switch_to(29 * MS, 7, 8);
	ck_assert(!is_true());
	wakeup(40 * MS, 7);
	switch_to(51 * MS, 8, 7);
	ck_assert_str_eq(trace_trigger_decide(trigger, UINT64_MAX), "wakeup>10ms");
	ck_assert(!is_true());
}
END_TEST

START_TEST(one_that_was_running_when_it_was_woken_did_not_wait)
{
	begin("wakeup>10ms");
	wakeup(5 * MS, 7);
	switch_to(8 * MS, 7, 1);
	switch_to(50 * MS, 1, 7);
	ck_assert(!is_true());
}
END_TEST

/* The ring of the CPU that switches is read before that of the CPU that woke the thread. */
START_TEST(what_was_read_out_of_order_is_judged_in_order)
{
	begin("wakeup>10ms");
	switch_to(30 * MS, 1, 7);
	wakeup(10 * MS, 7);
	ck_assert(is_true());
	switch_to(60 * MS, 1, 7);
	switch_to(52 * MS, 7, 1);
	wakeup(40 * MS, 7);
	switch_to(41 * MS, 1, 7);
	ck_assert(!is_true());
}
END_TEST

START_TEST(nothing_is_judged_before_all_up_to_then_is_known)
{
	begin("wakeup>10ms");
	wakeup(10 * MS, 7);
	switch_to(30 * MS, 1, 7);
	ck_assert_ptr_null(trace_trigger_decide(trigger, 29 * MS));
	wakeup(25 * MS, 7); /* a later wakeup from another ring */
	ck_assert(!is_true());
}
END_TEST

START_TEST(a_call_that_took_too_long_is_found_by_its_thread_and_name)
{
	begin("syscall:getppid>1ms");
	call(false, 10 * MS, 5, SYS_getppid);
	call(false, 10 * MS, 6, SYS_getpid);
	call(true, 11 * MS, 5, SYS_getppid);
	call(true, 19 * MS, 6, SYS_getpid);
	ck_assert(!is_true());
	call(false, 20 * MS, 5, SYS_getppid);
	call(true, 22 * MS, 5, SYS_getppid);
	ck_assert(is_true());
	begin("syscall>1ms");
	call(true, 5 * MS, 6, SYS_getpid); /* its beginning was before the trace */
	ck_assert(!is_true());
	call(false, 10 * MS, 6, SYS_getpid);
	call(true, 19 * MS, 6, SYS_getpid);
	ck_assert(is_true());
}
END_TEST

START_TEST(a_new_thread_with_an_old_number_does_not_end_its_call)
{
	begin("syscall>1ms");
	call(false, 10 * MS, 5, SYS_exit);
	/* A new thread with that number returns from the call that created it. */
	call(true, 90 * MS, 5, SYS_clone);
	ck_assert(!is_true());
	call(true, 95 * MS, 5, SYS_exit);
	ck_assert(!is_true());
	begin("syscall:read>1ms");
	call(false, 10 * MS, 5, SYS_read); /* the thread is killed in it */
	call(true, 90 * MS, 5, SYS_clone);
	call(true, 95 * MS, 5, SYS_read);
	ck_assert(!is_true());
}
END_TEST

START_TEST(interrupts_of_one_number_on_two_cpus_are_two)
{
	const struct record irq = {.second = 30};

	begin("irq>1ms");
	note("irq", "irq_handler_entry", 0, 10 * MS, &irq);
	note("irq", "irq_handler_entry", 1, 19 * MS, &irq);
	note("irq", "irq_handler_exit", 1, 20 * MS, &irq);
	ck_assert(!is_true());
	note("irq", "irq_handler_exit", 0, 20 * MS, &irq);
	ck_assert(is_true());
}
END_TEST

START_TEST(any_two_events_make_a_span_by_thread_or_field)
{
	begin("some:thing..sched_switch>1us");
	note("some", "thing", 0, 1000, &(struct record){.tid = 4});
	switch_to(2500, 4, 1);
	ck_assert(is_true());
	begin("some:thing[kind]..sched:sched_switch[next_pid]>1us");
	note("some", "thing", 0, 1000, &(struct record){.tid = 4, .second = 9});
	switch_to(2500, 4, 8);
	ck_assert(!is_true());
	switch_to(2600, 4, 9);
	ck_assert(is_true());
	begin("some:thing..some:thing>2us");
	for (uint64_t time = 1000; time < 9000; time += 2000)
		note("some", "thing", 0, time, &(struct record){.tid = 4});
	ck_assert(!is_true());
	note("some", "thing", 0, 12000, &(struct record){.tid = 4});
	ck_assert(is_true());
}
END_TEST

START_TEST(a_field_is_compared)
{
	static const struct {
		const char *text;
		int64_t amount;
		bool is_true;
	} tests[] = {
		{"thing", 0, true},
		{"some:thing/amount == -5/", -5, true},
		{"some:thing/amount == -5/", 5, false},
		{"some:thing/amount != 5/", 5, false},
		{"some:thing/amount < -1/", -2, true},
		{"some:thing/amount < -1/", 2, false},
		{"some:thing/amount>=7/", 7, true},
		{"some:thing/amount > 7/", 7, false},
		{"some:thing/amount <= 7/", 7, true},
		{"some:thing/amount & 4/", 6, true},
		{"some:thing/amount & 4/", 3, false},
		{"some:thing/kind > 0x10/", 0, false},
		{"some:thing/name == \"a name\"/", 0, true},
		{"some:thing/name == a/", 0, false},
		{"some:thing/name != a/", 0, true},
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		begin(tests[i].text);
		note("some", "thing", 0, 1,
		     &(struct record){.first = tests[i].amount, .name = "a name"});
		ck_assert_msg(is_true() == tests[i].is_true, "%s of %ld", tests[i].text,
			      (long)tests[i].amount);
	}
}
END_TEST

START_TEST(what_is_no_condition_is_refused_with_its_reason)
{
	static const char *const bad[] = {
		"",
		"wakeup",
		"wakeup>",
		"wakeup>10",
		"wakeup>10h",
		"sleep>10ms",
		"syscall:no>1s",
		"..>1ms",
		"some:thing..>1s",
		"some:*",
		"thing/",
		"thing//",
		"thing/amount/",
		"thing/no == 1/",
		"thing/amount == x/",
		"no:event",
		"thing/name < a/",
		"thing[kind..thing>1s",
		"thing[name]..thing>1s",
		"wakeup>99999999999999999999s",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const int error = create(bad[i]);

		ck_assert_msg(error == -EINVAL || error == -ENOENT, "%s: %d", bad[i], error);
		ck_assert_ptr_null(trigger);
		ck_assert_msg(*diag_show(&diag), "%s", bad[i]);
	}
}
END_TEST

/* As in the module's records: the text may end without a NUL, where the record ends. */
START_TEST(a_text_that_is_the_rest_of_a_record_is_compared_to_its_end)
{
	static const struct ctf_field fields[] = {
		{.kind = CTF_FIELD_INTEGER, .name = "amount", .bits = 64},
		{.kind = CTF_FIELD_STRING, .name = "name"},
	};
	static const char bytes[] = "8 bytes.a name and what follows the record";
	static const struct {
		const char *text;
		size_t nr_bytes;
		bool is_true;
	} tests[] = {
		{"some:thing/name == \"a name\"/", 8 + 6, true},
		{"some:thing/name == \"a name\"/", 8 + 7, false},
		{"some:thing/name == \"a name\"/", 8 + 5, false},
		{"some:thing/name == \"a name\"/", 7, false},
		{"some:thing/name != \"a name\"/", 8 + 7, true},
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct trace_trigger_record told = {
			.time = 1, .bytes = (const uint8_t *)bytes, .nr_bytes = tests[i].nr_bytes};

		begin(tests[i].text);
		told.event = trace_trigger_find(trigger, "some", "thing");
		ck_assert_int_eq(
			trace_trigger_lay_out(trigger, told.event, fields, 2, false, &diag), 0);
		trace_trigger_note(trigger, &told);
		ck_assert_msg(is_true() == tests[i].is_true, "case %zu", i);
	}
}
END_TEST

START_TEST(a_record_that_is_too_short_is_nobodys)
{
	static const char *const texts[] = {"wakeup>1ns", "syscall>1ns", "thing/name == a/",
					    "thing..thing>1ns"};
	const struct record record = {.name = "a"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *system, *name;

		begin(texts[i]);
		for (uint32_t event = 0; trace_trigger_event(trigger, event, &system, &name);
		     event++)
			for (size_t nr = 0; nr <= sizeof(record); nr++) {
				uint8_t *copy = malloc(nr ? nr : 1);

				ck_assert_ptr_nonnull(copy);
				memcpy(copy, &record, nr);
				trace_trigger_note(trigger,
						   &(struct trace_trigger_record){.event = event,
										  .time = nr,
										  .bytes = copy,
										  .nr_bytes = nr});
				free(copy);
			}
		(void)is_true();
	}
}
END_TEST

START_TEST(more_spans_than_there_is_room_for_find_the_latest_still)
{
	begin("syscall>1ms");
	for (int32_t tid = 1; tid < 1000000; tid++)
		call(false, (uint64_t)tid, tid, 1);
	ck_assert(!is_true());
	call(true, 10 * MS, 999999, 1);
	ck_assert(is_true());
	ck_assert_uint_eq(trace_trigger_lost(trigger), 0);
}
END_TEST

START_TEST(a_signal_is_a_condition_without_events)
{
	const char *system, *name;

	begin("signal");
	ck_assert_str_eq(trace_trigger_signal(trigger), "signal");
	ck_assert(!trace_trigger_event(trigger, 0, &system, &name));
	begin("wakeup>1s");
	ck_assert_ptr_null(trace_trigger_signal(trigger));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_trigger");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_thread_that_waited_too_long_to_run_is_found);
	tcase_add_test(tests, one_that_was_running_when_it_was_woken_did_not_wait);
	tcase_add_test(tests, what_was_read_out_of_order_is_judged_in_order);
	tcase_add_test(tests, nothing_is_judged_before_all_up_to_then_is_known);
	tcase_add_test(tests, a_call_that_took_too_long_is_found_by_its_thread_and_name);
	tcase_add_test(tests, a_new_thread_with_an_old_number_does_not_end_its_call);
	tcase_add_test(tests, interrupts_of_one_number_on_two_cpus_are_two);
	tcase_add_test(tests, any_two_events_make_a_span_by_thread_or_field);
	tcase_add_test(tests, a_field_is_compared);
	tcase_add_test(tests, a_text_that_is_the_rest_of_a_record_is_compared_to_its_end);
	tcase_add_test(tests, what_is_no_condition_is_refused_with_its_reason);
	tcase_add_test(tests, a_record_that_is_too_short_is_nobodys);
	tcase_add_test(tests, more_spans_than_there_is_room_for_find_the_latest_still);
	tcase_add_test(tests, a_signal_is_a_condition_without_events);
	return test_run(tests);
}
