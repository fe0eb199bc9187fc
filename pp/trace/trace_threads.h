/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside trace_states: the threads that a trace names, each life of a number for itself. */
#ifndef PP_TRACE_THREADS_H
#define PP_TRACE_THREADS_H

#include "ctf/stream.h"
#include "pp/trace/trace_states.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_NONE UINT32_MAX
#define CALL_NONE   UINT32_MAX

enum thread_mode { MODE_UNKNOWN, MODE_USER, MODE_SYSCALL };

struct thread {
	struct trace_thread told;
	enum thread_mode mode;
	bool on_cpu, is_ending;
	bool is_told;	/* that it began, beside its CPU's events, which may tell it again */
	bool is_chosen; /* by the name and process that it has now */
	enum thread_state waits; /* off its CPU: since when, how */
	uint64_t since;
	uint64_t woken;	     /* 0: it was not since it ran last */
	uint32_t call;	     /* that it is in; CALL_NONE */
	uint64_t call_since; /* when that began */
};

struct threads {
	struct thread *threads;
	size_t nr, room;
	uint32_t *slots; /* by tid: index + 1 of the last thread of that number */
	size_t nr_slots; /* a power of two */
	uint64_t begin;	 /* of the window */
	trace_chooser *chooser;
	const void *chooser_context;
};

int threads_init(struct threads *threads, uint64_t begin); /* -ENOMEM */
void threads_deinit(struct threads *threads);

/* All is counted from here on. */
void threads_begin(struct threads *threads, uint64_t begin);

/* A new life of tid, that was in this state since then. Its index, or THREAD_NONE: no memory. */
uint32_t threads_add(struct threads *threads, int32_t tid, enum thread_state state, uint64_t since);

/*
 * The one that lives. Who was not named before was there from the begin on,
 * doing nobody knows what. THREAD_NONE: no memory.
 */
uint32_t threads_find(struct threads *threads, int32_t tid);

/* The one that is known to live; THREAD_NONE: none is. */
uint32_t threads_living(const struct threads *threads, int32_t tid);

void threads_name(struct threads *threads, uint32_t index, const uint8_t *name, uint32_t nr_bytes);
/* Its process's first thread. */
void threads_set_process(struct threads *threads, uint32_t index, uint32_t first);

#endif
