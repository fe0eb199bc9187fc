/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers of all benchmarks: selection of lines, clocks, output. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* Keeps main's arguments: the prefixes of the lines to run. */
void bench_init(int argc, char **argv);

/* Returns whether name begins with one of the prefixes, or no prefix was given. */
bool bench_wanted(const char *name);

/* Prints "name value unit", the value with four significant digits. */
void bench_print(const char *name, double value, const char *unit);

/*
 * bench_thread_ns() returns the CPU time of this thread, bench_process_ns() the
 * CPU time of this process and of the children that it waited for. Both are in
 * ns.
 */
uint64_t bench_thread_ns(void);
uint64_t bench_process_ns(void);

/* Returns the next number of splitmix64 from *state: the same sequence in every run. */
uint64_t bench_random(uint64_t *state);

/* Prints the failure to stderr and exits. */
void bench_fail(const char *what, int error) __attribute__((noreturn));

#endif
