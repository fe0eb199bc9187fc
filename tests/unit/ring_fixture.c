// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/ring_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

uint64_t test_clock_ns;
void (*test_clock_hook)(void *);
void *test_clock_context;

int test_clock_gettime(clockid_t id, struct timespec *now)
{
	void (*hook)(void *) = test_clock_hook;

	(void)id;
	test_clock_hook = NULL;
	if (hook)
		hook(test_clock_context);
	now->tv_sec = (time_t)(test_clock_ns / 1000000000u);
	now->tv_nsec = (long)(test_clock_ns % 1000000000u);
	return 0;
}

/* As if that many bytes had been written and read before: a multiple of the lap. */
static void move_to(struct ring *ring, ring_word base)
{
	ring->shared->reserved = base;
	ring->shared->consumed = base;
	for (uint32_t i = 0; i < ring->nr_places; i++) {
		struct ring_place *place = &ring->places[i];
		ring_word before =
			(ring_word)(base + ((ring_word)i << ring->sub_order) - ring->ring_mask - 1);

		place->delivered = (ring_word)(place->delivered + base);
		place->id = i | RING_ID_NOREF | RING_ID_EMPTY |
			    (uint64_t)(before >> ring->sub_order) << RING_ID_TAG_SHIFT;
	}
}

void fixture_init(struct ring_fixture *fixture, enum ring_mode mode, uint32_t sub_buffer_bytes,
		  uint32_t nr_sub_buffers, enum fixture_base base)
{
	size_t nr_bytes;

	memset(fixture, 0, sizeof(*fixture));
	fixture->config = (struct ring_config){.mode = mode,
					       .sub_buffer_bytes = sub_buffer_bytes,
					       .nr_sub_buffers = nr_sub_buffers,
					       .stream_id = 7,
					       .uuid = {1, 2, 3}};
	fixture->sub_buffer = (ring_word)sub_buffer_bytes;
	fixture->lap = (ring_word)((uint64_t)sub_buffer_bytes * nr_sub_buffers);
	test_clock_ns = 1000;
	test_clock_hook = NULL;
	ck_assert_int_eq(ring_memory_bytes(&fixture->config, &nr_bytes), 0);
	ck_assert_int_eq(posix_memalign(&fixture->memory, 4096, nr_bytes), 0);
	ck_assert_int_eq(ring_init(&fixture->ring, &fixture->config, 3, fixture->memory), 0);
	if (base == BEFORE_WRAP) {
		fixture->base = (ring_word)(0 - fixture->lap);
		move_to(&fixture->ring, fixture->base);
	}
	ck_assert_int_eq(ring_reader_init(&fixture->reader, &fixture->ring), 0);
}

void fixture_deinit(struct ring_fixture *fixture)
{
	free(fixture->memory);
}

ring_word fixture_packet(const struct ring_fixture *fixture, unsigned int n)
{
	return (ring_word)(fixture->base + n * fixture->sub_buffer);
}

/* ---- writing ---- */

static uint32_t event_align(void *context, uint32_t event_id)
{
	(void)context;
	return 1u << (event_id & 3);
}

int fixture_reserve(struct ring_fixture *fixture, uint32_t event_id, uint32_t payload_bytes,
		    struct ring_slot *slot)
{
	return ring_reserve(&fixture->ring, event_id, payload_bytes, event_align(NULL, event_id),
			    slot);
}

static uint8_t byte_of(uint32_t number, uint32_t i)
{
	return (uint8_t)(number * 31 + i);
}

void fixture_fill(struct ring_fixture *fixture, const struct ring_slot *slot)
{
	uint16_t length = (uint16_t)slot->payload_bytes;
	uint32_t number = fixture->nr_written++;

	if (!slot->payload_bytes)
		return;
	ck_assert_uint_ge(slot->payload_bytes, RECORD_BYTES_MIN);
	memcpy(slot->payload, &length, sizeof(length));
	memcpy(slot->payload + sizeof(length), &number, sizeof(number));
	for (uint32_t i = RECORD_BYTES_MIN; i < slot->payload_bytes; i++)
		slot->payload[i] = byte_of(number, i);
}

int fixture_write(struct ring_fixture *fixture, uint32_t event_id, uint32_t payload_bytes)
{
	struct ring_slot slot;
	int error = fixture_reserve(fixture, event_id, payload_bytes, &slot);

	if (error)
		return error;
	fixture_fill(fixture, &slot);
	ring_commit(&fixture->ring, &slot);
	return 0;
}

uint32_t fixture_open_bytes(const struct ring_fixture *fixture)
{
	return (uint32_t)(fixture->ring.shared->reserved & fixture->ring.sub_mask);
}

int fixture_write_rest(struct ring_fixture *fixture)
{
	uint32_t open = fixture_open_bytes(fixture);

	open = ((open ? open : PACKET_HEADER) + 3) & ~3u;
	return fixture_write(fixture, EVENT_BYTES,
			     (uint32_t)fixture->sub_buffer - open - OPROF_RECORD_COMPACT_BYTES);
}

void fixture_write_packets(struct ring_fixture *fixture, unsigned int n)
{
	while (n--)
		ck_assert_int_eq(fixture_write_rest(fixture), 0);
}

/* ---- reading ---- */

static uint32_t event_bytes(void *context, uint32_t event_id, const uint8_t *payload, uint32_t room)
{
	uint16_t length;

	(void)context;
	if (event_id & EVENT_NOTHING)
		return 0;
	if (room < RECORD_BYTES_MIN)
		return RECORD_BYTES_MIN;
	memcpy(&length, payload, sizeof(length));
	return length < RECORD_BYTES_MIN ? room + 1 : length;
}

const struct packet_layout fixture_layout = {.align = event_align, .bytes = event_bytes};

static void sum_record(const struct packet_record *record, struct packet_sum *sum)
{
	uint32_t number;

	if (record->is_padding) {
		sum->nr_padding++;
		return;
	}
	sum->nr_records++;
	if (!record->payload_bytes)
		return;
	memcpy(&number, record->payload + 2, sizeof(number));
	for (uint32_t i = RECORD_BYTES_MIN; i < record->payload_bytes; i++)
		ck_assert_uint_eq(record->payload[i], byte_of(number, i));
	if (sum->first == UINT32_MAX)
		sum->first = number;
	sum->last = number;
}

void fixture_sum_packet(const struct ring_packet *packet, const struct ring_fixture *fixture,
			struct packet_sum *sum)
{
	struct packet_decoder decoder;
	struct packet_record record;
	int more;

	memset(sum, 0, sizeof(*sum));
	sum->first = UINT32_MAX;
	ck_assert_int_eq(packet_decode_begin(&decoder, packet->data, (size_t)fixture->sub_buffer,
					     &fixture_layout),
			 0);
	sum->header = decoder.header;
	ck_assert_uint_eq(sum->header.seq, packet->position >> fixture->ring.sub_order);
	while ((more = packet_decode_next(&decoder, &record)) > 0)
		sum_record(&record, sum);
	ck_assert_int_eq(more, 0);
}

void fixture_read(struct ring_fixture *fixture, struct packet_sum *sum)
{
	struct ring_packet packet;

	ck_assert_int_eq(ring_next(&fixture->reader, &packet), 0);
	fixture_sum_packet(&packet, fixture, sum);
	ring_put(&fixture->reader, &packet);
}
