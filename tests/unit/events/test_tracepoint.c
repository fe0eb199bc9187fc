// SPDX-License-Identifier: GPL-2.0-or-later
#include "events/tracepoint.h"

#include "events/tracefs.h"
#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FORMAT(fields) "name: some\nID: 372\nformat:\n" COMMON fields "\nprint fmt: \"x\", REC->x\n"

static struct diag diag;
static struct tracepoint *tracepoint;

static int parse(const char *text)
{
	diag_clear(&diag);
	tracepoint_destroy(tracepoint);
	return tracepoint_parse(&tracepoint, "sched", "format", text, &diag);
}

static const struct tracepoint_field *field(const char *name)
{
	const struct tracepoint_field *found = tracepoint_find(tracepoint, name);

	ck_assert_msg(found != NULL, "no field %s", name);
	return found;
}

static void end(void)
{
	tracepoint_destroy(tracepoint);
	tracepoint = NULL;
}

static void parse_well(const char *text)
{
	const int error = parse(text);

	ck_assert_msg(!error, "%s", diag_show(&diag));
}

START_TEST(name_id_and_fields_are_found_and_common_ones_left_out)
{
	parse_well(FORMAT("\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			  "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"));
	ck_assert_str_eq(tracepoint->system, "sched");
	ck_assert_str_eq(tracepoint->name, "some");
	ck_assert_uint_eq(tracepoint->id, 372);
	ck_assert_uint_eq(tracepoint->nr_fields, 3);
	ck_assert_int_eq(field("prev_comm")->kind, TRACEPOINT_TEXT);
	ck_assert_uint_eq(field("prev_comm")->nr_elements, 16);
	ck_assert_int_eq(field("prev_pid")->kind, TRACEPOINT_INTEGER);
	ck_assert_uint_eq(field("prev_pid")->element_bytes, 4);
	ck_assert_uint_eq(field("prev_pid")->offset, 24);
	ck_assert(field("prev_pid")->is_signed);
	ck_assert_ptr_null(tracepoint_find(tracepoint, "common_pid"));
	end();
}
END_TEST

START_TEST(all_declarations_of_the_kernel_are_understood)
{
	parse_well(FORMAT("\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
			  "\tfield:__rel_loc u64[] addresses;\toffset:12;\tsize:4;\tsigned:0;\n"
			  "\tfield:const char * path;\toffset:16;\tsize:8;\tsigned:0;\n"
			  "\tfield:unsigned long args[6];\toffset:24;\tsize:48;\tsigned:0;\n"
			  "\tfield:char comm[TASK_COMM_LEN];\toffset:72;\tsize:16;\tsigned:0;\n"
			  "\tfield:struct timespec64 when;\toffset:88;\tsize:16;\tsigned:0;\n"
			  "\tfield:void *caller;\toffset:104;\tsize:8;\tsigned:0;\n"
			  "\tfield:unsigned char addr[6];\toffset:112;\tsize:6;\tsigned:0;\n"
			  "\tfield:u32 buf[];\toffset:118;\tsize:0;\tsigned:0;\n"));
	ck_assert_int_eq(field("name")->kind, TRACEPOINT_STRING);
	ck_assert(!field("name")->is_relative);
	ck_assert_int_eq(field("addresses")->kind, TRACEPOINT_SEQUENCE);
	ck_assert_uint_eq(field("addresses")->element_bytes, 8);
	ck_assert(field("addresses")->is_relative);
	ck_assert_int_eq(field("path")->kind, TRACEPOINT_INTEGER);
	ck_assert(field("path")->is_pointer);
	ck_assert_int_eq(field("args")->kind, TRACEPOINT_ARRAY);
	ck_assert_uint_eq(field("args")->nr_elements, 6);
	ck_assert_uint_eq(field("args")->element_bytes, 8);
	ck_assert_int_eq(field("comm")->kind, TRACEPOINT_TEXT);
	ck_assert_uint_eq(field("comm")->nr_elements, 16);
	ck_assert_int_eq(field("when")->kind, TRACEPOINT_ARRAY);
	ck_assert_uint_eq(field("when")->element_bytes, 1);
	ck_assert_uint_eq(field("when")->nr_elements, 16);
	ck_assert(field("caller")->is_pointer);
	ck_assert_str_eq(field("caller")->type, "void *");
	ck_assert_str_eq(field("path")->type, "const char *");
	ck_assert_str_eq(field("name")->type, "char");
	ck_assert_str_eq(field("args")->type, "unsigned long");
	ck_assert_uint_eq(field("addr")->nr_elements, 6);
	ck_assert_uint_eq(tracepoint->nr_fields_left_out, 1);
	end();
}
END_TEST

START_TEST(what_is_no_format_is_refused_with_its_line)
{
	static const struct {
		const char *text;
		unsigned int line;
	} bad[] = {
		{"", 0},
		{"name: x\nID: 1\n", 0},
		{"name: x\nID: -1\nformat:\n", 2},
		{"name: x\nnonsense\n", 2},
		{"name: x\nID: 1\nformat:\n\tfield:int x;\n", 4},
		{"name: x\nID: 1\nformat:\n\tfield:int x;\toffset:8;\tsize:4;\n", 4},
		{"name: x\nID: 1\nformat:\n\tfield:int x;\toffset:70000;\tsize:4;\tsigned:1;\n", 4},
		{"name: x\nID: 1\nformat:\n\tfield:x;\toffset:8;\tsize:4;\tsigned:1;\n", 4},
		{"name: x\nID: 1\nformat:\n\tfield:int 7;\toffset:8;\tsize:4;\tsigned:1;\n", 4},
		{"name: x\nID: 1\nformat:\n\tfield:int x];\toffset:8;\tsize:4;\tsigned:1;\n", 4},
		{"name: x\nID: 1\nformat:\n\tfield:__data_loc char[] x;\toffset:8;\tsize:8;"
		 "\tsigned:1;\n",
		 4},
		{"name: x\nID: 1\nformat:\n\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:int x;\toffset:12;\tsize:4;\tsigned:1;\n",
		 5},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(parse(bad[i].text), -EINVAL);
		ck_assert_ptr_null(tracepoint);
		ck_assert_msg(diag.line == bad[i].line, "%zu: %s", i, diag_show(&diag));
		ck_assert_str_eq(diag.file, "format");
	}
}
END_TEST

START_TEST(more_fields_than_any_tracepoint_has_are_refused)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *stream = open_memstream(&text, &nr_bytes);

	(void)fputs("name: x\nID: 1\nformat:\n", stream);
	for (unsigned int i = 0; i <= TRACEPOINT_NR_FIELDS_MAX; i++)
		(void)fprintf(stream, "\tfield:int x%u;\toffset:%u;\tsize:4;\tsigned:1;\n", i,
			      8 + 4 * i);
	(void)fclose(stream);
	ck_assert_int_eq(parse(text), -EINVAL);
	free(text);
}
END_TEST

/* ---- values ---- */

START_TEST(numbers_are_taken_from_where_they_lie)
{
	const uint8_t record[16] = {[8] = 0xfe, 0xff, 0xff, 0xff, 0x80, 0x01};
	const uint8_t *bytes;
	size_t nr_bytes;

	parse_well(FORMAT("\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
			  "\tfield:u8 b;\toffset:12;\tsize:1;\tsigned:0;\n"
			  "\tfield:s8 c;\toffset:12;\tsize:1;\tsigned:1;\n"
			  "\tfield:u64 d;\toffset:8;\tsize:8;\tsigned:0;\n"));
	ck_assert(tracepoint_value(field("a"), record, sizeof(record), &bytes, &nr_bytes));
	ck_assert_uint_eq(nr_bytes, 4);
	ck_assert_int_eq((int64_t)tracepoint_number(field("a"), bytes), -2);
	ck_assert(tracepoint_value(field("b"), record, sizeof(record), &bytes, &nr_bytes));
	ck_assert_uint_eq(tracepoint_number(field("b"), bytes), 0x80);
	ck_assert_int_eq((int64_t)tracepoint_number(field("c"), bytes), -0x80);
	ck_assert(tracepoint_value(field("d"), record, sizeof(record), &bytes, &nr_bytes));
	ck_assert_uint_eq(tracepoint_number(field("d"), bytes), 0x0180fffffffe);
	end();
}
END_TEST

START_TEST(strings_and_sequences_are_found_by_their_word)
{
	uint8_t record[40] = {0};
	const uint32_t words[] = {24 | 6u << 16, 4 | 12u << 16}; /* relative: from byte 16 */
	const uint8_t *bytes;
	size_t nr_bytes;

	parse_well(FORMAT("\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
			  "\tfield:__rel_loc u64[] list;\toffset:12;\tsize:4;\tsigned:0;\n"));
	memcpy(record + 8, words, sizeof(words));
	memcpy(record + 24, "abc\0x", 6);
	ck_assert(tracepoint_value(field("name"), record, sizeof(record), &bytes, &nr_bytes));
	ck_assert_uint_eq(nr_bytes, 3);
	ck_assert(!memcmp(bytes, "abc", 3));
	ck_assert(tracepoint_value(field("list"), record, sizeof(record), &bytes, &nr_bytes));
	ck_assert_ptr_eq(bytes, record + 20);
	ck_assert_uint_eq(nr_bytes, 8); /* the incomplete element at the end does not count */
	end();
}
END_TEST

START_TEST(a_value_beyond_the_record_is_not_there)
{
	uint8_t record[24] = {0};
	const uint32_t word = 20 | 5u << 16;
	const uint8_t *bytes;
	size_t nr_bytes;

	parse_well(FORMAT("\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
			  "\tfield:int a;\toffset:24;\tsize:4;\tsigned:0;\n"
			  "\tfield:char b[8];\toffset:17;\tsize:8;\tsigned:0;\n"));
	memcpy(record + 8, &word, sizeof(word));
	ck_assert(!tracepoint_value(field("name"), record, sizeof(record), &bytes, &nr_bytes));
	ck_assert(!tracepoint_value(field("name"), record, 11, &bytes, &nr_bytes));
	ck_assert(!tracepoint_value(field("a"), record, sizeof(record), &bytes, &nr_bytes));
	ck_assert(!tracepoint_value(field("b"), record, sizeof(record), &bytes, &nr_bytes));
	end();
}
END_TEST

/* ---- tracefs ---- */

static char *names;

static int note(const char *system, const char *name, void *context)
{
	char *more;

	(void)context;
	ck_assert_int_ge(asprintf(&more, "%s %s:%s", names ? names : "", system, name), 0);
	free(names);
	names = more;
	return 0;
}

static void make_event(const char *root, const char *system, const char *name)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/sys/kernel/tracing/events/%s/%s", root, system,
		       name);
	ck_assert_int_eq(file_make_dirs(path, 0755), 0);
	(void)strncat(path, "/format", sizeof(path) - strlen(path) - 1);
	ck_assert_int_eq(file_replace(path, FORMAT(""), strlen(FORMAT("")), 0644), 0);
}

