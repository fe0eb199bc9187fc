# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/gprof/gmon.c pp/gprof/gmon.h \
	pp/gprof/gprof_data.c pp/gprof/gprof_data.h

test_programs += \
	tests/unit/pp/gprof/test_gmon \
	tests/unit/pp/gprof/test_gprof_data
tests_unit_pp_gprof_test_gprof_data_SOURCES = \
	tests/unit/pp/gprof/test_gprof_data.c $(fake_symbols)
tests_unit_pp_gprof_test_gprof_data_LDFLAGS = $(failing_calls_ldflags)
