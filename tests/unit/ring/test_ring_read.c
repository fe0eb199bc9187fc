// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring/ring_write.h"

#include "tests/fixture/ring_fixture.h"
#include "tests/fixture/run_suite.h"

#define S 256u /* bytes of a sub-buffer */
#define N 4u   /* number of sub-buffers */

#define add(tcase, test) tcase_add_loop_test(tcase, test, 0, NR_BASES)

/* Runs a test in every combination of mode and base. */
#define add_both(tcase, test) tcase_add_loop_test(tcase, test, 0, 2 * NR_BASES)

static struct ring_fixture fixture;
static struct ring_reader *reader = &fixture.reader;

static void begin(enum ring_mode mode, int base)
{
	fixture_init(&fixture, mode, S, N, (enum fixture_base)base);
}

static enum ring_mode begin_both(int i)
{
	enum ring_mode mode = i & 1 ? RING_OVERWRITE : RING_DISCARD;

	begin(mode, i >> 1);
	return mode;
}

static void end(void)
{
	fixture_deinit(&fixture);
}

static int get(unsigned int n, struct ring_packet *packet)
{
	return ring_get(reader, fixture_packet(&fixture, n), packet);
}

/* Returns the number of the only record of a packet. */
static uint32_t record_of(const struct ring_packet *packet)
{
	struct packet_sum sum;

	fixture_sum_packet(packet, &fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	return sum.first;
}

/* Reads the next packet and checks its only record. */
static void reads(uint32_t number)
{
	struct packet_sum sum;

	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.first, number);
}

/* ---- both modes ---- */

START_TEST(packets_come_in_order_over_many_laps)
{
	struct ring_packet packet;

	begin_both(_i);
	for (uint32_t lap = 0; lap < 150; lap++) {
		fixture_write_packets(&fixture, N);
		for (uint32_t i = 0; i < N; i++)
			reads(lap * N + i);
		ck_assert_int_eq(ring_next(reader, &packet), -EAGAIN);
	}
	ck_assert_uint_eq(reader->nr_read, 150 * N);
	ck_assert_uint_eq(reader->nr_overwritten, 0);
	ck_assert_uint_eq(reader->nr_gone, 0);
	end();
}
END_TEST

START_TEST(what_is_not_delivered_comes_later)
{
	struct ring_packet packet;

	begin_both(_i);
	ck_assert_int_eq(ring_next(reader, &packet), -EAGAIN);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_int_eq(ring_next(reader, &packet), -EAGAIN);
	ck_assert_int_eq(get(0, &packet), -EAGAIN);
	ck_assert_int_eq(get(1, &packet), -EAGAIN);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	reads(0);
	end();
}
END_TEST

START_TEST(one_packet_is_held_at_a_time)
{
	struct ring_packet packet, second;

	begin_both(_i);
	fixture_write_packets(&fixture, 2);
	ck_assert_int_eq(ring_next(reader, &packet), 0);
	ck_assert_int_eq(ring_next(reader, &second), -EBUSY);
	ck_assert_int_eq(get(1, &second), -EBUSY);
	ck_assert_int_eq(ring_repair(reader), -EBUSY);
	ring_put(reader, &packet);
	ck_assert_ptr_null(packet.data);
	reads(1);
	end();
}
END_TEST

/* A fault of other rings: they returned the next packet instead of the requested one. */
START_TEST(the_packet_asked_for_is_looked_at)
{
	struct ring_packet packet;

	begin_both(_i);
	fixture_write_packets(&fixture, N); /* reserved is in place 0 again */
	for (unsigned int n = N; n-- > 0;) {
		ck_assert_int_eq(get(n, &packet), 0);
		ck_assert_uint_eq(record_of(&packet), n);
		ring_put_keep(reader, &packet);
	}
	end();
}
END_TEST

