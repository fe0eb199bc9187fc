# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += lib/libbase.a
lib_libbase_a_SOURCES = lib/diag.c lib/diag.h lib/file.c lib/file.h lib/log.c lib/log.h \
	lib/number.c lib/number.h

if REPORTS
check_PROGRAMS += tests/unit/test_number
TESTS += tests/unit/test_number
tests_unit_test_number_SOURCES = tests/unit/test_number.c
tests_unit_test_number_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_number_LDADD = lib/libbase.a $(TEST_LIBS)
endif
