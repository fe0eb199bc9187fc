// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf_source/perf_cpu.h"

#include "lib/clock.h"
#include "lib/perf_hint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Size of the largest record other than a sample: a path of PATH_MAX bytes and other fields. */
#define BAND_RECORD_MAX 4608

/* What read(2) returns for an event opened with PERF_FORMAT_ID | PERF_FORMAT_LOST. */
struct read_values {
	uint64_t value, id, lost;
};

/* Maps the ring for the first event, and redirects the output of further events to this ring. */
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

/* Adds an event and attaches it to the band's ring. fd: descriptor of the event, or -errno. */
static int band_add(struct perf_cpu_band *band, int fd, unsigned int nr_pages, bool *no_memory,
		    struct diag *diag)
{
	int error;

	if (fd < 0)
		return fd;
	error = ring_attach(&band->ring, band->nr_fds ? band->fds[0] : fd, fd, nr_pages, no_memory,
			    diag);
	band->fds[band->nr_fds++] = fd; /* perf_cpu_close closes it */
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
	cpu->nr_events++; /* perf_cpu_close closes fd */
	error = ring_attach(&cpu->samples, cpu->events[0].fd, fd, plan->open->sample_pages,
			    no_memory, diag);
	if (!error && ioctl(fd, PERF_EVENT_IOC_ID, &id))
		error = -errno;
	return error ? error : perf_ids_add(plan->ids, id, made->event);
}

/*
 * Opens all events of a thread. Returns -ESRCH if the thread has ended; the events that were opened
 * before then stay open, which does no harm.
 */
static int open_thread(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, pid_t tid,
		       bool *no_memory, struct diag *diag)
{
	struct perf_open *open = plan->open;
	int error = band_add(&cpu->side, perf_open_side_band(open, tid, (int)cpu->cpu, diag),
			     open->side_pages, no_memory, diag);

	for (size_t i = 0; i < open->config->nr_events && !error; i++)
		if (event_choice_is_sampled(&open->config->events[i]))
			error = open_sample(cpu, plan, i, tid, no_memory, diag);
	if (!error && open->config->want_switches)
		error = band_add(&cpu->switches, perf_open_switches(open, tid, (int)cpu->cpu, diag),
				 open->switch_pages, no_memory, diag);
	return error;
}

static int add_feed_ring(const struct perf_cpu *cpu, const struct perf_cpu_plan *plan,
			 struct perf_layout layout, uint64_t now_ns, uint32_t *ring)
{
	layout.cpu = cpu->cpu;
	layout.ids = plan->ids;
	return perf_feed_add_ring(plan->feed, &layout, now_ns, ring);
}

static void close_feed(const struct perf_cpu *cpu, struct perf_feed *feed)
{
	perf_feed_close_ring(feed, cpu->side.feed_ring);
	perf_feed_close_ring(feed, cpu->samples_ring);
	perf_feed_close_ring(feed, cpu->switches.feed_ring);
}

static void open_feed(const struct perf_cpu *cpu, const struct perf_cpu_plan *plan, uint64_t now_ns)
{
	perf_feed_open_ring(plan->feed, cpu->side.feed_ring, now_ns);
	if (cpu->samples.page)
		perf_feed_open_ring(plan->feed, cpu->samples_ring, now_ns);
	if (cpu->switches.ring.page)
		perf_feed_open_ring(plan->feed, cpu->switches.feed_ring, now_ns);
}

/*
 * Adds the rings to the feed. If the feed already has these rings, because the CPU was online
 * before, reopens them.
 */
