/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stamps of a counter in nanoseconds: lines between anchors, which are
 * readings of both clocks at once. What was told stays true, so the scale
 * bends where the last stamp was told, not at the anchor before; and it never
 * falls, though the line that was told from was too steep.
 *
 *	... before_ns ---- bend ------------- anchor ......
 *	  the line told from	to the new anchor    beyond it, at the rate measured
 *
 * Plain arithmetic, no division per stamp; compiles in user space, for its
 * test. One user at a time (the sync worker).
 */
#ifndef KMOD_STAMP_SCALE_H
#define KMOD_STAMP_SCALE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
typedef uint64_t u64;
#endif

/* Nanoseconds a tick, in 2^-32: of counters of 1 GHz just 2^32. */
#define STAMP_SCALE_SHIFT 32u
/* The rate is measured over no less: an anchor is off by a microsecond, perhaps. */
#define STAMP_SCALE_BASE_NS 50000000u

struct stamp_point {
	u64 stamp, ns;
};

struct stamp_scale {
	struct stamp_point before; /* told from here to the bend, at before_rate */
	struct stamp_point bend;   /* ... from here to the anchor, at bend_rate */
	struct stamp_point anchor; /* ... from here on, at rate */
	struct stamp_point base;   /* a true reading, that rate is measured from */
	struct stamp_point told;   /* the last beyond the anchor */
	u64 before_rate, bend_rate, rate;
};

static inline u64 stamp_scale_ticks(u64 ticks, u64 rate)
{
	return (u64)(((unsigned __int128)ticks * rate) >> STAMP_SCALE_SHIFT);
}

/* By long division: a product of 96 bits has no other in the kernel. Rounded down. */
static inline u64 stamp_scale_rate(u64 ns, u64 ticks)
{
	u64 rate, rest;
	unsigned int i;

	if (!ticks)
		return 0;
	rate = ns / ticks;
	rest = ns % ticks;
	for (i = 0; i < STAMP_SCALE_SHIFT; i++) {
		rate <<= 1;
		rest <<= 1;
		if (rest >= ticks) {
			rest -= ticks;
			rate |= 1;
		}
	}
	return rate;
}

/* Two readings, the first ones: any stamp is told by the line through both. */
static inline void stamp_scale_init(struct stamp_scale *scale, struct stamp_point first,
				    struct stamp_point second)
{
	u64 rate = stamp_scale_rate(second.ns - first.ns, second.stamp - first.stamp);

	scale->before = scale->bend = scale->base = first;
	scale->anchor = scale->told = second;
	scale->before_rate = scale->bend_rate = scale->rate = rate;
}

static inline u64 stamp_scale_ns(const struct stamp_scale *scale, u64 stamp)
{
	u64 back;

	if (stamp >= scale->anchor.stamp)
		return scale->anchor.ns +
		       stamp_scale_ticks(stamp - scale->anchor.stamp, scale->rate);
	if (stamp >= scale->bend.stamp)
		return scale->bend.ns +
		       stamp_scale_ticks(stamp - scale->bend.stamp, scale->bend_rate);
	if (stamp >= scale->before.stamp)
		return scale->before.ns +
		       stamp_scale_ticks(stamp - scale->before.stamp, scale->before_rate);
	back = stamp_scale_ticks(scale->before.stamp - stamp, scale->before_rate);
	return back < scale->before.ns ? scale->before.ns - back : 0;
}

/* The same, of a stamp that is told to others: what comes later will agree with it. */
static inline u64 stamp_scale_tell(struct stamp_scale *scale, u64 stamp)
{
	u64 ns = stamp_scale_ns(scale, stamp);

	if (stamp > scale->told.stamp) {
		scale->told.stamp = stamp;
		scale->told.ns = ns;
	}
	return ns;
}

/* Another reading, later than all before. */
static inline void stamp_scale_anchor(struct stamp_scale *scale, struct stamp_point now)
{
	u64 told_rate = scale->rate;

	/* Nothing moved, or another CPU's stamp was ahead of this one's counter. */
	if (now.stamp <= scale->told.stamp || now.ns <= scale->base.ns)
		return;
	if (now.ns - scale->base.ns >= STAMP_SCALE_BASE_NS) {
		scale->rate =
			stamp_scale_rate(now.ns - scale->base.ns, now.stamp - scale->base.stamp);
		scale->base = now;
	}
	if (now.ns < scale->told.ns)
		now.ns = scale->told.ns; /* it was told too late a time */
	scale->before = scale->anchor;
	scale->before_rate = told_rate;
	scale->bend = scale->told;
	scale->bend_rate = stamp_scale_rate(now.ns - scale->bend.ns, now.stamp - scale->bend.stamp);
	scale->anchor = scale->told = now;
}

#endif
