// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/ktrace_events.h"

#include "lib/file.h"
#include "oprof/kmod.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define STREAM 5

static struct trace_choice choice;
static struct ktrace_events events;
static struct oprof_ktrace_info info;
static struct diag diag;

/* ---- the module: the requests it receives, in order ---- */

#define NR_CALLS_MAX 64

static struct {
	unsigned long request;
	uint32_t id, number; /* event's id; its kind, tracepoint, or number of system calls */
	uint32_t nr_copies;
	uint32_t unknown_id;
	struct oprof_ktrace_compare compare;
	struct oprof_ktrace_samples samples;
	struct oprof_ktrace_copy copies[8];
	uint64_t wanted; /* how many of the first calls by number have an event */
} calls[NR_CALLS_MAX];
static unsigned int nr_calls;
static unsigned long refused; /* this request fails once, with refused_error */
static int refused_error;

static void take_named(const struct oprof_ktrace_named *named)
{
	calls[nr_calls].id = named->event_id;
	calls[nr_calls].number = named->tracepoint;
	calls[nr_calls].nr_copies = named->nr_copies;
	calls[nr_calls].compare = named->compare;
	ck_assert_uint_le(named->nr_copies, 8);
	memcpy(calls[nr_calls].copies, (const void *)(uintptr_t)named->copies,
	       named->nr_copies * sizeof(struct oprof_ktrace_copy));
}

static void take_calls(const struct oprof_ktrace_syscalls *of)
{
	static const struct oprof_ktrace_syscall nothing;
	const struct oprof_ktrace_syscall *told = (const void *)(uintptr_t)of->calls;

	calls[nr_calls].number = of->nr_calls;
	calls[nr_calls].unknown_id = of->unknown_entry_id;
	for (uint32_t i = 0; i < of->nr_calls; i++)
		calls[nr_calls].wanted += memcmp(&told[i], &nothing, sizeof(nothing)) != 0;
}

/* Replaces the library's function. */
int ioctl(int fd, unsigned long request, ...)
{
	const void *what;
	va_list more;

	va_start(more, request);
	what = va_arg(more, const void *);
	va_end(more);
	ck_assert_int_eq(fd, -7);
	ck_assert_uint_lt(nr_calls, NR_CALLS_MAX);
	calls[nr_calls].request = request;
	if (request == OPROF_KTRACE_EVENT) {
		const struct oprof_ktrace_event *event = what;

		calls[nr_calls].id = event->event_id;
		calls[nr_calls].number = event->kind;
		calls[nr_calls].compare = event->compare;
	} else if (request == OPROF_KTRACE_NAMED) {
		take_named(what);
	} else if (request == OPROF_KTRACE_SYSCALLS) {
		take_calls(what);
	} else if (request == OPROF_KTRACE_SAMPLES) {
		calls[nr_calls].samples = *(const struct oprof_ktrace_samples *)what;
	}
	nr_calls++;
	if (request != refused)
		return 0;
	refused = 0;
	errno = refused_error;
	return -1;
}

/* ---- the kernel ---- */

static void describe(const char *name, unsigned int id, const char *fields)
{
	char path[128], text[2048];

	(void)snprintf(path, sizeof(path), "events/%s/format", name);
	(void)snprintf(text, sizeof(text), "name: %s\nID: %u\nformat:\n%s\nprint fmt: \"\"\n",
		       strchr(name, '/') + 1, id, fields);
	ck_assert_int_eq(file_make_parent_dirs(path, 0755), 0);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0644), 0);
}

static void setup(void)
{
	test_folder_setup();
	describe("sched/sched_switch", 11, "");
	describe("sched/sched_wakeup", 12, "");
	describe("kmem/kfree", 13,
		 "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
		 "\tfield:int order;\toffset:16;\tsize:4;\tsigned:1;\n"
		 "\tfield:__data_loc char[] name;\toffset:20;\tsize:4;\tsigned:0;\n");
	describe("raw_syscalls/sys_enter", 14, "");
	memset(calls, 0, sizeof(calls));
	nr_calls = 0;
	refused = 0;
	info = (struct oprof_ktrace_info){.kinds = ~UINT64_C(0), .syscalls = 1};
}

static void teardown(void)
{
	ktrace_events_deinit(&events);
	trace_choice_deinit(&choice);
	test_folder_teardown();
}

static int init(const char *words)
{
	ck_assert_msg(!trace_choice_add(&choice, ".", words, &diag), "%s", diag_show(&diag));
	diag_clear(&diag);
	return ktrace_events_init(&events, ".", &choice, &info, STREAM, &diag);
}

