# SPDX-License-Identifier: GPL-2.0-or-later
# The ring is compiled again here, with a port in which a writer may die at
# any access; once more with positions that wrap.
if REPORTS
kills_programs = tests/kills/test_ring_kills tests/kills/test_ring_kills_wrapped
check_PROGRAMS += $(kills_programs)
TESTS += $(kills_programs)
kills_sources = \
	tests/kills/kill_check.c tests/kills/kill_check.h \
	tests/kills/kill_port.h \
	tests/kills/kill_writer.c tests/kills/kill_writer.h \
	tests/kills/test_ring_kills.c \
	ring/ring.c ring/ring_read.c ring/ring_repair.c ring/ring_write.c
kills_cppflags = $(AM_CPPFLAGS) -DRING_PORT_H='"tests/kills/kill_port.h"'
tests_kills_test_ring_kills_SOURCES = $(kills_sources)
tests_kills_test_ring_kills_CPPFLAGS = $(kills_cppflags)
tests_kills_test_ring_kills_CFLAGS = $(TEST_CFLAGS)
tests_kills_test_ring_kills_LDADD = $(TEST_LIBS)
tests_kills_test_ring_kills_wrapped_SOURCES = $(kills_sources)
tests_kills_test_ring_kills_wrapped_CPPFLAGS = $(kills_cppflags) -DRING_WORD=uint16_t
tests_kills_test_ring_kills_wrapped_CFLAGS = $(TEST_CFLAGS)
tests_kills_test_ring_kills_wrapped_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/kills/test_ring_worst_case
TESTS += tests/kills/test_ring_worst_case
tests_kills_test_ring_worst_case_SOURCES = tests/kills/test_ring_worst_case.c
tests_kills_test_ring_worst_case_CFLAGS = $(TEST_CFLAGS)
tests_kills_test_ring_worst_case_LDADD = ring/libring.a $(TEST_LIBS)

kills_tests = tests/kills/test_kill_guards.sh
dist_check_SCRIPTS += $(kills_tests)
TESTS += $(kills_tests)
endif
