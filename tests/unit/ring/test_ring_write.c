// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring/ring_write.h"

#include "tests/fixture/ring_fixture.h"
#include "tests/fixture/run_suite.h"

#include <pthread.h>
#include <string.h>

#define add(tcase, test) tcase_add_loop_test(tcase, test, 0, NR_BASES)

#define S 256u /* bytes of a sub-buffer in most tests */

static struct ring_fixture fixture;

static void begin(int base)
{
	fixture_init(&fixture, RING_DISCARD, S, 4, (enum fixture_base)base);
}

static void end(void)
{
	fixture_deinit(&fixture);
}

static uint64_t lost(enum oprof_ring_lost reason)
{
	return ring_lost(&fixture.ring, reason);
}

/* ---- the header of a packet ---- */

START_TEST(every_field_of_a_packet_header_is_right)
{
	const uint8_t uuid[16] = {1, 2, 3};
	struct oprof_packet_header header;
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 1000), -EMSGSIZE);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	test_clock_ns = 1500;
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 11), 0);
	test_clock_ns = 2000;
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	header = sum.header;
	ck_assert_uint_eq(header.magic, OPROF_PACKET_MAGIC);
	ck_assert_mem_eq(header.uuid, uuid, sizeof(uuid));
	ck_assert_uint_eq(header.stream_id, 7);
	ck_assert_uint_eq(header.time_begin, 1000);
	ck_assert_uint_eq(header.time_end, 2000);
	/* 4 + 10 bytes, 2 of alignment, 4 + 11 */
	ck_assert_uint_eq(header.content_bits, (PACKET_HEADER + 31) * 8);
	ck_assert_uint_eq(header.packet_bits, S * 8);
	ck_assert_uint_eq(header.seq, fixture.base / S);
	ck_assert_uint_eq(header.lost, 1);
	ck_assert_uint_eq(header.cpu_id, 3);
	ck_assert_uint_eq(header.nr_records, 2);
	for (unsigned int i = 0; i < OPROF_NR_LOST; i++)
		ck_assert_uint_eq(header.lost_by[i], i == OPROF_LOST_TOO_BIG);
	end();
}
END_TEST

START_TEST(packets_are_numbered_one_after_the_other)
{
	struct packet_sum sum;

	begin(_i);
	for (unsigned int i = 0; i < 9; i++) {
		fixture_write_packets(&fixture, 1);
		fixture_read(&fixture, &sum);
		ck_assert_uint_eq(sum.header.seq, fixture_packet(&fixture, i) / S);
		ck_assert_uint_eq(sum.first, i);
	}
	end();
}
END_TEST

/* ---- the paths of a reserve ---- */

START_TEST(the_first_record_opens_a_packet_behind_its_header)
{
	struct ring_slot slot;

	begin(_i);
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &slot), 0);
	ck_assert_ptr_eq(slot.begin, fixture.ring.memories + PACKET_HEADER);
	ck_assert_ptr_eq(slot.payload, slot.begin + 4);
	ck_assert_uint_eq(slot.payload_bytes, 10);
	ck_assert_uint_eq(slot.slot_bytes, 14);
	ck_assert_uint_eq(slot.time, 1000);
	ck_assert_uint_eq(fixture_open_bytes(&fixture), PACKET_HEADER + 14);
	end();
}
END_TEST

START_TEST(a_record_that_does_not_fit_closes_the_packet_and_opens_the_next)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 60), 0);
	test_clock_ns = 1200;
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 100), 0);
	ck_assert_uint_eq(fixture_open_bytes(&fixture), PACKET_HEADER + 104);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	ck_assert_uint_eq(sum.header.content_bits, (PACKET_HEADER + 64) * 8);
	ck_assert_uint_eq(sum.header.time_end, 1200);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.time_begin, 1200);
	ck_assert_uint_eq(sum.last, 1);
	end();
}
END_TEST

START_TEST(a_record_that_ends_exactly_at_the_end_closes_its_packet)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 50), 0);
	test_clock_ns = 1300;
	ck_assert_int_eq(fixture_write_rest(&fixture), 0);
	ck_assert_uint_eq(fixture_open_bytes(&fixture), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 2);
	ck_assert_uint_eq(sum.header.content_bits, sum.header.packet_bits);
	ck_assert_uint_eq(sum.header.time_end, 1300);
	ck_assert_int_eq(ring_flush(&fixture.ring), -EAGAIN);
	end();
}
END_TEST

