// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/attribution.h"

#include "daemon/session/separation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void count_lost(struct attribution *attribution, enum oprof_lost reason, uint64_t nr)
{
	stats_add(attribution->stats, STATS_LOST + (unsigned int)reason, nr);
}

/* Updates user_key and kernel_key, from which the keys of later samples are made. */
static void attribution_context(struct attribution *attribution)
{
	separation_keys(attribution->separation, &attribution->task, attribution->cpu,
			&attribution->user_key, &attribution->kernel_key);
}

static enum oprof_lost lost_reason(int error, enum oprof_lost no_image)
{
	switch (-error) {
	case ENXIO:
		return no_image;
	case ENOMEM:
		return OPROF_LOST_MEMORY;
	case EIO:
	case EILSEQ:
	case EINVAL:
	case EPROTONOSUPPORT:
	case EBUSY:
		return OPROF_LOST_FILE;
	default:
		return OPROF_LOST_DISK;
	}
}

/*
 * Returns the weight that the sample adds to its file. For a clock with a frequency, the unit of
 * weights in files is one sample at this frequency. If samples are thinned, one stored sample may
 * stand for several, and then has their weight.
 */
static uint64_t file_weight(const struct attribution *attribution,
			    const struct oprof_sample *sample)
{
	uint64_t period = attribution->plain_periods[sample->event];

	if (!period)
		return sample->weight;
	return sample->weight > period ? sample->weight / period : 1;
}

/* Adds the sample to the recent samples with its whole key, whatever the session's separation. */
static void sample_remember(struct attribution *attribution, const struct oprof_sample *sample,
			    uint64_t offset)
{
	const struct recent_key key = {
		.image = sample->leaf.image,
		.app = attribution->task.app_image,
		.cgroup = attribution->task.cgroup,
		.tgid = attribution->task.tgid,
		.tid = attribution->task.tid,
		.cpu = attribution->cpu,
		.event = sample->event,
		.mode = sample->mode,
	};
	/* A sample of an idle CPU does not belong to the task that ran last. */
	const struct recent_key idle = {
		.image = key.image,
		.cpu = key.cpu,
		.event = key.event,
		.mode = key.mode,
	};

	if (attribution->recent)
		recent_add(attribution->recent, key.mode == OPROF_MODE_IDLE ? &idle : &key, offset,
			   file_weight(attribution, sample), sample->time_ns);
}

static enum daemon_counter stack_lost_counter(int error)
{
	switch (lost_reason(error, OPROF_LOST_FILE)) {
	case OPROF_LOST_MEMORY:
		return STATS_STACKS_LOST_MEMORY;
	case OPROF_LOST_FILE:
		return STATS_STACKS_LOST_FILE;
	default:
		return STATS_STACKS_LOST_DISK;
	}
}

/* Keeps the stack of a sample that was stored in the sample file of `key`. */
static void stack_add(struct attribution *attribution, const struct oprof_sample *sample,
		      const struct sample_key *key)
{
	int kept = stack_keep_add(attribution->stacks, key, attribution->task.app_image, sample,
				  file_weight(attribution, sample));

	if (kept < 0) {
		stats_add(attribution->stats, stack_lost_counter(kept), 1);
		return;
	}
	stats_add(attribution->stats, STATS_STACKS_STORED, 1);
	if (kept & STACK_KEPT_FOLDED)
		stats_add(attribution->stats, STATS_STACKS_FOLDED, 1);
	if (kept & STACK_KEPT_TRUNCATED)
		stats_add(attribution->stats, STATS_STACKS_TRUNCATED, 1);
	if (kept & STACK_KEPT_BROKEN)
		stats_add(attribution->stats, STATS_STACKS_BROKEN, 1);
}

/*
 * Adds the sample to the file of `key`. offset: the offset of the sample's leaf or, if its code is
 * known by name, the key of this name.
 */
