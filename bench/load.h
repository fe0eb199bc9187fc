/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load for the daemon's benchmarks: one process per CPU, which executes the
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

/*
 * Starts one process on each CPU. Each process executes nr_rounds rounds of
 * work (a round takes about 10 ms), or works until load_stop() if nr_rounds is
 * 0.
 */
void load_start(struct load *load, unsigned int nr_rounds);

/*
 * Waits until the processes have ended. Returns the CPU seconds, user and
 * system, of all of them.
 */
double load_wait(struct load *load);

/* Ends the processes. */
void load_stop(struct load *load);

#endif
