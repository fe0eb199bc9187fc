# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/trace/trace_backwards.c pp/trace/trace_backwards.h \
	pp/trace/trace_calls.c pp/trace/trace_calls.h \
	pp/trace/trace_distribution.c pp/trace/trace_distribution.h \
	pp/trace/trace_filter.c pp/trace/trace_filter.h \
	pp/trace/trace_interrupts.c pp/trace/trace_interrupts.h \
	pp/trace/trace_line.c pp/trace/trace_line.h \
	pp/trace/trace_pids.c pp/trace/trace_pids.h \
	pp/trace/trace_processes.c pp/trace/trace_processes.h \
	pp/trace/trace_rules.c pp/trace/trace_rules.h \
	pp/trace/trace_states.c pp/trace/trace_states.h pp/trace/trace_states_internal.h \
	pp/trace/trace_states_tasks.c \
	pp/trace/trace_stats.c pp/trace/trace_stats.h \
	pp/trace/trace_stats_json.c \
	pp/trace/trace_stats_names.c pp/trace/trace_stats_names.h \
	pp/trace/trace_threads.c pp/trace/trace_threads.h \
	pp/trace/trace_who.c pp/trace/trace_who.h

test_programs += \
	tests/unit/pp/trace/test_optrace_events \
	tests/unit/pp/trace/test_optrace_stats \
	tests/unit/pp/trace/test_trace_backwards \
	tests/unit/pp/trace/test_trace_distribution \
	tests/unit/pp/trace/test_trace_line \
	tests/unit/pp/trace/test_trace_pids \
	tests/unit/pp/trace/test_trace_states \
	tests/unit/pp/trace/test_trace_states_tasks \
	tests/unit/pp/trace/test_trace_stats
tests_unit_pp_trace_test_optrace_events_SOURCES = tests/unit/pp/trace/test_optrace_events.c \
	pp/trace/optrace_events.c
tests_unit_pp_trace_test_optrace_stats_SOURCES = tests/unit/pp/trace/test_optrace_stats.c \
	pp/trace/optrace_stats.c
tests_unit_pp_trace_test_trace_pids_LDFLAGS = $(failing_calls_ldflags)
