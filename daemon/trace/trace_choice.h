/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events a trace is to have: from words of people to tracepoints of the
 * kernel. A word is
 *
 *	default			what runs when, who calls the kernel, who waits: where the
 *				kernel has it
 *	syscalls		all system calls, by name
 *	syscall:NAME		these, with * and ? as the shell has them
 *	SYSTEM:NAME, NAME	tracepoints; * and ? as the shell has them
 *	WORD/FILTER/		only those whose fields are so: prev_prio < 100 && next_pid != 0
 *	sample, sample:HZ	where threads are, with their callers, so often a second; with it
 *				the forks, execs and ends that tell whose they are
 *
 * and a text is words with commas between.
 */
#ifndef DAEMON_TRACE_CHOICE_H
#define DAEMON_TRACE_CHOICE_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_CHOICE_EVENTS_MAX 4096u
#define TRACE_CHOICE_HZ		997u /* of "sample" */

struct trace_chosen {
	char *system, *name;
	char *filter; /* NULL: none */
};

struct trace_choice {
	struct trace_chosen *events; /* in the order of the words, each once */
	size_t nr_events, room_events;
	bool all_syscalls;
	uint64_t samples_hz; /* 0: none */
	char *syscalls;	     /* else some: what their tracepoints' filter is to be; NULL: none */
};

/* Are any system calls chosen, and by which filter? NULL: all. */
bool trace_choice_has_syscalls(const struct trace_choice *choice, const char **filter);

/* Zeroed is empty. */
void trace_choice_deinit(struct trace_choice *choice);

/*
 * Add what text says, of the kernel whose tracefs is at folder. -ENOENT: it has none such;
 * -EINVAL: no such text, or one event with two filters; -E2BIG, -ENOMEM, -errno; diag.
 */
int trace_choice_add(struct trace_choice *choice, const char *folder, const char *text,
		     struct diag *diag);

#endif
