/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do when the kernel refuses performance events: one message, one
 * line, with the exact command. What is refused is told by errno; the
 * machine's settings only choose the words.
 */
#ifndef LIB_PERF_HINT_H
#define LIB_PERF_HINT_H

#include <stdbool.h>
#include <stddef.h>

#define PERF_HINT_BYTES 512

/* The settings that the words depend on. */
struct perf_hint_machine {
	bool level_known;
	int level;	      /* kernel.perf_event_paranoid */
	bool root;	      /* effective user 0 */
	long max_sample_hz;   /* kernel.perf_event_max_sample_rate; 0: not known */
	long mlock_kb;	      /* kernel.perf_event_mlock_kb; 0: not known */
	long memlock_kb;      /* RLIMIT_MEMLOCK; -1: no limit */
	unsigned int nr_cpus; /* online */
};

/* Of what was to be profiled. */
enum perf_hint_scope { PERF_HINT_OWN_USER, PERF_HINT_OWN_KERNEL, PERF_HINT_SYSTEM };

/* Of this machine and process. */
void perf_hint_machine_read(struct perf_hint_machine *machine);

/*
 * perf_event_open() failed with error (an errno, either sign) for the user's
 * own processes in user space, for their time in the kernel, or for the whole
 * machine: why, and the remedy.
 */
void perf_open_hint(int error, enum perf_hint_scope scope, char *text, size_t nr_bytes);

/* The same for mmap() of a ring of nr_pages data pages on each CPU. */
void perf_mmap_hint(int error, unsigned int nr_pages, char *text, size_t nr_bytes);

/* For tests and for who has read the machine already. */
void perf_open_hint_on(const struct perf_hint_machine *machine, int error,
		       enum perf_hint_scope scope, char *text, size_t nr_bytes);
void perf_mmap_hint_on(const struct perf_hint_machine *machine, int error, unsigned int nr_pages,
		       char *text, size_t nr_bytes);

#endif