START_TEST(a_snapshot_takes_nothing_away_and_can_be_repeated)
{
	struct ring_packet packet;
	ring_word from, to;

	begin_both(_i);
	fixture_write_packets(&fixture, N - 1);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	for (unsigned int turn = 0; turn < 3; turn++) {
		unsigned int nr = 0;

		ring_snapshot_range(reader, &from, &to);
		ck_assert_uint_eq(to, fixture_packet(&fixture, N - 1));
		for (; from != to; from = (ring_word)(from + S)) {
			if (ring_get(reader, from, &packet))
				continue;
			ck_assert_uint_eq(record_of(&packet), nr++);
			ring_put_keep(reader, &packet);
		}
		ck_assert_uint_eq(nr, N - 1);
	}
	for (unsigned int n = 0; n < N - 1; n++)
		reads(n);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	reads(N - 1);
	end();
}
END_TEST

START_TEST(what_was_consumed_is_not_given_again)
{
	struct ring_packet packet;
	enum ring_mode mode = begin_both(_i);

	fixture_write_packets(&fixture, 1);
	reads(0);
	ck_assert_int_eq(get(0, &packet), mode == RING_OVERWRITE ? -ENODATA : -ESTALE);
	end();
}
END_TEST

START_TEST(unread_bytes_are_those_of_whole_sub_buffers)
{
	begin_both(_i);
	ck_assert_uint_eq(ring_unread_bytes(reader), 0);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	ck_assert_uint_eq(ring_unread_bytes(reader), 0);
	ck_assert_int_eq(ring_flush(&fixture.ring), 0);
	ck_assert_uint_eq(ring_unread_bytes(reader), S);
	fixture_write_packets(&fixture, N - 1);
	ck_assert_uint_eq(ring_unread_bytes(reader), N * S);
	reads(0);
	ck_assert_uint_eq(ring_unread_bytes(reader), (N - 1) * S);
	end();
}
END_TEST

START_TEST(a_finalised_ring_ends_only_when_all_is_read)
{
	struct ring_packet packet;

	begin_both(_i);
	fixture_write_packets(&fixture, 2);
	ck_assert_int_eq(ring_finalise(&fixture.ring), 0);
	ck_assert_uint_eq(ring_unread_bytes(reader), 2 * S);
	reads(0);
	reads(1);
	ck_assert_int_eq(ring_next(reader, &packet), -ENODATA);
	ck_assert_uint_eq(ring_unread_bytes(reader), 0);
	end();
}
END_TEST

START_TEST(a_new_reader_goes_on_where_the_last_one_stopped)
{
	begin_both(_i);
	fixture_write_packets(&fixture, 3);
	reads(0);
	ck_assert_int_eq(ring_reader_init(reader, &fixture.ring), 0);
	reads(1);
	reads(2);
	end();
}
END_TEST

static void is_damaged(void)
{
	struct ring_reader other;

	ck_assert_int_eq(ring_reader_init(&other, &fixture.ring), -EBADMSG);
}

START_TEST(a_reader_where_none_can_be_is_damage)
{
	begin_both(_i);
	fixture_write_packets(&fixture, 2);
	fixture.ring.shared->consumed = (ring_word)(fixture.base + 4);
	is_damaged();
	fixture.ring.shared->consumed = fixture_packet(&fixture, 3);
	is_damaged();
	fixture.ring.shared->consumed = fixture_packet(&fixture, 2);
	ck_assert_int_eq(ring_reader_init(reader, &fixture.ring), 0);
	end();
}
END_TEST

/* ---- discard mode ---- */

START_TEST(a_lap_behind_is_damage_in_discard_mode)
{
	begin(RING_DISCARD, _i);
	fixture_write_packets(&fixture, 2);
	fixture.ring.shared->consumed = (ring_word)(fixture.base - 3 * S);
	is_damaged();
	end();
}
END_TEST

START_TEST(a_packet_held_is_not_written_over_in_discard_mode)
{
	struct ring_packet packet;

	begin(RING_DISCARD, _i);
	fixture_write_packets(&fixture, N);
	ck_assert_int_eq(ring_next(reader, &packet), 0);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -ENOSPC);
	ck_assert_uint_eq(record_of(&packet), 0);
	ring_put_keep(reader, &packet);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), -ENOSPC);
	reads(0);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	end();
}
END_TEST

