/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the events that a trace records: translates the user's words into the kernel's
 * tracepoints. A word is
 *
 *	default			scheduling, system calls, interrupts, page faults, block
 *				requests, signals: the tracepoints that the kernel has
 *	syscalls		all system calls, by name
 *	syscall:NAME		these system calls; * and ? as in the shell
 *	SYSTEM:NAME, NAME	tracepoints; * and ? as in the shell
 *	WORD/FILTER/		only records that match: prev_prio < 100 && next_pid != 0
 *	sample, sample:HZ	threads' code addresses with their callers, HZ times a second; adds
 *				the forks, execs and exits that identify the threads
 *
 * and a text consists of words, separated by commas.
 */
#ifndef DAEMON_TRACE_CHOICE_H
#define DAEMON_TRACE_CHOICE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_CHOICE_EVENTS_MAX 4096u
#define TRACE_CHOICE_HZ		997u /* rate of "sample" without HZ */

struct trace_chosen {
	char *system, *name;
	char *filter; /* NULL: no filter */
};

struct trace_choice {
	struct trace_chosen *events; /* in the order of the words, without duplicates */
	size_t nr_events, room_events;
	bool all_syscalls;
	uint64_t samples_hz; /* 0: no samples */
	/*
	 * Filter of the system call tracepoints, which selects the chosen calls; NULL: no system
	 * call is chosen. Ignored if all_syscalls is set.
	 */
	char *syscalls;
};

/* Returns whether any system calls are chosen. If so, *filter is their filter; NULL: all calls. */
bool trace_choice_has_syscalls(const struct trace_choice *choice, const char **filter);

/* A zeroed struct is an empty choice. */
void trace_choice_deinit(struct trace_choice *choice);

/*
 * Adds the events that text names. folder is the kernel's tracefs. Returns 0; -ENOENT: the kernel
 * has no such event; -EINVAL: text is invalid, or gives one event two filters; -E2BIG, -ENOMEM or
 * another -errno. Fills diag on errors.
 */
int trace_choice_add(struct trace_choice *choice, const char *folder, const char *text,
		     struct diag *diag);

#endif
