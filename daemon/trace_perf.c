// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace_perf.h"

#include "daemon/cpu_list.h"
#include "daemon/perf_ring.h"
#include "lib/file.h"
#include "lib/perf_hint.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ONLINE_FILE	 "/sys/devices/system/cpu/online"
#define ONLINE_BYTES_MAX 65536u
#define RING_BYTES_ALL	 (UINT64_C(1) << 30) /* of all CPUs */
#define RING_PAGES_MIN	 16u
#define NONE		 UINT32_MAX

/* In the order in which the kernel writes them. */
#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)

struct sample {
	struct perf_event_header header;
	uint64_t id;
	uint64_t time;
	uint32_t raw_bytes;
	uint8_t raw[];
};
#define SAMPLE_BYTES_MIN 28u /* up to raw: without padding behind */

struct lost {
	struct perf_event_header header;
	uint64_t id, nr;
};

struct trace_cpu {
	unsigned int nr;
	struct perf_ring ring;
	int *fds;	    /* of each event; -1: not open */
	uint64_t told_lost; /* by records of the ring */
};

/* Of the kernel's id, in order of it. */
struct event_id {
	uint64_t id;
	uint32_t event;
};

struct trace_perf {
	struct trace_perf_config config;
	struct trace_cpu *cpus;
	unsigned int nr_cpus, nr_cpus_end; /* that there are; one more than the highest */
	struct event_id *ids;
	size_t nr_ids;
	unsigned int ring_pages; /* data pages of a CPU's ring */
	uint8_t *bytes;		 /* of a ring, copied out */
	int epoll_fd;
	bool has_lost; /* PERF_FORMAT_LOST: Linux 6.0 */
	struct trace_perf_counts counts;
};

/* ---- opening ---- */

static int open_event(const struct trace_perf *perf, uint32_t id, unsigned int cpu)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = SAMPLE_TYPE,
		.read_format = perf->has_lost ? PERF_FORMAT_ID | PERF_FORMAT_LOST : PERF_FORMAT_ID,
		.disabled = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(perf->ring_pages * page_bytes / 4),
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC};
	const long fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int refused(const struct trace_perf_event *event, int error, struct diag *diag)
{
	char hint[PERF_HINT_BYTES];

	if (error == -EMFILE)
		return diag_set(
			diag, error,
			"no more descriptors: each event takes one for each CPU; choose fewer "
			"events, or raise the limit (ulimit -n)");
	perf_open_hint(error, PERF_HINT_SYSTEM, hint, sizeof(hint));
	return diag_set(diag, error, "event %s: %s", event->name, hint);
}

static int set_filter(int fd, const struct trace_perf_event *event, struct diag *diag)
{
	if (!event->filter || !ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter))
		return 0;
	if (errno == EINVAL)
		return diag_set(
			diag, -EINVAL,
			"event %s: the kernel does not understand the filter \"%s\"; fields are those "
			"of its description, compared by == != < <= > >= & ~, joined by && and ||",
			event->name, event->filter);
	return diag_set(diag, -errno, "event %s: the filter \"%s\": %s", event->name, event->filter,
			strerror(errno));
}

static int add_id(struct trace_perf *perf, int fd, unsigned int event)
{
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return -errno;
	perf->ids[perf->nr_ids++] = (struct event_id){id, event};
	return 0;
}

/* The first event of a CPU has the ring; the others write to it. */
static int share_ring(struct trace_perf *perf, struct trace_cpu *cpu, unsigned int event,
		      struct diag *diag)
{
	char hint[PERF_HINT_BYTES];
	int error;

	if (event) {
		if (!ioctl(cpu->fds[event], PERF_EVENT_IOC_SET_OUTPUT, cpu->fds[0]))
			return 0;
		return diag_set(diag, -errno, "a ring for all events of CPU %u: %s", cpu->nr,
				strerror(errno));
	}
	error = perf_ring_open(&cpu->ring, cpu->fds[0], perf->ring_pages);
	if (!error)
		return 0;
	perf_mmap_hint(error, perf->ring_pages, hint, sizeof(hint));
	return diag_set(diag, error, "%s", hint);
}

static int open_one(struct trace_perf *perf, struct trace_cpu *cpu, unsigned int nr,
		    struct diag *diag)
{
	const struct trace_perf_event *event = &perf->config.events[nr];
	int fd = open_event(perf, event->id, cpu->nr), error;