static const char *listed(const char *folder, const char *pattern)
{
	free(names);
	names = NULL;
	ck_assert_int_eq(tracepoint_list(folder, pattern, note, NULL, &diag), 0);
	return names;
}

START_TEST(events_are_listed_in_order_by_pattern)
{
	char root[] = "/tmp/test_tracepoint.XXXXXX", *folder;

	ck_assert_ptr_nonnull(mkdtemp(root));
	ck_assert_int_eq(tracefs_find(root, &folder, &diag), -ENODEV);
	ck_assert_ptr_null(folder);
	make_event(root, "sched", "sched_switch");
	make_event(root, "sched", "sched_exit");
	make_event(root, "irq", "softirq_exit");
	make_event(root, "ftrace", "print");
	ck_assert_int_eq(tracefs_find(root, &folder, &diag), 0);
	ck_assert_str_eq(listed(folder, "*:*"),
			 " irq:softirq_exit sched:sched_exit sched:sched_switch");
	ck_assert_str_eq(listed(folder, "*_exit"), " irq:softirq_exit sched:sched_exit");
	ck_assert_str_eq(listed(folder, "sched:sched_s*"), " sched:sched_switch");
	ck_assert_int_eq(tracepoint_list(folder, "sched:nothing", note, NULL, &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "no event sched:nothing"));
	diag_set(&diag, 0, "none");
	ck_assert_int_eq(tracepoint_read(&tracepoint, folder, "sched", "nothing", &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "this kernel has no event sched:nothing"));
	ck_assert_int_eq(tracepoint_read(&tracepoint, folder, "irq", "softirq_exit", &diag), 0);
	ck_assert_str_eq(tracepoint->system, "irq");
	end();
	free(names);
	names = NULL;
	free(folder);
	ck_assert_int_eq(file_remove_tree(root), 0);
}
END_TEST

