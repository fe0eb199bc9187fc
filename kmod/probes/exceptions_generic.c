// SPDX-License-Identifier: GPL-2.0-only
/* Since Linux 6.16, all architectures share the tracepoints of page faults. */
#include <trace/events/exceptions.h>

int probe(void);
int probe(void)
{
	return 0;
}
