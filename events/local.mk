# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += events/libevents.a
events_libevents_a_SOURCES = \
	events/cpu_name.c events/cpu_name.h \
	events/event_choice.c \
	events/event_table.c events/event_table.h \
	events/events.h \
	events/table_text.c events/table_text.h \
	events/tracefs.c events/tracefs.h \
	events/tracepoint.c events/tracepoint.h \
	events/tracepoint_list.c \
	events/unit_mask.c

EXTRA_DIST += doc/events.md

nobase_dist_pkgdata_DATA += \
	events/perf/software/events events/perf/software/unit_masks \
	events/perf/hardware/events events/perf/hardware/unit_masks \
	events/perf/cache/events events/perf/cache/unit_masks \
	events/perf/switches/events events/perf/switches/unit_masks

test_programs += \
	tests/unit/events/test_cpu_name \
	tests/unit/events/test_event_choice \
	tests/unit/events/test_event_table \
	tests/unit/events/test_tracepoint
tests_unit_events_test_event_table_LDFLAGS = $(failing_calls_ldflags)
tests_unit_events_test_tracepoint_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=access,--wrap=mount
