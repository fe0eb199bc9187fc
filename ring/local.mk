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
