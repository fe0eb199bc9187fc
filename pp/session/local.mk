# SPDX-License-Identifier: GPL-2.0-or-later
pp_libpp_a_SOURCES += \
	pp/session/archive_reader.c pp/session/archive_reader.h \
	pp/session/archive_stream.c pp/session/archive_stream.h \
	pp/session/archive_unpack.c pp/session/archive_unpack.h \
	pp/session/counters.c pp/session/counters.h \
	pp/session/session_parts.c pp/session/session_parts.h \
	pp/session/session_recent.c pp/session/session_recent.h

test_programs += \
	tests/unit/pp/session/test_archive_unpack \
	tests/unit/pp/session/test_archive_unpack_systems \
	tests/unit/pp/session/test_counters \
	tests/unit/pp/session/test_session_parts
tests_unit_pp_session_test_archive_unpack_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=archive_stream_write,--wrap=fstatvfs
tests_unit_pp_session_test_archive_unpack_systems_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=archive_stream_write,--wrap=kill,--wrap=fstat,--wrap=setlocale
tests_unit_pp_session_test_session_parts_LDFLAGS = $(failing_calls_ldflags)
