/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring's peer: a program traced by LTTng-UST, built and run by lttng_peer.sh, that writes
 * rounds of records when it is told to.
 */
#ifndef BENCH_LTTNG_H
#define BENCH_LTTNG_H

struct lttng;

/* NULL, with the reason on stderr, where LTTng is not installed or does not start. */
struct lttng *lttng_start(void);

/* CPU time of a record in a round of so many; 0: the peer is gone. */
double lttng_round(struct lttng *lttng, unsigned int nr_records);

/* Ends all that was started. NULL is none. */
void lttng_stop(struct lttng *lttng);

#endif
