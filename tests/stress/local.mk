# SPDX-License-Identifier: GPL-2.0-or-later
# The ring is compiled again here, with a port that counts retries.
check_PROGRAMS += tests/stress/stress_ring
tests_stress_stress_ring_SOURCES = \
	tests/stress/checker.c tests/stress/checker.h \
	tests/stress/folder.c tests/stress/folder.h \
	tests/stress/pattern.c tests/stress/pattern.h \
	tests/stress/port_stress.h \
	tests/stress/round.c tests/stress/round.h \
	tests/stress/stress_ring.c \
	tests/stress/writer.c tests/stress/writer.h \
	$(ring_sources)
tests_stress_stress_ring_CPPFLAGS = $(AM_CPPFLAGS) -DRING_PORT_H='"tests/stress/port_stress.h"'
tests_stress_stress_ring_LDADD = ctf/libctf.a lib/libbase.a -lpthread

dist_check_SCRIPTS += \
	tests/stress/test_babeltrace.sh \
	tests/stress/test_stress.sh \
	tests/stress/test_tsan.sh \
	tests/stress/test_variants.sh

# make stress S=60: so many seconds, over modes and sizes.
S = 60
stress: tests/stress/stress_ring
	tests/stress/stress_ring --seconds $(S) -v
