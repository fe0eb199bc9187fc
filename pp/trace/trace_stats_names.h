/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the states, in display order. Used by trace_stats. */
#ifndef PP_TRACE_STATS_NAMES_H
#define PP_TRACE_STATS_NAMES_H

#include "pp/trace/trace_states.h"

struct cpu_state_name {
	enum cpu_state state;
	const char *title, *key; /* column title; JSON key */
};
extern const struct cpu_state_name cpu_states[NR_CPU_STATES];

struct thread_state_name {
	enum thread_state state;
	const char *title, *key;
};
extern const struct thread_state_name thread_states[NR_THREAD_STATES];

static inline uint64_t ran_ns(const uint64_t ns[NR_THREAD_STATES])
{
	return ns[THREAD_USER] + ns[THREAD_SYSCALL] + ns[THREAD_RUNNING] + ns[THREAD_KERNEL];
}

#endif
