# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libdb/libsdb.a
libdb_libsdb_a_CFLAGS = $(CONVERSION_CFLAGS)
libdb_libsdb_a_SOURCES = \
	libdb/blocks.c libdb/blocks.h \
	libdb/sample_name.c libdb/sample_name.h libdb/sample_name_internal.h \
	libdb/sample_name_parse.c \
	libdb/sample_name_walk.c \
	libdb/sdb.h libdb/sdb_internal.h \
	libdb/sdb_check.c \
	libdb/sdb_file.c \
	libdb/sdb_find.h \
	libdb/sdb_find_any.h \
	libdb/sdb_find_sse2.h \
	libdb/sdb_format.h \
	libdb/sdb_header.c libdb/sdb_header.h \
	libdb/sdb_image.c \
	libdb/sdb_pages.c \
	libdb/sdb_restart.c \
	libdb/sdb_sigbus.c \
	libdb/sdb_sort.c libdb/sdb_sort.h \
	libdb/sdb_split.c \
	libdb/sdb_table.c

include libdb/slice/local.mk
include libdb/stacks/local.mk

if REPORTS
# The variant of the library for the kill tests.
check_LIBRARIES += libdb/libsdb_faults.a
endif
libdb_libsdb_faults_a_SOURCES = $(libdb_libsdb_a_SOURCES)
libdb_libsdb_faults_a_CFLAGS = $(CONVERSION_CFLAGS)
libdb_libsdb_faults_a_CPPFLAGS = $(AM_CPPFLAGS) -DSDB_FAULT_POINTS
# libdb/libsdb.a must not be in this list: the linker could take some objects from it.
sdb_faults_libs = tests/fixture/libfixture.a daemon/libdaemon.a session/libsession.a unwind/libunwind.a \
	libdb/libsdb_faults.a events/libevents.a lib/libbase.a $(CHECKED_LIBS)

test_programs += \
	tests/unit/libdb/test_sample_name \
	tests/unit/libdb/test_sample_name_walk \
	tests/unit/libdb/test_sdb_check \
	tests/unit/libdb/test_sdb_disk_full \
	tests/unit/libdb/test_sdb_fault \
	tests/unit/libdb/test_sdb_file \
	tests/unit/libdb/test_sdb_image \
	tests/unit/libdb/test_sdb_meanwhile \
	tests/unit/libdb/test_sdb_restart \
	tests/unit/libdb/test_sdb_sigbus \
	tests/unit/libdb/test_sdb_sort \
	tests/unit/libdb/test_sdb_split \
	tests/unit/libdb/test_sdb_table
# Both names of each call are wrapped: the headers may select the variant with 64-bit offsets.
tests_unit_libdb_test_sdb_fault_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=fallocate,--wrap=fallocate64,--wrap=pwrite,--wrap=pwrite64,--wrap=pread \
	-Wl,--wrap=pread64,--wrap=mmap,--wrap=mmap64,--wrap=mremap,--wrap=malloc,--wrap=calloc \
	-Wl,--wrap=realloc,--wrap=strndup
tests_unit_libdb_test_sdb_image_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pread,--wrap=pread64
tests_unit_libdb_test_sdb_meanwhile_LDFLAGS = $(meanwhile_ldflags)
tests_unit_libdb_test_sdb_meanwhile_LDADD = $(sdb_faults_libs)
tests_unit_libdb_test_sdb_restart_LDADD = $(sdb_faults_libs)
tests_unit_libdb_test_sdb_split_LDADD = $(sdb_faults_libs)
