// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_feed.h"
#include "daemon/perf/perf_order.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct perf_feed {
	struct perf_consumer *consumer;
	struct record_sink *sink;
	struct perf_order order;
	struct perf_layout *layouts; /* indexed by ring */
	/*
	 * Indexed by ring: tid of the task that the last "switch out" record named as the next
	 * task; -1: none.
	 */
	int32_t *named_tids;
	uint32_t nr_rings;
	uint8_t *next; /* beginning of the memory that perf_feed_reserve returned */
	struct perf_feed_counters counters;
};

int perf_feed_create(struct perf_feed **feed, struct perf_consumer *consumer,
		     struct record_sink *sink)
{
	struct perf_feed *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->consumer = consumer;
	made->sink = sink;
	perf_order_init(&made->order);
	*feed = made;
	return 0;
}

void perf_feed_destroy(struct perf_feed *feed)
{
	if (!feed)
		return;
	perf_order_deinit(&feed->order);
	free(feed->layouts);
	free(feed->named_tids);
	free(feed);
}

int perf_feed_add_ring(struct perf_feed *feed, const struct perf_layout *layout, uint64_t now_ns,
		       uint32_t *ring)
{
	struct perf_layout *layouts;
	int32_t *named_tids;
	int error;

	if (layout->sample_type & ~(uint64_t)PERF_PARSE_SAMPLE_TYPES)
		return -EINVAL;
	layouts = reallocarray(feed->layouts, feed->nr_rings + 1, sizeof(*layouts));
	if (!layouts)
		return -ENOMEM;
	feed->layouts = layouts;
	named_tids = reallocarray(feed->named_tids, feed->nr_rings + 1, sizeof(*named_tids));
	if (!named_tids)
		return -ENOMEM;
	feed->named_tids = named_tids;
	error = perf_order_add_ring(&feed->order, now_ns, ring);
	if (error)
		return error;
	assert(*ring == feed->nr_rings);
	named_tids[feed->nr_rings] = -1;
	layouts[feed->nr_rings++] = *layout;
	return 0;
}

void perf_feed_close_ring(struct perf_feed *feed, uint32_t ring)
{
	perf_order_close_ring(&feed->order, ring);
}

void perf_feed_open_ring(struct perf_feed *feed, uint32_t ring, uint64_t now_ns)
{
	perf_order_open_ring(&feed->order, ring, now_ns);
}

static void feed_sink_lost(struct perf_feed *feed, uint64_t time_ns, enum oprof_lost reason,
			   uint32_t event, uint64_t nr_samples)
{
	struct oprof_lost_record lost = {
		.head = {.type = OPROF_RECORD_LOST, .size_bytes = sizeof(lost)},
		.time_ns = time_ns,
		.reason = reason,
		.event = event,
		.nr_samples = nr_samples,
	};

	feed->counters.seen += nr_samples;
	feed->sink->record(feed->sink, &lost.head);
}

void perf_feed_lost(struct perf_feed *feed, uint64_t time_ns, uint32_t event, uint64_t nr_samples)
{
	if (nr_samples)
		feed_sink_lost(feed, time_ns, OPROF_LOST_KERNEL_RING, event, nr_samples);
}

/*
 * Counts a record that will not be applied: as a lost sample, or in the counter of side-band
 * records or of switches, depending on its kind.
 */
static void feed_refuse(struct perf_feed *feed, const struct perf_layout *layout, uint32_t type,
			uint64_t time_ns, enum oprof_lost reason)
{
	feed->counters.records++;
	if (reason == OPROF_LOST_BAD_RECORD)
		feed->counters.bad_records++;
	if (type == PERF_RECORD_SAMPLE)
		feed_sink_lost(feed, time_ns, reason, UINT32_MAX, 1);
	else if (layout->side_band)
		feed->counters.side_band_bad++;
	else if (layout->switches)
		feed->counters.switches_bad++;
}

void *perf_feed_reserve(struct perf_feed *feed, size_t nr_bytes)
{
	feed->next = perf_order_reserve(&feed->order, nr_bytes);
	return feed->next;
}

/*
 * Returns whether a record reports a switch that was reported already. For each switch of a whole
 * CPU, the kernel writes two records: "switch out" for the task that leaves the CPU, and "switch
 * in" for the next task. For the idle task, the kernel sometimes omits the "switch out" record. A
 * "switch in" record is therefore redundant only if the "switch out" record before it already
 * named this next task.
 */
static bool feed_is_told(struct perf_feed *feed, uint32_t ring, const void *record)
{
	const struct perf_event_header *header = record;
	int32_t named = feed->named_tids[ring];
	struct perf_item item;

	if (header->type != PERF_RECORD_SWITCH_CPU_WIDE ||
	    perf_parse(&feed->layouts[ring], record, &item))
		return false;
	feed->named_tids[ring] = item.u.cpu_switch.out ? item.u.cpu_switch.next_tid : -1;
	return !item.u.cpu_switch.out && item.tid >= 0 && item.tid == named;
}

static void feed_early(struct perf_feed *feed, uint32_t ring, const void *record)
{
	const struct perf_event_header *header = record;
	struct perf_item item;

	if (header->type != PERF_RECORD_MMAP2 && header->type != PERF_RECORD_MMAP)
		return;
	if (!perf_parse(&feed->layouts[ring], record, &item))
		feed->consumer->early(feed->consumer, &item);
}