/* A fault of other rings: they wrote or counted in the next sub-buffer. */
START_TEST(a_payload_of_nothing_at_the_end_touches_nothing_behind)
{
	struct packet_sum sum;
	struct ring_slot slot;
	uint8_t before[S];
	const uint8_t *behind;

	begin(_i);
	behind = fixture.ring.memories + S;
	memcpy(before, behind, S);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, S - PACKET_HEADER - 8), 0);
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_NOTHING, 0, &slot), 0);
	ck_assert_ptr_eq(slot.begin, behind - 4);
	ck_assert_uint_eq(slot.payload_bytes, 0);
	ck_assert_uint_eq(slot.commit_bytes, 4);
	ring_commit(&fixture.ring, &slot);
	ck_assert_mem_eq(behind, before, S);
	ck_assert_uint_eq(fixture.ring.places[1].committed, 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 2);
	end();
}
END_TEST

START_TEST(a_cancelled_slot_of_a_header_at_the_end_touches_nothing_behind)
{
	struct packet_sum sum;
	struct ring_slot slot;
	const uint8_t *behind;

	begin(_i);
	behind = fixture.ring.memories + S;
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, S - PACKET_HEADER - 8), 0);
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_NOTHING, 0, &slot), 0);
	ring_cancel(&fixture.ring, &slot);
	for (unsigned int i = 0; i < S; i++)
		ck_assert_uint_eq(behind[i], 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	ck_assert_uint_eq(sum.nr_padding, 1);
	end();
}
END_TEST

START_TEST(payloads_lie_at_their_alignment)
{
	static const uint32_t events[] = {EVENT_BYTES, EVENT_PAIRS, EVENT_WORDS, EVENT_LONGS};
	struct packet_sum sum;
	struct ring_slot slot;
	unsigned int nr = 0;

	fixture_init(&fixture, RING_DISCARD, 4096, 2, (enum fixture_base)_i);
	for (uint32_t bytes = RECORD_BYTES_MIN; bytes < RECORD_BYTES_MIN + 8; bytes++) {
		for (unsigned int i = 0; i < 4; i++) {
			ck_assert_int_eq(fixture_reserve(&fixture, events[i], bytes, &slot), 0);
			ck_assert_uint_eq((uintptr_t)slot.payload % (1u << i), 0);
			ck_assert_uint_eq((uintptr_t)slot.begin % 4, 0);
			ck_assert_uint_lt((uint32_t)(slot.payload - slot.begin), 4 + (1u << i));
			fixture_fill(&fixture, &slot);
			ring_commit(&fixture.ring, &slot);
			nr++;
		}
	}
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, nr);
	end();
}
END_TEST

/* Writes a record some ticks after another; returns the length of its header. */
static uint32_t header_after(uint32_t event_id, uint64_t ticks)
{
	struct ring_slot slot;
	struct packet_sum sum;
	uint32_t bytes;

	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	test_clock_ns += ticks;
	ck_assert_int_eq(fixture_reserve(&fixture, event_id, 10, &slot), 0);
	ck_assert_uint_eq(slot.time, test_clock_ns);
	bytes = (uint32_t)(slot.payload - slot.begin);
	fixture_fill(&fixture, &slot);
	ring_commit(&fixture.ring, &slot);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 2);
	return bytes;
}

START_TEST(a_header_is_extended_where_the_time_needs_it)
{
	begin(_i);
	ck_assert_uint_eq(header_after(EVENT_BYTES, 0), 4);
	ck_assert_uint_eq(header_after(EVENT_BYTES, (1u << 27) - 1), 4);
	ck_assert_uint_eq(header_after(EVENT_BYTES, 1u << 27), 16);
	ck_assert_uint_eq(header_after(EVENT_BYTES, 1ull << 40), 16);
	end();
}
END_TEST

START_TEST(a_header_is_extended_where_the_id_needs_it)
{
	begin(_i);
	ck_assert_uint_eq(header_after(24, 1), 4);
	ck_assert_uint_eq(header_after(32, 1), 16);
	ck_assert_uint_eq(header_after(EVENT_FAR, 1), 16);
	ck_assert_uint_eq(header_after(0xfffffff0, 1), 16);
	end();
}
END_TEST

