// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/events/event_list.h"

#include "control/events/perf_probe.h"
#include "events/events.h"
#include "tests/fixture/control_test.h"

#include <errno.h>
#include <linux/perf_event.h>

START_TEST(every_event_is_listed_with_its_description)
{
	struct event_table *table;
	char *text = NULL;
	size_t nr_bytes;
	FILE *stream = open_memstream(&text, &nr_bytes);

	ck_assert_ptr_nonnull(stream);
	ck_assert_msg(!event_list_print(stream, &diag), "%s", diag_show(&diag));
	ck_assert_int_eq(fclose(stream), 0);
	ck_assert_int_eq(event_table_load(&table, NULL, NULL, &diag), 0);
	for (size_t i = 0; i < event_table_nr(table); i++) {
		char line[EVENT_NAME_BYTES + 16];

		(void)snprintf(line, sizeof(line),
			       "\n%s: (min count: ", event_table_get(table, i)->name);
		assert_has(text, line);
		assert_has(text, event_table_get(table, i)->description);
	}
	event_table_destroy(table);
	free(text);
}
END_TEST

START_TEST(a_missing_table_is_told)
{
	ck_assert_int_eq(setenv("OPROF_EVENTS_DIR", "/nonexistent", 1), 0);
	ck_assert_int_eq(event_list_print(stdout, &diag), -ENOENT);
	assert_has(diag_show(&diag), "/nonexistent/perf/software/events");
}
END_TEST

START_TEST(an_event_of_no_kind_cannot_be_opened)
{
	ck_assert_int_lt(
		perf_probe_open(PERF_TYPE_SOFTWARE, 0xffff, PERF_PROBE_SELF, PERF_PROBE_USER), 0);
	ck_assert_int_lt(perf_probe_open(0x7ffffff0, 0, PERF_PROBE_SELF, PERF_PROBE_USER), 0);
	/* Refused outright or not, the two agree. */
	ck_assert(perf_probe_has_cycles() == !perf_probe_open(PERF_TYPE_HARDWARE,
							      PERF_COUNT_HW_CPU_CYCLES,
							      PERF_PROBE_SELF, PERF_PROBE_USER));
}
END_TEST

START_TEST(rings_can_be_mapped_where_events_can_be_opened)
{
	int refused = perf_probe_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_PROBE_SELF,
				      PERF_PROBE_USER);

	if (refused)
		ck_assert_int_lt(perf_probe_rings(1, 1), 0);
	else
		ck_assert_int_eq(perf_probe_rings(1, 1), 0);
	/* Not a power of two. */
	ck_assert_int_lt(perf_probe_rings(3, 1), 0);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("event_list");

	tcase_add_test(cases, every_event_is_listed_with_its_description);
	tcase_add_test(cases, a_missing_table_is_told);
	tcase_add_test(cases, an_event_of_no_kind_cannot_be_opened);
	tcase_add_test(cases, rings_can_be_mapped_where_events_can_be_opened);
	return test_run(cases);
}
