/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts a counter's stamps to nanoseconds, along straight lines between
 * anchors, which are simultaneous readings of both clocks. A new anchor does
 * not change times that were already reported, because the slope changes at
 * the last reported stamp (`bend`), not at the preceding anchor. A later stamp
 * never gets an earlier time, even if the last line was too steep.
 *
 *	... before ------- bend ------------- anchor ......
 *	           line 1          line 2             line 3
 *
 * Line 1 is the old line. Line 2 leads from the bend to the new anchor. Line 3
 * continues from the new anchor at the measured rate.
 *
 * The conversion is plain arithmetic, without division per stamp. This file
 * also compiles in user space, for its test. Only one thread may use a scale
 * (the sync worker).
 */
#ifndef KMOD_STAMP_SCALE_H
#define KMOD_STAMP_SCALE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
typedef uint64_t u64;
#endif

/* Rates are in units of 2^-32 ns per tick. The rate of a counter of 1 GHz is exactly 2^32. */
#define STAMP_SCALE_SHIFT 32u
/* A rate is measured over at least this time, since an anchor may be wrong by a microsecond. */
#define STAMP_SCALE_BASE_NS 50000000u

struct stamp_point {
	u64 stamp, ns;
};

struct stamp_scale {
	struct stamp_point before; /* before_rate applies from here to bend */
	struct stamp_point bend;   /* bend_rate applies from here to anchor */
	struct stamp_point anchor; /* `rate` applies after this point */
	struct stamp_point base;   /* an unadjusted reading; rate is measured from here */
	struct stamp_point told;   /* the last reported point, but not before the anchor */
	u64 before_rate, bend_rate, rate;
};

static inline u64 stamp_scale_ticks(u64 ticks, u64 rate)
{
	return (u64)(((unsigned __int128)ticks * rate) >> STAMP_SCALE_SHIFT);
}

/* Divides bit by bit, since the kernel has no division of 96-bit numbers. Rounds down. */
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

/* Initialises the scale with the first two readings. The line through both converts any stamp. */
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

/*
 * Like stamp_scale_ns(), for a time that will be reported: later anchors do
 * not change this time.
 */
static inline u64 stamp_scale_tell(struct stamp_scale *scale, u64 stamp)
{
	u64 ns = stamp_scale_ns(scale, stamp);

	if (stamp > scale->told.stamp) {
		scale->told.stamp = stamp;
		scale->told.ns = ns;
	}
	return ns;
}

/* Adds a reading. If it is not later than the last reported stamp, it is ignored. */
static inline void stamp_scale_anchor(struct stamp_scale *scale, struct stamp_point now)
{
	u64 told_rate = scale->rate;

	/* The clock did not advance, or another CPU's stamp was ahead of this CPU's counter. */
	if (now.stamp <= scale->told.stamp || now.ns <= scale->base.ns)
		return;
	if (now.ns - scale->base.ns >= STAMP_SCALE_BASE_NS) {
		scale->rate =
			stamp_scale_rate(now.ns - scale->base.ns, now.stamp - scale->base.stamp);
		scale->base = now;
	}
	if (now.ns < scale->told.ns)
		now.ns = scale->told.ns; /* the last reported time was too late */
	scale->before = scale->anchor;
	scale->before_rate = told_rate;
	scale->bend = scale->told;
	scale->bend_rate = stamp_scale_rate(now.ns - scale->bend.ns, now.stamp - scale->bend.stamp);
	scale->anchor = scale->told = now;
}

#endif