/* Its stamp is the packet's beginning, however late it comes. */
START_TEST(the_first_record_of_a_packet_has_a_compact_header)
{
	struct ring_slot slot;
	struct packet_sum sum;

	begin(_i);
	fixture_write_packets(&fixture, 1);
	test_clock_ns += 1ull << 40;
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &slot), 0);
	ck_assert_ptr_eq(slot.payload, slot.begin + 4);
	fixture_fill(&fixture, &slot);
	ring_commit(&fixture.ring, &slot);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.time_begin, test_clock_ns);
	end();
}
END_TEST

/*
 * The record opens a new packet before the old one is full: there its header would be extended,
 * here it is compact.
 */
START_TEST(a_record_that_fits_only_a_fresh_packet_goes_there)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	test_clock_ns += 1u << 27;
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, S - PACKET_HEADER - 4), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	ck_assert_uint_eq(sum.header.content_bits, sum.header.packet_bits);
	end();
}
END_TEST

START_TEST(a_clock_that_goes_back_is_held)
{
	struct ring_slot slot;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	test_clock_ns = 900;
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &slot), 0);
	ck_assert_uint_eq(slot.time, 1000);
	end();
}
END_TEST

/* ---- what is lost ---- */

START_TEST(a_record_as_long_as_a_sub_buffer_is_written)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, S - PACKET_HEADER - 4), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_FAR, S - PACKET_HEADER - 16), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	end();
}
END_TEST

static void is_too_big(uint32_t event_id, uint32_t bytes)
{
	ring_word reserved = fixture.ring.shared->reserved;
	uint64_t before = lost(OPROF_LOST_TOO_BIG);

	ck_assert_int_eq(fixture_write(&fixture, event_id, bytes), -EMSGSIZE);
	ck_assert_uint_eq(lost(OPROF_LOST_TOO_BIG), before + 1);
	ck_assert_uint_eq(fixture.ring.shared->reserved, reserved);
}

START_TEST(one_byte_more_than_a_sub_buffer_is_lost_and_switches_nothing)
{
	begin(_i);
	for (unsigned int i = 0; i < 2; i++) {
		is_too_big(EVENT_BYTES, S - PACKET_HEADER - 4 + 1);
		is_too_big(EVENT_LONGS, S - PACKET_HEADER - 8 + 1);
		is_too_big(EVENT_FAR, S - PACKET_HEADER - 16 + 1);
		is_too_big(EVENT_BYTES, S);
		is_too_big(EVENT_BYTES, 1u << 16);
		is_too_big(EVENT_BYTES, UINT32_MAX);
		is_too_big(EVENT_LONGS, UINT32_MAX - 7);
		ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	}
	ck_assert_uint_eq(fixture.ring.shared->depth, 0);
	end();
}
END_TEST

START_TEST(a_full_ring_loses_the_newest)
{
	struct packet_sum sum;

	begin(_i);
	fixture_write_packets(&fixture, 4);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -ENOSPC);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -ENOSPC);
	ck_assert_uint_eq(lost(OPROF_LOST_FULL), 2);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.lost, 0);
	fixture_write_packets(&fixture, 1);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -ENOSPC);
	for (unsigned int i = 1; i < 5; i++) {
		fixture_read(&fixture, &sum);
		ck_assert_uint_eq(sum.first, i);
	}
	ck_assert_uint_eq(sum.header.lost_by[OPROF_LOST_FULL], 2);
	end();
}
END_TEST

START_TEST(an_open_packet_of_a_full_ring_stays_open_for_what_fits)
{
	begin(_i);
	fixture_write_packets(&fixture, 3);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 60), 0);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 100), -ENOSPC);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	end();
}
END_TEST

