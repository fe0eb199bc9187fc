// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_perf_internal.h"

#include "lib/array.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define RING_BYTES_ALL (UINT64_C(1) << 30) /* limit of the size of all CPUs' rings together */
#define RING_PAGES_MIN 16u
#define NONE	       UINT32_MAX

struct lost {
	struct perf_event_header header;
	uint64_t id, nr;
};

/* ---- opening ---- */

static unsigned int pages_of(uint64_t nr_bytes, unsigned int nr_cpus)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int nr = RING_PAGES_MIN;

	while ((uint64_t)nr * page_bytes < nr_bytes &&
	       (uint64_t)2 * nr * page_bytes * nr_cpus <= RING_BYTES_ALL)
		nr *= 2;
	return nr;
}

static int allocate(struct trace_perf *perf, struct diag *diag)
{
	cpu_watch_open(&perf->watch, perf->config.cpu_path);
	perf->ring_pages = pages_of(perf->config.ring_bytes, perf->watch.online.nr);
	perf->nr_targets = perf->config.nr_tids ? perf->config.nr_tids : 1;
	perf->cpus = calloc(perf->watch.nr_cpus, sizeof(*perf->cpus));
	perf->bytes = malloc((size_t)perf->ring_pages * (size_t)sysconf(_SC_PAGESIZE));
	perf->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!perf->cpus || !perf->bytes || perf->epoll_fd < 0)
		return diag_set(diag, -ENOMEM, "out of memory for the events of %u CPUs",
				perf->watch.nr_cpus);
	return 0;
}

static int open_cgroup(struct trace_perf *perf, struct diag *diag)
{
	const char *path = perf->config.cgroup;

	if (!path)
		return 0;
	perf->cgroup_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (perf->cgroup_fd >= 0)
		return 0;
	return diag_set(diag, -errno, "cannot open control group %s: %s", path, strerror(errno));
}

static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* after an error the old limit remains */
}

/* Opens all online CPUs. Skips a CPU that has gone offline since the list of CPUs was read. */
static int open_cpus(struct trace_perf *perf, struct diag *diag)
{
	for (unsigned int i = 0; i < perf->watch.nr_cpus; i++) {
		const int error =
			cpu_list_has(&perf->watch.online, i) ? trace_cpu_open(perf, i, diag) : 0;

		if (error && error != -ENODEV)
			return error;
	}
	if (!perf->nr_open)
		return diag_set(diag, -ENODEV, "this kernel cannot record any of these events");
	if (!perf->nr_ids)
		return diag_set(diag, -ESRCH, "all of the processes have ended");
	return 0;
}

int trace_perf_open(struct trace_perf **perf, const struct trace_perf_config *config,
		    struct diag *diag)
{
	struct trace_perf *made = calloc(1, sizeof(*made));
	int error;

	*perf = NULL;
	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory for events");
	made->config = *config;
	made->epoll_fd = made->cgroup_fd = made->watch.fd = -1;
	made->has_lost = true;
	raise_descriptors();
	error = allocate(made, diag);
	if (!error)
		error = open_cgroup(made, diag);
	if (!error)
		error = open_cpus(made, diag);
	if (error) {
		trace_perf_close(made);
		return error;
	}
	*perf = made;
	return 0;
}

void trace_perf_close(struct trace_perf *perf)
{
	if (!perf)
		return;
	for (unsigned int i = 0; perf->cpus && i < perf->watch.nr_cpus; i++)
		trace_cpu_close(perf, i);
	cpu_watch_close(&perf->watch);
	if (perf->epoll_fd >= 0)
		(void)close(perf->epoll_fd);
	if (perf->cgroup_fd >= 0)
		(void)close(perf->cgroup_fd);
	free(perf->cpus);
	free(perf->ids);
	free(perf->bytes);
	free(perf->notes);
	free(perf);
}

static int enable_cpu(const struct trace_perf *perf, unsigned int nr, bool enable)
{
	const struct trace_perf_cpu *cpu = &perf->cpus[nr];
	int error = 0;

	for (size_t i = 0; cpu->fds && i < trace_cpu_nr_fds(perf); i++)
		if (cpu->fds[i] >= 0 &&
		    ioctl(cpu->fds[i], enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			  0) &&
		    !error)
			error = -errno;
	return error;
}

