// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets of rings written by ring_write, as the CPUs write theirs, and damaged ones. */
#include "tests/fixture/kmod_types.h" /* before the kernel's headers of ours */

#include "kmod/packet_walk.h"
#include "oprof/kmod.h"
#include "oprof/packet.h"
#include "ring/ring_write.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SUB_BUFFER 4096u
#define NR_PACKETS 4u
#define HEADER	   ((uint32_t)sizeof(struct oprof_packet_header))

/* What one entry should be read as. */
struct expected {
	enum entry_type type;
	uint64_t stamp, number;
	unsigned int nr_chain;
};

static struct ring ring;
static struct ring_reader reader;
static void *memory;
static struct expected expected[4096];
static unsigned int nr_expected;

static void setup(void)
{
	const struct ring_config config = {.mode = RING_DISCARD,
					   .clock = RING_CLOCK_MONOTONIC,
					   .sub_buffer_bytes = SUB_BUFFER,
					   .nr_sub_buffers = NR_PACKETS};
	size_t bytes;

	ck_assert_int_eq(ring_memory_bytes(&config, &bytes), 0);
	memory = aligned_alloc(SUB_BUFFER, (bytes + SUB_BUFFER - 1) & ~(size_t)(SUB_BUFFER - 1));
	ck_assert_ptr_nonnull(memory);
	memset(memory, 0, bytes);
	ck_assert_int_eq(ring_init(&ring, &config, 0, memory), 0);
	ck_assert_int_eq(ring_reader_init(&reader, &ring), 0);
	nr_expected = 0;
}

static void teardown(void)
{
	free(memory);
}

/* ---- writing ---- */

static bool reserve(enum entry_type type, uint32_t bytes, struct ring_slot *slot)
{
	return ring_reserve(&ring, type, bytes, 8, slot) == 0;
}

static void expect(enum entry_type type, const struct ring_slot *slot, uint64_t number,
		   unsigned int nr_chain)
{
	expected[nr_expected++] = (struct expected){type, slot->time, number, nr_chain};
}

static bool write_context(uint64_t number)
{
	struct entry_context *entry;
	struct ring_slot slot;

	if (!reserve(ENTRY_CONTEXT, sizeof(*entry), &slot))
		return false;
	entry = (void *)slot.payload;
	*entry = (struct entry_context){.cgroup = number, .level = ENTRY_LEVEL_NMI};
	ring_commit(&ring, &slot);
	expect(ENTRY_CONTEXT, &slot, number, 0);
	return true;
}

static bool write_sample(uint64_t number, unsigned int nr_chain)
{
	struct entry_sample *entry;
	struct ring_slot slot;

	if (!reserve(ENTRY_SAMPLE, (uint32_t)(sizeof(*entry) + nr_chain * 8), &slot))
		return false;
	entry = (void *)slot.payload;
	*entry = (struct entry_sample){.address = number,
				       .nr_kernel = (uint16_t)(nr_chain / 2),
				       .nr_user = (uint16_t)(nr_chain - nr_chain / 2)};
	for (unsigned int i = 0; i < nr_chain; i++)
		entry->chain[i] = number + i;
	ring_commit(&ring, &slot);
	expect(ENTRY_SAMPLE, &slot, number, nr_chain);
	return true;
}

static bool write_switch(uint64_t number)
{
	struct entry_switch *entry;
	struct ring_slot slot;

	if (!reserve(ENTRY_SWITCH, sizeof(*entry), &slot))
		return false;
	entry = (void *)slot.payload;
	*entry = (struct entry_switch){.from_id = (uint32_t)number};
	ring_commit(&ring, &slot);
	expect(ENTRY_SWITCH, &slot, number, 0);
	return true;
}

/* A slot that is given up: padding, of a header's size or with a string. */
static void cancel(uint32_t bytes)
{
	struct ring_slot slot;

	if (ring_reserve(&ring, ENTRY_SWITCH, bytes, 8, &slot))
		return;
	ring_cancel(&ring, &slot);
}

