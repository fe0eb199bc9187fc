# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/profiler/profiler.c daemon/profiler/profiler.h \
	daemon/profiler/profiler_status.c daemon/profiler/profiler_status.h \
	daemon/profiler/source_choice.c daemon/profiler/source_choice.h \
	daemon/profiler/sync_job.c daemon/profiler/sync_job.h \
	daemon/profiler/unwind_choice.c daemon/profiler/unwind_choice.h

test_programs += \
	tests/unit/daemon/profiler/test_profiler \
	tests/unit/daemon/profiler/test_profiler_fault \
	tests/unit/daemon/profiler/test_source_choice \
	tests/unit/daemon/profiler/test_sync_job
tests_unit_daemon_profiler_test_profiler_fault_LDFLAGS = $(failing_calls_ldflags)