int trace_perf_enable(struct trace_perf *perf, bool enable)
{
	int error = 0;

	perf->enabled = enable;
	for (unsigned int i = 0; i < perf->watch.nr_cpus; i++) {
		const int one = enable_cpu(perf, i, enable);

		error = error ? error : one;
	}
	return error;
}

/* ---- records ---- */

static unsigned int event_of(const struct trace_perf *perf, uint64_t id)
{
	size_t low = 0, high = perf->nr_ids;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (perf->ids[middle].id == id)
			return perf->ids[middle].event;
		if (perf->ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NONE;
}

static void lose(struct trace_perf *perf, unsigned int cpu, uint64_t nr)
{
	perf->counts.lost += nr;
	perf->config.sink->lost(perf->config.sink, cpu, nr);
}

static void lose_bad(struct trace_perf *perf, unsigned int cpu)
{
	perf->counts.bad_records++;
	perf->config.sink->lost(perf->config.sink, cpu, 1);
}

/* Makes a note of a record. The record is passed on after the notes have been sorted. */
static void note_record(struct trace_perf *perf, unsigned int cpu, size_t at, size_t nr_bytes)
{
	const uint8_t *bytes = perf->bytes + at;
	struct trace_perf_note note = {.at = (uint32_t)at, .event = NONE};
	uint64_t id;

	if (array_reserve(&perf->notes, &perf->notes_room, perf->nr_notes, 1)) {
		lose(perf, cpu, 1);
		return;
	}
	if (trace_record_id(bytes, nr_bytes, &id))
		note.event = event_of(perf, id);
	if (note.event != NONE &&
	    trace_record_time(perf->config.events[note.event].kind, bytes, nr_bytes, &note.time))
		perf->notes[perf->nr_notes++] = note;
	else
		lose_bad(perf, cpu);
}

static void note(struct trace_perf *perf, unsigned int cpu, size_t at, size_t nr_bytes)
{
	const uint8_t *bytes = perf->bytes + at;
	struct perf_event_header header;
	struct lost lost;

	memcpy(&header, bytes, sizeof(header));
	switch (header.type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		note_record(perf, cpu, at, nr_bytes);
		break;
	case PERF_RECORD_LOST:
		if (nr_bytes < sizeof(lost))
			break;
		memcpy(&lost, bytes, sizeof(lost));
		perf->cpus[cpu].told_lost += lost.nr;
		lose(perf, cpu, lost.nr);
		break;
	case PERF_RECORD_THROTTLE:
		perf->counts.throttled++;
		break;
	default:
		break;
	}
}

static int compare_notes(const void *a, const void *b)
{
	const struct trace_perf_note *first = a, *second = b;

	if (first->time != second->time)
		return first->time < second->time ? -1 : 1;
	return first->at < second->at ? -1 : first->at > second->at;
}

/*
 * The kernel reads a record's time before it reserves room in the ring. If an interrupt delays the
 * writer, its record follows the interrupt's records, which have later times. Such records are few
 * and close to their proper place, so insertion sort is fast. If it needs too many steps, qsort
 * sorts the notes instead.
 */
static void sort_notes(struct trace_perf *perf)
{
	size_t nr_steps = 16 * perf->nr_notes;

	for (size_t i = 1; i < perf->nr_notes; i++) {
		const struct trace_perf_note note = perf->notes[i];
		size_t to = i;

		for (; to && perf->notes[to - 1].time > note.time && nr_steps; to--, nr_steps--)
			perf->notes[to] = perf->notes[to - 1];
		perf->notes[to] = note;
	}
	if (perf->nr_notes && !nr_steps)
		qsort(perf->notes, perf->nr_notes, sizeof(*perf->notes), compare_notes);
}

static void hand_over(struct trace_perf *perf, unsigned int cpu)
{
	sort_notes(perf);
	for (size_t i = 0; i < perf->nr_notes; i++) {
		const struct trace_perf_note *note = &perf->notes[i];
		const uint8_t *bytes = perf->bytes + note->at;
		struct trace_perf_record record = {.cpu = cpu, .event = note->event};
		struct perf_event_header header;

		memcpy(&header, bytes, sizeof(header));
		if (trace_record_parse(&record, perf->config.events[note->event].kind, bytes,
				       header.size)) {
			perf->config.sink->record(perf->config.sink, &record);
			perf->counts.nr_records++;
		} else {
			lose_bad(perf, cpu);
		}
	}
}

static int read_ring(struct trace_perf *perf, unsigned int cpu)
{
	struct perf_ring *ring = &perf->cpus[cpu].ring;
	size_t nr_bytes;
	int error = perf_ring_used(ring, &nr_bytes);

	if (error)
		return error;
	perf_ring_take(ring, perf->bytes, nr_bytes);
	perf->nr_notes = 0;
	for (size_t at = 0, nr; at < nr_bytes; at += nr) {
		nr = perf_parse_size(perf->bytes + at, nr_bytes - at);
		if (!nr) {
			error = -EBADMSG;
			break;
		}
		note(perf, cpu, at, nr);
	}
	hand_over(perf, cpu);
	return error;
}

/*
 * Reads the kernel's count of losses. This includes the losses after the ring's last record; the
 * ring would report them only with its next record.
 */
static void read_losses(struct trace_perf *perf, unsigned int nr)
{
	struct trace_perf_cpu *cpu = &perf->cpus[nr];
	uint64_t sum = 0;

	for (size_t i = 0; i < trace_cpu_nr_fds(perf); i++) {
		struct {
			uint64_t value, id, lost;
		} counts;

		if (cpu->fds[i] >= 0 &&
		    read(cpu->fds[i], &counts, sizeof(counts)) == (ssize_t)sizeof(counts))
			sum += counts.lost;
	}
	if (sum > cpu->told_lost) {
		lose(perf, nr, sum - cpu->told_lost);
		cpu->told_lost = sum;
	}
}

static int read_cpu(struct trace_perf *perf, unsigned int nr, bool end)
{
	const int error = read_ring(perf, nr);

	perf->counts.ring_errors += error != 0;
	if (end && perf->has_lost)
		read_losses(perf, nr);
	return error;
}

int trace_perf_read(struct trace_perf *perf, bool end)
{
	int error = 0;

	for (unsigned int i = 0; i < perf->watch.nr_cpus; i++) {
		const int one = perf->cpus[i].fds ? read_cpu(perf, i, end) : 0;

		error = error ? error : one;
	}
	return error;
}

/* ---- CPUs that go online and offline ---- */

static int follow_cpu(struct trace_perf *perf, unsigned int nr, struct diag *diag)
{
	const bool is_online = cpu_list_has(&perf->watch.online, nr);
	const bool is_open = perf->cpus[nr].fds != NULL;
	int error;

	if (is_online == is_open)
		return 0;
	if (is_open) {
		(void)read_cpu(perf, nr, true); /* damage is counted */
		trace_cpu_close(perf, nr);
		return 0;
	}
	error = trace_cpu_open(perf, nr, diag);
	if (error == -ENODEV)
		return 0;
	if (!error && perf->enabled)
		error = enable_cpu(perf, nr, true);
	return error;
}

int trace_perf_follow_cpus(struct trace_perf *perf, struct diag *diag)
{
	int error = 0;

	if (!cpu_watch_read(&perf->watch))
		return 0;
	for (unsigned int i = 0; i < perf->watch.nr_cpus; i++) {
		struct diag why;
		const int one = follow_cpu(perf, i, &why);

		if (one && !error) {
			error = one;
			(void)diag_set(diag, one, "CPU %u is not recorded: %s", i, diag_show(&why));
		}
	}
	return error;
}

int trace_perf_poll_fd(const struct trace_perf *perf)
{
	return perf->epoll_fd;
}

unsigned int trace_perf_nr_cpus(const struct trace_perf *perf)
{
	return perf->watch.nr_cpus;
}

bool trace_perf_has_cpu(const struct trace_perf *perf, unsigned int cpu)
{
	return cpu < perf->watch.nr_cpus && perf->cpus[cpu].fds;
}

struct trace_perf_counts trace_perf_counts(const struct trace_perf *perf)
{
	return perf->counts;
}