static void feed_queue(struct perf_feed *feed, uint32_t ring, const void *record)
{
	const struct perf_event_header *header = record;
	const struct perf_layout *layout = &feed->layouts[ring];
	uint64_t time_ns;

	if (feed_is_told(feed, ring, record)) {
		feed->counters.records++;
		return;
	}
	if (feed->consumer->early)
		feed_early(feed, ring, record);
	if (perf_parse_time(layout, record, &time_ns))
		feed_refuse(feed, layout, header->type, 0, OPROF_LOST_BAD_RECORD);
	else if (perf_order_add(&feed->order, ring, record, time_ns))
		feed_refuse(feed, layout, header->type, time_ns, OPROF_LOST_MEMORY);
}

/*
 * Feeds the bytes that were copied to the reserved memory. If the size of a record is invalid, the
 * records after it cannot be found. All these records count as one bad record, so that the loss is
 * visible. The ring determines whether they count as a sample, a side-band record or a switch.
 */
void perf_feed_commit(struct perf_feed *feed, uint32_t ring, size_t nr_bytes)
{
	const uint8_t *next = feed->next;
	const uint8_t *end = next + nr_bytes;

	assert(ring < feed->nr_rings && next);
	perf_order_commit(&feed->order, nr_bytes);
	while (next < end) {
		size_t size = perf_parse_size(next, (size_t)(end - next));

		if (!size) {
			const struct perf_layout *layout = &feed->layouts[ring];

			feed_refuse(feed, layout,
				    layout->side_band || layout->switches ? 0 : PERF_RECORD_SAMPLE,
				    0, OPROF_LOST_BAD_RECORD);
			break;
		}
		feed_queue(feed, ring, next);
		next += size;
	}
	feed->next = NULL;
}

int perf_feed_bytes(struct perf_feed *feed, uint32_t ring, const void *bytes, size_t nr_bytes)
{
	void *room = perf_feed_reserve(feed, nr_bytes);

	if (!room)
		return -ENOMEM;
	if (nr_bytes)
		memcpy(room, bytes, nr_bytes);
	perf_feed_commit(feed, ring, nr_bytes);
	return 0;
}

static void feed_throttle(struct perf_feed *feed, const struct perf_item *item)
{
	struct oprof_throttle throttle = {
		.head = {.type = OPROF_RECORD_THROTTLE,
			 .flags = item->type == PERF_RECORD_THROTTLE,
			 .size_bytes = sizeof(throttle)},
		.time_ns = item->time_ns,
		.event = item->event == UINT16_MAX ? UINT32_MAX : item->event,
		.cpu = item->cpu,
	};

	feed->sink->record(feed->sink, &throttle.head);
}

static void feed_lost_item(struct perf_feed *feed, const struct perf_layout *layout,
			   const struct perf_item *item)
{
	if (layout->switches) {
		feed->counters.switches_lost += item->u.lost.nr;
	} else if (item->u.lost.side_band) {
		feed->counters.side_band_lost += item->u.lost.nr;
		feed->consumer->apply(feed->consumer, item);
	} else if (item->type == PERF_RECORD_LOST_SAMPLES) {
		/* The counter's hardware lost these samples before they reached a ring. */
		perf_feed_lost(feed, item->time_ns,
			       item->event == UINT16_MAX ? UINT32_MAX : item->event,
			       item->u.lost.nr);
	} else {
		feed->counters.ring_lost += item->u.lost.nr;
	}
}

static void feed_apply(struct perf_feed *feed, const struct perf_layout *layout,
		       const struct perf_item *item)
{
	switch (item->type) {
	case PERF_RECORD_SAMPLE:
		feed->counters.seen++;
		feed->consumer->apply(feed->consumer, item);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		feed_lost_item(feed, layout, item);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		feed_throttle(feed, item);
		break;
	default:
		feed->consumer->apply(feed->consumer, item);
		break;
	}
}

static void feed_out(void *context, const struct perf_key *key)
{
	struct perf_feed *feed = context;
	const struct perf_layout *layout = &feed->layouts[key->ring];
	struct perf_item item;
	int error = perf_parse(layout, key->record, &item);

	if (error == -EINVAL) {
		feed_refuse(feed, layout, item.type, key->time_ns, OPROF_LOST_BAD_RECORD);
		return;
	}
	feed->counters.records++;
	if (!error)
		feed_apply(feed, layout, &item);
	else if (!perf_parse_known(item.type))
		feed->counters.unknown_records++;
}

void perf_feed_round(struct perf_feed *feed, uint64_t begin_ns)
{
	perf_order_round(&feed->order, begin_ns, feed_out, feed);
	feed->counters.late_records = feed->order.nr_late;
}

void perf_feed_flush(struct perf_feed *feed, uint64_t until_ns)
{
	perf_order_flush(&feed->order, until_ns, feed_out, feed);
	feed->counters.late_records = feed->order.nr_late;
}

size_t perf_feed_held_bytes(const struct perf_feed *feed)
{
	return perf_order_held_bytes(&feed->order);
}

const struct perf_layout *perf_feed_layout(const struct perf_feed *feed, uint32_t ring)
{
	assert(ring < feed->nr_rings);
	return &feed->layouts[ring];
}

const struct perf_feed_counters *perf_feed_counters(const struct perf_feed *feed)
{
	return &feed->counters;
}