static int attach_feed(struct perf_cpu *cpu, const struct perf_cpu_plan *plan)
{
	const struct perf_layout side = {.side_band = true, .sample_type = plan->open->side_type};
	const struct perf_layout samples = {
		.sample_type = plan->open->sample_type,
		.regs_mask = plan->open->regs ? plan->open->regs->mask : 0,
	};
	const struct perf_layout switches = {.switches = true,
					     .sample_type = plan->open->switch_type};
	uint64_t now_ns = clock_monotonic_ns();
	int error = 0;

	if (!cpu->in_feed) {
		error = add_feed_ring(cpu, plan, side, now_ns, &cpu->side.feed_ring);
		if (!error)
			error = add_feed_ring(cpu, plan, samples, now_ns, &cpu->samples_ring);
		if (!error)
			error = add_feed_ring(cpu, plan, switches, now_ns,
					      &cpu->switches.feed_ring);
		if (error)
			return error;
		cpu->in_feed = true;
		close_feed(cpu, plan->feed);
	}
	open_feed(cpu, plan, now_ns);
	return 0;
}

static int open_threads(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, bool *no_memory,
			struct diag *diag)
{
	size_t nr_events = plan->open->config->nr_events;
	int error = 0;

	cpu->events = calloc(plan->nr_tids * nr_events, sizeof(*cpu->events));
	cpu->side.fds = calloc(plan->nr_tids, sizeof(int));
	cpu->switches.fds = calloc(plan->nr_tids, sizeof(int));
	if (!cpu->events || !cpu->side.fds || !cpu->switches.fds)
		return -ENOMEM;
	for (size_t i = 0; i < plan->nr_tids; i++) {
		error = open_thread(cpu, plan, plan->tids[i], no_memory, diag);
		if (error && error != -ESRCH)
			return error;
	}
	/* Succeeds if the events of at least one thread are open. */
	return cpu->side.ring.page && (cpu->samples.page || cpu->switches.ring.page) ? 0 : error;
}

static void band_begin(struct perf_cpu_band *band)
{
	band->lost = 0;
	band->read_ns = clock_monotonic_ns();
}

int perf_cpu_open(struct perf_cpu *cpu, const struct perf_cpu_plan *plan, bool *no_memory,
		  struct diag *diag)
{
	int error;

	*no_memory = false;
	band_begin(&cpu->side);
	band_begin(&cpu->switches);
	error = open_threads(cpu, plan, no_memory, diag);
	if (!error)
		error = attach_feed(cpu, plan);
	cpu->open = !error;
	if (error)
		perf_cpu_close(cpu, plan->feed);
	return error;
}

static void band_close(struct perf_cpu_band *band)
{
	perf_ring_close(&band->ring);
	for (size_t i = 0; i < band->nr_fds; i++)
		(void)close(band->fds[i]);
	free(band->fds);
	band->fds = NULL;
	band->nr_fds = 0;
}

void perf_cpu_close(struct perf_cpu *cpu, struct perf_feed *feed)
{
	if (cpu->open && cpu->in_feed)
		close_feed(cpu, feed);
	perf_ring_close(&cpu->samples);
	band_close(&cpu->side);
	band_close(&cpu->switches);
	for (size_t i = 0; i < cpu->nr_events; i++)
		(void)close(cpu->events[i].fd);
	free(cpu->events);
	cpu->events = NULL;
	cpu->nr_events = 0;
	cpu->open = false;
}

static int enable_one(int fd, bool enable)
{
	return ioctl(fd, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

int perf_cpu_enable(const struct perf_cpu *cpu, bool enable)
{
	int first = 0;

	for (size_t i = 0; i < cpu->nr_events; i++) {
		int error = enable_one(cpu->events[i].fd, enable);

		first = first ? first : error;
	}
	for (size_t i = 0; i < cpu->switches.nr_fds; i++) {
		int error = enable_one(cpu->switches.fds[i], enable);

		first = first ? first : error;
	}
	return first;
}

int perf_cpu_set_rate(const struct perf_cpu *cpu, const struct perf_open *open)
{
	int error = 0;

	for (size_t i = 0; i < cpu->nr_events; i++) {
		const struct event_choice *event = &open->config->events[cpu->events[i].event];
		uint64_t rate = perf_open_rate(open, event);

		if (event->frequency && ioctl(cpu->events[i].fd, PERF_EVENT_IOC_PERIOD, &rate) &&
		    !error)
			error = -errno;
	}
	return error;
}

/*
 * Returns how many records of the event the kernel could not write; 0 if the count cannot be read.
 */
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

/*
 * Adds the losses since the last reading. The ring was not full before full_ns, so these losses are
 * not older than full_ns.
 */
static void band_read_losses(struct perf_cpu_band *band, uint64_t full_ns,
			     struct perf_band_losses *losses)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < band->nr_fds; i++)
		lost += read_lost(band->fds[i]);
	if (lost <= band->lost)
		return;
	losses->nr += lost - band->lost;
	if (full_ns < band->read_ns)
		full_ns = band->read_ns;
	if (full_ns < losses->from_ns)
		losses->from_ns = full_ns;
	band->lost = lost;
}

