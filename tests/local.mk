# SPDX-License-Identifier: GPL-2.0-or-later
# End-to-end tests, tests/e2e/test_*.sh, and tests in guests, tests/guest/test_*.sh,
# are run by scripts/check, not by make check: they profile the machine, or boot
# an emulated one, one at a time.
noinst_HEADERS += tests/fixture/run_suite.h tests/fixture/seed.h tests/fixture/stay_on_cpu.h
EXTRA_DIST += tests/e2e tests/guest tests/page

# The linker's part of tests/fixture/failing_calls.h.
failing_calls_wrap_flags = \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup \
	-Wl,--wrap=strndup,--wrap=mmap,--wrap=mremap,--wrap=ftruncate,--wrap=fallocate \
	-Wl,--wrap=posix_fallocate,--wrap=fsync,--wrap=fdatasync,--wrap=syncfs,--wrap=rename \
	-Wl,--wrap=renameat,--wrap=mkdir,--wrap=write,--wrap=pwrite,--wrap=open,--wrap=openat

# The ring with a clock that tests set; and once more with words of 16 bits,
# whose positions wrap many times in each test.
ring_unit_sources = ring/ring.c ring/ring_read.c ring/ring_repair.c ring/ring_write.c
ring_unit_test_sources = tests/fixture/ring_fixture.c tests/fixture/ring_fixture.h \
	tests/fixture/ring_test_port.h tests/fixture/packet_decode.c tests/fixture/packet_decode.h
ring_unit_cppflags = $(AM_CPPFLAGS) -DRING_PORT_H='"tests/fixture/ring_test_port.h"'
check_LIBRARIES += tests/unit/libringtest.a tests/unit/libringtest16.a
tests_unit_libringtest_a_SOURCES = $(ring_unit_sources) $(ring_unit_test_sources)
tests_unit_libringtest_a_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_libringtest_a_CFLAGS = $(TEST_CFLAGS)
tests_unit_libringtest16_a_SOURCES = $(ring_unit_sources) $(ring_unit_test_sources)
tests_unit_libringtest16_a_CPPFLAGS = $(ring_unit_cppflags) -DRING_WORD=uint16_t
tests_unit_libringtest16_a_CFLAGS = $(TEST_CFLAGS)

ring_unit_tests = \
	tests/unit/ring/test_ring tests/unit/test_ring_word16 \
	tests/unit/ring/test_ring_finalise tests/unit/test_ring_finalise_word16 \
	tests/unit/ring/test_ring_read tests/unit/test_ring_read_word16 \
	tests/unit/ring/test_ring_repair tests/unit/test_ring_repair_word16 \
	tests/unit/ring/test_ring_write tests/unit/test_ring_write_word16
check_PROGRAMS += $(ring_unit_tests)
TESTS += $(ring_unit_tests)
tests_unit_ring_test_ring_SOURCES = tests/unit/ring/test_ring.c
tests_unit_ring_test_ring_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_CFLAGS = $(TEST_CFLAGS)
tests_unit_ring_test_ring_LDADD = tests/unit/libringtest.a $(TEST_LIBS)
tests_unit_test_ring_word16_SOURCES = tests/unit/ring/test_ring.c
tests_unit_test_ring_word16_CPPFLAGS = $(ring_unit_cppflags) -DRING_WORD=uint16_t
tests_unit_test_ring_word16_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ring_word16_LDADD = tests/unit/libringtest16.a $(TEST_LIBS)
tests_unit_ring_test_ring_finalise_SOURCES = tests/unit/ring/test_ring_finalise.c
tests_unit_ring_test_ring_finalise_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_finalise_CFLAGS = $(TEST_CFLAGS)
tests_unit_ring_test_ring_finalise_LDADD = tests/unit/libringtest.a $(TEST_LIBS)
tests_unit_test_ring_finalise_word16_SOURCES = tests/unit/ring/test_ring_finalise.c
tests_unit_test_ring_finalise_word16_CPPFLAGS = $(ring_unit_cppflags) -DRING_WORD=uint16_t
tests_unit_test_ring_finalise_word16_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ring_finalise_word16_LDADD = tests/unit/libringtest16.a $(TEST_LIBS)
tests_unit_ring_test_ring_read_SOURCES = tests/unit/ring/test_ring_read.c
tests_unit_ring_test_ring_read_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_read_CFLAGS = $(TEST_CFLAGS)
tests_unit_ring_test_ring_read_LDADD = tests/unit/libringtest.a $(TEST_LIBS)
tests_unit_test_ring_read_word16_SOURCES = tests/unit/ring/test_ring_read.c
tests_unit_test_ring_read_word16_CPPFLAGS = $(ring_unit_cppflags) -DRING_WORD=uint16_t
tests_unit_test_ring_read_word16_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ring_read_word16_LDADD = tests/unit/libringtest16.a $(TEST_LIBS)
tests_unit_ring_test_ring_write_SOURCES = tests/unit/ring/test_ring_write.c
tests_unit_ring_test_ring_write_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_write_CFLAGS = $(TEST_CFLAGS)
tests_unit_ring_test_ring_write_LDADD = tests/unit/libringtest.a $(TEST_LIBS)
tests_unit_test_ring_write_word16_SOURCES = tests/unit/ring/test_ring_write.c
tests_unit_test_ring_write_word16_CPPFLAGS = $(ring_unit_cppflags) -DRING_WORD=uint16_t
tests_unit_test_ring_write_word16_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ring_write_word16_LDADD = tests/unit/libringtest16.a $(TEST_LIBS)
tests_unit_ring_test_ring_repair_SOURCES = tests/unit/ring/test_ring_repair.c
tests_unit_ring_test_ring_repair_CPPFLAGS = $(ring_unit_cppflags)
tests_unit_ring_test_ring_repair_CFLAGS = $(TEST_CFLAGS)
tests_unit_ring_test_ring_repair_LDADD = tests/unit/libringtest.a $(TEST_LIBS)
tests_unit_test_ring_repair_word16_SOURCES = tests/unit/ring/test_ring_repair.c
tests_unit_test_ring_repair_word16_CPPFLAGS = $(ring_unit_cppflags) -DRING_WORD=uint16_t
tests_unit_test_ring_repair_word16_CFLAGS = $(TEST_CFLAGS)
tests_unit_test_ring_repair_word16_LDADD = tests/unit/libringtest16.a $(TEST_LIBS)

# What tests in guests compare two sources with.
check_PROGRAMS += tests/unit/fixture/test_chi_square
TESTS += tests/unit/fixture/test_chi_square
tests_unit_fixture_test_chi_square_SOURCES = tests/unit/fixture/test_chi_square.c \
	tests/fixture/chi_square.c tests/fixture/chi_square.h
tests_unit_fixture_test_chi_square_CFLAGS = $(TEST_CFLAGS)
tests_unit_fixture_test_chi_square_LDADD = $(TEST_LIBS) -lm
