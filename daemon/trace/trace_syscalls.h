/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls as events of a trace: syscall_entry_NAME with its arguments by name,
 * syscall_exit_NAME with ret, recorded by the two tracepoints of all calls (raw_syscalls). Names
 * and types of arguments are those of tracefs; a call that tracefs does not describe gets the array
 * args. A number without a name, of a newer kernel, becomes syscall_entry_unknown{id, args}. Calls
 * of 32-bit programs have other numbers, but records do not mark them: they get the names that the
 * numbers have here.
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
 * Describes the system calls of the kernel whose tracefs is at folder. The events, which
 * trace_syscalls_nr_events counts, get ids from first_id on. Returns 0 or -ENOMEM.
 */
int trace_syscalls_create(struct trace_syscalls **syscalls, const char *folder, uint32_t first_id,
			  uint32_t stream_id, struct diag *diag);
void trace_syscalls_destroy(struct trace_syscalls *syscalls); /* NULL: does nothing */

unsigned int trace_syscalls_nr_events(const struct trace_syscalls *syscalls);
/* Valid until trace_syscalls_destroy. */
const struct ctf_event *trace_syscalls_event(const struct trace_syscalls *syscalls, unsigned int i);

/*
 * Describes arguments that are file names as strings, which the kernel module copies, instead of
 * addresses. Call it before any event is described.
 */
void trace_syscalls_take_strings(struct trace_syscalls *syscalls);

/* Returns one more than the highest number of a call. */
unsigned int trace_syscalls_nr_calls(const struct trace_syscalls *syscalls);
/*
 * Fills call for the kernel module with a call's events and arguments; without a name is_known is
 * 0.
 */
void trace_syscalls_fill(const struct trace_syscalls *syscalls, unsigned int number,
			 struct oprof_ktrace_syscall *call);

/* Return the id of the event for a call's entry or exit, and the size of its payload. */
uint32_t trace_syscalls_entry(const struct trace_syscalls *syscalls, int64_t number,
			      uint32_t *nr_bytes);
uint32_t trace_syscalls_exit(const struct trace_syscalls *syscalls, int64_t number,
			     uint32_t *nr_bytes);
/* Write into payload, which has the size that the above functions returned. */
void trace_syscalls_write_entry(const struct trace_syscalls *syscalls, int64_t number,
				const uint64_t args[TRACE_SYSCALL_NR_ARGS], uint8_t *payload);
void trace_syscalls_write_exit(const struct trace_syscalls *syscalls, int64_t number, int64_t ret,
			       uint8_t *payload);

#endif