static bool write_any(uint64_t number)
{
	switch (rand() % 8) {
	case 0:
		return write_context(number);
	case 1:
		return write_switch(number);
	case 2:
		cancel((uint32_t)(rand() % 64));
		return true;
	case 3:
		return write_sample(number, (unsigned int)rand() % (OPROF_KMOD_FRAMES_MAX + 1));
	default:
		return write_sample(number, 0);
	}
}

/* ---- reading ---- */

static void check_entry(const struct expected *want, enum entry_type type, const void *payload,
			uint64_t stamp)
{
	const struct entry_context *context = payload;
	const struct entry_sample *sample = payload;
	const struct entry_switch *to = payload;

	ck_assert_int_eq(type, want->type);
	ck_assert_uint_eq(stamp, want->stamp);
	if (type == ENTRY_CONTEXT)
		ck_assert_uint_eq(context->cgroup, want->number);
	if (type == ENTRY_SWITCH)
		ck_assert_uint_eq(to->from_id, want->number);
	if (type != ENTRY_SAMPLE)
		return;
	ck_assert_uint_eq(sample->address, want->number);
	ck_assert_uint_eq((unsigned int)sample->nr_kernel + sample->nr_user, want->nr_chain);
	for (unsigned int i = 0; i < want->nr_chain; i++)
		ck_assert_uint_eq(sample->chain[i], want->number + i);
}

/* All packets there are; entries are checked from the next-th expected on. Their number. */
static unsigned int read_all(unsigned int next)
{
	struct ring_packet packet;
	struct packet_walk walk;
	enum entry_type type;
	const void *payload;
	uint64_t stamp;
	int status;

	(void)ring_flush(&ring);
	while (!ring_next(&reader, &packet)) {
		unsigned int first = next;

		ck_assert_int_eq(packet_walk_begin(&walk, packet.data, SUB_BUFFER), 0);
		while ((status = packet_walk_next(&walk, &type, &payload, &stamp)) == 1) {
			ck_assert_uint_lt(next, nr_expected);
			check_entry(&expected[next++], type, payload, stamp);
		}
		ck_assert_int_eq(status, 0);
		ck_assert_uint_eq(packet_walk_nr_records(&walk), next - first);
		ring_put(&reader, &packet);
	}
	return next;
}

START_TEST(all_that_was_written_is_read_in_its_order)
{
	unsigned int next = 0;
	uint64_t number = 0;

	srand(20261121);
	for (unsigned int turn = 0; turn < 64; turn++) {
		while (number < (turn + 1) * 40 && write_any(number))
			number++;
		next = read_all(next);
		ck_assert_uint_eq(next, nr_expected);
		number = (turn + 1) * 40;
	}
	ck_assert_uint_gt(nr_expected, 1000);
}
END_TEST

START_TEST(the_deepest_chain_is_read)
{
	ck_assert(write_sample(1000, OPROF_KMOD_FRAMES_MAX));
	ck_assert_uint_eq(read_all(0), 1);
}
END_TEST

START_TEST(a_packet_that_is_full_to_its_end_is_read)
{
	uint64_t number = 0;

	while (write_sample(number, 0))
		number++;
	ck_assert_uint_eq(read_all(0), number);
}
END_TEST

/* ---- packets made by hand ---- */

/* At the end of a page, an unreadable one behind it. */
static uint8_t *guarded, *packet;

static void setup_guarded(void)
{
	long page = sysconf(_SC_PAGESIZE);

	guarded = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	ck_assert_ptr_ne(guarded, MAP_FAILED);
	ck_assert_int_eq(mprotect(guarded + page, (size_t)page, PROT_NONE), 0);
	packet = guarded + page - 512;
}

static void teardown_guarded(void)
{
	munmap(guarded, (size_t)sysconf(_SC_PAGESIZE) * 2);
}

