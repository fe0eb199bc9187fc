// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simple cases of a dead writer: a slot that is never committed, or a stack entry made by hand.
 * tests/kills/ kills real writers at any point.
 */
#include "ring/ring_write.h"

#include "tests/fixture/ring_fixture.h"
#include "tests/fixture/run_suite.h"

#define S 256u /* bytes of a sub-buffer */
#define N 4u   /* number of sub-buffers */

/* Runs a test in every combination of mode and base. */
#define add(tcase, test) tcase_add_loop_test(tcase, test, 0, 2 * NR_BASES)

static struct ring_fixture fixture;
static struct ring_reader *reader = &fixture.reader;

static void begin(int i)
{
	fixture_init(&fixture, i & 1 ? RING_OVERWRITE : RING_DISCARD, S, N,
		     (enum fixture_base)(i >> 1));
}

static void end(void)
{
	fixture_deinit(&fixture);
}

static void writes(uint32_t nr_bytes)
{
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, nr_bytes), 0);
}

/* Reserves a slot whose writer dies before it commits. */
static void dies_with(uint32_t nr_bytes)
{
	struct ring_slot slot;

	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, nr_bytes, &slot), 0);
}

static void repairs(int nr_slots)
{
	ck_assert_int_eq(ring_repair(reader), nr_slots);
	ck_assert_uint_eq(fixture.ring.shared->depth, 0);
	ck_assert_uint_eq(ring_lost(&fixture.ring, OPROF_LOST_KILLED), (uint64_t)nr_slots);
	ck_assert_int_eq(ring_repair(reader), 0); /* a second repair finds nothing */
}

static void reads(uint32_t nr_records, uint32_t nr_padding)
{
	struct packet_sum sum;

	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, nr_records);
	ck_assert_uint_eq(sum.nr_padding, nr_padding);
}

static void is_at_end(void)
{
	struct ring_packet packet;

	ck_assert_int_eq(ring_next(reader, &packet), -ENODATA);
}

START_TEST(a_ring_without_open_slots_is_left_alone)
{
	begin(_i);
	repairs(0);
	writes(10);
	repairs(0);
	fixture_write_packets(&fixture, 2);
	repairs(0);
	reads(2, 0);
	writes(10);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	repairs(0);
	reads(1, 0);
	reads(1, 0);
	is_at_end();
	end();
}
END_TEST

START_TEST(an_open_slot_is_covered_and_what_lies_around_it_is_found)
{
	struct packet_sum sum;

	begin(_i);
	writes(10);
	dies_with(20);
	writes(11);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	repairs(1);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 2);
	ck_assert_uint_eq(sum.nr_padding, 1);
	ck_assert_uint_eq(sum.header.nr_records, OPROF_PACKET_NR_UNKNOWN);
	reads(0, 0);
	is_at_end();
	end();
}
END_TEST

START_TEST(nested_open_slots_are_covered_in_every_packet)
{
	begin(_i);
	dies_with(70);
	dies_with(70); /* in the next packet: the first one is closed, not committed */
	dies_with(10);
	writes(11);
	repairs(3);
	(void)ring_finalise(&fixture.ring);
	reads(0, 1);
	reads(1, 2);
	end();
}
END_TEST

START_TEST(a_slot_of_a_whole_sub_buffer_is_covered)
{
	begin(_i);
	dies_with(S - PACKET_HEADER - 4);
	repairs(1);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	reads(0, 1);
	reads(0, 0); /* reports the loss */
	is_at_end();
	end();
}
END_TEST

START_TEST(a_lap_that_an_open_slot_stopped_goes_on_after_repair)
{
	begin(_i);
	dies_with(S - PACKET_HEADER - 4);
	fixture_write_packets(&fixture, N - 1);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -EBUSY);
	repairs(1);
	reads(0, 1);
	for (unsigned int i = 1; i < N; i++)
		reads(1, 0);
	fixture_write_packets(&fixture, N);
	for (unsigned int i = 0; i < N; i++)
		reads(1, 0);
	end();
}
END_TEST

