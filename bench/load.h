/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load for the daemon's benchmarks: one process per CPU, each doing the same work in every run:
 * sorting, hashing, copying, and system calls.
 */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <stdint.h>
#include <sys/types.h>

#define LOAD_CPUS_MAX 256

struct load {
	pid_t pids[LOAD_CPUS_MAX];
	unsigned int nr;
};

/*
 * Starts one process on each CPU, with nr_rounds of work each (a round is about 10 ms); 0: until
 * load_stop().
 */
void load_start(struct load *load, unsigned int nr_rounds);

/* Waits until they have ended. Returns the CPU seconds, user and system, of all of them. */
double load_wait(struct load *load);

/* Ends the processes. */
void load_stop(struct load *load);

#endif
