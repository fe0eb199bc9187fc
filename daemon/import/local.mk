# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/import/import_events.c daemon/import/import_events.h \
	daemon/import/import_interrupt.c daemon/import/import_interrupt.h \
	daemon/import/import_machine.c daemon/import/import_machine.h \
	daemon/import/import_oprofile.c daemon/import/import_oprofile.h \
	daemon/import/import_source.c daemon/import/import_source.h \
	daemon/import/import_temporary.c daemon/import/import_temporary.h \
	daemon/import/import_trace.c daemon/import/import_trace.h \
	daemon/import/import_trace_fields.c daemon/import/import_trace_fields.h \
	daemon/import/oprofile_file.c \
	daemon/import/perf_file.c daemon/import/perf_file.h \
	daemon/import/perf_file_stream.c daemon/import/perf_file_stream.h \
	daemon/import/perf_file_write.c daemon/import/perf_file_write.h \
	daemon/import/perf_normal.c daemon/import/perf_normal.h

test_programs += \
	tests/unit/daemon/import/test_import_events \
	tests/unit/daemon/import/test_import_oprofile \
	tests/unit/daemon/import/test_import_trace \
	tests/unit/daemon/import/test_perf_file
tests_unit_daemon_import_test_import_oprofile_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=read
