// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/timer.h>

void probe(void *data, struct hrtimer *timer, ktime_t now);
void check(void);
void check(void)
{
	check_trace_callback_type_hrtimer_expire_entry(probe);
}
