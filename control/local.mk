# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += control/libcontrol.a
control_libcontrol_a_SOURCES =

control_libs = control/libcontrol.a client/libclient.a session/libsession.a \
	events/libevents.a lib/libbase.a $(POPT_LIBS)

bin_PROGRAMS += oprof operf opcontrol optrace
dist_man_MANS += doc/man/oprof.1 doc/man/operf.1 doc/man/opcontrol.1 doc/man/optrace.1 \
	doc/man/oprof-module.1
oprof_SOURCES = control/oprof.c
oprof_LDADD = $(control_libs)
operf_SOURCES = control/operf.c
operf_LDADD = $(control_libs)
opcontrol_SOURCES = control/opcontrol.c
opcontrol_LDADD = $(control_libs)
optrace_SOURCES = control/optrace.c
optrace_LDADD = $(control_libs)

# kmod/local.mk installs the module's sources, from which oprof-module builds the module.
bin_SCRIPTS += oprof-module
EXTRA_DIST += control/oprof-module.in
CLEANFILES += oprof-module
oprof-module: control/oprof-module.in Makefile
	$(AM_V_GEN)sed -e 's,@VERSION[@],$(PACKAGE_VERSION),g' -e 's,@module_srcdir[@],$(module_srcdir),g' \
		$(srcdir)/control/oprof-module.in >$@.tmp && chmod a+rx,u+w $@.tmp && mv $@.tmp $@

# The systemd units contain the folder of the programs, which only make knows.
if SYSTEMD
systemdsystemunit_DATA = control/oprof.service control/oprof-module.service
sysusersdir = $(prefix)/lib/sysusers.d
dist_sysusers_DATA = control/oprof.conf
endif
EXTRA_DIST += control/oprof.service.in control/oprof-module.service.in
CLEANFILES += control/oprof.service control/oprof-module.service
control/oprof.service control/oprof-module.service: Makefile
	$(AM_V_GEN)$(MKDIR_P) control && \
		sed 's,@bindir[@],$(bindir),g' $(srcdir)/$@.in >$@.tmp && \
		mv $@.tmp $@
control/oprof.service: control/oprof.service.in
control/oprof-module.service: control/oprof-module.service.in

include control/base/local.mk
include control/events/local.mk
include control/module/local.mk
include control/daemon/local.mk
include control/run/local.mk
include control/trace/local.mk
include control/doctor/local.mk
