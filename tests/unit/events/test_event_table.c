// SPDX-License-Identifier: GPL-2.0-or-later
#include "events/events.h"

#include "lib/file.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MASKS "name:zero type:mandatory default:0x0\n\t0x0 nothing\n"
#define LINE  "event:0x1 counters:any um:zero minimum:10 name:one : the first\n"

static char dir[64];
static struct event_table *table;
static struct diag diag;

static void set_up(void)
{
	(void)snprintf(dir, sizeof(dir), "/tmp/oprof-events-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	table = NULL;
	diag_clear(&diag);
}

static void tear_down(void)
{
	event_table_destroy(table);
	ck_assert_int_eq(file_remove_tree(dir), 0);
}

static void put(const char *cpu_type, const char *name, const char *text, size_t nr_bytes)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s/%s", dir, cpu_type, name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, text, nr_bytes, 0600), 0);
}

static void put_tables(const char *cpu_type, const char *events, const char *masks)
{
	put(cpu_type, "events", events, strlen(events));
	put(cpu_type, "unit_masks", masks, strlen(masks));
}

static void assert_shown(const char *end)
{
	const char *shown = diag_show(&diag);

	ck_assert_msg(strstr(shown, end) != NULL, "\"%s\" is not in \"%s\"", end, shown);
	ck_assert_msg(!strncmp(shown, dir, strlen(dir)), "no file in \"%s\"", shown);
}

