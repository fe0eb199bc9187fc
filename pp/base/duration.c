// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/duration.h"

#include <stdio.h>

void duration_show(uint64_t ns, char text[DURATION_BYTES])
{
	double seconds = (double)ns / 1e9;

	if (ns < 999500)
		(void)snprintf(text, DURATION_BYTES, "%.0fus", seconds * 1e6);
	else if (ns < 999500000)
		(void)snprintf(text, DURATION_BYTES, "%.0fms", seconds * 1e3);
	else if (seconds < 99.995)
		(void)snprintf(text, DURATION_BYTES, "%.2fs", seconds);
	else if (seconds < 9999.5)
		(void)snprintf(text, DURATION_BYTES, "%.0fs", seconds);
	else
		(void)snprintf(text, DURATION_BYTES, "%.0fh", seconds / 3600);
}
