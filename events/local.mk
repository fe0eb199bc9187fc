# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += events/libevents.a
events_libevents_a_SOURCES = events/events.h events/event_table.c events/event_table.h \
	events/unit_mask.c events/table_text.c events/table_text.h events/event_choice.c \
	events/cpu_name.c events/cpu_name.h events/tracefs.c events/tracefs.h events/tracepoint.c \
	events/tracepoint.h events/tracepoint_list.c

EXTRA_DIST += doc/events.md

nobase_dist_pkgdata_DATA += \
	events/perf/software/events events/perf/software/unit_masks \
	events/perf/hardware/events events/perf/hardware/unit_masks \
	events/perf/cache/events events/perf/cache/unit_masks \
	events/perf/switches/events events/perf/switches/unit_masks

if REPORTS
EVENTS_TESTS = tests/unit/events/test_event_table tests/unit/events/test_event_choice tests/unit/events/test_cpu_name \
	tests/unit/events/test_tracepoint
check_PROGRAMS += $(EVENTS_TESTS)
TESTS += $(EVENTS_TESTS)
EVENTS_TEST_LIBS = events/libevents.a lib/libbase.a $(TEST_LIBS)

tests_unit_events_test_event_table_SOURCES = tests/unit/events/test_event_table.c
tests_unit_events_test_event_table_CFLAGS = $(TEST_CFLAGS)
tests_unit_events_test_event_table_LDADD = $(EVENTS_TEST_LIBS)
tests_unit_events_test_event_choice_SOURCES = tests/unit/events/test_event_choice.c
tests_unit_events_test_event_choice_CFLAGS = $(TEST_CFLAGS)
tests_unit_events_test_event_choice_LDADD = $(EVENTS_TEST_LIBS)
tests_unit_events_test_tracepoint_SOURCES = tests/unit/events/test_tracepoint.c
tests_unit_events_test_tracepoint_CFLAGS = $(TEST_CFLAGS)
tests_unit_events_test_tracepoint_LDADD = $(EVENTS_TEST_LIBS)
tests_unit_events_test_cpu_name_SOURCES = tests/unit/events/test_cpu_name.c
tests_unit_events_test_cpu_name_CFLAGS = $(TEST_CFLAGS)
tests_unit_events_test_cpu_name_LDADD = $(EVENTS_TEST_LIBS)
endif
