# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += control/libcontrol.a
control_libcontrol_a_SOURCES = \
	control/boot.c control/boot.h \
	control/command.c control/command.h \
	control/daemon_start.c control/daemon_start.h \
	control/doctor.c control/doctor.h \
	control/doctor_files.c \
	control/doctor_perf.c \
	control/event_list.c control/event_list.h \
	control/module.c control/module.h \
	control/module_fs.c control/module_fs.h \
	control/module_tool.c control/module_tool.h \
	control/opcontrol_options.c control/opcontrol_options.h \
	control/operf_options.c control/operf_options.h \
	control/option.c control/option.h \
	control/perf_probe.c control/perf_probe.h \
	control/report_command.c control/report_command.h \
	control/sampling.c control/sampling.h \
	control/session_files.c control/session_files.h \
	control/setup_file.c control/setup_file.h \
	control/setup_match.c control/setup_match.h \
	control/status_text.c control/status_text.h \
	control/tool_path.c control/tool_path.h \
	control/trace_args.c control/trace_args.h \
	control/trace_sessions.c control/trace_sessions.h \
	control/watch.c control/watch.h

control_libs = control/libcontrol.a client/libclient.a events/libevents.a lib/libbase.a $(POPT_LIBS)

bin_PROGRAMS += oprof operf opcontrol optrace
dist_man_MANS += doc/man/oprof.1 doc/man/operf.1 doc/man/opcontrol.1 doc/man/optrace.1 \
	doc/man/oprof-module.1
oprof_SOURCES = control/oprof.c
oprof_LDADD = $(control_libs)
operf_SOURCES = control/operf.c
operf_LDADD = $(control_libs)
opcontrol_SOURCES = control/opcontrol.c
opcontrol_LDADD = $(control_libs)
optrace_SOURCES = control/optrace.c control/optrace.h \
	control/optrace_profile.c control/optrace_profile.h \
	control/optrace_record.c \
	control/optrace_session.c
optrace_LDADD = $(control_libs)

# What it is built of is kmod/local.mk's.
bin_SCRIPTS += oprof-module
EXTRA_DIST += control/oprof-module.in
CLEANFILES += oprof-module
oprof-module: control/oprof-module.in Makefile
	$(AM_V_GEN)sed -e 's,@VERSION[@],$(PACKAGE_VERSION),g' -e 's,@module_srcdir[@],$(module_srcdir),g' \
		$(srcdir)/control/oprof-module.in >$@.tmp && chmod a+rx,u+w $@.tmp && mv $@.tmp $@

# The service: where the programs are is known to make only.
if SYSTEMD
systemdsystemunit_DATA = control/oprof.service control/oprof-module.service
endif
EXTRA_DIST += control/oprof.service.in control/oprof-module.service.in
CLEANFILES += control/oprof.service control/oprof-module.service
control/oprof.service control/oprof-module.service: Makefile
	$(AM_V_GEN)$(MKDIR_P) control && \
		sed 's,@bindir[@],$(bindir),g' $(srcdir)/$@.in >$@.tmp && \
		mv $@.tmp $@
control/oprof.service: control/oprof.service.in
control/oprof-module.service: control/oprof-module.service.in

test_programs += \
	tests/unit/control/test_command \
	tests/unit/control/test_daemon_start \
	tests/unit/control/test_doctor \
	tests/unit/control/test_event_list \
	tests/unit/control/test_module \
	tests/unit/control/test_module_fs \
	tests/unit/control/test_module_tool \
	tests/unit/control/test_opcontrol_options \
	tests/unit/control/test_operf_options \
	tests/unit/control/test_report_command \
	tests/unit/control/test_sampling \
	tests/unit/control/test_session_files \
	tests/unit/control/test_setup_file \
	tests/unit/control/test_setup_match \
	tests/unit/control/test_status_text \
	tests/unit/control/test_tool_path
