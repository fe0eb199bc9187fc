// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf_cpu.h"
#include "lib/perf_hint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* No side-band record is larger: a path of PATH_MAX and what stands round it. */
#define SIDE_RECORD_MAX 4608

/* read(2) of PERF_FORMAT_ID | PERF_FORMAT_LOST. */
struct read_values {
	uint64_t value, id, lost;
};

static uint64_t clock_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The first event of a ring maps it, the others write into it. */
static int ring_attach(struct perf_ring *ring, int owner_fd, int fd, unsigned int nr_pages,
		       bool *no_memory, struct diag *diag)
{
	char hint[PERF_HINT_BYTES];
	int error;

	if (ring->page)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner_fd) ? -errno : 0;
	error = perf_ring_open(ring, fd, nr_pages);
	if (!error)
		return 0;
	*no_memory = error == -EPERM || error == -ENOMEM;
	perf_mmap_hint(error, nr_pages, hint, sizeof(hint));
	return diag_set(diag, error, "%s", hint);
}

static int open_side_band(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, pid_t tid,
			  bool *no_memory, struct diag *diag)
{
	int fd = perf_open_side_band(plan->open, tid, (int)cpu->cpu, diag);
	int error;

	if (fd < 0)
		return fd;
	error = ring_attach(&cpu->side, cpu->nr_side_fds ? cpu->side_fds[0] : fd, fd,
			    plan->open->side_pages, no_memory, diag);
	cpu->side_fds[cpu->nr_side_fds++] = fd; /* perf_cpu_close closes it */
	return error;
}

static int open_sample(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, size_t event,
		       pid_t tid, bool *no_memory, struct diag *diag)
{
	int fd = perf_open_samples(plan->open, event, tid, (int)cpu->cpu, diag);
	struct perf_cpu_event *made = &cpu->events[cpu->nr_events];
	uint64_t id;
	int error;

	if (fd < 0)
		return fd;
	made->fd = fd;
	made->event = (uint32_t)event;
	made->lost = 0;
	cpu->nr_events++; /* perf_cpu_close closes it */
	error = ring_attach(&cpu->samples, cpu->events[0].fd, fd, plan->open->sample_pages,
			    no_memory, diag);
	if (!error && ioctl(fd, PERF_EVENT_IOC_ID, &id))
		error = -errno;
	return error ? error : perf_ids_add(plan->ids, id, made->event);
}

/* All events of one thread. -ESRCH: it has ended, nothing is open of it that matters. */
static int open_thread(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, pid_t tid,
		       bool *no_memory, struct diag *diag)
{
	int error = open_side_band(cpu, plan, tid, no_memory, diag);

	for (size_t i = 0; i < plan->open->config->nr_events && !error; i++)
		error = open_sample(cpu, plan, i, tid, no_memory, diag);
	return error;
}

/* The feed's rings: new ones, or those of before the CPU went. */
static int attach_feed(struct perf_cpu *cpu, const struct perf_cpu_plan *plan)
{
	struct perf_layout layout = {
		.cpu = cpu->cpu, .ids = plan->ids, .sample_type = plan->open->side_type};
	uint64_t now_ns = clock_now();
	int error;

	if (cpu->in_feed) {
		perf_feed_open_ring(plan->feed, cpu->side_ring, now_ns);
		perf_feed_open_ring(plan->feed, cpu->samples_ring, now_ns);
		return 0;
	}
	layout.side_band = true;
	error = perf_feed_add_ring(plan->feed, &layout, now_ns, &cpu->side_ring);
	if (error)
		return error;
	layout.side_band = false;
	layout.sample_type = plan->open->sample_type;
	error = perf_feed_add_ring(plan->feed, &layout, now_ns, &cpu->samples_ring);
	if (error)
		perf_feed_close_ring(plan->feed, cpu->side_ring);
	else
		cpu->in_feed = true;
	return error;
}

static int open_threads(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, bool *no_memory,
			struct diag *diag)
{
	size_t nr_events = plan->open->config->nr_events;
	int error = 0;

	cpu->events = calloc(plan->nr_tids * nr_events, sizeof(*cpu->events));
	cpu->side_fds = calloc(plan->nr_tids, sizeof(*cpu->side_fds));
	if (!cpu->events || !cpu->side_fds)
		return -ENOMEM;
	for (size_t i = 0; i < plan->nr_tids; i++) {
		error = open_thread(cpu, plan, plan->tids[i], no_memory, diag);
		if (error && error != -ESRCH)
			return error;
	}
	return cpu->side.page && cpu->samples.page ? 0 : error;
}

int perf_cpu_open(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, bool *no_memory,
		  struct diag *diag)
{
	int error;

	*no_memory = false;
	cpu->side_lost = 0;
	cpu->side_read_ns = clock_now();
	error = open_threads(cpu, plan, no_memory, diag);
	if (!error)
		error = attach_feed(cpu, plan);
	cpu->open = !error;
	if (error)
		perf_cpu_close(cpu, plan->feed);
	return error;
}

