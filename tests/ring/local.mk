# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel compiles the ring: its own build, no part of ours.
dist_check_SCRIPTS += tests/ring/test_kernel_build.sh tests/ring/test_guards.sh
EXTRA_DIST += tests/ring/kernel

# The ring is compiled again here, with a port that can be stopped at any step; and
# once more with positions that wrap, and as the kernel's rings are.
ring_fault_sources = \
	tests/ring/port_steps.h \
	tests/ring/scene.c tests/ring/scene.h \
	tests/ring/steps.c tests/ring/steps.h \
	tests/ring/test_ring_faults.c \
	tests/fixture/packet_decode.c tests/fixture/packet_decode.h \
	$(ring_sources)
ring_fault_cppflags = $(AM_CPPFLAGS) -DRING_PORT_H='"tests/ring/port_steps.h"'
test_programs += \
	tests/ring/test_ring_faults \
	tests/ring/test_ring_faults_wrapped \
	tests/ring/test_ring_faults_kernel
tests_ring_test_ring_faults_SOURCES = $(ring_fault_sources)
tests_ring_test_ring_faults_CPPFLAGS = $(ring_fault_cppflags)
tests_ring_test_ring_faults_LDADD = $(CHECKED_LIBS)
tests_ring_test_ring_faults_wrapped_SOURCES = $(ring_fault_sources)
tests_ring_test_ring_faults_wrapped_CPPFLAGS = $(ring_fault_cppflags) $(ring_word16)
tests_ring_test_ring_faults_wrapped_LDADD = $(CHECKED_LIBS)
tests_ring_test_ring_faults_kernel_SOURCES = $(ring_fault_sources)
tests_ring_test_ring_faults_kernel_CPPFLAGS = $(ring_fault_cppflags) -DSTEPS_KERNEL
tests_ring_test_ring_faults_kernel_LDADD = $(CHECKED_LIBS)

# The same scheduler, with another ledger; the ring's inline functions are called
# through ring_calls.c.
ring_order_sources = \
	tests/ring/packet_check.c tests/ring/packet_check.h \
	tests/ring/port_steps.h \
	tests/ring/ring_calls.c tests/ring/ring_calls.h \
	tests/ring/steps.c tests/ring/steps.h \
	tests/ring/test_ring_orders.c \
	tests/ring/world.c tests/ring/world.h \
	$(ring_sources)
test_programs += \
	tests/ring/test_ring_orders \
	tests/ring/test_ring_orders_wrapped \
	tests/ring/test_ring_orders_kernel
tests_ring_test_ring_orders_SOURCES = $(ring_order_sources)
tests_ring_test_ring_orders_CPPFLAGS = $(ring_fault_cppflags)
tests_ring_test_ring_orders_LDADD = $(CHECKED_LIBS)
tests_ring_test_ring_orders_wrapped_SOURCES = $(ring_order_sources)
tests_ring_test_ring_orders_wrapped_CPPFLAGS = $(ring_fault_cppflags) $(ring_word16)
tests_ring_test_ring_orders_wrapped_LDADD = $(CHECKED_LIBS)
tests_ring_test_ring_orders_kernel_SOURCES = $(ring_order_sources)
tests_ring_test_ring_orders_kernel_CPPFLAGS = $(ring_fault_cppflags) -DSTEPS_KERNEL
tests_ring_test_ring_orders_kernel_LDADD = $(CHECKED_LIBS)
