# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/tracer/ktrace.c daemon/tracer/ktrace.h \
	daemon/tracer/ktrace_events.c daemon/tracer/ktrace_events.h \
	daemon/tracer/trace_job.c daemon/tracer/trace_job.h \
	daemon/tracer/trace_kmod.c daemon/tracer/trace_kmod_internal.h \
	daemon/tracer/trace_mappings.c daemon/tracer/trace_mappings.h \
	daemon/tracer/trace_perf.c daemon/tracer/trace_perf.h daemon/tracer/trace_perf_internal.h \
	daemon/tracer/trace_perf_open.c \
	daemon/tracer/trace_session.c daemon/tracer/trace_session.h \
	daemon/tracer/trace_watch.c daemon/tracer/trace_watch.h \
	daemon/tracer/trace_watch_internal.h \
	daemon/tracer/tracer.c daemon/tracer/tracer.h daemon/tracer/tracer_internal.h \
	daemon/tracer/tracer_options.c daemon/tracer/tracer_options.h \
	daemon/tracer/tracer_perf.c daemon/tracer/tracer_perf_internal.h \
	daemon/tracer/tracer_perf_choose.c \
	daemon/tracer/tracer_serve.c daemon/tracer/tracer_serve.h

test_programs += \
	tests/unit/daemon/tracer/test_ktrace \
	tests/unit/daemon/tracer/test_ktrace_events \
	tests/unit/daemon/tracer/test_trace_kmod \
	tests/unit/daemon/tracer/test_trace_mappings \
	tests/unit/daemon/tracer/test_trace_perf \
	tests/unit/daemon/tracer/test_trace_perf_order \
	tests/unit/daemon/tracer/test_trace_session \
	tests/unit/daemon/tracer/test_trace_watch \
	tests/unit/daemon/tracer/test_tracer \
	tests/unit/daemon/tracer/test_tracer_serve
# The test replaces the functions that write the parts of a snapshot.
tests_unit_daemon_tracer_test_trace_kmod_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=ktrace_snapshot,--wrap=ktrace_ns,--wrap=ktrace_counts,--wrap=trace_state_is_the_machines \
	-Wl,--wrap=trace_state_dump,--wrap=trace_mappings_snapshot
tests_unit_daemon_tracer_test_trace_mappings_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=trace_channel_create,--wrap=trace_channel_drain
tests_unit_daemon_tracer_test_tracer_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fsync