	if (fd == -EINVAL && perf->has_lost) {
		perf->has_lost = false;
		fd = open_event(perf, event->id, cpu->nr);
	}
	if (fd < 0)
		return fd == -ENODEV ? fd : refused(event, fd, diag);
	cpu->fds[nr] = fd;
	error = set_filter(fd, event, diag);
	if (!error)
		error = share_ring(perf, cpu, nr, diag);
	if (error)
		return error;
	error = add_id(perf, fd, nr);
	return error ? diag_set(diag, error, "event %s: %s", event->name, strerror(-error)) : 0;
}

static void close_cpu(const struct trace_perf *perf, struct trace_cpu *cpu)
{
	perf_ring_close(&cpu->ring);
	for (unsigned int i = 0; cpu->fds && i < perf->config.nr_events; i++)
		if (cpu->fds[i] >= 0)
			(void)close(cpu->fds[i]);
	free(cpu->fds);
	cpu->fds = NULL;
}

static int watch(const struct trace_perf *perf, const struct trace_cpu *cpu, struct diag *diag)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (!epoll_ctl(perf->epoll_fd, EPOLL_CTL_ADD, cpu->fds[0], &event))
		return 0;
	return diag_set(diag, -errno, "cannot wait for CPU %u: %s", cpu->nr, strerror(errno));
}

/* A CPU that has gone since we looked is none: 0, and it is not open. */
static int open_cpu(struct trace_perf *perf, unsigned int nr, struct diag *diag)
{
	struct trace_cpu *cpu = &perf->cpus[perf->nr_cpus];
	const unsigned int nr_events = perf->config.nr_events;
	int error = 0;

	*cpu = (struct trace_cpu){.nr = nr, .fds = calloc(nr_events, sizeof(*cpu->fds))};
	if (!cpu->fds)
		return diag_set(diag, -ENOMEM, "no memory for the events of a CPU");
	for (unsigned int i = 0; i < nr_events; i++)
		cpu->fds[i] = -1;
	for (unsigned int i = 0; !error && i < nr_events; i++)
		error = open_one(perf, cpu, i, diag);
	if (!error)
		error = watch(perf, cpu, diag);
	if (!error)
		perf->nr_cpus++;
	else
		close_cpu(perf, cpu);
	return error == -ENODEV ? 0 : error;
}

static int online_cpus(struct cpu_list *list, struct diag *diag)
{
	char *text;
	int error = file_read_text(ONLINE_FILE, ONLINE_BYTES_MAX, &text, NULL);

	if (!error) {
		error = cpu_list_parse(text, list);
		free(text);
	}
	return error ? diag_set_at(diag, error, ONLINE_FILE, 0, "%s", strerror(-error)) : 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct event_id *first = a, *second = b;

	return first->id < second->id ? -1 : first->id > second->id;
}

static unsigned int pages_of(uint64_t nr_bytes, unsigned int nr_cpus)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int nr = RING_PAGES_MIN;

	while ((uint64_t)nr * page_bytes < nr_bytes &&
	       (uint64_t)2 * nr * page_bytes * nr_cpus <= RING_BYTES_ALL)
		nr *= 2;
	return nr;
}

static int allocate(struct trace_perf *perf, const struct cpu_list *list, struct diag *diag)
{
	perf->ring_pages = pages_of(perf->config.ring_bytes, list->nr);
	perf->cpus = calloc(list->nr, sizeof(*perf->cpus));
	perf->ids = calloc((size_t)list->nr * perf->config.nr_events, sizeof(*perf->ids));
	perf->bytes = malloc((size_t)perf->ring_pages * (size_t)sysconf(_SC_PAGESIZE));
	perf->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	perf->nr_cpus_end = list->nr;
	if (!perf->cpus || !perf->ids || !perf->bytes || perf->epoll_fd < 0)
		return diag_set(diag, -ENOMEM, "no memory for the events of %u CPUs", list->nr);
	return 0;
}

static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* else as many as there are */
}

int trace_perf_open(struct trace_perf **perf, const struct trace_perf_config *config,
		    struct diag *diag)
{
	struct trace_perf *made = calloc(1, sizeof(*made));
	static struct cpu_list list; /* too big for a stack */
	int error;

	*perf = NULL;
	if (!made)
		return diag_set(diag, -ENOMEM, "no memory for events");
	made->config = *config;
	made->epoll_fd = -1;
	made->has_lost = true;
	error = online_cpus(&list, diag);
	if (!error)
		error = allocate(made, &list, diag);
	raise_descriptors();
	for (unsigned int i = 0; !error && i < list.nr; i++)
		if (cpu_list_has(&list, i))
			error = open_cpu(made, i, diag);
	if (!error && !made->nr_cpus)
		error = diag_set(diag, -ENODEV, "this kernel records none of these events");
	if (error) {
		trace_perf_close(made);
		return error;
	}
	qsort(made->ids, made->nr_ids, sizeof(*made->ids), compare_ids);
	*perf = made;
	return 0;
}

