/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads that a trace names. Used by trace_states. If the kernel uses a thread number again,
 * each life of the number is a separate thread.
 */
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
	bool is_told;	/* ACT_TASK_BEGIN began the thread; a fork event of it may follow */
	bool is_chosen; /* the chooser accepted the thread's current name and process */
	/* The state while the thread is off its CPU, and the time when this state began. */
	enum thread_state waits;
	uint64_t since;
	uint64_t woken;	     /* time of the wake-up; 0: not woken since the thread last ran */
	uint32_t call;	     /* system call that the thread executes, or CALL_NONE */
	uint64_t call_since; /* time when this call began */
};

struct threads {
	struct thread *threads;
	size_t nr, room;
	uint32_t *slots; /* by tid: index + 1 of the number's last thread */
	size_t nr_slots; /* a power of two */
	uint64_t begin;	 /* of the window */
	trace_chooser *chooser;
	const void *chooser_context;
};

int threads_init(struct threads *threads, uint64_t begin); /* 0 or -ENOMEM */
void threads_deinit(struct threads *threads);

/* Resets all times and counts at the window's beginning. */
void threads_begin(struct threads *threads, uint64_t begin);

/*
 * Adds a thread with number tid, whose `state` began at the time `since`. Returns the thread's
 * index; THREAD_NONE: out of memory.
 */
uint32_t threads_add(struct threads *threads, int32_t tid, enum thread_state state, uint64_t since);

/*
 * Returns the living thread of tid. If none is known, adds a thread in an unknown state. This state
 * begins at the last change of the previous thread with this number, or at the window's beginning
 * if there was no such thread. Returns THREAD_NONE if out of memory.
 */
uint32_t threads_find(struct threads *threads, int32_t tid);

/* Returns the living thread of tid; THREAD_NONE: none is known. */
uint32_t threads_living(const struct threads *threads, int32_t tid);

void threads_name(struct threads *threads, uint32_t index, const uint8_t *name, uint32_t nr_bytes);
/* Sets a thread's process. `first` is the index of the process's first thread. */
void threads_set_process(struct threads *threads, uint32_t index, uint32_t first);

#endif
