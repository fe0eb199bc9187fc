# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += pp/libpp.a
pp_libpp_a_SOURCES =
nodist_pp_libpp_a_SOURCES =

# Programs that contain symbols of binaries contain libbfd, and are GPL-3.0-or-later.
symbols_libs = $(BFD_LIBS) $(ELF_LIBS) $(LZMA_LIBS)
pp_libs = pp/libpp.a client/libclient.a session/libsession.a ctf/libctf.a unwind/libunwind.a \
	libdb/libsdb.a events/libevents.a lib/libbase.a

bin_PROGRAMS += opreport
dist_man_MANS += doc/man/opreport.1 doc/man/oprof-diff.1
dist_pkgdata_DATA = doc/opreport.xsd
opreport_SOURCES = pp/opreport.c
opreport_LDADD = $(pp_libs) $(OPCODES_LIBS) $(symbols_libs) $(ARCHIVE_LIBS) $(POPT_LIBS) \
	$(ZLIB_LIBS) -lm

bin_PROGRAMS += opgprof
dist_man_MANS += doc/man/opgprof.1
opgprof_SOURCES = pp/opgprof.c
opgprof_LDADD = $(pp_libs) $(symbols_libs) $(ARCHIVE_LIBS) $(POPT_LIBS) $(ZLIB_LIBS) -lm

bin_PROGRAMS += opannotate
dist_man_MANS += doc/man/opannotate.1
opannotate_SOURCES = pp/opannotate.c
opannotate_LDADD = $(pp_libs) $(OPCODES_LIBS) $(symbols_libs) $(ARCHIVE_LIBS) $(POPT_LIBS) -lm

# Verifying sample files.
bin_PROGRAMS += opcheck
dist_man_MANS += doc/man/opcheck.1
opcheck_SOURCES = pp/opcheck.c
opcheck_LDADD = pp/libpp.a libdb/libsdb.a lib/libbase.a $(POPT_LIBS)

# oparchive: what reports take, for another machine.
bin_PROGRAMS += oparchive
dist_man_MANS += doc/man/oparchive.1
oparchive_SOURCES = pp/oparchive.c
oparchive_LDADD = $(pp_libs) $(symbols_libs) $(POPT_LIBS) $(ARCHIVE_LIBS) -lm

# oprof top: the live view.
bin_PROGRAMS += optop
dist_man_MANS += doc/man/optop.1
optop_SOURCES = pp/optop.c pp/top/top_screen.c pp/top/top_screen.h
optop_CFLAGS = $(AM_CFLAGS) $(CURSES_CFLAGS) -pthread
optop_LDADD = $(pp_libs) $(symbols_libs) $(POPT_LIBS) $(CURSES_LIBS) -lm -lpthread

# What is in traces.
bin_PROGRAMS += optrace-read
optrace_read_SOURCES = pp/trace/optrace_read.c pp/trace/optrace_read.h \
	pp/trace/optrace_events.c pp/trace/optrace_stats.c
optrace_read_LDADD = $(pp_libs) $(symbols_libs) $(POPT_LIBS) -lm

include pp/annotate/local.mk
include pp/archive/local.mk
include pp/base/local.mk
include pp/calls/local.mk
include pp/code/local.mk
include pp/format/local.mk
include pp/gprof/local.mk
include pp/lines/local.mk
include pp/options/local.mk
include pp/page/local.mk
include pp/profile/local.mk
include pp/report/local.mk
include pp/selection/local.mk
include pp/session/local.mk
include pp/symbols/local.mk
include pp/top/local.mk
include pp/trace/local.mk

test_programs += \
	tests/unit/pp/test_opcheck \
	tests/unit/pp/test_opreport \
	tests/unit/pp/test_opreport_terminal \
	tests/unit/pp/test_optop
EXTRA_tests_unit_pp_test_optop_DEPENDENCIES = optop
