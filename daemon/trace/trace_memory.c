// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_memory.h"

#include "lib/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLIGHT_RING_BYTES_MIN (UINT64_C(256) << 10)
#define FLIGHT_RING_BYTES_MAX (UINT64_C(16) << 20)
#define MEMINFO_BYTES_MAX     65536u

#define RECORD_BYTES_MIN 32u /* the smallest record of which the tracer makes a note */

/*
 * A flight recorder keeps its records in the daemon's rings, and the kernel's rings only pass
 * records on. For a flight recorder, each of the kernel's rings has the size of the daemon's ring,
 * within limits.
 */
uint64_t trace_memory_kernel_bytes(const struct trace_memory *memory)
{
	const uint64_t wanted = (uint64_t)memory->nr_sub_buffers * memory->sub_buffer_bytes;

	if (!memory->is_flight)
		return wanted;
	if (wanted > FLIGHT_RING_BYTES_MAX)
		return FLIGHT_RING_BYTES_MAX;
	return wanted < FLIGHT_RING_BYTES_MIN ? FLIGHT_RING_BYTES_MIN : wanted;
}

static bool is_power_of_two(uint32_t value)
{
	return value && !(value & (value - 1));
}

static int check_sizes(const struct trace_memory *memory, struct diag *diag)
{
	if (is_power_of_two(memory->nr_sub_buffers) && memory->nr_sub_buffers >= 2)
		return 0;
	return diag_set(diag, -EINVAL,
			"the number of buffers is %u, but must be a power of two and at least 2",
			memory->nr_sub_buffers);
}

/* Returns the available memory of the machine; 0: not known. */
static uint64_t available_bytes(void)
{
	static const char key[] = "MemAvailable:";
	uint64_t nr_kib = 0;
	char *text;

	if (file_read_text("/proc/meminfo", MEMINFO_BYTES_MAX, &text, NULL))
		return 0;
	if (strstr(text, key))
		nr_kib = strtoull(strstr(text, key) + strlen(key), NULL, 10);
	free(text);
	return nr_kib << 10;
}

uint64_t trace_memory_bytes(const struct trace_memory *memory, unsigned int nr_cpus)
{
	const uint64_t kernel = trace_memory_kernel_bytes(memory);
	const uint64_t notes = kernel / RECORD_BYTES_MIN * TRACE_MEMORY_NOTE_BYTES;
	uint64_t each = ((uint64_t)memory->nr_sub_buffers + 1) * memory->sub_buffer_bytes;
	uint64_t all;

	/*
	 * The array of notes grows by doubling. While its notes are copied, memory holds the old
	 * array and the new one, which is twice as large.
	 */
	if (__builtin_add_overflow(each, kernel, &each) ||
	    __builtin_mul_overflow(each, nr_cpus, &all) ||
	    __builtin_add_overflow(all, kernel + 3 * notes, &all))
		return UINT64_MAX;
	return all;
}

/*
 * Refuses rings that are larger than the available memory, because the kernel would then kill
 * processes.
 */
static int check_room(const struct trace_memory *memory, struct diag *diag)
{
	const long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t all = trace_memory_bytes(memory, nr_cpus > 0 ? (unsigned int)nr_cpus : 1);
	const uint64_t available = available_bytes();

	if (!available || all <= available / 4 * 3)
		return 0;
	return diag_set(diag, -ENOMEM,
			"%u buffers of %u KiB, and the kernel's buffers, take %" PRIu64
			" MiB on %ld CPUs, more than three quarters of the available %" PRIu64
			" MiB: choose fewer or smaller buffers (-m)",
			memory->nr_sub_buffers, memory->sub_buffer_bytes >> 10, all >> 20, nr_cpus,
			available >> 20);
}

int trace_memory_check(const struct trace_memory *memory, struct diag *diag)
{
	const int error = check_sizes(memory, diag);

	return error ? error : check_room(memory, diag);
}