static void sample_add(struct attribution *attribution, const struct oprof_sample *sample,
		       uint64_t offset, const struct sample_key *key, enum daemon_counter counter,
		       enum oprof_lost no_image)
{
	int error = sample_cache_add(attribution->cache, key, offset,
				     file_weight(attribution, sample), sample->time_ns);

	if (error) {
		count_lost(attribution, lost_reason(error, no_image), 1);
		return;
	}
	sample_remember(attribution, sample, offset);
	stats_add(attribution->stats, counter, 1);
	if (counter != STATS_STORED)
		return;
	stats_add(attribution->stats, STATS_WEIGHT_STORED, sample->weight);
	if (attribution->stacks)
		stack_add(attribution, sample, key);
}

static void sample_idle(struct attribution *attribution, const struct oprof_sample *sample)
{
	struct sample_key key;

	separation_idle_key(attribution->separation, attribution->cpu, &key);
	key.image = sample->leaf.image;
	key.event = sample->event;
	sample_add(attribution, sample, sample->leaf.offset, &key, STATS_IDLE,
		   OPROF_LOST_NO_KERNEL_MAP);
}

/*
 * Files a sample under `context`, which is a key without image and event. no_image: the reason to
 * count if the sample is lost because its image is unknown.
 */
static void sample_placed(struct attribution *attribution, const struct oprof_sample *sample,
			  const struct sample_key *context, enum oprof_lost no_image)
{
	struct sample_key key = *context;
	uint64_t offset = sample->leaf.offset;
	int error;

	if (sample->leaf.image == OPROF_IMAGE_NONE) {
		count_lost(attribution, no_image, 1);
		return;
	}
	if (!attribution->have_task) {
		count_lost(attribution, OPROF_LOST_NO_TASK, 1);
		return;
	}
	error = code_keys_find(&attribution->code, sample->leaf.image, &offset);
	if (error < 0) {
		count_lost(attribution, lost_reason(error, no_image), 1);
		return;
	}
	if (error)
		stats_add(attribution->stats, STATS_OTHER_CODE, 1);
	key.image = sample->leaf.image;
	key.event = sample->event;
	sample_add(attribution, sample, offset, &key, STATS_STORED, no_image);
}

static void sample_off_cpu(struct attribution *attribution, const struct oprof_sample *sample)
{
	struct sample_key key;

	separation_off_cpu_key(attribution->separation, &attribution->task, attribution->cpu, &key);
	sample_placed(attribution, sample, &key, OPROF_LOST_NO_TASK);
}

static bool sample_is_whole(const struct oprof_sample *sample)
{
	return sample->head.size_bytes >= sizeof(*sample) &&
	       sample->head.size_bytes - sizeof(*sample) >=
		       sample->nr_frames * sizeof(struct oprof_frame);
}

static void attribution_sample(struct attribution *attribution, const struct oprof_sample *sample)
{
	/*
	 * Count each sample now, not at the end of the round, so that the counters agree even if
	 * the daemon is killed.
	 */
	stats_add(attribution->stats, STATS_SEEN, 1);
	if (!sample_is_whole(sample) || sample->event >= attribution->nr_events) {
		count_lost(attribution, OPROF_LOST_BAD_RECORD, 1);
		return;
	}
	switch (sample->mode) {
	case OPROF_MODE_USER:
		sample_placed(attribution, sample, &attribution->user_key, OPROF_LOST_NO_MAPPING);
		return;
	case OPROF_MODE_KERNEL:
		sample_placed(attribution, sample, &attribution->kernel_key,
			      OPROF_LOST_NO_KERNEL_MAP);
		return;
	case OPROF_MODE_IDLE:
		sample_idle(attribution, sample);
		return;
	case OPROF_MODE_OFF_CPU:
		sample_off_cpu(attribution, sample);
		return;
	case OPROF_MODE_HYPERVISOR:
	case OPROF_MODE_GUEST:
		count_lost(attribution, OPROF_LOST_MODE, 1);
		return;
	default:
		count_lost(attribution, OPROF_LOST_BAD_RECORD, 1);
		return;
	}
}

