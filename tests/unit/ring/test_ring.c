// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring/ring.h"

#include "tests/fixture/ring_fixture.h"
#include "tests/fixture/run_suite.h"

#include <string.h>

static const struct ring_config sound = {
	.mode = RING_DISCARD, .sub_buffer_bytes = 1024, .nr_sub_buffers = 4};

static int bytes_of(enum ring_mode mode, uint32_t sub_buffer_bytes, uint32_t nr_sub_buffers,
		    size_t *nr_bytes)
{
	const struct ring_config config = {.mode = mode,
					   .sub_buffer_bytes = sub_buffer_bytes,
					   .nr_sub_buffers = nr_sub_buffers};

	return ring_memory_bytes(&config, nr_bytes);
}

static int error_of(uint32_t sub_buffer_bytes, uint32_t nr_sub_buffers)
{
	size_t nr_bytes = 77;
	int error = bytes_of(RING_DISCARD, sub_buffer_bytes, nr_sub_buffers, &nr_bytes);

	if (error)
		ck_assert_uint_eq(nr_bytes, 77);
	return error;
}

START_TEST(sizes_that_are_not_powers_of_two_are_refused)
{
	ck_assert_int_eq(error_of(1000, 4), -EINVAL);
	ck_assert_int_eq(error_of(1025, 4), -EINVAL);
	ck_assert_int_eq(error_of(0, 4), -EINVAL);
	ck_assert_int_eq(error_of(1024, 3), -EINVAL);
	ck_assert_int_eq(error_of(1024, 0), -EINVAL);
	ck_assert_int_eq(error_of(1024, UINT32_MAX), -EINVAL);
	ck_assert_int_eq(error_of(UINT32_MAX, 4), -EINVAL);
	ck_assert_int_eq(error_of(1024, 4), 0);
}
END_TEST

START_TEST(one_sub_buffer_is_refused_in_both_modes)
{
	size_t nr_bytes;

	ck_assert_int_eq(bytes_of(RING_DISCARD, 1024, 1, &nr_bytes), -EINVAL);
	ck_assert_int_eq(bytes_of(RING_OVERWRITE, 1024, 1, &nr_bytes), -EINVAL);
	ck_assert_int_eq(bytes_of(RING_OVERWRITE, 1024, 2, &nr_bytes), 0);
}
END_TEST

START_TEST(sizes_out_of_range_are_refused)
{
	ck_assert_int_eq(error_of(RING_SUB_BUFFER_MIN / 2, 4), -EINVAL);
	ck_assert_int_eq(error_of(RING_SUB_BUFFER_MIN, 4), 0);
	ck_assert_int_eq(error_of(RING_SUB_BUFFER_MAX * 2, 2), -EINVAL);
	ck_assert_int_eq(error_of(RING_SUB_BUFFER_MIN, RING_NR_SUB_BUFFERS_MAX * 2), -EINVAL);
}
END_TEST

START_TEST(a_mode_that_does_not_exist_is_refused)
{
	size_t nr_bytes;

	ck_assert_int_eq(bytes_of((enum ring_mode)2, 1024, 4, &nr_bytes), -EINVAL);
	ck_assert_int_eq(bytes_of((enum ring_mode) - 1, 1024, 4, &nr_bytes), -EINVAL);
}
END_TEST

/* Positions need two more bits than the ring's length, to distinguish laps. */
START_TEST(a_ring_longer_than_positions_can_tell_is_an_overflow)
{
	if (sizeof(ring_word) == 2) {
		ck_assert_int_eq(error_of(1u << 12, 4), 0);
		ck_assert_int_eq(error_of(1u << 12, 8), -EOVERFLOW);
		ck_assert_int_eq(error_of(1u << 16, 2), -EOVERFLOW);
	} else if (sizeof(size_t) == 8) {
		ck_assert_int_eq(error_of(RING_SUB_BUFFER_MAX, RING_NR_SUB_BUFFERS_MAX), 0);
	} else {
		ck_assert_int_eq(error_of(RING_SUB_BUFFER_MAX, 2), -EOVERFLOW);
	}
}
END_TEST

START_TEST(memories_begin_on_a_page_and_end_where_the_memory_does)
{
	for (unsigned int mode = RING_DISCARD; mode <= RING_OVERWRITE; mode++) {
		struct ring_fixture fixture;
		size_t nr_bytes;

		fixture_init(&fixture, mode, 256, 8, FROM_ZERO);
		ck_assert_int_eq(ring_memory_bytes(&fixture.config, &nr_bytes), 0);
		ck_assert_uint_eq((uintptr_t)fixture.ring.memories % 4096, 0);
		ck_assert(fixture.ring.memories >= (uint8_t *)(fixture.ring.places + 8));
		ck_assert_ptr_eq(fixture.ring.memories +
					 256 * (size_t)(mode == RING_OVERWRITE ? 9 : 8),
				 (uint8_t *)fixture.memory + nr_bytes);
		fixture_deinit(&fixture);
	}
}
END_TEST

