# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/gprof/gmon.c pp/gprof/gmon.h \
	pp/gprof/gprof_data.c pp/gprof/gprof_data.h

test_programs += \
	tests/unit/pp/gprof/test_gmon
