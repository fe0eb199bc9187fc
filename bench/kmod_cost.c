// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of the module's samples. Runs in a guest that counts instructions as nanoseconds, with a
 * module that was built with KMOD_COST=1 (kmod/cost.c) and its control filesystem mounted. Prints
 * benchmark lines. Arguments: perf's type of the interrupting event, its config, its period (type 1
 * and config 0: the module's timer).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "oprof/kmod.h"

#define NR_SAMPLES  400
#define NR_ROUNDS   7
#define CHAIN_DEPTH 16
#define RING_PAGES  256
#define COST_FILE   "/sys/module/oprof/parameters/cost"

static void fail(const char *what)
{
	fprintf(stderr, "kmod_cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail(path);
	close(fd);
}

static void set(const char *name, uint64_t value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), OPROF_KMOD_MOUNT "/%s", name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	write_text(path, text);
}

static uint64_t stat_of(const char *name)
{
	char path[128];
	unsigned long long value;
	FILE *file;

	snprintf(path, sizeof(path), OPROF_KMOD_MOUNT "/stats/%s", name);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu", &value) != 1)
		fail(path);
	fclose(file);
	return value;
}

static int open_buffer(void)
{
	int fd = open(OPROF_KMOD_MOUNT "/buffer", O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		fail("buffer");
	return fd;
}

/* ---- the sample path and the worker ---- */

struct cost {
	uint64_t took_ns, dump_ns;
};

/*
 * Repeats the measurement as long as it fails with EAGAIN, because the worker
 * made another pass in between.
 */
static void write_cost(const char *kind, unsigned int nr)
{
	char text[64];
	int fd = open(COST_FILE, O_WRONLY), nr_bytes;
	int nr_tries = 100;

	nr_bytes = snprintf(text, sizeof(text), "%s %u", kind, nr);
	while (fd >= 0 && write(fd, text, (size_t)nr_bytes) != nr_bytes)
		if (errno != EAGAIN || !--nr_tries)
			fail(COST_FILE);
	if (fd < 0)
		fail(COST_FILE);
	close(fd);
}

static void measure(const char *kind, unsigned int nr, struct cost *least)
{
	unsigned long long took_ns, dump_ns;
	FILE *file;

	write_cost(kind, nr);
	file = fopen(COST_FILE, "r");
	if (!file || fscanf(file, "%llu %llu", &took_ns, &dump_ns) != 2)
		fail(COST_FILE);
	fclose(file);
	if (took_ns < least->took_ns)
		least->took_ns = took_ns;
	if (dump_ns < least->dump_ns)
		least->dump_ns = dump_ns;
}

/* Returns the minimum of several rounds, because interrupts and other threads only add time. */
static struct cost cost_of(const char *kind, unsigned int nr)
{
	struct cost least = {UINT64_MAX, UINT64_MAX};

	for (int i = 0; i < NR_ROUNDS; i++)
		measure(kind, nr, &least);
	return least;
}

static void print_costs(const char *kind, const char *suffix)
{
	struct cost loop = cost_of("none", NR_SAMPLES);
	struct cost nothing = cost_of(kind, 0);
	struct cost all = cost_of(kind, NR_SAMPLES);

	if (!strcmp(kind, "same"))
		loop.took_ns = nothing.took_ns;
	printf("kmod_sample_instructions%s %.1f instructions\n", suffix,
	       (double)(all.took_ns - loop.took_ns) / NR_SAMPLES);
	printf("kmod_sync_instructions%s %.1f instructions\n", suffix,
	       (double)(all.dump_ns - nothing.dump_ns) / NR_SAMPLES);
}

/* Makes calls deep enough for a full chain of CHAIN_DEPTH callers. */
__attribute__((noinline)) static void call_deep(unsigned int depth)
{
	if (depth)
		call_deep(depth - 1);
	else
		print_costs("same", "_chain16");
	__asm__ volatile("" ::: "memory"); /* prevents a tail call */
}

static void print_paths(void)
{
	int fd = open_buffer();

	print_costs("same", "");
	print_costs("changing", "_context");
	close(fd);
	set("backtrace_depth", CHAIN_DEPTH);
	fd = open_buffer();
	call_deep(CHAIN_DEPTH + 4);
	close(fd);
	set("backtrace_depth", 0);
}

/* ---- a whole interrupt ---- */

struct event {
	uint32_t type;
	uint64_t config, period;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Always executes the same instructions. */
static uint64_t run_load(void)
{
	uint64_t begin_ns = now_ns();

	for (unsigned long i = 0; i < 100000000; i++)
		__asm__ volatile("" : "+r"(i));
	return now_ns() - begin_ns;
}

/*
 * Runs the load while perf samples into a ring that is not read. Returns the
 * time in ns; *nr becomes the number of samples.
 */
static uint64_t run_with_perf(const struct event *event, uint64_t *nr)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.config = event->config,
		.size = sizeof(attr),
		.sample_period = event->period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.disabled = 1,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
	size_t bytes = (size_t)(RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	struct perf_event_mmap_page *page;
	const struct perf_event_header *first;
	uint64_t took_ns;

	if (fd < 0)
		fail("perf_event_open");
	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		fail("mmap");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	took_ns = run_load();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	first = (const void *)((const char *)page + page->data_offset);
	*nr = first->size ? page->data_head / first->size : 0;
	munmap(page, bytes);
	close(fd);
	return took_ns;
}

/* As run_with_perf(), but the module samples. Its worker runs; its buffer is not read. */
static uint64_t run_with_kmod(uint64_t *nr)
{
	int fd = open_buffer();
	uint64_t took_ns;

	set("enable", 1);
	took_ns = run_load();
	set("enable", 0);
	*nr = stat_of("seen");
	close(fd);
	return took_ns;
}

static void set_event(const struct event *event)
{
	int is_clock = event->type == PERF_TYPE_SOFTWARE;

	set("0/type", is_clock ? OPROF_KMOD_TYPE_TIMER : event->type);
	set("0/event", is_clock ? 0 : event->config);
	set("0/count", event->period);
	set("0/enabled", 1);
}

static void print_interrupts(const struct event *event)
{
	uint64_t nr_kmod = 0, nr_perf = 0, least_ns = UINT64_MAX;
	double least_kmod = 1e18, least_perf = 1e18;

	for (int i = 0; i < 3; i++) {
		uint64_t alone_ns = run_load();

		least_ns = alone_ns < least_ns ? alone_ns : least_ns;
	}
	for (int i = 0; i < 3; i++) {
		double kmod = (double)(run_with_kmod(&nr_kmod) - least_ns) / (double)nr_kmod;
		double perf = (double)(run_with_perf(event, &nr_perf) - least_ns) / (double)nr_perf;

		least_kmod = kmod < least_kmod ? kmod : least_kmod;
		least_perf = perf < least_perf ? perf : least_perf;
	}
	printf("kmod_interrupt_instructions %.0f instructions\n", least_kmod);
	printf("peer_kmod_interrupt_instructions %.0f instructions\n", least_perf);
	printf("ratio_kmod_interrupt_instructions %.2f x\n", least_kmod / least_perf);
	printf("# of %llu and %llu interrupts\n", (unsigned long long)nr_kmod,
	       (unsigned long long)nr_perf);
}

int main(int argc, char **argv)
{
	struct event event;

	if (argc != 4)
		return 2;
	event.type = (uint32_t)strtoul(argv[1], NULL, 0);
	event.config = strtoull(argv[2], NULL, 0);
	event.period = strtoull(argv[3], NULL, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	set("cpu_buffer_size", 65536);
	print_paths();
	set_event(&event);
	print_interrupts(&event);
	return 0;
}
