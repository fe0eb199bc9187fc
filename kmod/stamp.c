// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses the clock of a run, and reads anchors: simultaneous values of the
 * counter and of CLOCK_MONOTONIC.
 */
#include "kmod/stamp.h"

#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/string.h>

#include "kmod/stamp_scale.h"

#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/tsc.h>
#endif

/*
 * NMIs and the host can interrupt a reading. Therefore this many readings are
 * made, and the shortest one is used.
 */
#define STAMP_NR_READINGS 5
/* Minimum time between the first two readings, in microseconds. */
#define STAMP_FIRST_US 5000

static enum ring_clock clock = RING_CLOCK_MONOTONIC;
static struct stamp_scale scale; /* used when the module is loaded, and later only by the worker */

static bool is_trustworthy(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && boot_cpu_has(X86_FEATURE_NONSTOP_TSC) &&
	       !check_tsc_unstable();
#else
	/* The arm64 architecture guarantees a counter of constant rate that is synchronised. */
	return IS_ENABLED(CONFIG_ARM64);
#endif
}

/* Reads CLOCK_MONOTONIC between two readings of the counter. */
void stamp_read_both(struct stamp_point *best)
{
	u64 before, after, ns, tightest = ~0ull;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < STAMP_NR_READINGS; i++) {
		local_irq_save(flags);
		before = ring_clock(RING_CLOCK_COUNTER);
		ns = ring_clock(RING_CLOCK_MONOTONIC);
		after = ring_clock(RING_CLOCK_COUNTER);
		local_irq_restore(flags);
		if (after - before >= tightest)
			continue;
		tightest = after - before;
		best->stamp = before + tightest / 2;
		best->ns = ns;
	}
}

static void take_first(void)
{
	struct stamp_point first = {}, second = {};

	stamp_read_both(&first);
	usleep_range(STAMP_FIRST_US, 2 * STAMP_FIRST_US);
	stamp_read_both(&second);
	stamp_scale_init(&scale, first, second);
}

int stamp_init(const char *name)
{
	bool may = is_trustworthy();

	if (!strcmp(name, "monotonic"))
		may = false;
	else if (!strcmp(name, "counter") && !may)
		return -EOPNOTSUPP;
	else if (strcmp(name, "counter") && strcmp(name, "auto"))
		return -EINVAL;
	clock = may ? RING_CLOCK_COUNTER : RING_CLOCK_MONOTONIC;
	if (may)
		take_first();
	return 0;
}

enum ring_clock stamp_clock(void)
{
	return clock;
}

const char *stamp_name(void)
{
	return clock == RING_CLOCK_COUNTER ? "counter" : "monotonic";
}

void stamp_anchor(void)
{
	struct stamp_point now = {};

	if (clock != RING_CLOCK_COUNTER)
		return;
	stamp_read_both(&now);
	stamp_scale_anchor(&scale, now);
}

u64 stamp_to_ns(u64 stamp)
{
	return clock == RING_CLOCK_COUNTER ? stamp_scale_tell(&scale, stamp) : stamp;
}