void perf_cpu_close(struct perf_cpu *cpu, struct perf_feed *feed)
{
	if (cpu->open && cpu->in_feed) {
		perf_feed_close_ring(feed, cpu->side_ring);
		perf_feed_close_ring(feed, cpu->samples_ring);
	}
	perf_ring_close(&cpu->samples);
	perf_ring_close(&cpu->side);
	for (size_t i = 0; i < cpu->nr_events; i++)
		(void)close(cpu->events[i].fd);
	for (size_t i = 0; i < cpu->nr_side_fds; i++)
		(void)close(cpu->side_fds[i]);
	free(cpu->events);
	free(cpu->side_fds);
	cpu->events = NULL;
	cpu->side_fds = NULL;
	cpu->nr_events = 0;
	cpu->nr_side_fds = 0;
	cpu->open = false;
}

int perf_cpu_enable(const struct perf_cpu *cpu, bool enable)
{
	int error = 0;

	for (size_t i = 0; i < cpu->nr_events; i++)
		if (ioctl(cpu->events[i].fd,
			  enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) &&
		    !error)
			error = -errno;
	return error;
}

/* The kernel's count of what the event could not write; 0 when it cannot be read. */
static uint64_t read_lost(int fd)
{
	struct read_values values;

	return read(fd, &values, sizeof(values)) == (ssize_t)sizeof(values) ? values.lost : 0;
}

static void read_sample_losses(struct perf_cpu *cpu, struct perf_feed *feed, uint64_t now_ns)
{
	for (size_t i = 0; i < cpu->nr_events; i++) {
		struct perf_cpu_event *event = &cpu->events[i];
		uint64_t lost = read_lost(event->fd);

		if (lost <= event->lost)
			continue;
		perf_feed_lost(feed, now_ns, event->event, lost - event->lost);
		event->lost = lost;
	}
}

/* What has been lost since the ring was read before was lost when it was full. */
static void read_side_losses(struct perf_cpu *cpu, uint64_t full_ns,
			     struct perf_side_losses *losses)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < cpu->nr_side_fds; i++)
		lost += read_lost(cpu->side_fds[i]);
	if (lost <= cpu->side_lost)
		return;
	losses->nr += lost - cpu->side_lost;
	if (full_ns < cpu->side_read_ns)
		full_ns = cpu->side_read_ns;
	if (full_ns < losses->from_ns)
		losses->from_ns = full_ns;
	cpu->side_lost = lost;
}

/*
 * The time from which on a ring can have been full that held these nr_bytes,
 * all that it had: that of the first record behind which the largest of side
 * band would not have fitted; when all would have, that of the last. 0: such
 * a record may not even fit into an empty ring.
 */
static uint64_t full_since(const struct perf_ring *ring, const struct perf_layout *layout,
			   const uint8_t *bytes, size_t nr_bytes)
{
	uint64_t time_ns = 0;
	size_t position = 0;
	size_t size;

	while (position + SIDE_RECORD_MAX <= ring->data_bytes &&
	       (size = perf_parse_size(bytes + position, nr_bytes - position))) {
		(void)perf_parse_time(layout, bytes + position, &time_ns);
		position += size;
	}
	return time_ns;
}

/*
 * *tight: the ring can have been full since it was last read, up to the
 * moment when its room was given back (we may have been stopped before it).
 * *full_ns: not before this; 0: not known.
 */
static int read_ring(struct perf_ring *ring, struct perf_feed *feed, uint32_t feed_ring,
		     bool *tight, uint64_t *full_ns)
{
	const struct perf_layout *layout = perf_feed_layout(feed, feed_ring);
	size_t nr_bytes, nr_more;
	int error = perf_ring_used(ring, &nr_bytes);
	void *room;

	*full_ns = 0;
	*tight = error || perf_ring_tight(ring, nr_bytes);
	if (error || !nr_bytes)
		return error;
	room = perf_feed_reserve(feed, nr_bytes);
	if (!room)
		return -ENOMEM;
	perf_ring_take(ring, room, nr_bytes);
	perf_feed_commit(feed, feed_ring, nr_bytes);
	error = perf_ring_used(ring, &nr_more);
	*tight = *tight || error || perf_ring_tight(ring, nr_bytes + nr_more);
	if (*tight && layout->side_band)
		*full_ns = full_since(ring, layout, room, nr_bytes);
	return error;
}

int perf_cpu_read(struct perf_cpu *cpu, const struct perf_cpu_plan *plan,
		  enum perf_cpu_losses losses, uint64_t now_ns,
		  struct perf_side_losses *side_losses)
{
	bool can_count = plan->open->features & PERF_FEATURE_LOST;
	bool side_tight, samples_tight;
	uint64_t side_full_ns, full_ns;
	int side_error, error;

	side_error = read_ring(&cpu->side, plan->feed, cpu->side_ring, &side_tight, &side_full_ns);
	error = read_ring(&cpu->samples, plan->feed, cpu->samples_ring, &samples_tight, &full_ns);
	if (can_count && (side_tight || losses == PERF_CPU_LOSSES_READ))
		read_side_losses(cpu, side_full_ns, side_losses);
	if (can_count && (samples_tight || losses == PERF_CPU_LOSSES_READ))
		read_sample_losses(cpu, plan->feed, now_ns);
	cpu->side_read_ns = now_ns;
	return side_error ? side_error : error;
}