static int tell(void)
{
	const struct ktrace ktrace = {.fd = -7, .channel = {.channel = 1}};

	return ktrace_events_add(&events, &ktrace, &diag);
}

START_TEST(each_probe_of_the_module_is_found_by_its_tracepoint)
{
	for (unsigned int i = 0; i < OPROF_KTRACE_NR_KINDS; i++) {
		const struct ktrace_kind *kind = ktrace_kind(i);

		ck_assert_uint_eq(ktrace_kind_find(&info, kind->system, kind->tracepoint), i);
		info.kinds &= ~(UINT64_C(1) << i);
		ck_assert_uint_eq(ktrace_kind_find(&info, kind->system, kind->tracepoint),
				  OPROF_KTRACE_NR_KINDS);
		for (unsigned int j = 0; j < kind->nr_fields; j++)
			ck_assert_str_ne(kind->fields[j].name, "");
	}
	info.kinds = ~UINT64_C(0);
	ck_assert_uint_eq(ktrace_kind_find(&info, "kmem", "kfree"), OPROF_KTRACE_NR_KINDS);
	ck_assert_uint_eq(ktrace_kind_find(&info, "irq", "sched_switch"), OPROF_KTRACE_NR_KINDS);
}
END_TEST

START_TEST(what_has_a_probe_goes_by_it_and_all_else_by_the_kernels_tracepoint)
{
	ck_assert_int_eq(init("kmem:kfree,sched_switch"), 0);
	ck_assert_uint_eq(events.nr_chosen, 2);
	ck_assert_int_eq(tell(), 0);
	ck_assert_uint_eq(nr_calls, 2);
	ck_assert_uint_eq(calls[0].request, OPROF_KTRACE_NAMED);
	ck_assert_uint_eq(calls[0].number, 13);
	ck_assert_uint_eq(calls[0].id, 0);
	ck_assert_uint_eq(calls[0].nr_copies, 2);
	ck_assert_int_eq(calls[0].copies[0].kind, OPROF_KTRACE_COPY_STRETCH);
	ck_assert_uint_eq(calls[0].copies[0].offset, 8);
	ck_assert_uint_eq(calls[0].copies[0].bytes, 12);
	ck_assert_int_eq(calls[0].copies[1].kind, OPROF_KTRACE_COPY_STRING);
	ck_assert_uint_eq(calls[0].copies[1].offset, 20);
	ck_assert_uint_eq(calls[1].request, OPROF_KTRACE_EVENT);
	ck_assert_uint_eq(calls[1].number, OPROF_KTRACE_SCHED_SWITCH);
	ck_assert_uint_eq(calls[1].id, 1);
}
END_TEST

START_TEST(a_probe_that_the_kernel_lacks_goes_by_its_tracepoint)
{
	info.kinds = ~(UINT64_C(1) << OPROF_KTRACE_SCHED_SWITCH);
	ck_assert_int_eq(init("sched_switch,sched_wakeup"), 0);
	ck_assert_int_eq(tell(), 0);
	ck_assert_uint_eq(calls[0].request, OPROF_KTRACE_NAMED);
	ck_assert_uint_eq(calls[0].number, 11);
	ck_assert_uint_eq(calls[1].request, OPROF_KTRACE_EVENT);
	ck_assert_uint_eq(calls[1].number, OPROF_KTRACE_SCHED_WAKEUP);
	ck_assert_str_eq(events.events[0].name, "sched_switch"); /* in either order */
	ck_assert_str_eq(events.events[1].name, "sched_wakeup");
}
END_TEST

START_TEST(all_that_a_trace_may_hold_is_described_once_by_number)
{
	ck_assert_int_eq(init("sched_switch,kmem:kfree,sample:99,syscalls"), 0);
	ck_assert_uint_gt(events.nr_events, events.nr_chosen);
	for (unsigned int i = 0; i < events.nr_events; i++) {
		ck_assert_uint_eq(events.events[i].stream_id, STREAM);
		for (unsigned int j = 0; j < i; j++)
			ck_assert_uint_ne(events.events[i].id, events.events[j].id);
	}
	ck_assert_uint_gt(events.state_id, OPROF_EVENT_ESCAPE);
}
END_TEST

