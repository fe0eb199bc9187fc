/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that a trace's buffers need, both the daemon's and the kernel's. */
#ifndef DAEMON_TRACE_MEMORY_H
#define DAEMON_TRACE_MEMORY_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

/* The tracer needs this memory for a note of each record while it sorts records. */
#define TRACE_MEMORY_NOTE_BYTES 16u

struct trace_memory {
	bool is_flight;				   /* the trace is a flight recorder */
	uint32_t sub_buffer_bytes, nr_sub_buffers; /* sizes of each CPU's ring */
};

/* Returns the size of the kernel's ring of one CPU. */
uint64_t trace_memory_kernel_bytes(const struct trace_memory *memory);

/*
 * Returns the sum of two sizes: all buffers of nr_cpus CPUs, including the kernel's, and the memory
 * needed to read one of the kernel's rings. The latter is a copy of the ring and an array with a
 * note of each record, which grows by doubling. Returns UINT64_MAX on overflow.
 */
uint64_t trace_memory_bytes(const struct trace_memory *memory, unsigned int nr_cpus);

/*
 * Returns 0; -EINVAL if nr_sub_buffers is not a power of two of at least 2; -ENOMEM if the buffers
 * take more than three quarters of the machine's available memory. Fills diag on errors.
 */
int trace_memory_check(const struct trace_memory *memory, struct diag *diag);

#endif
