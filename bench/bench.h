/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What benchmarks share: which lines are wanted, clocks, and printing. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* Keep main's arguments: the prefixes of the lines that are wanted. */
void bench_init(int argc, char **argv);

/* Does name begin with one of them? With none, all are wanted. */
bool bench_wanted(const char *name);

/* "name value unit", with as many digits as mean something. */
void bench_print(const char *name, double value, const char *unit);

/* CPU time of this thread, and of this process and its waited-for children. */
uint64_t bench_thread_ns(void);
uint64_t bench_process_ns(void);

/* The same numbers in every run: splitmix64 of *state. */
uint64_t bench_random(uint64_t *state);

/* Say on stderr why it can't go on, and exit. */
void bench_fail(const char *what, int error) __attribute__((noreturn));

#endif
