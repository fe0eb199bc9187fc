# SPDX-License-Identifier: GPL-2.0-or-later
control_libcontrol_a_SOURCES += \
	control/events/event_list.c control/events/event_list.h \
	control/events/perf_probe.c control/events/perf_probe.h

test_programs += \
	tests/unit/control/events/test_event_list