START_TEST(the_projects_own_tables_load)
{
	const char *source = getenv("OPROF_TOP_SRCDIR");
	char path[512];
	const struct event *event;

	(void)snprintf(path, sizeof(path), "%s/events", source ? source : ".");
	ck_assert_msg(!event_table_load(&table, path, NULL, &diag), "%s", diag_show(&diag));
	event = event_table_find(table, "cpu-clock");
	ck_assert_ptr_nonnull(event);
	ck_assert_uint_eq(event->perf_type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(event->code, PERF_COUNT_SW_CPU_CLOCK);
	event = event_table_find(table, "branch-misses");
	ck_assert_ptr_nonnull(event);
	ck_assert_uint_eq(event->perf_type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(event->code, PERF_COUNT_HW_BRANCH_MISSES);
	event = event_table_find(table, "LLC-store-misses");
	ck_assert_ptr_nonnull(event);
	ck_assert_uint_eq(event->perf_type, PERF_TYPE_HW_CACHE);
	ck_assert_uint_eq(event->code, PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_WRITE << 8 |
					       PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	for (size_t i = 0; i < event_table_nr(table); i++)
		ck_assert_ptr_nonnull(event_table_get(table, i)->unit_mask);
}
END_TEST

START_TEST(a_table_gives_back_what_it_holds)
{
	const struct event *event;

	put_tables(
		"perf/cache",
		"# first\n\nevent:0x12 counters:0,3 um:m minimum:0x10 name:A-b_2 :  two words \n",
		"name:m type:bitmask default:on\n 0x1 extra: on first\n\t0x2 second one\n");
	ck_assert_int_eq(event_table_load(&table, dir, "perf/cache", &diag), 0);
	ck_assert_uint_eq(event_table_nr(table), 1);
	event = event_table_get(table, 0);
	ck_assert_ptr_eq(event, event_table_find(table, "A-b_2"));
	ck_assert_ptr_null(event_table_get(table, 1));
	ck_assert_str_eq(event->description, "two words");
	ck_assert_uint_eq(event->code, 0x12);
	ck_assert_uint_eq(event->counters, 9);
	ck_assert_uint_eq(event->min_period, 16);
	ck_assert_uint_eq(event->perf_type, PERF_TYPE_HW_CACHE);
	ck_assert_int_eq(event->unit_mask->type, UNIT_MASK_BITMASK);
	ck_assert_uint_eq(event->unit_mask->default_value, 1);
	ck_assert_uint_eq(event->unit_mask->nr_values, 2);
	ck_assert_str_eq(event->unit_mask->values[0].name, "on");
	ck_assert_str_eq(event->unit_mask->values[0].text, "first");
	ck_assert_ptr_null(event->unit_mask->values[1].name);
	ck_assert_str_eq(event->unit_mask->values[1].text, "second one");
}
END_TEST

START_TEST(an_include_brings_the_others_events_and_masks)
{
	put_tables("x86/base", LINE, MASKS);
	put_tables("x86/new",
		   "include:x86/base\nevent:2 counters:cpuid um:zero minimum:1 name:two : b\n", "");
	ck_assert_msg(!event_table_load(&table, dir, "x86/new", &diag), "%s", diag_show(&diag));
	ck_assert_uint_eq(event_table_nr(table), 2);
	ck_assert_uint_eq(event_table_find(table, "one")->perf_type, PERF_TYPE_RAW);
}
END_TEST

START_TEST(a_cycle_of_includes_is_refused)
{
	put_tables("a/one", "include:a/two\n", MASKS);
	put_tables("a/two", "include:a/three\n", MASKS);
	put_tables("a/three", "# comment\ninclude:a/one\n", MASKS);
	ck_assert_int_eq(event_table_load(&table, dir, "a/one", &diag), -EINVAL);
	assert_shown("a/three/events:2: include:a/one is already loaded");
}
END_TEST

START_TEST(includes_that_go_too_deep_are_refused)
{
	for (int i = 0; i < 12; i++) {
		char name[16];
		char text[32];

		(void)snprintf(name, sizeof(name), "d/%d", i);
		(void)snprintf(text, sizeof(text), "include:d/%d\n", i + 1);
		put_tables(name, text, MASKS);
	}
	ck_assert_int_eq(event_table_load(&table, dir, "d/0", &diag), -EINVAL);
	assert_shown("deeper than");
}
END_TEST

START_TEST(a_missing_table_is_not_found)
{
	ck_assert_int_eq(event_table_load(&table, dir, "perf/none", &diag), -ENOENT);
	assert_shown("perf/none/events: No such file");
	put_tables("a/b", "include:no/such\n", MASKS);
	ck_assert_int_eq(event_table_load(&table, dir, "a/b", &diag), -ENOENT);
	assert_shown("no/such/events");
}
END_TEST

START_TEST(a_cpu_type_cannot_climb_out_of_the_tables)
{
	static const char *const climbers[] = {"../etc", "a/../b", "/etc", "", "a//b", "a/", ".x"};

	for (size_t i = 0; i < sizeof(climbers) / sizeof(climbers[0]); i++)
		ck_assert_int_eq(event_table_load(&table, dir, climbers[i], &diag), -EINVAL);
	put_tables("a/b", "include:../../etc\n", MASKS);
	ck_assert_int_eq(event_table_load(&table, dir, "a/b", &diag), -EINVAL);
	assert_shown("a/b/events:1: include:../../etc is not the name of a folder");
}
END_TEST

START_TEST(a_file_with_a_nul_byte_is_refused)
{
	put_tables("a/b", LINE, MASKS);
	put("a/b", "events", LINE "\0" LINE, sizeof(LINE "\0" LINE) - 1);
	ck_assert_int_eq(event_table_load(&table, dir, "a/b", &diag), -EINVAL);
	assert_shown("a/b/events: is not text");
}
END_TEST

static const struct {
	const char *line, *message;
} bad_events[] = {
	{"event:1 counters:any um:zero minimum:10 : x", "field name: is missing"},
	{"counters:any um:zero minimum:10 name:x : x", "field event: is missing"},
	{"event:1 um:zero minimum:10 name:x : x", "field counters: is missing"},
	{"event:1 counters:any minimum:10 name:x : x", "field um: is missing"},
	{"event:1 counters:any um:zero name:x : x", "field minimum: is missing"},
	{"event:1 counters:any um:zero minimum:10 name:x", "has no description"},
	{"event:1 counters:any um:zero minimum:10 name:x :", "has no description"},
	{"event:1 counters:any um:zero minimum:10 name:x text", "is not a field"},
	{"event:1 event:2 counters:any um:zero minimum:10 name:x : x",
	 "field event: is given twice"},
	{"event: counters:any um:zero minimum:10 name:x : x", "field event: has no value"},
	{"event:z counters:any um:zero minimum:10 name:x : x", "\"z\" is not a number"},
	{"event:0x10000000000000000 counters:any um:zero minimum:1 name:x : x", "is above"},
	{"event:1 counters:any um:zero minimum:0 name:x : x", "minimum: must be 1"},
	{"event:1 counters:any um:zero minimum:-1 name:x : x", "\"-1\" is not a number"},
	{"event:1 counters:any um:none minimum:10 name:x : x", "um:none is not in"},
	{"event:1 counters:64 um:zero minimum:10 name:x : x", "counter 64 is above 63"},
	{"event:1 counters:1,1 um:zero minimum:10 name:x : x", "counter 1 is given twice"},
	{"event:1 counters:1, um:zero minimum:10 name:x : x", "not a list"},
	{"event:1 counters:any um:zero minimum:10 name:one : x", "event one is given twice"},
	{"event:1 counters:any um:zero minimum:10 name:default : x", "may be named default"},
	{"event:1 counters:any um:zero minimum:10 name:a/b : x", "only letters"},
	{"event:1 counters:any um:zero minimum:10 name:a:b : x", "only letters"},
	{"event:1 colour:red counters:any um:zero minimum:10 name:x : x", "unknown field"},
	{"nonsense", "is not a field"},
};

START_TEST(a_bad_event_line_is_refused_with_its_place)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "# comment\n\n%s%s\n", LINE, bad_events[_i].line);
	put_tables("a/b", text, MASKS);
	ck_assert_int_eq(event_table_load(&table, dir, "a/b", &diag), -EINVAL);
	assert_shown(bad_events[_i].message);
	assert_shown("a/b/events:4: ");
}
END_TEST

START_TEST(a_name_that_is_too_long_is_refused)
{
	char name[EVENT_NAME_BYTES + 1];
	char text[256];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	(void)snprintf(text, sizeof(text), "event:1 counters:any um:zero minimum:1 name:%s : x\n",
		       name);
	put_tables("a/b", text, MASKS);
	ck_assert_int_eq(event_table_load(&table, dir, "a/b", &diag), -EINVAL);
	assert_shown("longer than");
}
END_TEST

static const struct {
	const char *text, *message;
} bad_masks[] = {
	{"\t0x0 before\n", "unit_masks:1: a value comes before"},
	{"name:m type:odd default:0\n\t0 x\n", "unit_masks:1: type \"odd\""},
	{"name:m default:0\n\t0 x\n", "unit_masks:1: field type: is missing"},
	{"name:m type:bitmask default:0\n", "unit_masks:1: unit mask m has no values"},
	{"#\nname:m type:mandatory default:1\n\t0 x\n", "unit_masks:2: default 1 is not a value"},
	{"name:m type:bitmask default:6\n\t1 x\n\t2 y\n", "unit_masks:1: default 6 is not a value"},
	{"name:m type:bitmask default:0\n\t1 x\n\t2 y\n", "unit_masks:1: default 0 is not a value"},
	{"name:m type:exclusive default:1\n\t1 extra: 0x2 x\n", ":2: value name 0x2"},
	{"name:m type:exclusive default:1\n\t1 extra: a:b x\n", ":2: value name a:b"},
	{"name:m type:exclusive default:3\n\t1 x\n\t2 y\n", "unit_masks:1: default 3 is no"},
	{"name:m type:exclusive default:1\n\t1 x\n\t1 y\n",
	 "unit_masks:3: value 0x1 is given twice"},
	{"name:m type:exclusive default:1\n\t1 extra: a x\n\t2 extra: a y\n", ":3: value name a"},
	{"name:m type:exclusive default:1\n\t1 extra:inv a x\n",
	 ":2: \"extra:\" must be followed by a blank"},
	{"name:m type:exclusive default:1\n\t1 extra:\n",
	 ":2: \"extra:\" is not followed by a name"},
	{"name:m type:exclusive default:1\n\t1\n", "unit_masks:2: value 0x1 has no text"},
	{"name:m type:exclusive default:1\n\tq x\n", "unit_masks:2: value \"q\" is not"},
	{"name:m type:exclusive default:1\n\t0x100000000 x\n", "unit_masks:2: value 0x1"},
	{"name:m type:mandatory default:0\n\t0 x\nname:m type:mandatory default:0\n\t0 x\n",
	 "unit_masks:3: unit mask m is given twice"},
};

START_TEST(a_bad_unit_mask_is_refused_with_its_place)
{
	put_tables("a/b", LINE, bad_masks[_i].text);
	ck_assert_int_eq(event_table_load(&table, dir, "a/b", &diag), -EINVAL);
	assert_shown(bad_masks[_i].message);
}
END_TEST

/* A table with a missing part would give events and values wrong names. */
START_TEST(without_memory_no_table_is_loaded)
{
	unsigned long nth = 1;

	put_tables("a/b", "event:0x1 counters:any um:m minimum:10 name:one : the first\n",
		   "name:m type:bitmask default:on\n\t0x1 extra: on first\n\t0x2 second\n");
	for (;; nth++) {
		int error, failed;

		failing_begin(FAILING_MEMORY, nth, 0);
		error = event_table_load(&table, dir, "a/b", &diag);
		failed = failing_end();
		if (!failed)
			break;
		ck_assert_msg(error == -ENOMEM, "allocation %lu: %d", nth, error);
		ck_assert_ptr_null(table);
	}
	ck_assert_ptr_nonnull(table);
	ck_assert_uint_gt(nth, 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("event_table");
	TCase *tests = tcase_create("load");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, the_projects_own_tables_load);
	tcase_add_test(tests, a_table_gives_back_what_it_holds);
	tcase_add_test(tests, an_include_brings_the_others_events_and_masks);
	tcase_add_test(tests, a_cycle_of_includes_is_refused);
	tcase_add_test(tests, includes_that_go_too_deep_are_refused);
	tcase_add_test(tests, a_missing_table_is_not_found);
	tcase_add_test(tests, a_cpu_type_cannot_climb_out_of_the_tables);
	tcase_add_test(tests, a_file_with_a_nul_byte_is_refused);
	tcase_add_test(tests, a_name_that_is_too_long_is_refused);
	tcase_add_loop_test(tests, a_bad_event_line_is_refused_with_its_place, 0,
			    sizeof(bad_events) / sizeof(bad_events[0]));
	tcase_add_loop_test(tests, a_bad_unit_mask_is_refused_with_its_place, 0,
			    sizeof(bad_masks) / sizeof(bad_masks[0]));
	tcase_add_test(tests, without_memory_no_table_is_loaded);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
