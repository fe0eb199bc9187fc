# SPDX-License-Identifier: GPL-2.0-or-later
control_libcontrol_a_SOURCES += \
	control/trace/trace_args.c control/trace/trace_args.h \
	control/trace/trace_sessions.c control/trace/trace_sessions.h

optrace_SOURCES += control/trace/optrace.h \
	control/trace/optrace_profile.c control/trace/optrace_profile.h \
	control/trace/optrace_record.c \
	control/trace/optrace_session.c
