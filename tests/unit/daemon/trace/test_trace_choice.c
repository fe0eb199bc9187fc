// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_choice.h"

#include "lib/file.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

static struct trace_choice choice;
static struct diag diag;

static void setup(void)
{
	static const char *const events[] = {"sched/sched_switch", "sched/sched_exit",
					     "kmem/kfree",	   "sched/sched_process_exec",
					     "kmem/kmalloc",	   "raw_syscalls/sys_enter",
					     "irq/softirq_entry"};

	test_folder_setup();
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), "events/%s/format", events[i]);
		ck_assert_int_eq(file_make_parent_dirs(path, 0755), 0);
		ck_assert_int_eq(file_replace(path, "", 0, 0644), 0);
	}
}

static void teardown(void)
{
	trace_choice_deinit(&choice);
	test_folder_teardown();
}

static int add(const char *text)
{
	diag_clear(&diag);
	return trace_choice_add(&choice, ".", text, &diag);
}

/* "kmem:kfree/bytes > 3/ ..." */
static const char *chosen(void)
{
	static char text[1024];

	*text = '\0';
	for (size_t i = 0; i < choice.nr_events; i++) {
		const struct trace_chosen *event = &choice.events[i];
		const size_t used = strlen(text);

		(void)snprintf(text + used, sizeof(text) - used, "%s%s:%s%s%s", i ? " " : "",
			       event->system, event->name, event->filter ? "/" : "",
			       event->filter ? event->filter : "");
	}
	return text;
}

START_TEST(words_and_patterns_choose_each_event_once)
{
	ck_assert_int_eq(add("kmem:*,sched_switch,kmem:kfree"), 0);
	ck_assert_str_eq(chosen(), "kmem:kfree kmem:kmalloc sched:sched_switch");
	ck_assert(!choice.all_syscalls);
	ck_assert_int_eq(add("sched:sched_exit"), 0);
	ck_assert_uint_eq(choice.nr_events, 4);
}
END_TEST

START_TEST(a_filter_belongs_to_its_word_commas_and_all)
{
	ck_assert_int_eq(add("kmem:kfree/a == 1 && b ~ \"x,y\"/,sched_exit"), 0);
	ck_assert_str_eq(chosen(), "kmem:kfree/a == 1 && b ~ \"x,y\" sched:sched_exit");
	ck_assert_int_eq(add("kmem:kfree/a == 1 && b ~ \"x,y\"/"), 0);
	ck_assert_int_eq(add("kmem:kfree/a == 2/"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "join them with ||"));
}
END_TEST

START_TEST(default_is_what_this_kernel_has_of_it)
{
	ck_assert_int_eq(add("default"), 0);
	ck_assert_str_eq(chosen(), "sched:sched_switch sched:sched_process_exec irq:softirq_entry");
	ck_assert(choice.all_syscalls);
}
END_TEST

START_TEST(system_calls_are_chosen_all_or_by_name)
{
	const char *filter = "";
	char expected[64];

	ck_assert(!trace_choice_has_syscalls(&choice, &filter));
	(void)snprintf(expected, sizeof(expected), "id == %d || id == %d", (int)SYS_getppid,
		       (int)SYS_openat);
	ck_assert_int_eq(add("syscall:getppid,syscall:openat"), 0);
	ck_assert(trace_choice_has_syscalls(&choice, &filter));
	ck_assert_str_eq(filter, expected);
	ck_assert_uint_eq(choice.nr_events, 0);
	ck_assert_int_eq(add("syscalls"), 0);
	ck_assert(trace_choice_has_syscalls(&choice, &filter));
	ck_assert_ptr_null(filter);
	ck_assert_int_eq(add("syscall:no_such_call"), -ENOENT);
	ck_assert_int_eq(add("syscall:*"), 0);
}
END_TEST

