// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of a ring, and of a packet before it is full: ring_finalise(), ring_flush(). */
#include "ring/ring_write.h"

#include "tests/fixture/ring_fixture.h"
#include "tests/fixture/run_suite.h"

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

/* ---- flush ---- */

START_TEST(a_flush_of_nothing_closes_nothing)
{
	struct ring_packet packet;

	begin(_i);
	ck_assert_int_eq(ring_flush(&fixture.ring), -EAGAIN);
	fixture_write_packets(&fixture, 1);
	ck_assert_int_eq(ring_flush(&fixture.ring), -EAGAIN);
	ck_assert_uint_eq(fixture.ring.shared->reserved, fixture_packet(&fixture, 1));
	ck_assert_int_eq(ring_next(&fixture.reader, &packet), 0);
	ring_put(&fixture.reader, &packet);
	ck_assert_int_eq(ring_next(&fixture.reader, &packet), -EAGAIN);
	end();
}
END_TEST

START_TEST(a_flush_delivers_what_is_open)
{
	struct packet_sum sum;

	begin(_i);
	for (unsigned int i = 0; i < 9; i++) {
		ck_assert_int_eq(fixture_write(&fixture, EVENT_WORDS, 10 + i), 0);
		ck_assert_int_eq(ring_flush(&fixture.ring), 0);
		fixture_read(&fixture, &sum);
		ck_assert_uint_eq(sum.nr_records, 1);
		ck_assert_uint_eq(sum.first, i);
	}
	end();
}
END_TEST

/* The flusher's clock, on another CPU, was slightly ahead. */
START_TEST(a_packet_begins_no_earlier_than_the_flush_before_it)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	test_clock_ns = 1100;
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	test_clock_ns = 1090;
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.time_end, 1100);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.time_begin, 1100);
	end();
}
END_TEST

/* ---- finalise ---- */

static void is_at_end(void)
{
	struct ring_packet packet;

	ck_assert_int_eq(ring_next(&fixture.reader, &packet), -ENODATA);
	ck_assert_int_eq(ring_finalise(&fixture.ring), -EALREADY);
	ck_assert_int_eq(ring_flush(&fixture.ring), -EAGAIN);
	ck_assert_int_eq(ring_next(&fixture.reader, &packet), -ENODATA);
}

START_TEST(a_ring_that_nobody_wrote_to_ends_with_one_empty_packet)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 0);
	ck_assert_uint_eq(sum.header.nr_records, 0);
	ck_assert_uint_eq(sum.header.content_bits, PACKET_HEADER * 8);
	ck_assert_uint_eq(sum.header.seq, fixture.base / S);
	ck_assert_uint_eq(sum.header.time_begin, 1000);
	is_at_end();
	end();
}
END_TEST

START_TEST(finalise_delivers_what_is_open_and_no_packet_more)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	is_at_end();
	end();
}
END_TEST

START_TEST(finalise_behind_a_full_packet_adds_none)
{
	struct packet_sum sum;

	begin(_i);
	fixture_write_packets(&fixture, 1);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	is_at_end();
	end();
}
END_TEST

START_TEST(losses_that_no_packet_told_are_told_by_an_empty_one)
{
	struct packet_sum sum;

	begin(_i);
	fixture_write_packets(&fixture, 1);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, S), -EMSGSIZE);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.lost, 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 0);
	ck_assert_uint_eq(sum.header.lost_by[OPROF_LOST_TOO_BIG], 1);
	is_at_end();
	end();
}
END_TEST

START_TEST(losses_told_by_the_open_packet_need_no_empty_one)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, S), -EMSGSIZE);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.lost, 1);
	is_at_end();
	end();
}
END_TEST

START_TEST(a_full_ring_is_finalised_when_the_reader_made_room_for_its_losses)
{
	struct packet_sum sum;

	begin(_i);
	fixture_write_packets(&fixture, 4);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -ENOSPC);
	ck_assert_int_eq(ring_finalise(&fixture.ring), -EAGAIN);
	ck_assert_int_eq(ring_finalise(&fixture.ring), -EAGAIN);
	fixture_read(&fixture, &sum);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	for (unsigned int i = 0; i < 4; i++)
		fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.header.lost_by[OPROF_LOST_FULL], 1);
	ck_assert_uint_eq(sum.nr_records, 0);
	is_at_end();
	end();
}
END_TEST

START_TEST(a_full_ring_without_losses_is_finalised_at_once)
{
	begin(_i);
	fixture_write_packets(&fixture, 4);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	ck_assert_int_eq(ring_finalise(&fixture.ring), -EALREADY);
	end();
}
END_TEST

START_TEST(what_is_written_to_a_finalised_ring_is_lost)
{
	struct packet_sum sum;

	begin(_i);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -ESHUTDOWN);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, UINT32_MAX), -ESHUTDOWN);
	ck_assert_uint_eq(ring_lost(&fixture.ring, OPROF_LOST_STOPPED), 2);
	ck_assert_uint_eq(fixture.ring.shared->depth, 0);
	fixture_read(&fixture, &sum);
	is_at_end();
	end();
}
END_TEST

START_TEST(a_slot_open_when_the_ring_is_finalised_is_delivered_when_committed)
{
	struct ring_packet packet;
	struct packet_sum sum;
	struct ring_slot slot;

	begin(_i);
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 10, &slot), 0);
	fixture_fill(&fixture, &slot);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	ck_assert_int_eq(ring_next(&fixture.reader, &packet), -EAGAIN);
	ring_commit(&fixture.ring, &slot);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	is_at_end();
	end();
}
END_TEST

static void nest_finalise(void *unused)
{
	(void)unused;
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
}

START_TEST(a_writer_that_looked_before_the_ring_was_finalised_writes_no_more)
{
	struct packet_sum sum;

	begin(_i);
	fixture_write_packets(&fixture, 1);
	test_clock_hook = nest_finalise;
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -ESHUTDOWN);
	fixture_read(&fixture, &sum);
	is_at_end();
	end();
}
END_TEST

static void add_tests(TCase *tcase)
{
	add(tcase, a_flush_of_nothing_closes_nothing);
	add(tcase, a_flush_delivers_what_is_open);
	add(tcase, a_packet_begins_no_earlier_than_the_flush_before_it);
	add(tcase, a_ring_that_nobody_wrote_to_ends_with_one_empty_packet);
	add(tcase, finalise_delivers_what_is_open_and_no_packet_more);
	add(tcase, finalise_behind_a_full_packet_adds_none);
	add(tcase, losses_that_no_packet_told_are_told_by_an_empty_one);
	add(tcase, losses_told_by_the_open_packet_need_no_empty_one);
	add(tcase, a_full_ring_is_finalised_when_the_reader_made_room_for_its_losses);
	add(tcase, a_full_ring_without_losses_is_finalised_at_once);
	add(tcase, what_is_written_to_a_finalised_ring_is_lost);
	add(tcase, a_slot_open_when_the_ring_is_finalised_is_delivered_when_committed);
	add(tcase, a_writer_that_looked_before_the_ring_was_finalised_writes_no_more);
}

int main(void)
{
	Suite *suite = suite_create("ring_finalise");
	TCase *tcase = tcase_create("ring_finalise");

	add_tests(tcase);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
