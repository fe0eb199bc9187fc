# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += client/libclient.a
client_libclient_a_CFLAGS = $(CONVERSION_CFLAGS)
client_libclient_a_SOURCES = \
	client/client.c client/client.h \
	client/client_recent.c client/client_recent.h \
	client/message_head.h

test_programs += \
	tests/unit/client/test_client \
	tests/unit/client/test_client_recent
