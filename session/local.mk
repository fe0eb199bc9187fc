# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += session/libsession.a
session_libsession_a_CFLAGS = $(CONVERSION_CFLAGS)
session_libsession_a_SOURCES = \
	session/session_info.c session/session_info.h

test_programs += \
	tests/unit/session/test_session_info