START_TEST(more_nested_writers_than_the_stack_holds_are_lost)
{
	struct ring_slot slots[RING_DEPTH_MAX];
	struct packet_sum sum;

	fixture_init(&fixture, RING_DISCARD, 1024, 4, (enum fixture_base)_i);
	for (unsigned int i = 0; i < RING_DEPTH_MAX; i++) {
		ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &slots[i]), 0);
		fixture_fill(&fixture, &slots[i]);
	}
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -EBUSY);
	ck_assert_uint_eq(lost(OPROF_LOST_NESTED), 1);
	ck_assert_uint_eq(fixture.ring.shared->depth, RING_DEPTH_MAX);
	for (unsigned int i = RING_DEPTH_MAX; i-- > 0;)
		ring_commit(&fixture.ring, &slots[i]);
	ck_assert_uint_eq(fixture.ring.shared->depth, 0);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, RING_DEPTH_MAX + 1);
	ck_assert_uint_eq(sum.header.lost_by[OPROF_LOST_NESTED], 1);
	end();
}
END_TEST

/* A writer laps an outer one, which has not committed the slot that it reserved a lap ago. */
static void nested_lap(enum ring_mode mode, int base)
{
	struct ring_slot outer;
	struct ring_packet packet;
	struct packet_sum sum;

	fixture_init(&fixture, mode, S, 4, (enum fixture_base)base);
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, S - PACKET_HEADER - 4, &outer), 0);
	fixture_fill(&fixture, &outer);
	fixture_write_packets(&fixture, 3);
	ck_assert_int_eq(fixture_write_rest(&fixture), -EBUSY);
	ck_assert_uint_eq(lost(OPROF_LOST_NESTED), 1);
	ck_assert_int_eq(ring_next(&fixture.reader, &packet), -EAGAIN);
	ring_commit(&fixture.ring, &outer);
	for (unsigned int i = 0; i < 4; i++) {
		fixture_read(&fixture, &sum);
		ck_assert_uint_eq(sum.first, i);
	}
	fixture_write_packets(&fixture, 1);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.lost_by[OPROF_LOST_NESTED], 1);
	end();
}

START_TEST(a_lap_round_an_open_slot_is_lost_in_discard_mode)
{
	nested_lap(RING_DISCARD, _i);
}
END_TEST

START_TEST(a_lap_round_an_open_slot_is_lost_in_overwrite_mode)
{
	nested_lap(RING_OVERWRITE, _i);
}
END_TEST

/* ---- nested writers ---- */

static void nest_one(void *unused)
{
	(void)unused;
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	test_clock_ns += 50;
}

START_TEST(a_writer_between_load_and_cmpxchg_is_seen)
{
	struct packet_sum sum;
	struct ring_slot slot;

	begin(_i);
	test_clock_hook = nest_one;
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &slot), 0);
	ck_assert_ptr_eq(slot.begin, fixture.ring.memories + PACKET_HEADER + 16);
	ck_assert_uint_eq(slot.time, 1050);
	fixture_fill(&fixture, &slot);
	test_clock_hook = nest_one;
	ring_commit(&fixture.ring, &slot);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 4);
	end();
}
END_TEST

static void nest_flush(void *unused)
{
	(void)unused;
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
}

START_TEST(a_flush_between_load_and_cmpxchg_is_seen)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	test_clock_hook = nest_flush;
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	ck_assert_uint_eq(fixture_open_bytes(&fixture), PACKET_HEADER + 14);
	end();
}
END_TEST

START_TEST(the_last_commit_delivers_whoever_comes_last)
{
	struct ring_slot outer, inner;
	struct ring_packet packet;
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 30, &outer), 0);
	fixture_fill(&fixture, &outer);
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 30, &inner), 0);
	fixture_fill(&fixture, &inner);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	ck_assert_int_eq(ring_next(&fixture.reader, &packet), -EAGAIN);
	ring_commit(&fixture.ring, &inner);
	ck_assert_int_eq(ring_next(&fixture.reader, &packet), -EAGAIN);
	ring_commit(&fixture.ring, &outer);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 2);
	end();
}
END_TEST

/* ---- cancel, strings ---- */

START_TEST(slots_of_every_size_can_be_cancelled)
{
	struct packet_sum sum;
	struct ring_slot slot;
	unsigned int nr = 0;

	fixture_init(&fixture, RING_DISCARD, 4096, 4, (enum fixture_base)_i);
	for (uint32_t bytes = 0; bytes < 40; bytes++) {
		for (uint32_t event = EVENT_BYTES; event <= EVENT_LONGS; event++) {
			ck_assert_int_eq(fixture_reserve(&fixture, event, bytes, &slot), 0);
			ring_cancel(&fixture.ring, &slot);
			nr++;
		}
	}
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	while (!sum.nr_records) {
		nr -= sum.nr_padding;
		fixture_read(&fixture, &sum);
	}
	ck_assert_uint_eq(sum.nr_padding, nr);
	ck_assert_uint_eq(sum.nr_records, 1);
	ck_assert_uint_eq(ring_lost_sum(&fixture.ring), 0);
	end();
}
END_TEST

