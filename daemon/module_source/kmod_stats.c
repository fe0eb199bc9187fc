// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_stats.h"

#include "lib/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "kmod_"

/*
 * Names of the counters as they are shown. The name of a counter's file is the part after the
 * prefix.
 */
static const char *const names[] = {
	PREFIX "in_nmi",	   PREFIX "in_interrupt",	PREFIX "in_task",
	PREFIX "lost_full",	   PREFIX "lost_nested",	PREFIX "lost_too_big",
	PREFIX "lost_references",  PREFIX "lost_stopped",	PREFIX "lost_context",
	PREFIX "lost_unmapped",	   PREFIX "lost_buffer",	PREFIX "lost_damaged",
	PREFIX "unmaps_used",	   PREFIX "unmaps_lost",	PREFIX "switches_lost",
	PREFIX "modules_lost",	   PREFIX "throttled",		PREFIX "counters_failed",
	PREFIX "references_taken", PREFIX "references_dropped",
};

_Static_assert(sizeof(names) / sizeof(names[0]) == KMOD_STATS_NR, "one descriptor each");

void kmod_stats_init(struct kmod_stats *stats)
{
	*stats = (struct kmod_stats){.values = {0}};
	for (size_t i = 0; i < KMOD_STATS_NR; i++)
		stats->fds[i] = -1;
}

void kmod_stats_open(struct kmod_stats *stats, int folder_fd)
{
	char path[64];

	for (size_t i = 0; i < KMOD_STATS_NR; i++) {
		(void)snprintf(path, sizeof(path), "stats/%s", names[i] + strlen(PREFIX));
		stats->fds[i] = openat(folder_fd, path, O_RDONLY | O_CLOEXEC);
	}
}

void kmod_stats_close(struct kmod_stats *stats)
{
	for (size_t i = 0; i < KMOD_STATS_NR; i++)
		if (stats->fds[i] >= 0)
			(void)close(stats->fds[i]);
	kmod_stats_init(stats);
}

void kmod_stats_read(struct kmod_stats *stats)
{
	for (size_t i = 0; i < KMOD_STATS_NR; i++) {
		char text[32];
		ssize_t nr =
			stats->fds[i] < 0 ? -1 : pread(stats->fds[i], text, sizeof(text) - 1, 0);
		uint64_t value;

		if (nr <= 0)
			continue;
		text[nr] = '\0';
		text[strcspn(text, "\n")] = '\0';
		/* Ignore a value below the previous one, since counters only grow. */
		if (!number_parse(text, UINT64_MAX, &value) && value > stats->values[i])
			stats->values[i] = value;
	}
}

size_t kmod_stats_counters(const struct kmod_stats *stats, struct source_counter *counters,
			   size_t room)
{
	size_t nr = 0;

	for (size_t i = 0; i < KMOD_STATS_NR; i++) {
		if (stats->fds[i] < 0)
			continue;
		if (nr < room)
			counters[nr] = (struct source_counter){names[i], stats->values[i]};
		nr++;
	}
	return nr;
}
