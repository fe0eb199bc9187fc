# SPDX-License-Identifier: GPL-2.0-or-later
# The ring is compiled again here, with a port in which a writer may die at
# any access; once more with positions that wrap.
kills_sources = \
	tests/kills/kill_check.c tests/kills/kill_check.h \
	tests/kills/kill_port.h \
	tests/kills/kill_writer.c tests/kills/kill_writer.h \
	tests/kills/test_ring_kills.c \
	$(ring_sources)
kills_cppflags = $(AM_CPPFLAGS) -DRING_PORT_H='"tests/kills/kill_port.h"'
test_programs += \
	tests/kills/test_ring_kills \
	tests/kills/test_ring_kills_wrapped \
	tests/kills/test_ring_worst_case
tests_kills_test_ring_kills_SOURCES = $(kills_sources)
tests_kills_test_ring_kills_CPPFLAGS = $(kills_cppflags)
tests_kills_test_ring_kills_LDADD = $(CHECKED_LIBS)
tests_kills_test_ring_kills_wrapped_SOURCES = $(kills_sources)
tests_kills_test_ring_kills_wrapped_CPPFLAGS = $(kills_cppflags) $(ring_word16)
tests_kills_test_ring_kills_wrapped_LDADD = $(CHECKED_LIBS)

dist_check_SCRIPTS += tests/kills/test_kill_guards.sh
