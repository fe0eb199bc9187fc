// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_syscalls.h"

#include "daemon/trace/syscall_names.h"
#include "events/tracefs.h"
#include "lib/file.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static struct trace_syscalls *syscalls;
static struct diag diag;

static void describe(const char *call, const char *fields)
{
	char path[256], text[2048];

	(void)snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s", call);
	ck_assert_int_eq(file_make_dirs(path, 0755), 0);
	(void)strncat(path, "/format", sizeof(path) - strlen(path) - 1);
	(void)snprintf(
		text, sizeof(text),
		"name: sys_enter_%s\nID: 9\nformat:\n"
		"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n%s\nprint fmt: \"\"\n",
		call, fields);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0644), 0);
}

static const struct ctf_event *event_of(uint32_t id)
{
	for (unsigned int i = 0; i < trace_syscalls_nr_events(syscalls); i++)
		if (trace_syscalls_event(syscalls, i)->id == id)
			return trace_syscalls_event(syscalls, i);
	ck_abort_msg("no event %u", id);
	return NULL;
}

static void describe_all(void)
{
	describe("read", "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
			 "\tfield:char * buf;\toffset:24;\tsize:8;\tsigned:0;\n"
			 "\tfield:size_t count;\toffset:32;\tsize:8;\tsigned:0;\n");
	describe("getppid", "");
	describe("openat", "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
			   "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
			   "\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
			   "\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n");
	describe("symlinkat", "\tfield:const char * oldname;\toffset:16;\tsize:8;\tsigned:0;\n"
			      "\tfield:int newdfd;\toffset:24;\tsize:8;\tsigned:0;\n"
			      "\tfield:const char * newname;\toffset:32;\tsize:8;\tsigned:0;\n");
}

static void create(void)
{
	describe_all();
	ck_assert_msg(!trace_syscalls_create(&syscalls, ".", 100, 0, &diag), "%s",
		      diag_show(&diag));
}

START_TEST(calls_are_named_and_their_arguments_typed)
{
	uint32_t nr_bytes, id;
	const struct ctf_event *event;

	create();
	id = trace_syscalls_entry(syscalls, SYS_openat, &nr_bytes);
	event = event_of(id);
	ck_assert_str_eq(event->name, "syscall_entry_openat");
	ck_assert_uint_eq(nr_bytes, 4 + 8 + 4 + 2);
	ck_assert_uint_eq(event->nr_fields, 4);
	ck_assert_str_eq(event->fields[1].name, "filename");
	ck_assert_uint_eq(event->fields[1].base, 16);
	ck_assert_uint_eq(event->fields[0].bits, 32);
	ck_assert(event->fields[0].is_signed);
	event = event_of(trace_syscalls_exit(syscalls, SYS_openat, &nr_bytes));
	ck_assert_str_eq(event->name, "syscall_exit_openat");
	ck_assert_uint_eq(nr_bytes, 8);
	ck_assert_str_eq(event->fields[0].name, "ret");
	event = event_of(trace_syscalls_entry(syscalls, SYS_getppid, &nr_bytes));
	ck_assert_str_eq(event->name, "syscall_entry_getppid");
	ck_assert_uint_eq(nr_bytes, 0);
	trace_syscalls_destroy(syscalls);
}
END_TEST

START_TEST(the_module_copies_the_names_of_files)
{
	struct oprof_ktrace_syscall call;
	const struct ctf_event *event;
	uint32_t nr_bytes;

	create();
	trace_syscalls_take_strings(syscalls);
	ck_assert_uint_gt(trace_syscalls_nr_calls(syscalls), SYS_openat);
	trace_syscalls_fill(syscalls, SYS_openat, &call);
	ck_assert_uint_eq(call.is_known, 1);
	ck_assert_uint_eq(call.entry_id, trace_syscalls_entry(syscalls, SYS_openat, &nr_bytes));
	ck_assert_uint_eq(call.exit_id, call.entry_id + 1);
	ck_assert_uint_eq(call.strings, 2);
	ck_assert(call.arg_bytes[0] == 4 && !call.arg_bytes[1] && call.arg_bytes[2] == 4 &&
		  call.arg_bytes[3] == 2 && !call.arg_bytes[4]);
	event = event_of(call.entry_id);
	ck_assert_int_eq(event->fields[1].kind, CTF_FIELD_STRING);
	ck_assert_str_eq(event->fields[1].name, "filename");
	ck_assert_int_eq(event->fields[2].kind, CTF_FIELD_INTEGER);
	trace_syscalls_fill(syscalls, SYS_symlinkat, &call); /* the first and the third argument */
	ck_assert_uint_eq(call.strings, 1 | 4);
	ck_assert(!call.arg_bytes[0] && call.arg_bytes[1] == 4 && !call.arg_bytes[2]);
	event = event_of(call.entry_id);
	ck_assert_int_eq(event->fields[0].kind, CTF_FIELD_STRING);
	ck_assert_int_eq(event->fields[1].kind, CTF_FIELD_INTEGER);
	ck_assert_int_eq(event->fields[2].kind, CTF_FIELD_STRING);
	trace_syscalls_fill(syscalls, SYS_read, &call); /* its buffer is not text */
	ck_assert(!call.strings && call.arg_bytes[1] == 8);
	trace_syscalls_destroy(syscalls);
}
END_TEST

