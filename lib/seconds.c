// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/seconds.h"

#include "lib/clock.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * Writes the sign once, and then the magnitude. In C, the quotient and the remainder of a negative
 * number would each have a sign, except that a quotient of 0 would have none.
 */
void seconds_format(int64_t ns, char *text)
{
	const uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	(void)snprintf(text, SECONDS_BYTES, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "",
		       magnitude / NS_PER_SECOND, magnitude % NS_PER_SECOND);
}
