# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += control/libcontrol.a
control_libcontrol_a_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
control_libcontrol_a_SOURCES = \
	control/command.c control/command.h \
	control/control_client.c control/control_client.h \
	control/daemon_start.c control/daemon_start.h \
	control/doctor.c control/doctor.h control/doctor_files.c control/doctor_perf.c \
	control/event_list.c control/event_list.h \
	control/opcontrol_options.c control/opcontrol_options.h \
	control/operf_options.c control/operf_options.h \
	control/option.c control/option.h \
	control/perf_probe.c control/perf_probe.h \
	control/sampling.c control/sampling.h \
	control/session_files.c control/session_files.h \
	control/setup_file.c control/setup_file.h \
	control/tool_path.c control/tool_path.h

CONTROL_LIBS = control/libcontrol.a events/libevents.a lib/libbase.a $(POPT_LIBS)

bin_PROGRAMS += oprof operf opcontrol
oprof_SOURCES = control/oprof.c
oprof_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
oprof_LDADD = $(CONTROL_LIBS)
operf_SOURCES = control/operf.c
operf_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
operf_LDADD = $(CONTROL_LIBS)
opcontrol_SOURCES = control/opcontrol.c
opcontrol_CFLAGS = $(AM_CFLAGS) $(POPT_CFLAGS)
opcontrol_LDADD = $(CONTROL_LIBS)