static void make_packet(uint32_t content_bytes, uint64_t begin, uint64_t end)
{
	const struct oprof_packet_header header = {.magic = OPROF_PACKET_MAGIC,
						   .time_begin = begin,
						   .time_end = end,
						   .content_bits = content_bytes * 8ull,
						   .packet_bits = 512 * 8};

	memset(packet, 0, 512);
	memcpy(packet, &header, sizeof(header));
}

static void put_word(uint32_t offset, uint32_t word)
{
	memcpy(packet + offset, &word, sizeof(word));
}

static uint32_t switch_end(uint32_t offset)
{
	return ((offset + 4 + 7) & ~7u) + (uint32_t)sizeof(struct entry_switch);
}

static uint32_t switches_end(unsigned int nr)
{
	uint32_t offset = HEADER;

	while (nr--)
		offset = switch_end(offset);
	return offset;
}

/* A compact header with these low bits, then a SWITCH; the offset behind it. */
static uint32_t put_switch(uint32_t offset, uint32_t low)
{
	put_word(offset, ENTRY_SWITCH | low << OPROF_RECORD_ID_BITS);
	return switch_end(offset);
}

static int next_stamp(struct packet_walk *walk, uint64_t *stamp)
{
	enum entry_type type;
	const void *payload;

	return packet_walk_next(walk, &type, &payload, stamp);
}

START_TEST(low_bits_that_fell_are_of_the_next_span)
{
	const uint64_t span = 1ull << OPROF_RECORD_TIME_BITS;
	struct packet_walk walk;
	uint64_t stamp;

	make_packet(switches_end(2), 5 * span, 7 * span);
	put_switch(put_switch(HEADER, 5), 3);
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), 0);
	ck_assert_int_eq(next_stamp(&walk, &stamp), 1);
	ck_assert_uint_eq(stamp, 5 * span + 5);
	ck_assert_int_eq(next_stamp(&walk, &stamp), 1);
	ck_assert_uint_eq(stamp, 6 * span + 3);
	ck_assert_int_eq(next_stamp(&walk, &stamp), 0);
}
END_TEST

START_TEST(a_stamp_that_went_back_is_not_told_behind_its_packet)
{
	const uint64_t span = 1ull << OPROF_RECORD_TIME_BITS;
	struct packet_walk walk;
	uint64_t stamp;

	make_packet(switches_end(2), 5 * span, 5 * span + 9);
	put_switch(put_switch(HEADER, 5), 3);
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), 0);
	ck_assert_int_eq(next_stamp(&walk, &stamp), 1);
	ck_assert_int_eq(next_stamp(&walk, &stamp), 1);
	ck_assert_uint_eq(stamp, 5 * span + 5);
}
END_TEST

START_TEST(what_is_no_packet_is_refused)
{
	struct packet_walk walk;
	struct oprof_packet_header *header = (void *)packet;

	make_packet(HEADER, 0, 0);
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), 0);
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 256), -EBADMSG);
	ck_assert_int_eq(packet_walk_begin(&walk, packet, HEADER - 1), -EBADMSG);
	header->content_bits = 513 * 8;
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), -EBADMSG);
	header->content_bits = (HEADER - 1) * 8;
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), -EBADMSG);
	header->content_bits = HEADER * 8 + 1;
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), -EBADMSG);
	header->content_bits = HEADER * 8;
	header->magic++;
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), -EBADMSG);
}
END_TEST

START_TEST(a_damaged_header_says_nothing_of_the_records)
{
	struct packet_walk walk;
	struct oprof_packet_header *header = (void *)packet;

	make_packet(HEADER, 0, 0);
	header->nr_records = 1000000;
	header->magic++;
	memset(&walk, 0xff, sizeof(walk));
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), -EBADMSG);
	ck_assert_uint_eq(packet_walk_nr_records(&walk), 1);
}
END_TEST

START_TEST(an_entry_beyond_the_content_is_refused)
{
	struct packet_walk walk;
	uint64_t stamp;
	uint32_t end = switches_end(1);

	for (uint32_t content = HEADER + 4; content <= end; content++) {
		make_packet(content, 0, 0);
		put_switch(HEADER, 0);
		ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), 0);
		ck_assert_int_eq(next_stamp(&walk, &stamp), content < end ? -EBADMSG : 1);
	}
}
END_TEST

