// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_perf_internal.h"

#include "lib/array.h"
#include "lib/perf_hint.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- attributes ---- */

static struct perf_event_attr ring_attr(const struct trace_perf *perf)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(struct perf_event_attr),
					.config = PERF_COUNT_SW_DUMMY,
					.disabled = 1,
					.watermark = 1,
					.wakeup_watermark =
						(uint32_t)(perf->ring_pages * page_bytes / 4),
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC};
}

static void ask_samples(struct perf_event_attr *attr, const struct trace_perf *perf,
			const struct trace_perf_event *event)
{
	attr->type = perf->use_clock ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
	attr->config = perf->use_clock ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_HW_CPU_CYCLES;
	attr->sample_type = TRACE_RECORD_SAMPLE_TYPE;
	attr->freq = 1;
	attr->sample_freq = event->samples_hz;
	/* an idle CPU counts no cycles, so the clock must not sample it either */
	attr->exclude_idle = 1;
}

static struct perf_event_attr event_attr(const struct trace_perf *perf,
					 const struct trace_perf_event *event)
{
	struct perf_event_attr attr = ring_attr(perf);

	attr.read_format = perf->has_lost ? PERF_FORMAT_ID | PERF_FORMAT_LOST : PERF_FORMAT_ID;
	attr.inherit = perf->config.nr_tids != 0;
	switch (event->kind) {
	case TRACE_RECORD_TRACEPOINT:
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = event->id;
		attr.sample_period = 1;
		attr.sample_type = TRACE_RECORD_TRACEPOINT_TYPE;
		break;
	case TRACE_RECORD_SAMPLE:
		ask_samples(&attr, perf, event);
		break;
	case TRACE_RECORD_MAPPING:
		attr.mmap = 1; /* only executable mappings */
		attr.mmap2 = 1;
		attr.task = attr.comm = event->has_tasks;
		attr.sample_id_all = 1;
		attr.sample_type = TRACE_RECORD_MAPPING_TYPE;
		break;
	default:
		break; /* records of other kinds need no event of their own */
	}
	return attr;
}

static int open_attr(const struct trace_perf *perf, struct perf_event_attr *attr,
		     unsigned int target, unsigned int cpu)
{
	const bool in_cgroup = perf->cgroup_fd >= 0;
	const int who = in_cgroup	       ? perf->cgroup_fd
			: perf->config.nr_tids ? perf->config.tids[target]
					       : -1;
	const long fd = syscall(SYS_perf_event_open, attr, who, (int)cpu, -1,
				PERF_FLAG_FD_CLOEXEC | (in_cgroup ? PERF_FLAG_PID_CGROUP : 0));

	return fd < 0 ? -errno : (int)fd;
}

/*
 * Opens an event. If this kernel or machine does not support a feature, tries again without the
 * feature.
 */
static int open_event(struct trace_perf *perf, const struct trace_perf_event *event,
		      unsigned int target, unsigned int cpu)
{
	struct perf_event_attr attr = event_attr(perf, event);
	int fd = open_attr(perf, &attr, target, cpu);

	if (event->kind == TRACE_RECORD_SAMPLE && !perf->use_clock &&
	    (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV)) {
		perf->use_clock = true;
		attr = event_attr(perf, event);
		fd = open_attr(perf, &attr, target, cpu);
	}
	if (fd == -EINVAL && perf->has_lost) {
		perf->has_lost = false;
		attr = event_attr(perf, event);
		fd = open_attr(perf, &attr, target, cpu);
	}
	return fd;
}

static int refused(const struct trace_perf_event *event, int error, struct diag *diag)
{
	char hint[PERF_HINT_BYTES];

	if (error == -EMFILE)
		return diag_set(
			diag, error,
			"too few file descriptors: each event needs one for each CPU, and with -p "
			"for each thread; choose fewer events, or raise the limit (ulimit -n)");
	perf_open_hint(error, PERF_HINT_SYSTEM, !geteuid(), hint, sizeof(hint));
	return diag_set(diag, error, "event %s: %s", event->name, hint);
}

static int set_filter(int fd, const struct trace_perf_event *event, struct diag *diag)
{
	if (!event->filter || !ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter))
		return 0;
	if (errno == EINVAL)
		return diag_set(
			diag, -EINVAL,
			"event %s: the kernel refuses the filter \"%s\"; compare fields of the "
			"event's description by == != < <= > >= & ~, joined by && and ||",
			event->name, event->filter);
	return diag_set(diag, -errno, "event %s: cannot set the filter \"%s\": %s", event->name,
			event->filter, strerror(errno));
}

/* ---- event numbers ---- */