/* The linker redirects the calls of events/tracefs.c to these two (local.mk). */
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_mount(const char *source, const char *target, const char *type, unsigned long flags,
		 const void *data);

static const int *access_errors; /* of the next calls; 0: it exists; NULL: real calls */
static int mount_error;
static unsigned int nr_mounts;

int __wrap_access(const char *path, int mode)
{
	if (!access_errors)
		return __real_access(path, mode);
	errno = *access_errors++;
	return errno ? -1 : 0;
}

int __wrap_mount(const char *source, const char *target, const char *type, unsigned long flags,
		 const void *data)
{
	(void)source, (void)target, (void)type, (void)flags, (void)data;
	nr_mounts++;
	errno = mount_error;
	return mount_error ? -1 : 0;
}

/* Two paths are tried, and again after a successful mount. */
static const struct {
	int access_errors[4];
	unsigned int nr_mounts;
	int mount_error;
	int error;
	const char *remedy;
} tracefs_cases[] = {
	{{0}, 0, 0, 0, NULL},
	{{ENOENT, 0}, 0, 0, 0, NULL},
	{{EACCES, 0}, 0, 0, 0, NULL},
	{{EACCES, ENOENT}, 0, 0, -EACCES, "remount,mode=755"},
	{{ENOENT, EACCES}, 0, 0, -EACCES, "remount,mode=755"},
	{{ENOENT, ENOENT, 0}, 1, 0, 0, NULL},
	{{ENOENT, ENOENT, ENOENT, 0}, 1, 0, 0, NULL},
	{{ENOENT, ENOENT, EACCES, ENOENT}, 1, 0, -EACCES, "remount,mode=755"},
	{{ENOENT, ENOENT, ENOENT, ENOENT}, 1, 0, -ENOENT, "tracefs: "},
	{{ENOENT, ENOENT}, 1, ENODEV, -ENODEV, "CONFIG_TRACING"},
	{{ENOENT, ENOENT}, 1, ENOENT, -ENODEV, "CONFIG_TRACING"},
	{{ENOENT, ENOENT}, 1, EPERM, -EACCES, "sudo mount -t tracefs"},
	{{ENOENT, ENOENT}, 1, EBUSY, -EBUSY, "cannot be mounted at /sys/kernel/tracing: "},
};

