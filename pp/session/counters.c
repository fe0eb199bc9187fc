// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/counters.h"

#include "lib/saturate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct oprof_stats_entry *find(const struct counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->nr_entries; i++)
		if (!strncmp(counters->entries[i].name, name, OPROF_STATS_NAME_BYTES - 1))
			return &counters->entries[i];
	return NULL;
}

int counters_add(struct counters *counters, const char *name, uint64_t value)
{
	struct oprof_stats_entry *entry = find(counters, name);

	if (!entry) {
		struct oprof_stats_entry *bigger =
			reallocarray(counters->entries, counters->nr_entries + 1, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		counters->entries = bigger;
		entry = &bigger[counters->nr_entries++];
		*entry = (struct oprof_stats_entry){.value = 0};
		(void)snprintf(entry->name, sizeof(entry->name), "%s", name);
	}
	entry->value = saturate_sum(entry->value, value);
	return 0;
}

uint64_t counters_get(const struct counters *counters, const char *name)
{
	const struct oprof_stats_entry *entry = find(counters, name);

	return entry ? entry->value : 0;
}

uint64_t counters_sum(const struct counters *counters, const char *prefix)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < counters->nr_entries; i++)
		if (!strncmp(counters->entries[i].name, prefix, strlen(prefix)))
			sum = saturate_sum(sum, counters->entries[i].value);
	return sum;
}

void counters_deinit(struct counters *counters)
{
	free(counters->entries);
	*counters = (struct counters){0};
}