START_TEST(comparisons_are_of_the_field_as_the_record_has_it)
{
	ck_assert_int_eq(init("sched_switch/prev_pid != 0/,kmem:kfree/order <= -3/"), 0);
	ck_assert_int_eq(tell(), 0);
	/* After prev_comm, which has 16 bytes. */
	ck_assert_int_eq(calls[0].compare.op, OPROF_KTRACE_NE);
	ck_assert_uint_eq(calls[0].compare.offset, 16);
	ck_assert_uint_eq(calls[0].compare.bytes, 4);
	ck_assert(calls[0].compare.is_signed && !calls[0].compare.value);
	/* The offset is in the kernel's own record. */
	ck_assert_int_eq(calls[1].compare.op, OPROF_KTRACE_LE);
	ck_assert_uint_eq(calls[1].compare.offset, 16);
	ck_assert_uint_eq(calls[1].compare.value, (uint64_t)-3);
}
END_TEST

START_TEST(filters_that_the_module_does_not_have_are_refused)
{
	static const char *const words[] = {"sched_switch/prev_pid == 1 || prev_pid == 2/",
					    "sched_switch/nothing == 1/",
					    "sched_switch/prev_comm == 1/",
					    "sched_switch/prev_pid ~ 1/",
					    "sched_switch/prev_pid == x/",
					    "kmem:kfree/name == 1/"};

	ck_assert_int_eq(init(words[_i]), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "--source=perf"));
	ck_assert_ptr_null(events.chosen);
}
END_TEST

START_TEST(system_calls_are_all_or_those_that_are_named)
{
	ck_assert_int_eq(init("syscall:getppid,syscall:openat"), 0);
	ck_assert_int_eq(tell(), 0);
	ck_assert_uint_eq(nr_calls, 1);
	ck_assert_uint_eq(calls[0].request, OPROF_KTRACE_SYSCALLS);
	ck_assert_uint_eq(calls[0].wanted, 2);
	ck_assert_uint_eq(calls[0].unknown_id, OPROF_KTRACE_NO_EVENT);
	ktrace_events_deinit(&events);
	ck_assert_int_eq(init("syscalls"), 0);
	ck_assert_int_eq(tell(), 0);
	ck_assert_uint_gt(calls[1].wanted, 100);
	ck_assert_uint_ne(calls[1].unknown_id, OPROF_KTRACE_NO_EVENT);
}
END_TEST

START_TEST(samples_are_of_cycles_or_where_there_are_none_of_the_clock)
{
	ck_assert_int_eq(init("sample:99"), 0);
	refused = OPROF_KTRACE_SAMPLES;
	refused_error = ENOENT;
	ck_assert_int_eq(tell(), 0);
	ck_assert_uint_ge(nr_calls, 2);
	ck_assert_uint_eq(calls[nr_calls - 2].samples.type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(calls[nr_calls - 2].samples.config, PERF_COUNT_HW_CPU_CYCLES);
	ck_assert_uint_eq(calls[nr_calls - 1].samples.type, OPROF_KMOD_TYPE_TIMER);
	ck_assert_uint_eq(calls[nr_calls - 1].samples.number, 99);
	ck_assert_uint_eq(calls[nr_calls - 1].samples.event_id, events.sample_id);
	/* Another error is not a reason to use the clock. */
	refused = OPROF_KTRACE_SAMPLES;
	refused_error = EBUSY;
	ck_assert_int_eq(tell(), -EBUSY);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "cannot sample"));
}
END_TEST

START_TEST(what_the_module_refuses_is_told_by_name)
{
	ck_assert_int_eq(init("sched_switch,kmem:kfree"), 0);
	refused = OPROF_KTRACE_NAMED;
	refused_error = EINVAL;
	ck_assert_int_eq(tell(), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "kmem:kfree"));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ktrace_events");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, each_probe_of_the_module_is_found_by_its_tracepoint);
	tcase_add_test(tests, what_has_a_probe_goes_by_it_and_all_else_by_the_kernels_tracepoint);
	tcase_add_test(tests, a_probe_that_the_kernel_lacks_goes_by_its_tracepoint);
	tcase_add_test(tests, all_that_a_trace_may_hold_is_described_once_by_number);
	tcase_add_test(tests, comparisons_are_of_the_field_as_the_record_has_it);
	tcase_add_loop_test(tests, filters_that_the_module_does_not_have_are_refused, 0, 6);
	tcase_add_test(tests, system_calls_are_all_or_those_that_are_named);
	tcase_add_test(tests, samples_are_of_cycles_or_where_there_are_none_of_the_clock);
	tcase_add_test(tests, what_the_module_refuses_is_told_by_name);
	return test_run(tests);
}
