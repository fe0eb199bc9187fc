/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stretch of wall-clock time in which the live files' samples were taken,
 * whatever the clock does: it ends where it is stepped or the machine was
 * suspended, and does not go on while nothing is sampled.
 */
#ifndef DAEMON_STRETCH_H
#define DAEMON_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

/* One moment by two clocks. A suspended machine's CLOCK_MONOTONIC stands still. */
struct moment {
	int64_t realtime_ns;
	uint64_t monotonic_ns;
};

void moment_now(struct moment *now);

struct stretch {
	int64_t begin_ns, end_ns; /* CLOCK_REALTIME */
	bool sampling;
	struct moment last;	  /* looked at */
	uint64_t settled_from_ns; /* monotonic: when the clock was last stepped, or first looked at
				   */
};

/* Nothing is sampled yet. */
void stretch_init(struct stretch *stretch, const struct moment *now);

/* A new one, from now on. */
void stretch_begin(struct stretch *stretch, const struct moment *now);

/* Sampling starts (fresh: as a new stretch), or stops. */
void stretch_start(struct stretch *stretch, const struct moment *now, bool fresh);
void stretch_stop(struct stretch *stretch, const struct moment *now);

/*
 * Go on to now. True: the clock was stepped, or the machine was suspended. The
 * stretch then ends before that, told by the clock of before: close it and begin a
 * new one. No time may pass unfollowed for long: once a second or so.
 */
bool stretch_follow(struct stretch *stretch, const struct moment *now);

/* What to add to a CLOCK_MONOTONIC time of before the last look. */
int64_t stretch_to_realtime(const struct stretch *stretch);

/* For how long the clock has not been stepped, nor was newly seen. */
uint64_t stretch_settled_ns(const struct stretch *stretch);

/* The clock has not been stepped for ns, nor is it newly seen: one can go by it. */
bool stretch_is_settled(const struct stretch *stretch, uint64_t ns);

#endif