START_TEST(a_reader_that_died_with_a_packet_leaves_it_in_discard_mode)
{
	struct ring_packet packet;

	begin(RING_DISCARD, _i);
	fixture_write_packets(&fixture, 2);
	ck_assert_int_eq(ring_next(reader, &packet), 0);
	ck_assert_int_eq(ring_reader_init(reader, &fixture.ring), 0);
	reads(0);
	reads(1);
	ck_assert_uint_eq(reader->nr_gone, 0);
	end();
}
END_TEST

/* ---- overwrite mode ---- */

START_TEST(a_reader_that_is_laps_behind_finds_the_newest_and_counts_the_others)
{
	struct ring_packet packet;

	begin(RING_OVERWRITE, _i);
	fixture_write_packets(&fixture, 3 * N + 1);
	for (uint32_t i = 2 * N + 1; i < 3 * N + 1; i++)
		reads(i);
	ck_assert_int_eq(ring_next(reader, &packet), -EAGAIN);
	ck_assert_uint_eq(reader->nr_overwritten, 2 * N + 1);
	ck_assert_uint_eq(reader->nr_read + reader->nr_overwritten, 3 * N + 1);
	ck_assert_uint_eq(ring_lost_sum(&fixture.ring), 0);
	end();
}
END_TEST

START_TEST(the_oldest_goes_when_a_packet_is_opened)
{
	begin(RING_OVERWRITE, _i);
	fixture_write_packets(&fixture, N);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 10), 0);
	reads(1);
	ck_assert_uint_eq(reader->nr_overwritten, 1);
	end();
}
END_TEST

START_TEST(an_overwritten_position_is_stale)
{
	struct ring_packet packet;

	begin(RING_OVERWRITE, _i);
	fixture_write_packets(&fixture, N + 1);
	ck_assert_int_eq(get(0, &packet), -ESTALE);
	ck_assert_int_eq(get(1, &packet), 0);
	end();
}
END_TEST

START_TEST(there_is_nothing_before_the_beginning)
{
	struct ring_packet packet;
	ring_word from, to;

	begin(RING_OVERWRITE, _i);
	ring_snapshot_range(reader, &from, &to);
	ck_assert_uint_eq((ring_word)(to - from), N * S);
	for (; from != to; from = (ring_word)(from + S))
		ck_assert_int_eq(ring_get(reader, from, &packet), -ENODATA);
	end();
}
END_TEST

START_TEST(a_packet_held_is_not_written_over_in_overwrite_mode)
{
	struct ring_packet packet;

	begin(RING_OVERWRITE, _i);
	fixture_write_packets(&fixture, 2);
	ck_assert_int_eq(ring_next(reader, &packet), 0);
	fixture_write_packets(&fixture, 5 * N);
	ck_assert_uint_eq(record_of(&packet), 0);
	ring_put(reader, &packet);
	reads(4 * N + 2);
	end();
}
END_TEST

/* The held memory becomes the spare; the memory now in the place is the writer's. */
START_TEST(a_packet_kept_after_a_writer_took_its_place_is_gone)
{
	struct ring_packet packet;
	ring_word from, to;
	uint32_t nr = 0;

	begin(RING_OVERWRITE, _i);
	fixture_write_packets(&fixture, 2);
	ck_assert_int_eq(get(0, &packet), 0);
	fixture_write_packets(&fixture, N + 1);
	ck_assert_uint_eq(record_of(&packet), 0);
	ring_put_keep(reader, &packet);
	ck_assert_int_eq(get(0, &packet), -ESTALE);
	ring_snapshot_range(reader, &from, &to);
	for (; from != to; from = (ring_word)(from + S)) {
		ck_assert_int_eq(ring_get(reader, from, &packet), 0);
		ck_assert_uint_eq(record_of(&packet), 3 + nr++);
		ring_put_keep(reader, &packet);
	}
	ck_assert_uint_eq(nr, N);
	ck_assert_int_eq(ring_reader_init(&fixture.reader, &fixture.ring), 0);
	end();
}
END_TEST

