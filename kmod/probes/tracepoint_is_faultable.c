// SPDX-License-Identifier: GPL-2.0-only
/* Probes of system calls are called with preemption enabled and may sleep. */
#include <linux/tracepoint.h>

bool probe(struct tracepoint *tracepoint);
bool probe(struct tracepoint *tracepoint)
{
	return tracepoint_is_faultable(tracepoint);
}