START_TEST(a_cancelled_record_keeps_a_time_that_needs_an_extended_header)
{
	struct packet_sum sum;
	struct ring_slot slot;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	for (uint32_t bytes = 0; bytes < 3; bytes++) {
		test_clock_ns += 3ull << 27;
		ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, bytes, &slot), 0);
		ring_cancel(&fixture.ring, &slot);
	}
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum); /* without the extension the packet would end too early */
	ck_assert_uint_eq(sum.nr_padding, 3);
	ck_assert_uint_eq(sum.nr_records, 2);
	end();
}
END_TEST

START_TEST(padding_records_of_every_length_end_where_they_should)
{
	for (uint32_t bytes = 4; bytes < 64; bytes++) {
		uint8_t memory[80];
		uint32_t word;

		memset(memory, 0xee, sizeof(memory));
		ring_write_padding(memory, bytes, 0x123456789abcdefull);
		memcpy(&word, memory, sizeof(word));
		if (bytes >= OPROF_RECORD_EXTENDED_BYTES) {
			ck_assert_uint_eq(word, OPROF_EVENT_ESCAPE);
			memcpy(&word, memory + 4, sizeof(word));
		}
		ck_assert_uint_eq(word & 31, bytes == 4 || bytes == 16 ? OPROF_EVENT_PADDING_EMPTY
								       : OPROF_EVENT_PADDING);
		if ((word & 31) == OPROF_EVENT_PADDING)
			ck_assert_ptr_eq(memchr(memory + (bytes < 16 ? 4 : 16), 0, 64),
					 memory + bytes - 1);
		for (uint32_t i = bytes; i < sizeof(memory); i++)
			ck_assert_uint_eq(memory[i], 0xee);
	}
}
END_TEST

START_TEST(a_string_of_any_length_fills_its_place)
{
	uint8_t to[12];

	memset(to, 0xee, sizeof(to));
	ring_copy_string(to, "abc", 4);
	ck_assert_str_eq((char *)to, "abc");
	ring_copy_string(to, "abcdefghij", 8); /* has grown */
	ck_assert_str_eq((char *)to, "abcdefg");
	ring_copy_string(to, "ab", 8); /* has shrunk */
	ck_assert_str_eq((char *)to, "ab#####");
	ring_copy_string(to, "", 3);
	ck_assert_str_eq((char *)to, "##");
	ring_copy_string(to, "abc", 1);
	ck_assert_str_eq((char *)to, "");
	ck_assert_uint_eq(to[8], 0xee);
	to[0] = 0xee;
	ring_copy_string(to, "abc", 0);
	ck_assert_uint_eq(to[0], 0xee);
}
END_TEST

static char changing[64];
static int is_done;

static void *change_it(void *unused)
{
	(void)unused;
	for (unsigned int i = 0; !__atomic_load_n(&is_done, __ATOMIC_RELAXED); i++)
		__atomic_store_n(&changing[i % 63], (char)(i % 3 ? 'x' : 0), __ATOMIC_RELAXED);
	return NULL;
}

START_TEST(a_string_that_changes_while_it_is_copied_ends_where_its_place_does)
{
	pthread_t thread;
	uint8_t to[sizeof(changing)];

	ck_assert_int_eq(pthread_create(&thread, NULL, change_it, NULL), 0);
	for (unsigned int i = 0; i < 20000; i++) {
		ring_copy_string(to, changing, sizeof(to));
		ck_assert_ptr_eq(memchr(to, 0, sizeof(to)), to + sizeof(to) - 1);
	}
	__atomic_store_n(&is_done, 1, __ATOMIC_RELAXED);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

/* ---- the stack of open slots ---- */

START_TEST(an_open_slot_is_on_the_stack_until_it_is_committed)
{
	struct ring_open_slot *open;
	struct ring_slot slot;

	begin(_i);
	open = fixture.ring.shared->open_slots;
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &slot), 0);
	ck_assert_uint_eq(fixture.ring.shared->depth, 1);
	ck_assert_uint_eq(open->valid, 1);
	ck_assert_uint_eq(open->old, fixture.base);
	ck_assert_uint_eq((ring_word)(open->end - open->old), PACKET_HEADER + 14);
	ck_assert_uint_eq(open->time, 1000);
	ring_commit(&fixture.ring, &slot);
	ck_assert_uint_eq(fixture.ring.shared->depth, 0);
	ck_assert_uint_eq(open->valid, 0);
	end();
}
END_TEST