START_TEST(a_system_call_chosen_as_a_tracepoint_is_told_how_to_choose_it)
{
	ck_assert_int_eq(add("raw_syscalls:sys_enter"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "syscall:NAME"));
	ck_assert_int_eq(add("raw_syscalls:sys_*/id == 1/"), -EINVAL);
	ck_assert(!choice.all_syscalls);
	ck_assert_int_eq(add("raw_syscalls:*"), 0);
	ck_assert(choice.all_syscalls);
}
END_TEST

START_TEST(samples_bring_what_tells_whose_they_are)
{
	ck_assert_int_eq(add("sample"), 0);
	ck_assert_uint_eq(choice.samples_hz, TRACE_CHOICE_HZ);
	ck_assert_str_eq(chosen(), "sched:sched_process_exec");
	ck_assert_int_eq(add("sample:97"), -EINVAL);
	trace_choice_deinit(&choice);
	ck_assert_int_eq(add("sched_process_exec/pid == 1/,sample:97"), 0);
	ck_assert_uint_eq(choice.samples_hz, 97);
	ck_assert_str_eq(chosen(), "sched:sched_process_exec/pid == 1");
	ck_assert_int_eq(add("sample:0"), -EINVAL);
	ck_assert_int_eq(add("sample:often"), -EINVAL);
	ck_assert_int_eq(add("sample/pid == 1/"), -EINVAL);
	ck_assert_int_eq(add("sampler"), -ENOENT);
}
END_TEST

START_TEST(a_filter_may_hold_slashes)
{
	ck_assert_int_eq(add("kmem:kfree/name ~ \"/usr/bin/*\"/,sched_exit,kmem:kmalloc/b == 1/"),
			 0);
	ck_assert_str_eq(chosen(), "kmem:kfree/name ~ \"/usr/bin/*\" sched:sched_exit "
				   "kmem:kmalloc/b == 1");
}
END_TEST

START_TEST(what_is_no_event_is_refused)
{
	ck_assert_int_eq(add("nothing:here"), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag_show(&diag), "no event nothing:here"));
	ck_assert_int_eq(add("sched_switch,,kfree"), -EINVAL);
	ck_assert_int_eq(add(""), -EINVAL);
	ck_assert_int_eq(add("kfree/"), -EINVAL);
	ck_assert_int_eq(add("kfree/a == 1"), -EINVAL);
	ck_assert_int_eq(add("/a == 1/"), -EINVAL);
	ck_assert_int_eq(add("default/a == 1/"), -EINVAL);
}
END_TEST

START_TEST(without_memory_for_any_of_an_events_names_none_is_promised)
{
	int has_failed = 1;
	unsigned long nth;

	for (nth = 1; has_failed; nth++) {
		int error;

		failing_begin(FAILING_MEMORY, nth, 0);
		error = add("kmem:kfree/a == 1/,sched_exit");
		has_failed = failing_end();
		ck_assert_int_eq(error, has_failed ? -ENOMEM : 0);
		if (has_failed)
			ck_assert_ptr_nonnull(strstr(diag_show(&diag), "out of memory"));
		else
			ck_assert_str_eq(chosen(), "kmem:kfree/a == 1 sched:sched_exit");
		trace_choice_deinit(&choice);
	}
	ck_assert_uint_gt(nth, 8); /* the text, the array, two names and a filter, two names */
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("trace_choice");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, words_and_patterns_choose_each_event_once);
	tcase_add_test(tests, a_filter_belongs_to_its_word_commas_and_all);
	tcase_add_test(tests, default_is_what_this_kernel_has_of_it);
	tcase_add_test(tests, system_calls_are_chosen_all_or_by_name);
	tcase_add_test(tests, a_system_call_chosen_as_a_tracepoint_is_told_how_to_choose_it);
	tcase_add_test(tests, samples_bring_what_tells_whose_they_are);
	tcase_add_test(tests, a_filter_may_hold_slashes);
	tcase_add_test(tests, what_is_no_event_is_refused);
	tcase_add_test(tests, without_memory_for_any_of_an_events_names_none_is_promised);
	return test_run(tests);
}
