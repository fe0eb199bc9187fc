/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tests do by lot they do alike in each run, so that who changes
 * something else never finds a fault of long ago. OPROF_CHECK_ALL=1 and
 * whoever gives an OPROF_SEED go elsewhere.
 */
#ifndef TESTS_SEED_H
#define TESTS_SEED_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t seed_of_this_run(void)
{
	const char *asked = getenv("OPROF_SEED");

	if (asked)
		return strtoull(asked, NULL, 10);
	return getenv("OPROF_CHECK_ALL") ? (uint64_t)time(NULL) : 20261123;
}

#endif
