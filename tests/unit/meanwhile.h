/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader and a writer of one file, step by step. Steps of the reader are its
 * calls of pread and fstat, and of what it reads of the file's begin each
 * word: a copy may be torn anywhere. Those of the writer, a thread of its own,
 * are its stores: link libsdb_faults.a, and with meanwhile_wrap_flags. One
 * pair at a time.
 */
#ifndef TESTS_UNIT_MEANWHILE_H
#define TESTS_UNIT_MEANWHILE_H

#include <stdbool.h>

/* Both of one context. */
struct meanwhile {
	void (*read)(void *context);
	void (*write)(void *context);
	void *context;
	bool descending;	    /* words of a copy: the last first */
	unsigned int nr_torn_bytes; /* of the file, that are copied word by word; 0: 512 */
};

/*
 * Before the reader's step first (from 0), the writer makes nr_stores; before its step
 * second it makes all others. What it could not do by then it does in the end.
 */
struct meanwhile_plan {
	unsigned int first, nr_stores, second;
};

#define MEANWHILE_ALL (~0u)

/* How many steps the reader made. */
unsigned int meanwhile_run(const struct meanwhile *both, const struct meanwhile_plan *plan);

/* How many stores the writer makes, with nobody reading. */
unsigned int meanwhile_count_stores(const struct meanwhile *both);

/*
 * As if write were run before each step of the reader, to its end; it is no thread then. The
 * number of steps.
 */
unsigned int meanwhile_run_at_each(const struct meanwhile *both);

/* In write, then: where the reader reads next in the file; -1: it asks for the size. */
long long meanwhile_position(void);

#endif
