// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/packet.h"
#include "ctf/layout.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <string.h>

static const uint8_t uuid[16] = {1, 2, 3};
static struct oprof_packet_header header, before;

static void setup(void)
{
	header = (struct oprof_packet_header){.magic = 0xc1fc1fc1,
					      .time_begin = 10,
					      .time_end = 20,
					      .content_bits = 130 * 8,
					      .packet_bits = 256 * 8,
					      .seq = 5,
					      .lost = 3,
					      .lost_by = {1, 0, 2}};
	memcpy(header.uuid, uuid, 16);
	before = header;
	before.seq = 4;
	before.time_begin = 1;
	before.time_end = 10;
}

static void faulty(const char *said)
{
	const char *fault = ctf_packet_fault(&header, uuid, sizeof(header));

	ck_assert_ptr_nonnull(fault);
	ck_assert_msg(strstr(fault, said), "%s", fault);
	setup();
}

static void disordered(const char *said)
{
	const char *fault = ctf_packet_order_fault(&before, &header);

	ck_assert_ptr_nonnull(fault);
	ck_assert_msg(strstr(fault, said), "%s", fault);
	setup();
}

START_TEST(a_sound_header_has_no_fault)
{
	ck_assert_ptr_null(ctf_packet_fault(&header, uuid, sizeof(header)));
	ck_assert_ptr_null(ctf_packet_order_fault(&before, &header));
	header.content_bits = 120 * 8; /* empty */
	header.time_begin = header.time_end;
	ck_assert_ptr_null(ctf_packet_fault(&header, uuid, sizeof(header)));
	header.content_bits = header.packet_bits; /* full */
	ck_assert_ptr_null(ctf_packet_fault(&header, uuid, sizeof(header)));
}
END_TEST

START_TEST(magic_and_uuid_are_those_of_the_trace)
{
	header.magic ^= 0x100;
	faulty("magic");
	header.uuid[15] = 1;
	faulty("uuid");
}
END_TEST

START_TEST(sizes_are_possible)
{
	header.packet_bits = 0;
	faulty("packet_size");
	header.packet_bits = 64 * 8;
	faulty("packet_size");
	header.packet_bits = 384 * 8;
	faulty("packet_size");
	header.packet_bits = (uint64_t)1 << 63;
	faulty("packet_size");
	header.content_bits = header.packet_bits + 8;
	faulty("content_size");
	header.content_bits = 119 * 8;
	faulty("content_size");
	header.content_bits++;
	faulty("content_size");
}
END_TEST

START_TEST(times_and_sums_of_losses_are_possible)
{
	header.time_end = 9;
	faulty("ends before");
	header.lost++;
	faulty("sum");
}
END_TEST

/* A longer header may have reasons for losses that this version does not know. */
START_TEST(losses_by_a_later_versions_reasons_are_none_of_a_fault)
{
	const unsigned int longer = sizeof(header) + 8;
	const char *fault;

	header.lost++;
	ck_assert_ptr_null(ctf_packet_fault(&header, uuid, longer));
	header.lost_by[4] = 2;
	fault = ctf_packet_fault(&header, uuid, longer);
	ck_assert_ptr_nonnull(fault);
	ck_assert_msg(strstr(fault, "sum"), "%s", fault);
	header.lost_by[4] = UINT64_MAX; /* the sum of all reasons overflows */
	ck_assert_ptr_nonnull(ctf_packet_fault(&header, uuid, longer));
	setup();
	header.lost_by[1] = UINT64_MAX;
	header.lost_by[3] = 1;
	faulty("sum");
}
END_TEST

START_TEST(packets_follow_on_each_other)
{
	header.stream_id = 1;
	disordered("stream");
	header.packet_bits *= 2;
	disordered("packet_size");
	header.time_begin = 9;
	disordered("begins before");
	header.seq = 4;
	disordered("packet_seq_num");
	header.lost_by[0] = 0;
	header.lost_by[1] = 9;
	disordered("lost");
	for (unsigned int i = 0; i < OPROF_NR_LOST; i++) {
		before.lost_by[i] = header.lost_by[i] + 1;
		disordered("is less than");
	}
}
END_TEST

/* The header in packet.h has the layout of its struct, without holes. */
START_TEST(a_header_is_decoded_from_where_metadata_says)
{
	struct ctf_layout layout = {.nr_bytes = 200};
	struct oprof_packet_header found;
	uint8_t bytes[200];
	unsigned int nr = 0;

	memset(bytes, 0xee, sizeof(bytes));
	for (int i = CTF_LAYOUT_NR_FIELDS - 1; i >= 0; i--) {
		layout.at[i] = nr + 1;
		memcpy(bytes + nr + 1, (char *)&header + ctf_layout_fields[i].offset,
		       ctf_layout_fields[i].nr_bytes);
		nr += ctf_layout_fields[i].nr_bytes + 1;
	}
	ck_assert_uint_eq(nr, sizeof(header) + CTF_LAYOUT_NR_FIELDS);
	ctf_layout_decode(&layout, bytes, &found);
	ck_assert_mem_eq(&found, &header, sizeof(header));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctf_packet");
	TCase *tc = tcase_create("ctf_packet");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_sound_header_has_no_fault);
	tcase_add_test(tc, magic_and_uuid_are_those_of_the_trace);
	tcase_add_test(tc, sizes_are_possible);
	tcase_add_test(tc, times_and_sums_of_losses_are_possible);
	tcase_add_test(tc, losses_by_a_later_versions_reasons_are_none_of_a_fault);
	tcase_add_test(tc, packets_follow_on_each_other);
	tcase_add_test(tc, a_header_is_decoded_from_where_metadata_says);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