/* Memories rotate through the spare: none is lost, and none is in two places. */
START_TEST(every_memory_is_in_one_place_or_the_readers)
{
	struct ring_packet packet;
	struct ring_reader other;

	begin(RING_OVERWRITE, _i);
	for (unsigned int turn = 0; turn < 100; turn++) {
		fixture_write_packets(&fixture, turn % 7);
		if (!ring_next(reader, &packet)) {
			(void)record_of(&packet);
			fixture_write_packets(&fixture, turn % 5);
			if (turn % 2)
				ring_put(reader, &packet);
			else
				ring_put_keep(reader, &packet);
		}
		ck_assert_int_eq(ring_reader_init(&other, &fixture.ring), 0);
		ck_assert_uint_eq(other.spare, reader->spare);
	}
	end();
}
END_TEST

START_TEST(a_packet_that_a_reader_died_with_is_counted_and_passed)
{
	struct ring_packet packet;

	begin(RING_OVERWRITE, _i);
	fixture_write_packets(&fixture, 3);
	reads(0);
	ck_assert_int_eq(ring_next(reader, &packet), 0);
	ck_assert_int_eq(ring_reader_init(reader, &fixture.ring), 0);
	ck_assert_int_eq(get(1, &packet), -ENODATA);
	reads(2);
	ck_assert_uint_eq(reader->nr_gone, 1);
	fixture_write_packets(&fixture, 2 * N);
	for (uint32_t i = N + 3; i < 2 * N + 3; i++)
		reads(i);
	end();
}
END_TEST

START_TEST(an_id_out_of_range_is_damage)
{
	struct ring_packet packet;

	begin(RING_OVERWRITE, _i);
	fixture_write_packets(&fixture, 1);
	fixture.ring.places[0].id |= RING_ID_INDEX;
	ck_assert_int_eq(ring_next(reader, &packet), -EBADMSG);
	is_damaged();
	end();
}
END_TEST

START_TEST(a_memory_in_two_places_is_damage)
{
	begin(RING_OVERWRITE, _i);
	fixture.ring.places[0].id++;
	is_damaged();
	end();
}
END_TEST

static void add_overwrite_tests(TCase *tcase)
{
	add(tcase, a_reader_that_is_laps_behind_finds_the_newest_and_counts_the_others);
	add(tcase, the_oldest_goes_when_a_packet_is_opened);
	add(tcase, an_overwritten_position_is_stale);
	add(tcase, there_is_nothing_before_the_beginning);
	add(tcase, a_packet_held_is_not_written_over_in_overwrite_mode);
	add(tcase, a_packet_kept_after_a_writer_took_its_place_is_gone);
	add(tcase, every_memory_is_in_one_place_or_the_readers);
	add(tcase, a_packet_that_a_reader_died_with_is_counted_and_passed);
	add(tcase, an_id_out_of_range_is_damage);
	add(tcase, a_memory_in_two_places_is_damage);
}

int main(void)
{
	Suite *suite = suite_create("ring_read");
	TCase *tcase = tcase_create("ring_read");

	add_both(tcase, packets_come_in_order_over_many_laps);
	add_both(tcase, what_is_not_delivered_comes_later);
	add_both(tcase, one_packet_is_held_at_a_time);
	add_both(tcase, the_packet_asked_for_is_looked_at);
	add_both(tcase, a_snapshot_takes_nothing_away_and_can_be_repeated);
	add_both(tcase, what_was_consumed_is_not_given_again);
	add_both(tcase, unread_bytes_are_those_of_whole_sub_buffers);
	add_both(tcase, a_finalised_ring_ends_only_when_all_is_read);
	add_both(tcase, a_new_reader_goes_on_where_the_last_one_stopped);
	add_both(tcase, a_reader_where_none_can_be_is_damage);
	add(tcase, a_lap_behind_is_damage_in_discard_mode);
	add(tcase, a_packet_held_is_not_written_over_in_discard_mode);
	add(tcase, a_reader_that_died_with_a_packet_leaves_it_in_discard_mode);
	add_overwrite_tests(tcase);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
