/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From records to samples in files: which application, thread, CPU and cgroup
 * a sample is filed under, and the counting of those that are not filed.
 * Every SAMPLE record ends as stored, idle, or lost for one reason. Where call
 * stacks are kept, that of every stored sample is, or is lost for one.
 */
#ifndef DAEMON_ATTRIBUTION_H
#define DAEMON_ATTRIBUTION_H

#include "daemon/filing/code_keys.h"
#include "daemon/filing/recent.h"
#include "daemon/filing/sample_cache.h"
#include "daemon/source.h"
#include "daemon/filing/stack_keep.h"
#include "daemon/session/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution {
	struct record_sink sink; /* give this to the source; first, see attribution_record */
	struct sample_cache *cache;
	struct stats *stats;
	struct code_keys code;	   /* code_keys_init by the owner, before the first record */
	struct recent *recent;	   /* borrowed; NULL: none is kept */
	struct stack_keep *stacks; /* borrowed; NULL: none are kept */
	/* The source gives an image up; it is there during the call. NULL: nobody minds. */
	void (*release)(void *context, uint32_t cookie);
	void *context;
	unsigned int separation;
	size_t nr_events;
	/* By event: placement_plain_period(), filled by the owner. */
	uint64_t plain_periods[SOURCE_EVENTS_MAX];
	bool have_task;
	struct oprof_task task; /* in force */
	uint32_t cpu;
	/* When an event was held back on a CPU, 0: it is not. nr_events x nr_cpus. */
	uint64_t *throttled_since_ns;
	uint32_t nr_cpus;
	/* What is common to the keys of this task and CPU, by where samples go. */
	struct sample_key user_key, kernel_key;
};
_Static_assert(offsetof(struct attribution, sink) == 0, "its functions cast sink");

/* cache and stats are borrowed and may be given later, before the first record. 0, -ENOMEM. */
int attribution_init(struct attribution *attribution, unsigned int separation, size_t nr_events,
		     uint32_t nr_cpus);
void attribution_deinit(struct attribution *attribution);

#endif
