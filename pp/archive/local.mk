# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/archive/archive_content.c pp/archive/archive_content.h \
	pp/archive/archive_slices.c pp/archive/archive_slices.h \
	pp/archive/archive_writer.c pp/archive/archive_writer.h \
	pp/archive/debug_list.c pp/archive/debug_list.h

test_programs += \
	tests/unit/pp/archive/test_archive \
	tests/unit/pp/archive/test_archive_content \
	tests/unit/pp/archive/test_debug_list
tests_unit_pp_archive_test_archive_LDFLAGS = $(failing_calls_ldflags) -Wl,--wrap=pipe2,--wrap=fork
tests_unit_pp_archive_test_archive_content_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=debug_list_load
tests_unit_pp_archive_test_debug_list_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=symbol_helper_read
