// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/cost.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t usage_ns(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * UINT64_C(1000000000) +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

uint64_t cost_cpu_ns(void)
{
	return usage_ns(RUSAGE_SELF) + usage_ns(RUSAGE_CHILDREN);
}

uint64_t cost_resident_bytes(void)
{
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	unsigned long long size, resident;
	char text[128];
	ssize_t nr;

	if (fd < 0)
		return 0;
	nr = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	if (nr <= 0)
		return 0;
	text[nr] = '\0';
	/* NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers */
	if (sscanf(text, "%llu %llu", &size, &resident) != 2)
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void cost_begin(struct cost *cost, const struct cost_point *now)
{
	memset(cost, 0, sizeof(*cost));
	cost->begin = *now;
	cost->last = *now;
	cost->points[0] = *now;
	cost->next = cost->nr = 1;
}

static const struct cost_point *newest_point(const struct cost *cost)
{
	return &cost->points[(cost->next + COST_POINTS - 1) % COST_POINTS];
}

static const struct cost_point *oldest_point(const struct cost *cost)
{
	return &cost->points[cost->nr < COST_POINTS ? 0 : cost->next];
}

/*
 * To be called when a new session has begun: the counts of samples have restarted at 0. Replaces
 * the counts in all points by the counts in now.
 */
static void cost_forget_samples(struct cost *cost, const struct cost_point *now)
{
	for (unsigned int i = 0; i < cost->nr; i++) {
		cost->points[i].seen = now->seen;
		cost->points[i].lost = now->lost;
	}
	cost->begin.seen = now->seen;
	cost->begin.lost = now->lost;
}

void cost_take(struct cost *cost, const struct cost_point *now)
{
	if (now->seen < cost->last.seen || now->lost < cost->last.lost)
		cost_forget_samples(cost, now);
	cost->last = *now;
	if (now->time_ns - newest_point(cost)->time_ns < COST_STEP_NS)
		return;
	cost->points[cost->next] = *now;
	cost->next = (cost->next + 1) % COST_POINTS;
	if (cost->nr < COST_POINTS)
		cost->nr++;
}

static void stretch_between(const struct cost_point *from, const struct cost_point *to,
			    struct cost_stretch *stretch)
{
	stretch->ns = to->time_ns - from->time_ns;
	stretch->seen = to->seen - from->seen;
	stretch->lost = to->lost - from->lost;
	stretch->cpu_share =
		stretch->ns ? (double)(to->cpu_ns - from->cpu_ns) / (double)stretch->ns : 0;
}

void cost_lately(const struct cost *cost, struct cost_stretch *stretch)
{
	stretch_between(oldest_point(cost), &cost->last, stretch);
}

void cost_since_begin(const struct cost *cost, struct cost_stretch *stretch)
{
	stretch_between(&cost->begin, &cost->last, stretch);
}