START_TEST(an_entry_that_was_not_reserved_is_dropped)
{
	struct ring_slot slot;

	begin(_i);
	writes(10);
	ck_assert(ring_push(&fixture.ring, &slot));
	ck_assert(ring_track(&fixture.ring, &slot, fixture.ring.shared->reserved,
			     (ring_word)(fixture.ring.shared->reserved + 20), 1000, NULL));
	repairs(0);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	reads(1, 0);
	is_at_end();
	end();
}
END_TEST

START_TEST(an_entry_whose_place_a_nested_writer_got_is_dropped)
{
	struct ring_slot slot;

	begin(_i);
	writes(10);
	ck_assert(ring_push(&fixture.ring, &slot));
	ck_assert(ring_track(&fixture.ring, &slot, fixture.ring.shared->reserved,
			     (ring_word)(fixture.ring.shared->reserved + 14), 1000, NULL));
	writes(20);
	repairs(0);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	reads(2, 0);
	is_at_end();
	end();
}
END_TEST

START_TEST(an_entry_whose_packet_was_flushed_before_it_is_dropped)
{
	struct ring_slot slot;

	begin(_i);
	writes(10);
	ck_assert(ring_push(&fixture.ring, &slot));
	ck_assert(ring_track(&fixture.ring, &slot, fixture.ring.shared->reserved,
			     (ring_word)(fixture.ring.shared->reserved + 14), 1000, NULL));
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	repairs(0);
	reads(1, 0);
	end();
}
END_TEST

/*
 * A finalise in another thread of the process reserved the place of the writer's slot for its empty
 * packet. The same kill ended the finalise before it had closed that packet.
 */
START_TEST(an_entry_whose_place_a_finalise_took_is_dropped)
{
	struct ring_shared *shared;
	struct ring_slot slot;

	begin(_i);
	shared = fixture.ring.shared;
	ck_assert(ring_push(&fixture.ring, &slot));
	ck_assert(ring_track(&fixture.ring, &slot, shared->reserved,
			     (ring_word)(shared->reserved + PACKET_HEADER + 24), 1000, NULL));
	shared->flush = (struct ring_open_slot){.valid = 1, .old = shared->reserved, .time = 1000};
	shared->reserved = (ring_word)(shared->reserved + S + RING_FINALISED);
	repairs(0);
	reads(0, 0);
	is_at_end();
	end();
}
END_TEST

/*
 * The first record of a new ring fills its packet, and its writer dies before the commit. A
 * finalise without losses to report left no stack entry: the old content of the entry must be
 * ignored.
 */
START_TEST(a_slot_of_the_first_packet_is_covered_in_a_finalised_ring)
{
	begin(_i);
	dies_with(S - PACKET_HEADER - OPROF_RECORD_COMPACT_BYTES);
	ck_assert_uint_eq(fixture.ring.shared->reserved, fixture_packet(&fixture, 1));
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	ck_assert_uint_eq(fixture.ring.shared->flush.valid, 0);
	repairs(1);
	reads(0, 1);
	is_at_end();
	end();
}
END_TEST

/*
 * Overwrite mode: the id already shows that the packet was delivered; delivered is not stored yet.
 */
START_TEST(a_packet_that_the_reader_may_have_read_is_not_delivered_twice)
{
	struct ring_packet packet;

	fixture_init(&fixture, RING_OVERWRITE, S, N, (enum fixture_base)_i);
	fixture_write_packets(&fixture, 1);
	fixture.ring.places[0].delivered = fixture.base;
	reads(1, 0);
	repairs(0);
	ck_assert_uint_eq(fixture.ring.places[0].delivered,
			  (ring_word)(fixture.base + fixture.lap));
	ck_assert_int_eq(ring_get(reader, fixture.base, &packet), -ENODATA);
	fixture_write_packets(&fixture, 2 * N);
	for (unsigned int i = 0; i < N; i++)
		reads(1, 0);
	end();
}
END_TEST