static void attribution_lost(struct attribution *attribution, const struct oprof_lost_record *lost)
{
	enum oprof_lost reason =
		lost->reason < OPROF_LOST_NR ? lost->reason : OPROF_LOST_BAD_RECORD;

	stats_add(attribution->stats, STATS_SEEN, lost->nr_samples);
	count_lost(attribution, reason, lost->nr_samples);
}

static void attribution_throttle(struct attribution *attribution,
				 const struct oprof_throttle *throttle)
{
	bool begins = throttle->head.flags & 1;
	uint64_t *since;

	if (begins)
		stats_add(attribution->stats, STATS_THROTTLE_EPISODES, 1);
	if (throttle->event >= attribution->nr_events || throttle->cpu >= attribution->nr_cpus)
		return;
	since = &attribution->throttled_since_ns[(size_t)throttle->event * attribution->nr_cpus +
						 throttle->cpu];
	if (!begins && *since && throttle->time_ns > *since)
		stats_add(attribution->stats, STATS_THROTTLED_NS, throttle->time_ns - *since);
	*since = begins ? throttle->time_ns : 0;
}

/* Returns whether the record is at least as long as its type requires. */
static bool record_is_whole(const struct oprof_record *record, size_t nr_bytes)
{
	return record->size_bytes >= nr_bytes;
}

static void attribution_record(struct record_sink *sink, const struct oprof_record *record)
{
	struct attribution *attribution = (struct attribution *)sink;

	switch (record->type) {
	case OPROF_RECORD_SAMPLE:
		attribution_sample(attribution, (const struct oprof_sample *)record);
		return;
	case OPROF_RECORD_TASK:
		if (!record_is_whole(record, sizeof(struct oprof_task)))
			break;
		attribution->task = *(const struct oprof_task *)record;
		/* Names of sample files cannot contain negative numbers. */
		attribution->have_task = attribution->task.tgid >= 0 && attribution->task.tid >= 0;
		attribution_context(attribution);
		return;
	case OPROF_RECORD_CPU:
		if (!record_is_whole(record, sizeof(struct oprof_cpu)))
			break;
		attribution->cpu = ((const struct oprof_cpu *)record)->cpu;
		attribution_context(attribution);
		return;
	case OPROF_RECORD_LOST:
		if (!record_is_whole(record, sizeof(struct oprof_lost_record)))
			break;
		attribution_lost(attribution, (const struct oprof_lost_record *)record);
		return;
	case OPROF_RECORD_THROTTLE:
		if (!record_is_whole(record, sizeof(struct oprof_throttle)))
			break;
		attribution_throttle(attribution, (const struct oprof_throttle *)record);
		return;
	case OPROF_RECORD_RELEASE:
		if (!record_is_whole(record, sizeof(struct oprof_release)))
			break;
		if (attribution->release)
			attribution->release(attribution->context,
					     ((const struct oprof_release *)record)->image);
		return;
	case OPROF_RECORD_PAD:
	case OPROF_RECORD_SWITCH:
	case OPROF_RECORD_SWITCHES_LOST:
	case OPROF_RECORD_MODULE:
		return;
	default:
		break;
	}
	stats_add(attribution->stats, STATS_SKIPPED_RECORDS, 1);
}

int attribution_init(struct attribution *attribution, unsigned int separation, size_t nr_events,
		     uint32_t nr_cpus)
{
	memset(attribution, 0, sizeof(*attribution));
	attribution->sink.record = attribution_record;
	attribution->separation = separation;
	attribution->nr_events = nr_events;
	attribution->nr_cpus = nr_cpus;
	attribution->throttled_since_ns =
		calloc(nr_events * nr_cpus + 1, sizeof(*attribution->throttled_since_ns));
	if (!attribution->throttled_since_ns)
		return -ENOMEM;
	attribution_context(attribution);
	return 0;
}

void attribution_deinit(struct attribution *attribution)
{
	code_keys_deinit(&attribution->code);
	free(attribution->throttled_since_ns);
	attribution->throttled_since_ns = NULL;
}