START_TEST(arguments_are_the_low_bytes_of_registers)
{
	const uint64_t args[TRACE_SYSCALL_NR_ARGS] = {0xffffffffffffff9cu, 0x7fff12345678u,
						      0xaaaaaaaa00000241u, 0xffff01a4u};
	uint8_t payload[18];
	uint64_t filename;
	uint32_t dfd, flags;
	uint16_t mode;
	int64_t ret;

	create();
	trace_syscalls_write_entry(syscalls, SYS_openat, args, payload);
	memcpy(&dfd, payload, 4);
	memcpy(&filename, payload + 4, 8);
	memcpy(&flags, payload + 12, 4);
	memcpy(&mode, payload + 16, 2);
	ck_assert_int_eq((int32_t)dfd, -100);
	ck_assert_uint_eq(filename, 0x7fff12345678u);
	ck_assert_uint_eq(flags, 0x241);
	ck_assert_uint_eq(mode, 0x01a4);
	trace_syscalls_write_exit(syscalls, SYS_openat, -2, payload);
	memcpy(&ret, payload, 8);
	ck_assert_int_eq(ret, -2);
	trace_syscalls_destroy(syscalls);
}
END_TEST

START_TEST(a_call_that_is_not_known_keeps_its_number_and_all_arguments)
{
	const int64_t numbers[] = {-1, 1 << 20};
	const uint64_t args[TRACE_SYSCALL_NR_ARGS] = {1, 2, 3, 4, 5, 6};
	uint8_t payload[56];
	uint32_t nr_bytes;
	int64_t number;

	create();
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		ck_assert_str_eq(
			event_of(trace_syscalls_entry(syscalls, numbers[i], &nr_bytes))->name,
			"syscall_entry_unknown");
		ck_assert_uint_eq(nr_bytes, sizeof(payload));
		trace_syscalls_write_entry(syscalls, numbers[i], args, payload);
		memcpy(&number, payload, 8);
		ck_assert_int_eq(number, numbers[i]);
		ck_assert(!memcmp(payload + 8, args, sizeof(args)));
		ck_assert_str_eq(
			event_of(trace_syscalls_exit(syscalls, numbers[i], &nr_bytes))->name,
			"syscall_exit_unknown");
		ck_assert_uint_eq(nr_bytes, 16);
	}
	trace_syscalls_destroy(syscalls);
}
END_TEST

START_TEST(a_call_that_the_kernel_does_not_describe_has_its_name_and_all_arguments)
{
	const uint64_t args[TRACE_SYSCALL_NR_ARGS] = {1, 2, 3, 4, 5, 6};
	uint8_t payload[48];
	uint32_t nr_bytes;
	const struct ctf_event *event;

	create();
	event = event_of(trace_syscalls_entry(syscalls, SYS_close, &nr_bytes));
	ck_assert_str_eq(event->name, "syscall_entry_close");
	ck_assert_uint_eq(nr_bytes, sizeof(payload));
	ck_assert_uint_eq(event->nr_fields, 1);
	ck_assert_uint_eq(event->fields[0].nr, TRACE_SYSCALL_NR_ARGS);
	trace_syscalls_write_entry(syscalls, SYS_close, args, payload);
	ck_assert(!memcmp(payload, args, sizeof(args)));
	trace_syscalls_destroy(syscalls);
}
END_TEST

