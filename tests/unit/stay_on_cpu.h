/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a test and its children run, when rings or events of CPUs are told apart. */
#ifndef TESTS_STAY_ON_CPU_H
#define TESTS_STAY_ON_CPU_H

#include <check.h>
#include <sched.h>
#include <stdbool.h>

static inline void stay_on_this_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

/* False: there are not so many, or we may not run there. */
static inline bool stay_on_cpus_0_and_1(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	CPU_SET(1, &cpus);
	return !sched_setaffinity(0, sizeof(cpus), &cpus) &&
	       !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) == 2;
}

#endif