START_TEST(a_nested_writer_spoils_an_interrupted_ones_entry)
{
	struct ring_slot outer = {.depth = 0}, inner;

	begin(_i);
	/* The outer writer is interrupted after it wrote its entry and before its cmpxchg. */
	ck_assert(ring_push(&fixture.ring, &outer));
	ring_untrack(&fixture.ring, &outer);
	ck_assert(ring_track(&fixture.ring, &outer, fixture.base, (ring_word)(fixture.base + 140),
			     1000, NULL));
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &inner), 0);
	ck_assert_uint_eq(inner.depth, 1);
	ck_assert_uint_eq(fixture.ring.shared->open_slots[0].spoiled, 1);
	ck_assert_uint_eq(fixture.ring.shared->open_slots[1].valid, 1);
	ck_assert_uint_eq(fixture.ring.shared->open_slots[1].spoiled, 0);
	end();
}
END_TEST

static void add_reserve_tests(TCase *tcase)
{
	add(tcase, every_field_of_a_packet_header_is_right);
	add(tcase, packets_are_numbered_one_after_the_other);
	add(tcase, the_first_record_opens_a_packet_behind_its_header);
	add(tcase, a_record_that_does_not_fit_closes_the_packet_and_opens_the_next);
	add(tcase, a_record_that_ends_exactly_at_the_end_closes_its_packet);
	add(tcase, a_payload_of_nothing_at_the_end_touches_nothing_behind);
	add(tcase, a_cancelled_slot_of_a_header_at_the_end_touches_nothing_behind);
	add(tcase, payloads_lie_at_their_alignment);
	add(tcase, a_header_is_extended_where_the_time_needs_it);
	add(tcase, a_header_is_extended_where_the_id_needs_it);
	add(tcase, the_first_record_of_a_packet_has_a_compact_header);
	add(tcase, a_record_that_fits_only_a_fresh_packet_goes_there);
	add(tcase, a_clock_that_goes_back_is_held);
}

static void add_loss_tests(TCase *tcase)
{
	add(tcase, a_record_as_long_as_a_sub_buffer_is_written);
	add(tcase, one_byte_more_than_a_sub_buffer_is_lost_and_switches_nothing);
	add(tcase, a_full_ring_loses_the_newest);
	add(tcase, an_open_packet_of_a_full_ring_stays_open_for_what_fits);
	add(tcase, more_nested_writers_than_the_stack_holds_are_lost);
	add(tcase, a_lap_round_an_open_slot_is_lost_in_discard_mode);
	add(tcase, a_lap_round_an_open_slot_is_lost_in_overwrite_mode);
}

static void add_commit_tests(TCase *tcase)
{
	add(tcase, a_writer_between_load_and_cmpxchg_is_seen);
	add(tcase, a_flush_between_load_and_cmpxchg_is_seen);
	add(tcase, the_last_commit_delivers_whoever_comes_last);
	add(tcase, slots_of_every_size_can_be_cancelled);
	add(tcase, a_cancelled_record_keeps_a_time_that_needs_an_extended_header);
	tcase_add_test(tcase, padding_records_of_every_length_end_where_they_should);
	tcase_add_test(tcase, a_string_of_any_length_fills_its_place);
	tcase_add_test(tcase, a_string_that_changes_while_it_is_copied_ends_where_its_place_does);
	add(tcase, an_open_slot_is_on_the_stack_until_it_is_committed);
	add(tcase, a_nested_writer_spoils_an_interrupted_ones_entry);
}

int main(void)
{
	Suite *suite = suite_create("ring_write");
	TCase *tcase = tcase_create("ring_write");

	add_reserve_tests(tcase);
	add_loss_tests(tcase);
	add_commit_tests(tcase);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
