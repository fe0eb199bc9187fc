/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring's port for tests (RING_PORT_H): that of user space, with a clock
 * that the test sets. With RING_CLOCK_MONOTONIC only.
 */
#ifndef TESTS_RING_TEST_PORT_H
#define TESTS_RING_TEST_PORT_H

#include <time.h>

/* The time, in nanoseconds; calls test_clock_hook first, once, if it is set: an interrupt. */
int test_clock_gettime(clockid_t id, struct timespec *now);

#define clock_gettime test_clock_gettime
#include "ring/port_user.h"
#undef clock_gettime

#endif
