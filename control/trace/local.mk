# SPDX-License-Identifier: GPL-2.0-or-later
control_libcontrol_a_SOURCES += \
	control/trace/trace_args.c control/trace/trace_args.h \
	control/trace/trace_sessions.c control/trace/trace_sessions.h

optrace_SOURCES += control/trace/optrace.h \
	control/trace/optrace_profile.c control/trace/optrace_profile.h \
	control/trace/optrace_record.c \
	control/trace/optrace_session.c

test_programs += tests/unit/control/trace/test_trace_args

# The test compiles optrace_session.c, which is in no library.
test_programs += tests/unit/control/trace/test_optrace_session
tests_unit_control_trace_test_optrace_session_SOURCES = \
	tests/unit/control/trace/test_optrace_session.c control/trace/optrace_session.c

# The test compiles optrace_profile.c, which is in no library, and replaces the functions that
# find programs, wait for them, and remove the session's folder.
test_programs += tests/unit/control/trace/test_optrace_profile
tests_unit_control_trace_test_optrace_profile_SOURCES = \
	tests/unit/control/trace/test_optrace_profile.c control/trace/optrace_profile.c
tests_unit_control_trace_test_optrace_profile_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=tool_path_find,--wrap=file_remove_tree,--wrap=waitpid
