// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/timer.h>

void probe(void *data, struct hrtimer *timer, enum hrtimer_mode mode, bool was_armed);
void check(void);
void check(void)
{
	check_trace_callback_type_hrtimer_start(probe);
}
