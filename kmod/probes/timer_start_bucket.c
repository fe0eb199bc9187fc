// SPDX-License-Identifier: GPL-2.0-only
/*
 * Since Linux 6.8, the tracepoint's arguments are the timer and its bucket,
 * without expiry and flags.
 */
#include <trace/events/timer.h>

void probe(void *data, struct timer_list *timer, unsigned long bucket);
void check(void);
void check(void)
{
	check_trace_callback_type_timer_start(probe);
}
