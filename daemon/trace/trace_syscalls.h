/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls as events of a trace: syscall_entry_NAME with its arguments by
 * name, syscall_exit_NAME with ret. Recorded by the two tracepoints that all
 * calls pass (raw_syscalls); the names and types of arguments are what tracefs
 * tells of each call; of one that it does not describe all are recorded. A
 * number that has no name here, of a newer kernel, is
 * syscall_entry_unknown{id, args}. Calls of 32-bit programs have numbers of
 * their own, which nothing tells apart: they get the names that these have here.
 */
#ifndef DAEMON_TRACE_SYSCALLS_H
#define DAEMON_TRACE_SYSCALLS_H

#include "ctf/ctf.h"
#include "lib/diag.h"
#include "oprof/kmod_trace.h"

#include <stdint.h>

#define TRACE_SYSCALL_NR_ARGS 6u

struct trace_syscalls;

/*
 * Of the kernel whose tracefs is at folder. Events get ids from first_id on,
 * trace_syscalls_nr_events of them. -ENOMEM.
 */
int trace_syscalls_create(struct trace_syscalls **syscalls, const char *folder, uint32_t first_id,
			  uint32_t stream_id, struct diag *diag);
void trace_syscalls_destroy(struct trace_syscalls *syscalls); /* NULL: nothing */

unsigned int trace_syscalls_nr_events(const struct trace_syscalls *syscalls);
/* Constant while syscalls is there. */
const struct ctf_event *trace_syscalls_event(const struct trace_syscalls *syscalls, unsigned int i);

/*
 * Names of files among the arguments are strings, as the kernel module copies them, no longer
 * addresses: before any event is described.
 */
void trace_syscalls_take_strings(struct trace_syscalls *syscalls);

/* One more than the highest number of a call. */
unsigned int trace_syscalls_nr_calls(const struct trace_syscalls *syscalls);
/* For the module: a call's events and arguments; not known where it has no name. */
void trace_syscalls_fill(const struct trace_syscalls *syscalls, unsigned int number,
			 struct oprof_ktrace_syscall *call);

/* Which event a call's begin, or its end, is: its id, and the bytes of its payload. */
uint32_t trace_syscalls_entry(const struct trace_syscalls *syscalls, int64_t number,
			      uint32_t *nr_bytes);
uint32_t trace_syscalls_exit(const struct trace_syscalls *syscalls, int64_t number,
			     uint32_t *nr_bytes);
/* Into payload, which has so many bytes. */
void trace_syscalls_write_entry(const struct trace_syscalls *syscalls, int64_t number,
				const uint64_t args[TRACE_SYSCALL_NR_ARGS], uint8_t *payload);
void trace_syscalls_write_exit(const struct trace_syscalls *syscalls, int64_t number, int64_t ret,
			       uint8_t *payload);

#endif