START_TEST(calls_that_the_kernel_calls_otherwise_are_found)
{
	uint32_t nr_bytes;

	describe("newuname",
		 "\tfield:struct new_utsname * name;\toffset:16;\tsize:8;\tsigned:0;\n");
	create();
	ck_assert_str_eq(event_of(trace_syscalls_entry(syscalls, SYS_uname, &nr_bytes))->name,
			 "syscall_entry_newuname");
	ck_assert_uint_eq(nr_bytes, 8);
	trace_syscalls_destroy(syscalls);
}
END_TEST

/* Each of the first allocations fails, then some of the later ones. */
START_TEST(no_memory_is_an_error_and_leaves_nothing)
{
	bool failed = true;

	describe_all();
	for (unsigned long nth = 1; failed; nth += 1 + nth / 64) {
		int error;

		syscalls = (struct trace_syscalls *)&diag;
		diag_clear(&diag);
		failing_begin(FAILING_MEMORY, nth, 0);
		error = trace_syscalls_create(&syscalls, ".", 100, 0, &diag);
		failed = failing_end();
		ck_assert_msg(error == (failed ? -ENOMEM : 0), "allocation %lu: %d", nth, error);
		ck_assert_msg((syscalls == NULL) == failed, "allocation %lu", nth);
		ck_assert_str_eq(diag.text,
				 failed ? "out of memory for the system calls' names" : "");
		ck_assert(failed || nth > 64);
	}
	trace_syscalls_destroy(syscalls);
}
END_TEST

/* As if the kernel did not describe the call. */
START_TEST(a_description_that_cannot_be_opened_leaves_the_name_and_all_arguments)
{
	uint32_t nr_bytes;

	describe_all();
	failing_begin(FAILING_OPEN, 1, 1);
	ck_assert_int_eq(trace_syscalls_create(&syscalls, ".", 100, 0, &diag), 0);
	ck_assert(failing_end());
	ck_assert_str_eq(event_of(trace_syscalls_entry(syscalls, SYS_read, &nr_bytes))->name,
			 "syscall_entry_read");
	ck_assert_uint_eq(nr_bytes, 8 * TRACE_SYSCALL_NR_ARGS);
	trace_syscalls_destroy(syscalls);
}
END_TEST

START_TEST(numbers_are_those_of_this_architecture)
{
	ck_assert_str_eq(syscall_name(SYS_getppid), "getppid");
	ck_assert_str_eq(syscall_name(SYS_openat), "openat");
	ck_assert_ptr_null(syscall_name(syscall_names_nr()));
}
END_TEST

START_TEST(all_calls_of_the_kernel_that_runs_fit_into_a_trace)
{
	static const uint32_t streams[] = {0};
	struct ctf_trace trace = {
		.clock = {.name = "monotonic", .description = "", .freq_hz = 1000000000},
		.nr_streams = 1,
		.streams = streams};
	struct ctf_event *events;
	char *folder;

	if (tracefs_find("", &folder, &diag))
		return; /* not permitted to this user */
	ck_assert_int_eq(trace_syscalls_create(&syscalls, folder, 32, 0, &diag), 0);
	trace.nr_events = trace_syscalls_nr_events(syscalls);
	ck_assert_uint_gt(trace.nr_events, 400);
	events = calloc(trace.nr_events, sizeof(*events));
	for (unsigned int i = 0; i < trace.nr_events; i++)
		events[i] = *trace_syscalls_event(syscalls, i);
	trace.events = events;
	ck_assert_msg(!ctf_trace_check(&trace, &diag), "%s", diag_show(&diag));
	free(events);
	free(folder);
	trace_syscalls_destroy(syscalls);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_syscalls");

	tcase_add_checked_fixture(tests, test_folder_setup, test_folder_teardown);
	tcase_add_test(tests, calls_are_named_and_their_arguments_typed);
	tcase_add_test(tests, the_module_copies_the_names_of_files);
	tcase_add_test(tests, arguments_are_the_low_bytes_of_registers);
	tcase_add_test(tests, a_call_that_is_not_known_keeps_its_number_and_all_arguments);
	tcase_add_test(tests,
		       a_call_that_the_kernel_does_not_describe_has_its_name_and_all_arguments);
	tcase_add_test(tests, calls_that_the_kernel_calls_otherwise_are_found);
	tcase_add_test(tests, no_memory_is_an_error_and_leaves_nothing);
	tcase_add_test(tests,
		       a_description_that_cannot_be_opened_leaves_the_name_and_all_arguments);
	tcase_add_test(tests, numbers_are_those_of_this_architecture);
	tcase_add_test(tests, all_calls_of_the_kernel_that_runs_fit_into_a_trace);
	return test_run(tests);
}
