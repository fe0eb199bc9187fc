/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files samples: finds the application, thread, CPU and cgroup that each SAMPLE record is filed
 * under, and counts the samples that are not filed. Every SAMPLE record is counted as stored, as
 * idle, or as lost for one reason. If call stacks are kept, the stack of every stored sample is
 * also kept, or lost for one reason.
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
	/*
	 * The source calls this sink. The sink is the first member, because attribution_record()
	 * casts the sink's address to struct attribution *.
	 */
	struct record_sink sink;
	struct sample_cache *cache;
	struct stats *stats;
	struct code_keys code;	   /* the owner calls code_keys_init() before the first record */
	struct recent *recent;	   /* borrowed; NULL: recent samples are not kept */
	struct stack_keep *stacks; /* borrowed; NULL: stacks are not kept */
	/*
	 * Called when the source releases an image, which is still valid during the call. May be
	 * NULL.
	 */
	void (*release)(void *context, uint32_t cookie);
	void *context;
	unsigned int separation;
	size_t nr_events;
	/* placement_plain_period() of each event; filled in by the owner. */
	uint64_t plain_periods[SOURCE_EVENTS_MAX];
	bool have_task;
	struct oprof_task task; /* current task */
	uint32_t cpu;
	/*
	 * When the throttling of an event on a CPU began; 0: it is not throttled. nr_events x
	 * nr_cpus elements.
	 */
	uint64_t *throttled_since_ns;
	uint32_t nr_cpus;
	/* Keys of samples of the current task and CPU, except image and event. */
	struct sample_key user_key, kernel_key;
};
_Static_assert(offsetof(struct attribution, sink) == 0, "its functions cast sink");

/*
 * The caller sets cache and stats, which are borrowed, before the first record. Returns 0 or
 * -ENOMEM.
 */
int attribution_init(struct attribution *attribution, unsigned int separation, size_t nr_events,
		     uint32_t nr_cpus);
void attribution_deinit(struct attribution *attribution);

#endif