START_TEST(a_packet_that_nobody_closed_is_damage)
{
	begin(_i);
	writes(10);
	fixture.ring.shared->reserved = fixture_packet(&fixture, 1);
	ck_assert_int_eq(ring_repair(reader), -EBADMSG);
	end();
}
END_TEST

START_TEST(entries_that_no_writer_makes_are_ignored)
{
	struct ring_open_slot *open;

	begin(_i);
	writes(10);
	open = fixture.ring.shared->open_slots;
	fixture.ring.shared->depth = UINT32_MAX;
	for (unsigned int i = 0; i < RING_DEPTH_MAX; i++) {
		open[i].valid = 1;
		open[i].old = (ring_word)(fixture.base + PACKET_HEADER + i);
		open[i].end = (ring_word)(open[i].old - i * S);
	}
	repairs(0);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	reads(1, 0);
	end();
}
END_TEST

/* Discard mode has no spare memory: the largest valid index is one less. */
START_TEST(a_damaged_id_leads_a_flusher_to_no_memory_outside_the_ring)
{
	uint32_t magic;

	begin(_i);
	writes(10);
	fixture.ring.places[0].id = N + (fixture.ring.mode == RING_OVERWRITE);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	memcpy(&magic, fixture.ring.memories, sizeof(magic));
	ck_assert_uint_eq(magic, OPROF_PACKET_MAGIC);
	end();
}
END_TEST

/* Every process that maps the ring's memory can write anything there at any time. */
START_TEST(a_damaged_id_leads_a_writer_to_no_memory_outside_the_ring)
{
	const uint64_t indexes[] = {N + 1, N + 2, RING_ID_INDEX};
	const uint8_t *memories;
	struct ring_slot slot;
	size_t bytes;

	for (unsigned int i = 0; i < sizeof(indexes) / sizeof(indexes[0]); i++) {
		begin(_i);
		memories = fixture.ring.memories;
		ck_assert_int_eq(ring_memory_bytes(&fixture.config, &bytes), 0);
		fixture.ring.places[0].id = indexes[i];
		for (unsigned int k = 0; k < 2; k++) { /* opens a packet; fast path */
			ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &slot), 0);
			ck_assert(slot.begin >= memories);
			ck_assert(slot.payload + 10 <= (uint8_t *)fixture.memory + bytes);
			ring_commit(&fixture.ring, &slot);
			if (fixture.ring.mode == RING_OVERWRITE)
				fixture.ring.places[0].id = indexes[i];
		}
		end();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ring_repair");
	TCase *tcase = tcase_create("ring_repair");

	add(tcase, a_ring_without_open_slots_is_left_alone);
	add(tcase, an_open_slot_is_covered_and_what_lies_around_it_is_found);
	add(tcase, nested_open_slots_are_covered_in_every_packet);
	add(tcase, a_slot_of_a_whole_sub_buffer_is_covered);
	add(tcase, a_lap_that_an_open_slot_stopped_goes_on_after_repair);
	add(tcase, an_entry_that_was_not_reserved_is_dropped);
	add(tcase, an_entry_whose_place_a_nested_writer_got_is_dropped);
	add(tcase, an_entry_whose_packet_was_flushed_before_it_is_dropped);
	add(tcase, an_entry_whose_place_a_finalise_took_is_dropped);
	add(tcase, a_slot_of_the_first_packet_is_covered_in_a_finalised_ring);
	tcase_add_loop_test(tcase, a_packet_that_the_reader_may_have_read_is_not_delivered_twice, 0,
			    NR_BASES);
	add(tcase, a_packet_that_nobody_closed_is_damage);
	add(tcase, entries_that_no_writer_makes_are_ignored);
	add(tcase, a_damaged_id_leads_a_flusher_to_no_memory_outside_the_ring);
	add(tcase, a_damaged_id_leads_a_writer_to_no_memory_outside_the_ring);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
