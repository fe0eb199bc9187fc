// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/events/perf_probe.h"

#include "events/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(uint32_t perf_type, uint64_t config, pid_t pid, int cpu, bool kernel)
{
	struct perf_event_attr attr = {
		.type = perf_type,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.disabled = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
	};
	int fd;

	if (perf_type == EVENT_TYPE_SWITCHES) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.context_switch = 1;
		/*
		 * Kernel mode must be excluded for users other than root. The kernel still writes
		 * the records of context switches.
		 */
		attr.exclude_kernel = 1;
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int perf_probe_open(uint32_t perf_type, uint64_t config, enum perf_probe_target target,
		    enum perf_probe_mode mode)
{
	bool system = target == PERF_PROBE_SYSTEM;
	int fd = open_event(perf_type, config, system ? -1 : 0, system ? 0 : -1,
			    mode == PERF_PROBE_USER_AND_KERNEL);

	if (fd < 0)
		return fd;
	(void)close(fd);
	return 0;
}

bool perf_probe_has_cycles(void)
{
	return !perf_probe_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_PROBE_SELF,
				PERF_PROBE_USER);
}

struct probe_ring {
	int fd;
	void *map;
	size_t nr_bytes;
};

static int ring_open(struct probe_ring *ring, uint64_t config, int cpu, unsigned int nr_pages)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	ring->fd = open_event(PERF_TYPE_SOFTWARE, config, 0, cpu, false);
	if (ring->fd < 0)
		return ring->fd;
	ring->nr_bytes = (nr_pages + 1) * page_bytes;
	ring->map = mmap(NULL, ring->nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	return ring->map == MAP_FAILED ? -errno : 0;
}

static void ring_close(struct probe_ring *ring)
{
	if (ring->map && ring->map != MAP_FAILED)
		(void)munmap(ring->map, ring->nr_bytes);
	if (ring->fd >= 0)
		(void)close(ring->fd);
}

int perf_probe_rings(unsigned int sample_pages, unsigned int side_pages)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	size_t nr_rings = 2 * (size_t)(nr_cpus > 0 ? nr_cpus : 1);
	struct probe_ring *rings = calloc(nr_rings, sizeof(*rings));
	size_t nr_open = 0;
	int error = rings ? 0 : -ENOMEM;

	while (!error && nr_open < nr_rings) {
		struct probe_ring *ring = &rings[nr_open++];
		bool side = (nr_open & 1) == 0;

		error = ring_open(ring, side ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_CPU_CLOCK,
				  (int)((nr_open - 1) / 2), side ? side_pages : sample_pages);
		if (error == -ENODEV)
			error = 0; /* the CPU is offline */
	}
	for (size_t i = 0; i < nr_open; i++)
		ring_close(&rings[i]);
	free(rings);
	return error;
}