/* Behind a padding record's string: less than a record's alignment is left over. */
START_TEST(a_header_beyond_the_content_is_refused)
{
	const uint32_t behind = HEADER + 4 + 1; /* an empty string */
	struct packet_walk walk;
	uint64_t stamp;

	for (uint32_t left = 0; left <= 7; left++) {
		make_packet(behind + left, 0, 0);
		put_word(HEADER, OPROF_EVENT_PADDING);
		put_word(HEADER + 8, OPROF_EVENT_PADDING_EMPTY);
		ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), 0);
		ck_assert_int_eq(next_stamp(&walk, &stamp), left >= 4 && left < 7 ? -EBADMSG : 0);
	}
	make_packet(behind + 7, 0, 0);
	put_word(HEADER, OPROF_EVENT_PADDING);
	put_word(HEADER + 8, OPROF_EVENT_ESCAPE); /* its header is longer */
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), 0);
	ck_assert_int_eq(next_stamp(&walk, &stamp), -EBADMSG);
}
END_TEST

START_TEST(a_chain_longer_than_any_is_refused)
{
	struct entry_sample *sample;
	struct packet_walk walk;
	uint64_t stamp;

	make_packet(512, 0, 0);
	put_word(HEADER, ENTRY_SAMPLE);
	sample = (void *)(packet + ((HEADER + 4 + 7) & ~7u));
	sample->nr_kernel = sample->nr_user = 0xffff;
	ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), 0);
	ck_assert_int_eq(next_stamp(&walk, &stamp), -EBADMSG);
}
END_TEST

/* Whatever is in there: it ends, and nothing outside is read (the page behind would fault). */
START_TEST(packets_of_anything_are_walked_to_an_end)
{
	struct packet_walk walk;
	enum entry_type type;
	const void *payload;
	uint64_t stamp;

	srand(20261122);
	for (unsigned int turn = 0; turn < 20000; turn++) {
		unsigned int nr = 0;

		make_packet(HEADER + (uint32_t)rand() % (512 - HEADER + 1), 0, ~0ull);
		for (uint32_t i = HEADER; i < 512; i++)
			packet[i] = (uint8_t)(rand() % 3 ? rand() % 4 : rand());
		ck_assert_int_eq(packet_walk_begin(&walk, packet, 512), 0);
		while (packet_walk_next(&walk, &type, &payload, &stamp) == 1) {
			ck_assert_uint_lt(type, ENTRY_NR);
			ck_assert(payload >= (void *)packet && payload < (void *)(packet + 512));
			nr++;
		}
		ck_assert_uint_lt(nr, 512);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kmod_packet_walk");
	TCase *written = tcase_create("written");
	TCase *made = tcase_create("made");

	tcase_add_checked_fixture(written, setup, teardown);
	tcase_add_test(written, all_that_was_written_is_read_in_its_order);
	tcase_add_test(written, the_deepest_chain_is_read);
	tcase_add_test(written, a_packet_that_is_full_to_its_end_is_read);
	suite_add_tcase(suite, written);
	tcase_add_checked_fixture(made, setup_guarded, teardown_guarded);
	tcase_add_test(made, low_bits_that_fell_are_of_the_next_span);
	tcase_add_test(made, a_stamp_that_went_back_is_not_told_behind_its_packet);
	tcase_add_test(made, what_is_no_packet_is_refused);
	tcase_add_test(made, a_damaged_header_says_nothing_of_the_records);
	tcase_add_test(made, an_entry_beyond_the_content_is_refused);
	tcase_add_test(made, a_header_beyond_the_content_is_refused);
	tcase_add_test(made, a_chain_longer_than_any_is_refused);
	tcase_add_test(made, packets_of_anything_are_walked_to_an_end);
	suite_add_tcase(suite, made);
	return run_suite(suite);
}