START_TEST(init_makes_an_empty_ring_of_what_was_one)
{
	struct ring_fixture fixture;
	struct ring_packet packet;
	struct ring_slot slot;

	fixture_init(&fixture, RING_DISCARD, 256, 2, FROM_ZERO);
	fixture_write_packets(&fixture, 2);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 8), -ENOSPC);
	ck_assert_int_eq(ring_init(&fixture.ring, &fixture.config, 3, fixture.memory), 0);
	ck_assert_uint_eq(ring_lost_sum(&fixture.ring), 0);
	ck_assert_int_eq(ring_reader_init(&fixture.reader, &fixture.ring), 0);
	ck_assert_int_eq(ring_next(&fixture.reader, &packet), -EAGAIN);
	ck_assert_int_eq(fixture_reserve(&fixture, EVENT_BYTES, 8, &slot), 0);
	ck_assert_uint_eq(fixture.ring.shared->depth, 1);
	fixture_deinit(&fixture);
}
END_TEST

START_TEST(init_and_attach_refuse_what_memory_bytes_refuses)
{
	struct ring_config config = sound;
	struct ring ring;
	char memory[16] = {0};

	config.nr_sub_buffers = 5;
	ck_assert_int_eq(ring_init(&ring, &config, 0, memory), -EINVAL);
	ck_assert_int_eq(ring_attach(&ring, &config, 0, memory), -EINVAL);
}
END_TEST

START_TEST(a_second_view_sees_what_the_first_one_wrote)
{
	struct ring_fixture fixture;
	struct packet_sum sum;
	struct ring view;

	fixture_init(&fixture, RING_OVERWRITE, 256, 2, FROM_ZERO);
	ck_assert_int_eq(ring_attach(&view, &fixture.config, 3, fixture.memory), 0);
	ck_assert_mem_eq(&view, &fixture.ring, sizeof(view));
	fixture_write_packets(&fixture, 1);
	fixture.ring = view;
	ck_assert_int_eq(ring_reader_init(&fixture.reader, &view), 0);
	fixture_read(&fixture, &sum);
	ck_assert_uint_eq(sum.nr_records, 1);
	fixture_deinit(&fixture);
}
END_TEST

static void attach_fails(struct ring_fixture *fixture, const struct ring_config *config)
{
	struct ring view;

	ck_assert_int_eq(ring_attach(&view, config, 0, fixture->memory), -EPROTO);
}

START_TEST(attach_refuses_a_ring_of_another_version_size_or_mode)
{
	struct ring_fixture fixture;
	struct ring_config other;

	fixture_init(&fixture, RING_DISCARD, 1024, 4, FROM_ZERO);
	other = fixture.config;
	other.sub_buffer_bytes /= 2;
	attach_fails(&fixture, &other);
	other.nr_sub_buffers *= 2;
	attach_fails(&fixture, &other);
	other = fixture.config;
	other.nr_sub_buffers /= 2;
	attach_fails(&fixture, &other);
	other = fixture.config;
	other.mode = RING_OVERWRITE; /* needs one memory more */
	attach_fails(&fixture, &other);
	fixture.ring.shared->version++;
	attach_fails(&fixture, &fixture.config);
	fixture.ring.shared->version--;
	fixture.ring.shared->magic = 0;
	attach_fails(&fixture, &fixture.config);
	fixture_deinit(&fixture);
}
END_TEST

START_TEST(losses_are_told_by_reason_and_summed)
{
	struct ring_fixture fixture;

	fixture_init(&fixture, RING_DISCARD, 256, 2, FROM_ZERO);
	for (unsigned int i = 0; i < 3; i++)
		ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 1000), -EMSGSIZE);
	fixture_write_packets(&fixture, 2);
	ck_assert_int_eq(fixture_write(&fixture, EVENT_BYTES, 8), -ENOSPC);
	ck_assert_uint_eq(ring_lost(&fixture.ring, OPROF_LOST_TOO_BIG), 3);
	ck_assert_uint_eq(ring_lost(&fixture.ring, OPROF_LOST_FULL), 1);
	ck_assert_uint_eq(ring_lost(&fixture.ring, OPROF_LOST_NESTED), 0);
	ck_assert_uint_eq(ring_lost_sum(&fixture.ring), 4);
	fixture_deinit(&fixture);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ring");
	TCase *tcase = tcase_create("ring");

	tcase_add_test(tcase, sizes_that_are_not_powers_of_two_are_refused);
	tcase_add_test(tcase, one_sub_buffer_is_refused_in_both_modes);
	tcase_add_test(tcase, sizes_out_of_range_are_refused);
	tcase_add_test(tcase, a_mode_that_does_not_exist_is_refused);
	tcase_add_test(tcase, a_ring_longer_than_positions_can_tell_is_an_overflow);
	tcase_add_test(tcase, memories_begin_on_a_page_and_end_where_the_memory_does);
	tcase_add_test(tcase, init_makes_an_empty_ring_of_what_was_one);
	tcase_add_test(tcase, init_and_attach_refuse_what_memory_bytes_refuses);
	tcase_add_test(tcase, a_second_view_sees_what_the_first_one_wrote);
	tcase_add_test(tcase, attach_refuses_a_ring_of_another_version_size_or_mode);
	tcase_add_test(tcase, losses_are_told_by_reason_and_summed);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
