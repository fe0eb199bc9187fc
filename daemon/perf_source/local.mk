# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/perf_source/perf_cpu.c daemon/perf_source/perf_cpu.h \
	daemon/perf_source/perf_open.c daemon/perf_source/perf_open.h \
	daemon/perf_source/perf_sample.c \
	daemon/perf_source/perf_source.c daemon/perf_source/perf_source.h \
	daemon/perf_source/perf_source_internal.h \
	daemon/perf_source/perf_source_tell.c \
	daemon/perf_source/perf_state.c daemon/perf_source/perf_state.h \
	daemon/perf_source/perf_state_internal.h \
	daemon/perf_source/perf_switch.c \
	daemon/perf_source/perf_unwind.c

test_programs += \
	tests/unit/daemon/perf_source/test_perf_code \
	tests/unit/daemon/perf_source/test_perf_open \
	tests/unit/daemon/perf_source/test_perf_sample \
	tests/unit/daemon/perf_source/test_perf_scan \
	tests/unit/daemon/perf_source/test_perf_source \
	tests/unit/daemon/perf_source/test_perf_source_stacks \
	tests/unit/daemon/perf_source/test_perf_source_switches \
	tests/unit/daemon/perf_source/test_perf_state \
	tests/unit/daemon/perf_source/test_perf_storm \
	tests/unit/daemon/perf_source/test_perf_switch \
	tests/unit/daemon/perf_source/test_perf_unwind \
	tests/unit/daemon/perf_source/test_perf_weeks
tests_unit_daemon_perf_source_test_perf_scan_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
tests_unit_daemon_perf_source_test_perf_source_SOURCES = \
	tests/unit/daemon/perf_source/test_perf_source.c $(fake_perf_state)
tests_unit_daemon_perf_source_test_perf_source_stacks_SOURCES = \
	tests/unit/daemon/perf_source/test_perf_source_stacks.c $(fake_perf_state)
tests_unit_daemon_perf_source_test_perf_source_switches_SOURCES = \
	tests/unit/daemon/perf_source/test_perf_source_switches.c $(fake_perf_state)
tests_unit_daemon_perf_source_test_perf_state_LDFLAGS = $(failing_calls_ldflags)
