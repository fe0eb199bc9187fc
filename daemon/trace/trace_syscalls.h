/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls as events of a trace: syscall_entry_NAME with its arguments by name, and
 * syscall_exit_NAME with ret. The tracepoints raw_syscalls:sys_enter and sys_exit record them.
 * Names and types of arguments come from tracefs; for a call that tracefs does not describe, the
 * array args is recorded. If a number has no name, because the kernel is newer, the event is
 * syscall_entry_unknown{id, args}.
 *
 * 32-bit programs use other numbers for system calls, but the records do not show which programs
 * these are. An event is therefore always named as if its number came from a 64-bit program.
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
 * Describes the system calls of the kernel whose tracefs is at folder. The ids of the events begin
 * at first_id; trace_syscalls_nr_events returns their number. Returns 0 or -ENOMEM.
 */
int trace_syscalls_create(struct trace_syscalls **syscalls, const char *folder, uint32_t first_id,
			  uint32_t stream_id, struct diag *diag);
void trace_syscalls_destroy(struct trace_syscalls *syscalls); /* NULL: does nothing */

unsigned int trace_syscalls_nr_events(const struct trace_syscalls *syscalls);
/* The event is valid until trace_syscalls_destroy. */
const struct ctf_event *trace_syscalls_event(const struct trace_syscalls *syscalls, unsigned int i);

/*
 * From now on, the type of file-name arguments is string in place of address, because the kernel
 * module copies the names. To be called before any event is used in a trace's description.
 */
void trace_syscalls_take_strings(struct trace_syscalls *syscalls);

/* Returns one more than the highest number of a system call. */
unsigned int trace_syscalls_nr_calls(const struct trace_syscalls *syscalls);
/*
 * Fills call, for the kernel module, with the events and arguments of system call number. Sets
 * is_known to 0 if the call has no name.
 */
void trace_syscalls_fill(const struct trace_syscalls *syscalls, unsigned int number,
			 struct oprof_ktrace_syscall *call);

/* Return the id of the event for a call's entry or exit, and the size of the event's payload. */
uint32_t trace_syscalls_entry(const struct trace_syscalls *syscalls, int64_t number,
			      uint32_t *nr_bytes);
uint32_t trace_syscalls_exit(const struct trace_syscalls *syscalls, int64_t number,
			     uint32_t *nr_bytes);
/* Write the payload, whose size is the result of the functions above. */
void trace_syscalls_write_entry(const struct trace_syscalls *syscalls, int64_t number,
				const uint64_t args[TRACE_SYSCALL_NR_ARGS], uint8_t *payload);
void trace_syscalls_write_exit(const struct trace_syscalls *syscalls, int64_t number, int64_t ret,
			       uint8_t *payload);

#endif
