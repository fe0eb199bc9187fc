// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/stretch.h"

#include "lib/clock.h"

#include <string.h>

/* A larger difference between two calls is a step, not slewing. */
#define STEP_NS INT64_C(2000000000)

void moment_now(struct moment *now)
{
	now->monotonic_ns = clock_monotonic_ns();
	now->realtime_ns = clock_realtime_ns();
}

void stretch_init(struct stretch *stretch, const struct moment *now)
{
	memset(stretch, 0, sizeof(*stretch));
	stretch->settled_from_ns = now->monotonic_ns;
	stretch_begin(stretch, now);
}

void stretch_begin(struct stretch *stretch, const struct moment *now)
{
	stretch->begin_ns = stretch->end_ns = now->realtime_ns;
	stretch->last = *now;
}

void stretch_start(struct stretch *stretch, const struct moment *now, bool fresh)
{
	if (fresh)
		stretch_begin(stretch, now);
	stretch->sampling = true;
	stretch->last = *now;
}

void stretch_stop(struct stretch *stretch, const struct moment *now)
{
	(void)stretch_follow(stretch, now);
	stretch->sampling = false;
}

bool stretch_follow(struct stretch *stretch, const struct moment *now)
{
	int64_t passed_ns = (int64_t)(now->monotonic_ns - stretch->last.monotonic_ns);
	int64_t expected_ns = stretch->last.realtime_ns + passed_ns;
	int64_t drift_ns = now->realtime_ns - expected_ns;
	bool stepped = drift_ns > STEP_NS || drift_ns < -STEP_NS;

	if (stretch->sampling)
		stretch->end_ns = stepped ? expected_ns : now->realtime_ns;
	if (stepped)
		stretch->settled_from_ns = now->monotonic_ns;
	stretch->last = *now;
	return stepped;
}

int64_t stretch_to_realtime(const struct stretch *stretch)
{
	return stretch->last.realtime_ns - (int64_t)stretch->last.monotonic_ns;
}

uint64_t stretch_settled_ns(const struct stretch *stretch)
{
	return stretch->last.monotonic_ns - stretch->settled_from_ns;
}

bool stretch_is_settled(const struct stretch *stretch, uint64_t ns)
{
	return stretch_settled_ns(stretch) >= ns;
}
