# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += pp/libpp.a
pp_libpp_a_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS)
pp_libpp_a_SOURCES =

# Reports: selection, containers, layouts.
pp_libpp_a_SOURCES += \
	pp/classes.c pp/classes.h \
	pp/coverage.c pp/coverage.h \
	pp/format_flat.c pp/format_rows.h \
	pp/format_symbols.c \
	pp/format_text.c pp/format_text.h \
	pp/profile.c pp/profile.h \
	pp/selection.c pp/selection.h \
	pp/session_dir.c pp/session_dir.h \
	pp/session_info.c pp/session_info.h \
	pp/spec.c pp/spec.h \
	pp/strings.c pp/strings.h

report_tests = \
	tests/unit/test_spec
check_PROGRAMS += $(report_tests)
TESTS += $(report_tests)
report_test_libs = pp/libpp.a events/libevents.a libdb/libsdb.a lib/libbase.a $(TEST_LIBS)
tests_unit_test_spec_SOURCES = tests/unit/test_spec.c
tests_unit_test_spec_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_spec_LDADD = $(report_test_libs)