void trace_perf_close(struct trace_perf *perf)
{
	if (!perf)
		return;
	for (unsigned int i = 0; i < perf->nr_cpus; i++)
		close_cpu(perf, &perf->cpus[i]);
	if (perf->epoll_fd >= 0)
		(void)close(perf->epoll_fd);
	free(perf->cpus);
	free(perf->ids);
	free(perf->bytes);
	free(perf);
}

int trace_perf_enable(struct trace_perf *perf, bool enable)
{
	int error = 0;

	for (unsigned int i = 0; i < perf->nr_cpus; i++)
		for (unsigned int event = 0; event < perf->config.nr_events; event++)
			if (ioctl(perf->cpus[i].fds[event],
				  enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) &&
			    !error)
				error = -errno;
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

static void lose(struct trace_perf *perf, const struct trace_cpu *cpu, uint64_t nr)
{
	perf->counts.lost += nr;
	perf->config.sink->lost(perf->config.sink, cpu->nr, nr);
}

static void take_sample(struct trace_perf *perf, const struct trace_cpu *cpu, const void *bytes,
			size_t nr_bytes)
{
	const struct sample *sample = bytes;
	struct trace_perf_record record;

	if (nr_bytes < SAMPLE_BYTES_MIN || sample->raw_bytes > nr_bytes - SAMPLE_BYTES_MIN ||
	    event_of(perf, sample->id) == NONE) {
		perf->counts.bad_records++;
		perf->config.sink->lost(perf->config.sink, cpu->nr, 1);
		return;
	}
	record = (struct trace_perf_record){.cpu = cpu->nr,
					    .event = event_of(perf, sample->id),
					    .time = sample->time,
					    .raw = sample->raw,
					    .nr_bytes = sample->raw_bytes};
	perf->counts.nr_records++;
	perf->config.sink->record(perf->config.sink, &record);
}

static void take_record(struct trace_perf *perf, struct trace_cpu *cpu, const void *bytes,
			size_t nr_bytes)
{
	const struct perf_event_header *header = bytes;
	const struct lost *lost = bytes;

	if (header->type == PERF_RECORD_SAMPLE) {
		take_sample(perf, cpu, bytes, nr_bytes);
	} else if (header->type == PERF_RECORD_LOST && nr_bytes >= sizeof(*lost)) {
		cpu->told_lost += lost->nr;
		lose(perf, cpu, lost->nr);
	}
}

static int read_ring(struct trace_perf *perf, struct trace_cpu *cpu)
{
	size_t nr_bytes;
	int error = perf_ring_used(&cpu->ring, &nr_bytes);

	if (error)
		return error;
	perf_ring_take(&cpu->ring, perf->bytes, nr_bytes);
	for (size_t at = 0, nr; at < nr_bytes; at += nr) {
		nr = perf_parse_size(perf->bytes + at, nr_bytes - at);
		if (!nr)
			return -EBADMSG;
		take_record(perf, cpu, perf->bytes + at, nr);
	}
	return 0;
}

/* A loss behind the last record has none of its own. */
static void read_losses(struct trace_perf *perf, struct trace_cpu *cpu)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < perf->config.nr_events; i++) {
		struct {
			uint64_t value, id, lost;
		} counts;

		if (read(cpu->fds[i], &counts, sizeof(counts)) == (ssize_t)sizeof(counts))
			sum += counts.lost;
	}
	if (sum > cpu->told_lost) {
		lose(perf, cpu, sum - cpu->told_lost);
		cpu->told_lost = sum;
	}
}

int trace_perf_read(struct trace_perf *perf, bool end)
{
	int error = 0;

	for (unsigned int i = 0; i < perf->nr_cpus; i++) {
		const int one = read_ring(perf, &perf->cpus[i]);

		perf->counts.ring_errors += one != 0;
		if (one && !error)
			error = one;
		if (end && perf->has_lost)
			read_losses(perf, &perf->cpus[i]);
	}
	return error;
}

int trace_perf_poll_fd(const struct trace_perf *perf)
{
	return perf->epoll_fd;
}

unsigned int trace_perf_nr_cpus(const struct trace_perf *perf)
{
	return perf->nr_cpus_end;
}

struct trace_perf_counts trace_perf_counts(const struct trace_perf *perf)
{
	return perf->counts;
}