static int add_id(struct trace_perf *perf, int fd, unsigned int event, unsigned int cpu)
{
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return -errno;
	if (array_reserve(&perf->ids, &perf->room_ids, perf->nr_ids, 1))
		return -ENOMEM;
	perf->ids[perf->nr_ids++] = (struct event_id){id, event, cpu};
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct event_id *first = a, *second = b;

	return first->id < second->id ? -1 : first->id > second->id;
}

static void remove_ids(struct trace_perf *perf, unsigned int cpu)
{
	size_t nr = 0;

	for (size_t i = 0; i < perf->nr_ids; i++)
		if (perf->ids[i].cpu != cpu)
			perf->ids[nr++] = perf->ids[i];
	perf->nr_ids = nr;
}

/* ---- one CPU ---- */

/*
 * Opens the ring of a CPU. The ring has an event of its own, because the other events may be of
 * threads that end.
 */
static int open_ring(struct trace_perf *perf, struct trace_perf_cpu *cpu, unsigned int nr,
		     struct diag *diag)
{
	struct perf_event_attr attr = ring_attr(perf);
	struct epoll_event wait = {.events = EPOLLIN};
	char hint[PERF_HINT_BYTES];
	int error;

	cpu->ring_fd =
		(int)syscall(SYS_perf_event_open, &attr, -1, (int)nr, -1, PERF_FLAG_FD_CLOEXEC);
	if (cpu->ring_fd < 0 && errno == ENODEV)
		return -ENODEV;
	if (cpu->ring_fd < 0)
		return refused(&(struct trace_perf_event){.name = "dummy"}, -errno, diag);
	error = perf_ring_open(&cpu->ring, cpu->ring_fd, perf->ring_pages);
	if (error) {
		perf_mmap_hint(error, perf->ring_pages, hint, sizeof(hint));
		return diag_set(diag, error, "%s", hint);
	}
	if (epoll_ctl(perf->epoll_fd, EPOLL_CTL_ADD, cpu->ring_fd, &wait))
		return diag_set(diag, -errno, "cannot wait for CPU %u: %s", nr, strerror(errno));
	return 0;
}

static int open_one(struct trace_perf *perf, struct trace_perf_cpu *cpu, unsigned int nr,
		    unsigned int index, struct diag *diag)
{
	const unsigned int number = index / perf->nr_targets;
	const struct trace_perf_event *event = &perf->config.events[number];
	int fd = open_event(perf, event, index % perf->nr_targets, nr), error;

	if (fd == -ESRCH && perf->config.nr_tids)
		return 0; /* a thread that has ended needs no event */
	if (fd < 0)
		return fd == -ENODEV ? fd : refused(event, fd, diag);
	cpu->fds[index] = fd;
	error = set_filter(fd, event, diag);
	if (error)
		return error;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->ring_fd))
		return diag_set(diag, -errno, "cannot make one ring for all events of CPU %u: %s",
				nr, strerror(errno));
	error = add_id(perf, fd, number, nr);
	return error ? diag_set(diag, error, "event %s: %s", event->name, strerror(-error)) : 0;
}

void trace_cpu_close(struct trace_perf *perf, unsigned int nr)
{
	struct trace_perf_cpu *cpu = &perf->cpus[nr];

	if (!cpu->fds)
		return;
	perf_ring_close(&cpu->ring);
	for (size_t i = 0; i < trace_cpu_nr_fds(perf); i++)
		if (cpu->fds[i] >= 0)
			(void)close(cpu->fds[i]);
	if (cpu->ring_fd >= 0)
		(void)close(cpu->ring_fd);
	free(cpu->fds);
	*cpu = (struct trace_perf_cpu){.fds = NULL};
	remove_ids(perf, nr);
	perf->nr_open--;
}

int trace_cpu_open(struct trace_perf *perf, unsigned int nr, struct diag *diag)
{
	struct trace_perf_cpu *cpu = &perf->cpus[nr];
	const size_t nr_fds = trace_cpu_nr_fds(perf);
	int error;

	*cpu = (struct trace_perf_cpu){.fds = calloc(nr_fds, sizeof(*cpu->fds)), .ring_fd = -1};
	if (!cpu->fds)
		return diag_set(diag, -ENOMEM, "out of memory for the events of a CPU");
	perf->nr_open++;
	for (size_t i = 0; i < nr_fds; i++)
		cpu->fds[i] = -1;
	error = open_ring(perf, cpu, nr, diag);
	for (unsigned int i = 0; !error && i < nr_fds; i++)
		error = open_one(perf, cpu, nr, i, diag);
	if (error)
		trace_cpu_close(perf, nr);
	else if (perf->nr_ids)
		qsort(perf->ids, perf->nr_ids, sizeof(*perf->ids), compare_ids);
	return error;
}
