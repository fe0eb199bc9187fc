# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += daemon/libdaemon.a
daemon_libdaemon_a_SOURCES = daemon/source.h
nodist_daemon_libdaemon_a_SOURCES =

daemon_libs = daemon/libdaemon.a session/libsession.a ctf/libctf.a ring/libring.a \
	unwind/libunwind.a libdb/libsdb.a events/libevents.a lib/libbase.a $(POPT_LIBS)

bin_PROGRAMS += oprofiled
dist_man_MANS += doc/man/oprofiled.1
oprofiled_SOURCES = daemon/oprofiled.c
oprofiled_LDADD = $(daemon_libs)

# Run by optrace.
bin_PROGRAMS += oprof-tracer
oprof_tracer_SOURCES = daemon/oprof_tracer.c
oprof_tracer_LDADD = $(daemon_libs)

include daemon/command/local.mk
include daemon/filing/local.mk
include daemon/history/local.mk
include daemon/image/local.mk
include daemon/jit/local.mk
include daemon/kernel/local.mk
include daemon/module_source/local.mk
include daemon/perf/local.mk
include daemon/perf_source/local.mk
include daemon/places/local.mk
include daemon/profiler/local.mk
include daemon/service/local.mk
include daemon/session/local.mk
include daemon/system/local.mk
include daemon/trace/local.mk
include daemon/tracer/local.mk

# Recordings of others, as a source and as sessions.
if REPORTS
bin_PROGRAMS += opimport
dist_man_MANS += doc/man/opimport.1
include daemon/import/local.mk
endif
opimport_SOURCES = daemon/opimport.c
opimport_LDADD = $(daemon_libs)