START_TEST(without_tracefs_the_remedy_is_that_of_the_failure)
{
	char *folder;

	access_errors = tracefs_cases[_i].access_errors;
	mount_error = tracefs_cases[_i].mount_error;
	nr_mounts = 0;
	diag_clear(&diag);
	ck_assert_int_eq(tracefs_find("", &folder, &diag), tracefs_cases[_i].error);
	access_errors = NULL;
	ck_assert_uint_eq(nr_mounts, tracefs_cases[_i].nr_mounts);
	if (tracefs_cases[_i].remedy)
		ck_assert_ptr_nonnull(strstr(diag_show(&diag), tracefs_cases[_i].remedy));
	ck_assert(!folder == !!tracefs_cases[_i].error);
	free(folder);
}
END_TEST

static int parse_real(const char *system, const char *name, void *context)
{
	const int error = tracepoint_read(&tracepoint, context, system, name, &diag);

	ck_assert_msg(!error, "%s:%s: %s", system, name, diag_show(&diag));
	ck_assert_str_eq(tracepoint->name, name);
	ck_assert_uint_eq(tracepoint->nr_fields_left_out, 0);
	end();
	return 0;
}

START_TEST(every_event_of_the_kernel_that_runs_is_understood)
{
	char *folder;

	if (tracefs_find("", &folder, &diag))
		return; /* not allowed for this user */
	ck_assert_int_eq(tracepoint_list(folder, "*:*", parse_real, folder, &diag), 0);
	free(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracepoint");
	TCase *tests = tcase_create("tracepoint");

	tcase_add_test(tests, name_id_and_fields_are_found_and_common_ones_left_out);
	tcase_add_test(tests, all_declarations_of_the_kernel_are_understood);
	tcase_add_test(tests, what_is_no_format_is_refused_with_its_line);
	tcase_add_test(tests, more_fields_than_any_tracepoint_has_are_refused);
	tcase_add_test(tests, numbers_are_taken_from_where_they_lie);
	tcase_add_test(tests, strings_and_sequences_are_found_by_their_word);
	tcase_add_test(tests, a_value_beyond_the_record_is_not_there);
	tcase_add_test(tests, events_are_listed_in_order_by_pattern);
	tcase_add_loop_test(tests, without_tracefs_the_remedy_is_that_of_the_failure, 0,
			    sizeof(tracefs_cases) / sizeof(tracefs_cases[0]));
	tcase_add_test(tests, every_event_of_the_kernel_that_runs_is_understood);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
