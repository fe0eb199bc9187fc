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

START_TEST(unit_masks_to_choose_from_are_listed_with_all_their_values)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *stream = open_memstream(&text, &nr_bytes);

	ck_assert_ptr_nonnull(stream);
	test_put("perf/hardware/events", "");
	test_put("perf/cache/events", "");
	test_put("perf/switches/events", "");
	test_put("perf/software/events",
		 "event:0x0 counters:any um:one minimum:5 name:single : No choice\n"
		 "event:0x0 counters:any um:two minimum:6 name:pair : One or both\n"
		 "event:0x0 counters:any um:three minimum:7 name:triple : One of three\n");
	test_put("perf/software/unit_masks",
		 "name:one type:mandatory default:0x0\n\t0x0 Nothing\n"
		 "name:two type:bitmask default:0x3\n\t0x1 Reads\n\t0x2 extra: writes Writes\n"
		 "name:three type:exclusive default:0x4\n\t0x4 Four\n\t0x5 Five\n\t0x16 Last\n");
	ck_assert_int_eq(setenv("OPROF_EVENTS_DIR", test_dir, 1), 0);
	ck_assert_msg(!event_list_print(stream, &diag), "%s", diag_show(&diag));
	ck_assert_int_eq(fclose(stream), 0);
	assert_has(text, "\tNo choice\npair: (min count: 6)");
	assert_has(text, "\tOne or both\n"
			 "\tunit masks (default 0x3):\n"
			 "\t\t0x01: Reads\n"
			 "\t\t0x02 writes: Writes\n"
			 "triple: (min count: 7)");
	assert_has(text, "\tOne of three\n"
			 "\tunit masks (default 0x4):\n"
			 "\t\t0x04: Four\n"
			 "\t\t0x05: Five\n"
			 "\t\t0x16: Last\n"
			 "\nCounted by the processor\n");
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
	/* Whatever the kernel allows, the two agree. */
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

	tcase_add_checked_fixture(cases, test_dir_set_up, test_dir_tear_down);
	tcase_add_test(cases, every_event_is_listed_with_its_description);
	tcase_add_test(cases, unit_masks_to_choose_from_are_listed_with_all_their_values);
	tcase_add_test(cases, a_missing_table_is_told);
	tcase_add_test(cases, an_event_of_no_kind_cannot_be_opened);
	tcase_add_test(cases, rings_can_be_mapped_where_events_can_be_opened);
	return test_run(cases);
}
