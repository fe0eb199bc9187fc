/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that a trace's buffers take, ours and the kernel's. */
#ifndef DAEMON_TRACE_MEMORY_H
#define DAEMON_TRACE_MEMORY_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_MEMORY_NOTE_BYTES 16u /* what the tracer keeps of a record that it puts in order */

struct trace_memory {
	bool is_flight;				   /* a flight recorder's */
	uint32_t sub_buffer_bytes, nr_sub_buffers; /* of each CPU */
};

/* Bytes of the kernel's ring of a CPU, as wished. */
uint64_t trace_memory_kernel_bytes(const struct trace_memory *memory);

/*
 * Bytes of all buffers of nr_cpus CPUs, the kernel's among them, and of what one of the kernel's
 * takes while it is read: its copy, and a note of each record, in an array that doubles as it
 * grows. UINT64_MAX: more than that.
 */
uint64_t trace_memory_bytes(const struct trace_memory *memory, unsigned int nr_cpus);

/* -EINVAL: sizes that no ring has; -ENOMEM: more than the machine has to spare; diag. */
int trace_memory_check(const struct trace_memory *memory, struct diag *diag);

#endif