/*
 * Returns the earliest time at which the ring that contained `bytes` may have been full. This is
 * the time of the first record after which the ring had no room for BAND_RECORD_MAX bytes; if the
 * ring had this room after every record, the result is the time of the last record. Returns 0 if
 * even the empty ring may be too small for a record of that size.
 */
static uint64_t full_since(const struct perf_ring *ring, const struct perf_layout *layout,
			   const uint8_t *bytes, size_t nr_bytes)
{
	uint64_t time_ns = 0;
	size_t position = 0;
	size_t size;

	while (position + BAND_RECORD_MAX <= ring->data_bytes &&
	       (size = perf_parse_size(bytes + position, nr_bytes - position))) {
		(void)perf_parse_time(layout, bytes + position, &time_ns);
		position += size;
	}
	return time_ns;
}

/*
 * Reads a ring into the feed. *tight: whether the ring may have been full at any time since the
 * last reading. The ring may also have become full during this reading, if the process was
 * suspended before it returned the room to the kernel. *full_ns: the ring was not full before this
 * time; 0: not known.
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
	if (layout->sample_type & PERF_SAMPLE_STACK_USER) {
		perf_feed_commit(feed, feed_ring,
				 perf_ring_take_packed(ring, room, nr_bytes, layout));
	} else {
		perf_ring_take(ring, room, nr_bytes);
		perf_feed_commit(feed, feed_ring, nr_bytes);
	}
	error = perf_ring_used(ring, &nr_more);
	*tight = *tight || error || perf_ring_tight(ring, nr_bytes + nr_more);
	if (*tight && (layout->side_band || layout->switches))
		*full_ns = full_since(ring, layout, room, nr_bytes);
	return error;
}

static int band_read(struct perf_cpu_band *band, const struct perf_cpu_plan *plan,
		     enum perf_cpu_losses losses, uint64_t now_ns,
		     struct perf_band_losses *band_losses)
{
	bool can_count = plan->open->features & PERF_FEATURE_LOST;
	uint64_t full_ns;
	bool tight;
	int error;

	if (!band->ring.page)
		return 0;
	error = read_ring(&band->ring, plan->feed, band->feed_ring, &tight, &full_ns);
	if (can_count && (tight || losses == PERF_CPU_LOSSES_READ))
		band_read_losses(band, full_ns, band_losses);
	band->read_ns = now_ns;
	return error;
}

static int samples_read(struct perf_cpu *cpu, const struct perf_cpu_plan *plan,
			enum perf_cpu_losses losses, uint64_t now_ns)
{
	bool can_count = plan->open->features & PERF_FEATURE_LOST;
	uint64_t full_ns;
	bool tight;
	int error;

	if (!cpu->samples.page)
		return 0;
	error = read_ring(&cpu->samples, plan->feed, cpu->samples_ring, &tight, &full_ns);
	if (can_count && (tight || losses == PERF_CPU_LOSSES_READ))
		read_sample_losses(cpu, plan->feed, now_ns);
	return error;
}

int perf_cpu_read(struct perf_cpu *cpu, const struct perf_cpu_plan *plan,
		  enum perf_cpu_losses losses, uint64_t now_ns, struct perf_losses *band_losses)
{
	int side = band_read(&cpu->side, plan, losses, now_ns, &band_losses->side);
	int samples = samples_read(cpu, plan, losses, now_ns);
	int switches = band_read(&cpu->switches, plan, losses, now_ns, &band_losses->switches);

	if (side)
		return side;
	return samples ? samples : switches;
}
