/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stretch: the range of wall-clock time in which the samples of the live files were taken. The
 * stretch ends when the clock is stepped or the machine was suspended, so that its length is never
 * wrong. It does not grow while sampling is stopped.
 */
#ifndef DAEMON_STRETCH_H
#define DAEMON_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

/* The time on two clocks, read together. CLOCK_MONOTONIC stops while the machine is suspended. */
struct moment {
	int64_t realtime_ns;
	uint64_t monotonic_ns;
};

void moment_now(struct moment *now);

struct stretch {
	int64_t begin_ns, end_ns; /* CLOCK_REALTIME */
	bool sampling;
	struct moment last; /* the last value of `now` that was passed */
	/* CLOCK_MONOTONIC time at which the clock was last stepped, or first read. */
	uint64_t settled_from_ns;
};

/* Initializes stretch. Sampling counts as stopped until stretch_start. */
void stretch_init(struct stretch *stretch, const struct moment *now);

/* Begins a new stretch at the current time. */
void stretch_begin(struct stretch *stretch, const struct moment *now);

/* Call when sampling starts or stops. fresh: begin a new stretch. */
void stretch_start(struct stretch *stretch, const struct moment *now, bool fresh);
void stretch_stop(struct stretch *stretch, const struct moment *now);

/*
 * Extends the stretch to now. Call this about once a second. Returns true if the clock was stepped
 * or the machine was suspended. In this case, the stretch ends at the time that the clock would
 * show without the step; the caller must close this stretch and begin a new one.
 */
bool stretch_follow(struct stretch *stretch, const struct moment *now);

/* Returns CLOCK_REALTIME minus CLOCK_MONOTONIC, at the time stretch->last. */
int64_t stretch_to_realtime(const struct stretch *stretch);

/* Returns how long the clock has run without a step. */
uint64_t stretch_settled_ns(const struct stretch *stretch);

/* Returns whether the clock has run without a step for at least ns, so that it can be trusted. */
bool stretch_is_settled(const struct stretch *stretch, uint64_t ns);

#endif
