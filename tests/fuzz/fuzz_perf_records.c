// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile perf rings: arbitrary bytes, in chunks, pass through decoding, ordering and state.
 *
 * The input: a byte that chooses the fields, then operations: a byte (ring in bits 0-1; bits 4-5: 0
 * a chunk unchanged, 1 a record whose header gets the right size, 2 a round, 3 a flush), two bytes
 * of length or time, the bytes.
 *
 * Checked at the end: seen = samples out + lost, whatever the damage.
 */
#include "daemon/perf/perf_feed.h"
#include "daemon/perf_source/perf_state.h"

#include <stdlib.h>
#include <string.h>

#define NR_RINGS    4 /* two CPUs: side-band, side-band, samples, samples */
#define NR_EVENTS   8
#define CHUNK_MAX   4096
#define CHAIN_DEPTH 16
#define SMALL_FIELDS                                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz {
	struct record_sink sink;
	struct perf_consumer consumer;
	struct perf_ids ids;
	struct perf_feed *feed;
	struct perf_state *state;
	uint64_t nr_out, nr_lost;
	uint64_t round_ns;
};

static void fuzz_record(struct record_sink *sink, const struct oprof_record *record)
{
	struct fuzz *fuzz = (struct fuzz *)(void *)sink;
	const void *whole = record;

	if (record->type == OPROF_RECORD_SAMPLE)
		fuzz->nr_out++;
	else if (record->type == OPROF_RECORD_LOST)
		fuzz->nr_lost += ((const struct oprof_lost_record *)whole)->nr_samples;
}

static void fuzz_apply(struct perf_consumer *consumer, const struct perf_item *item)
{
	struct fuzz *fuzz =
		(struct fuzz *)(void *)((char *)consumer - offsetof(struct fuzz, consumer));

	perf_state_apply(fuzz->state, item);
}

static void fuzz_init(struct fuzz *fuzz, uint64_t sample_type)
{
	bool stacks = sample_type & PERF_SAMPLE_STACK_USER;
	struct perf_state_config config = {
		.sink = &fuzz->sink,
		.nr_cpus = 2,
		.proc_path = "/none",
		.sys_path = "/none",
		.chain_depth = CHAIN_DEPTH,
		.regs = stacks ? &perf_regs_x86_64 : NULL,
	};
	struct perf_layout layout = {
		.sample_type = sample_type,
		.regs_mask = perf_regs_x86_64.mask,
		.ids = &fuzz->ids,
	};
	uint32_t ring;

	memset(fuzz, 0, sizeof(*fuzz));
	fuzz->sink.record = fuzz_record;
	fuzz->consumer.apply = fuzz_apply;
	perf_ids_init(&fuzz->ids);
	for (uint32_t i = 0; i < NR_EVENTS; i++)
		if (perf_ids_add(&fuzz->ids, i + 1, i))
			abort();
	if (perf_state_create(&fuzz->state, &config, NULL) ||
	    perf_feed_create(&fuzz->feed, &fuzz->consumer, &fuzz->sink))
		abort();
	for (uint32_t i = 0; i < NR_RINGS; i++) {
		layout.side_band = i < NR_RINGS / 2;
		layout.cpu = i % 2;
		if (perf_feed_add_ring(fuzz->feed, &layout, 0, &ring))
			abort();
	}
}

/* A packed record must parse like the original record. */
static void fuzz_pack(const struct fuzz *fuzz, uint32_t ring, const uint64_t *record,
		      size_t nr_bytes)
{
	const struct perf_layout *layout = perf_feed_layout(fuzz->feed, ring);
	uint64_t packed[CHUNK_MAX / 8];
	struct perf_item a, b;
	size_t size = perf_parse_size(record, nr_bytes);
	int error;

	if (!size)
		return;
	error = perf_parse(layout, record, &a);
	if (perf_parse_pack(layout, record, packed) > size ||
	    perf_parse(layout, packed, &b) != error)
		abort();
	if (!error && a.type == PERF_RECORD_SAMPLE &&
	    (a.time_ns != b.time_ns || a.u.sample.cgroup != b.u.sample.cgroup ||
	     a.u.sample.stack_bytes != b.u.sample.stack_bytes))
		abort();
}

/* Adds a chunk unchanged, or one record with the right size. */
static void fuzz_bytes(struct fuzz *fuzz, uint32_t ring, const uint8_t *bytes, size_t nr_bytes,
		       bool fit)
{
	uint64_t copy[CHUNK_MAX / 8];
	struct perf_event_header header;

	if (nr_bytes > CHUNK_MAX)
		nr_bytes = CHUNK_MAX;
	if (fit)
		nr_bytes &= ~(size_t)7;
	memcpy(copy, bytes, nr_bytes);
	if (fit && nr_bytes >= sizeof(header)) {
		memcpy(&header, copy, sizeof(header));
		header.type %= 32;
		header.size = (uint16_t)nr_bytes;
		memcpy(copy, &header, sizeof(header));
	}
	fuzz_pack(fuzz, ring, copy, nr_bytes);
	if (perf_feed_bytes(fuzz->feed, ring, copy, nr_bytes))
		abort();
}

static void fuzz_run(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
	while (size >= 3) {
		uint8_t operation = data[0];
		size_t number = (size_t)data[1] << 8 | data[2];

		data += 3;
		size -= 3;
		if ((operation >> 4 & 3) == 2) {
			fuzz->round_ns += number;
			perf_feed_round(fuzz->feed, fuzz->round_ns);
		} else if ((operation >> 4 & 3) == 3) {
			perf_feed_flush(fuzz->feed, fuzz->round_ns + number);
		} else {
			if (number > size)
				number = size;
			fuzz_bytes(fuzz, operation & 3, data, number, operation >> 4 & 1);
			data += number;
			size -= number;
		}
	}
	perf_feed_flush(fuzz->feed, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz fuzz;
	uint64_t fields = SMALL_FIELDS;

	if (!size)
		return 0;
	if (data[0] & 1)
		fields |= PERF_SAMPLE_CALLCHAIN;
	if (data[0] & 2)
		fields |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_CGROUP;
	if (data[0] & 4)
		fields |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	fuzz_init(&fuzz, fields);
	fuzz_run(&fuzz, data + 1, size - 1);
	if (perf_feed_counters(fuzz.feed)->seen != fuzz.nr_out + fuzz.nr_lost)
		abort();
	perf_feed_destroy(fuzz.feed);
	perf_state_destroy(fuzz.state);
	perf_ids_deinit(&fuzz.ids);
	return 0;
}
