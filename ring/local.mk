# SPDX-License-Identifier: GPL-2.0-or-later
# Freestanding: the kernel module compiles the same files with port_kernel.h.
noinst_LIBRARIES += ring/libring.a
ring_libring_a_CFLAGS = $(CONVERSION_CFLAGS)
ring_libring_a_SOURCES = \
	ring/guards.h ring/port.h ring/port_user.h \
	ring/ring.c ring/ring.h \
	ring/ring_read.c \
	ring/ring_repair.c \
	ring/ring_write.c ring/ring_write.h
EXTRA_DIST += ring/port_kernel.h

# Tests: the ring with a clock that they set; and once more with words of 16 bits, whose
# positions wrap many times in each test.
ring_sources = ring/ring.c ring/ring_read.c ring/ring_repair.c ring/ring_write.c
ring_word16 = -DRING_WORD=uint16_t
ring_unit_sources = $(ring_sources) \
	tests/fixture/packet_decode.c tests/fixture/packet_decode.h \
	tests/fixture/ring_fixture.c tests/fixture/ring_fixture.h tests/fixture/ring_test_port.h
ring_unit_cppflags = $(AM_CPPFLAGS) -DRING_PORT_H='"tests/fixture/ring_test_port.h"'
if REPORTS
check_LIBRARIES += tests/fixture/libringtest.a tests/fixture/libringtest16.a
endif
tests_fixture_libringtest_a_SOURCES = $(ring_unit_sources)
tests_fixture_libringtest_a_CPPFLAGS = $(ring_unit_cppflags)
tests_fixture_libringtest16_a_SOURCES = $(ring_unit_sources)
tests_fixture_libringtest16_a_CPPFLAGS = $(ring_unit_cppflags) $(ring_word16)

test_programs += \
	tests/unit/ring/test_ring \
	tests/unit/ring/test_ring_word16 \
	tests/unit/ring/test_ring_finalise \
	tests/unit/ring/test_ring_finalise_word16 \
	tests/unit/ring/test_ring_read \
	tests/unit/ring/test_ring_read_word16 \
	tests/unit/ring/test_ring_repair \
	tests/unit/ring/test_ring_repair_word16 \
	tests/unit/ring/test_ring_write \
	tests/unit/ring/test_ring_write_word16
tests_unit_ring_test_ring_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_LDADD = tests/fixture/libringtest.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_word16_SOURCES = tests/unit/ring/test_ring.c
tests_unit_ring_test_ring_word16_CPPFLAGS = $(ring_unit_cppflags) $(ring_word16)
tests_unit_ring_test_ring_word16_LDADD = tests/fixture/libringtest16.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_finalise_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_finalise_LDADD = tests/fixture/libringtest.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_finalise_word16_SOURCES = tests/unit/ring/test_ring_finalise.c
tests_unit_ring_test_ring_finalise_word16_CPPFLAGS = $(ring_unit_cppflags) $(ring_word16)
tests_unit_ring_test_ring_finalise_word16_LDADD = tests/fixture/libringtest16.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_read_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_read_LDADD = tests/fixture/libringtest.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_read_word16_SOURCES = tests/unit/ring/test_ring_read.c
tests_unit_ring_test_ring_read_word16_CPPFLAGS = $(ring_unit_cppflags) $(ring_word16)
tests_unit_ring_test_ring_read_word16_LDADD = tests/fixture/libringtest16.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_repair_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_repair_LDADD = tests/fixture/libringtest.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_repair_word16_SOURCES = tests/unit/ring/test_ring_repair.c
tests_unit_ring_test_ring_repair_word16_CPPFLAGS = $(ring_unit_cppflags) $(ring_word16)
tests_unit_ring_test_ring_repair_word16_LDADD = tests/fixture/libringtest16.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_write_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_write_LDADD = tests/fixture/libringtest.a $(CHECKED_LIBS)
tests_unit_ring_test_ring_write_word16_SOURCES = tests/unit/ring/test_ring_write.c
tests_unit_ring_test_ring_write_word16_CPPFLAGS = $(ring_unit_cppflags) $(ring_word16)
tests_unit_ring_test_ring_write_word16_LDADD = tests/fixture/libringtest16.a $(CHECKED_LIBS)
