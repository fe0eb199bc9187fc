# SPDX-License-Identifier: GPL-2.0-or-later
daemon_libdaemon_a_SOURCES += \
	daemon/trace/syscall_names.h \
	daemon/trace/trace_channel.c daemon/trace/trace_channel.h \
	daemon/trace/trace_choice.c daemon/trace/trace_choice.h \
	daemon/trace/trace_chunks.c daemon/trace/trace_chunks.h \
	daemon/trace/trace_clock.c daemon/trace/trace_clock.h \
	daemon/trace/trace_describe.c daemon/trace/trace_describe.h \
	daemon/trace/trace_layout.c daemon/trace/trace_layout.h \
	daemon/trace/trace_memory.c daemon/trace/trace_memory.h \
	daemon/trace/trace_place.c daemon/trace/trace_place.h \
	daemon/trace/trace_record.c daemon/trace/trace_record.h \
	daemon/trace/trace_sample.c daemon/trace/trace_sample.h \
	daemon/trace/trace_state.c daemon/trace/trace_state.h \
	daemon/trace/trace_syscalls.c daemon/trace/trace_syscalls.h \
	daemon/trace/trace_tasks.c daemon/trace/trace_tasks.h \
	daemon/trace/trace_trigger.c daemon/trace/trace_trigger.h \
	daemon/trace/trace_trigger_parse.c daemon/trace/trace_trigger_parse.h
# The names of the system calls come from the kernel headers that the build uses.
nodist_daemon_libdaemon_a_SOURCES += daemon/trace/syscall_names.c
CLEANFILES += daemon/trace/syscall_names.c
daemon/trace/syscall_names.c: daemon/trace/syscall_names.awk
	$(AM_V_GEN)$(MKDIR_P) daemon/trace && echo '#include <asm/unistd.h>' | $(CPP) $(CPPFLAGS) -dM - | \
		$(AWK) -f $(srcdir)/daemon/trace/syscall_names.awk >$@.tmp && mv $@.tmp $@
EXTRA_DIST += daemon/trace/syscall_names.awk

test_programs += \
	tests/unit/daemon/trace/test_trace_channel \
	tests/unit/daemon/trace/test_trace_choice \
	tests/unit/daemon/trace/test_trace_chunks \
	tests/unit/daemon/trace/test_trace_clock \
	tests/unit/daemon/trace/test_trace_describe \
	tests/unit/daemon/trace/test_trace_layout \
	tests/unit/daemon/trace/test_trace_memory \
	tests/unit/daemon/trace/test_trace_record \
	tests/unit/daemon/trace/test_trace_state \
	tests/unit/daemon/trace/test_trace_syscalls \
	tests/unit/daemon/trace/test_trace_tasks \
	tests/unit/daemon/trace/test_trace_trigger
tests_unit_daemon_trace_test_trace_choice_LDFLAGS = $(failing_calls_ldflags)
tests_unit_daemon_trace_test_trace_syscalls_LDFLAGS = $(failing_calls_ldflags)
