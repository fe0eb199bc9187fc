/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load for benchmarks of the daemon: one process per CPU, each doing the
 * same work in every run: sorting, hashing, copying, and system calls.
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

/* Start one process on each CPU. nr_rounds of work each (about 10 ms); 0: until load_stop. */
void load_start(struct load *load, unsigned int nr_rounds);

/* Wait until they have ended. CPU seconds, user and system, of all of them. */
double load_wait(struct load *load);

/* End them. */
void load_stop(struct load *load);

#endif
