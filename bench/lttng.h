/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program with which benchmarks compare the ring (its peer, see
 * bench/README.md): it writes records through LTTng-UST, a round of records for
 * each request. lttng_peer.sh builds and starts the program.
 */
#ifndef BENCH_LTTNG_H
#define BENCH_LTTNG_H

struct lttng;

/* Returns NULL, with the reason on stderr, if LTTng is not installed or does not start. */
struct lttng *lttng_start(void);

/* Runs a round of nr_records. Returns the CPU time per record in ns, or 0 if the peer has ended. */
double lttng_round(struct lttng *lttng, unsigned int nr_records);

/* Ends everything that lttng_start() started. lttng may be NULL. */
void lttng_stop(struct lttng *lttng);

#endif
