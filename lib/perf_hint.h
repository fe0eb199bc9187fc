/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Advice for users whose kernel refuses performance events: a one-line message with the exact
 * command that the user has to run. The errno determines which resource was refused. The settings
 * of the machine determine only the wording of the message.
 */
#ifndef LIB_PERF_HINT_H
#define LIB_PERF_HINT_H

#include <stdbool.h>
#include <stddef.h>

#define PERF_HINT_BYTES 512

/* The machine's settings that determine the wording. */
struct perf_hint_machine {
	bool level_known;
	int level;	      /* kernel.perf_event_paranoid */
	bool root;	      /* root started the process; not set by perf_hint_machine_read() */
	long max_sample_hz;   /* kernel.perf_event_max_sample_rate; 0: unknown */
	long mlock_kb;	      /* kernel.perf_event_mlock_kb; 0: unknown */
	long memlock_kb;      /* RLIMIT_MEMLOCK; -1: no limit */
	unsigned int nr_cpus; /* online CPUs */
};

/*
 * What is to be profiled: the user's processes without kernel code, the user's processes with
 * kernel code, or the whole machine.
 */
enum perf_hint_scope { PERF_HINT_OWN_USER, PERF_HINT_OWN_KERNEL, PERF_HINT_SYSTEM };

/* Reads the settings of this machine and process. */
void perf_hint_machine_read(struct perf_hint_machine *machine);

/*
 * Writes to `text` why perf_event_open() failed with `error` (an errno, positive or negative), and
 * the remedy. `scope` is the scope that was to be profiled. root: root started this process.
 */
void perf_open_hint(int error, enum perf_hint_scope scope, bool root, char *text, size_t nr_bytes);

/* Like perf_open_hint(), for mmap() of rings with nr_pages data pages, one ring for each CPU. */
void perf_mmap_hint(int error, unsigned int nr_pages, char *text, size_t nr_bytes);

/*
 * Like perf_open_hint() and perf_mmap_hint(), but with the machine's settings as an argument, for
 * tests and for callers that have already read them.
 */
void perf_open_hint_on(const struct perf_hint_machine *machine, int error,
		       enum perf_hint_scope scope, char *text, size_t nr_bytes);
void perf_mmap_hint_on(const struct perf_hint_machine *machine, int error, unsigned int nr_pages,
		       char *text, size_t nr_bytes);

#endif
