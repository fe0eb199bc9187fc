// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader's side of a ring, which does not trust the ring's memory: reader, flush, finalise and
 * repair run on a ring that was sound, with open slots, and is then overwritten, between operations
 * and within them (where they read the clock). The memory has its exact size. Checked: no access
 * outside the memory, no endless loop, and only errors of the contract.
 *
 * The input: mode and sizes (1 byte); then operations, a byte each, followed by their arguments.
 * Writers trust their own ring: none writes after the first damage.
 */
#include "ring/ring_write.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NR_OPERATIONS_MAX 400
#define NR_OPEN_MAX	  4

static struct {
	const uint8_t *data; /* the rest of the input */
	size_t size;
	struct ring_config config;
	struct ring ring;
	struct ring_reader reader;
	struct ring_packet packet; /* valid if reader.held */
	struct ring_slot open[NR_OPEN_MAX];
	unsigned int nr_open;
	uint8_t *memory;
	size_t nr_bytes;
	size_t nr_words; /* words of 4 bytes, before the memories of packets */
	bool is_damaged;
	bool is_writing;
	bool damage_at_clock; /* damage the ring at the reader side's next clock read */
	uint64_t clock_ns;
	uint64_t sum; /* of all bytes read, so that they are really read */
} fuzz;

static void must(bool held)
{
	if (!held)
		abort();
}

/* ---- input ---- */

static uint8_t take(void)
{
	if (!fuzz.size)
		return 0;
	fuzz.size--;
	return *fuzz.data++;
}

static uint64_t take_many(unsigned int nr_bytes)
{
	uint64_t value = 0;

	while (nr_bytes--)
		value = value << 8 | take();
	return value;
}

/* ---- damage ---- */

/* Damages a word of the ring: another value, or a little or some laps more. */
static void damage_word(void)
{
	size_t index = (size_t)take_many(2) % (fuzz.nr_words - 1);
	uint8_t *at = fuzz.memory + index * 4;
	uint64_t word;

	fuzz.is_damaged = true;
	memcpy(&word, at, sizeof(word));
	switch (take() % 4) {
	case 0:
		word = take_many(8);
		break;
	case 1:
		word += take_many(2);
		break;
	case 2:
		word += (take_many(1) - 128) * fuzz.config.sub_buffer_bytes;
		break;
	default:
		word ^= (uint64_t)1 << take() % 64;
	}
	memcpy(at, &word, sizeof(word));
}

static void damage_bytes(void)
{
	size_t offset = (size_t)take_many(3) % fuzz.nr_bytes, nr_bytes = take();

	fuzz.is_damaged = true;
	for (; nr_bytes-- && offset < fuzz.nr_bytes; offset++)
		fuzz.memory[offset] = take();
}

/* Replaces the clock of the port. */
int test_clock_gettime(clockid_t id, struct timespec *now);
int test_clock_gettime(clockid_t id, struct timespec *now)
{
	(void)id;
	if (fuzz.damage_at_clock && !fuzz.is_writing) {
		fuzz.damage_at_clock = false;
		damage_word();
	}
	fuzz.clock_ns += 10;
	now->tv_sec = 0;
	now->tv_nsec = (long)(fuzz.clock_ns % 1000000000u);
	return 0;
}

/* ---- writers, before any damage ---- */

static void write_record(void)
{
	uint32_t event_id = take(), nr_bytes = take() * 2u;
	struct ring_slot slot;
	uint8_t how = take();
	int error;

	if (fuzz.is_damaged)
		return;
	fuzz.is_writing = true;
	error = ring_reserve(&fuzz.ring, event_id, nr_bytes, 1u << (how & 3), &slot);
	fuzz.is_writing = false;
	if (error)
		return;
	memset(slot.payload, 'p', slot.payload_bytes);
	if ((how & 0x30) == 0x30 && fuzz.nr_open < NR_OPEN_MAX)
		fuzz.open[fuzz.nr_open++] = slot;
	else if (how & 0x40)
		ring_cancel(&fuzz.ring, &slot);
	else
		ring_commit(&fuzz.ring, &slot);
}

static void commit_open(void)
{
	if (!fuzz.is_damaged && fuzz.nr_open)
		ring_commit(&fuzz.ring, &fuzz.open[--fuzz.nr_open]);
}

/* ---- the reader ---- */

static void read_packet(void)
{
	for (uint32_t i = 0; i < fuzz.config.sub_buffer_bytes; i++)
		fuzz.sum += fuzz.packet.data[i];
}

static bool is_get_error(int error)
{
	return error == -EAGAIN || error == -ESTALE || error == -ENODATA || error == -EBUSY ||
	       error == -EBADMSG;
}

static void get(ring_word position)
{
	struct ring_packet packet;
	bool held = fuzz.reader.held;
	int error = ring_get(&fuzz.reader, position, &packet);

	must(!error || is_get_error(error));
	must(held == (error == -EBUSY));
	if (error)
		return;
	fuzz.packet = packet;
	read_packet();
}

static void next(void)
{
	struct ring_packet packet;
	int error = ring_next(&fuzz.reader, &packet);

	must(!error || error == -EAGAIN || error == -ENODATA || error == -EBUSY ||
	     error == -EBADMSG);
	if (error)
		return;
	fuzz.packet = packet;
	read_packet();
}

static void put(bool keep)
{
	if (!fuzz.reader.held)
		return;
	read_packet();
	if (keep)
		ring_put_keep(&fuzz.reader, &fuzz.packet);
	else
		ring_put(&fuzz.reader, &fuzz.packet);
}

/* Reads as a snapshot does, without the limit on its length, which the caller must check. */
static void snapshot(void)
{
	ring_word from, to;
	uint32_t i;

	put(true);
	ring_snapshot_range(&fuzz.reader, &from, &to);
	for (i = 0; i < fuzz.config.nr_sub_buffers && from != to; i++) {
		get(from);
		put(true);
		from = (ring_word)(from + fuzz.config.sub_buffer_bytes);
	}
}

static void init_reader(void)
{
	struct ring_reader reader;
	int error = ring_reader_init(&reader, &fuzz.ring);

	must(!error || error == -EBADMSG);
	if (!error)
		fuzz.reader = reader;
}

static void repair(void)
{
	int result = ring_repair(&fuzz.reader);

	must(fuzz.reader.held
		     ? result == -EBUSY
		     : result == -EBADMSG || (result >= 0 && result <= (int)RING_DEPTH_MAX));
	fuzz.nr_open = fuzz.reader.held ? fuzz.nr_open : 0;
}

static void attach(void)
{
	struct ring view;
	int error = ring_attach(&view, &fuzz.config, 0, fuzz.memory);

	must(!error || error == -EPROTO);
	(void)ring_lost_sum(&fuzz.ring);
}

static void operate(uint8_t operation)
{
	int error = 0;

	switch (operation % 16) {
	case 0:
	case 1:
		write_record();
		break;
	case 2:
		commit_open();
		break;
	case 3:
		damage_word();
		break;
	case 4:
		damage_bytes();
		break;
	case 5:
		fuzz.damage_at_clock = true;
		break;
	case 6:
		init_reader();
		break;
	case 7:
		next();
		break;
	case 8:
		get((ring_word)(fuzz.reader.consumed +
				(take_many(1) - 128) * fuzz.config.sub_buffer_bytes));
		break;
	case 9:
		get((ring_word)take_many(8));
		break;
	case 10:
		put(false);
		break;
	case 11:
		put(true);
		break;
	case 12:
		snapshot();
		break;
	case 13:
		repair();
		break;
	case 14:
		error = ring_finalise(&fuzz.ring);
		must(!error || error == -EAGAIN || error == -EALREADY);
		break;
	default:
		error = ring_flush(&fuzz.ring);
		must(!error || error == -EAGAIN);
		fuzz.sum += ring_unread_bytes(&fuzz.reader);
		attach();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *memory;
	uint8_t sizes;

	memset(&fuzz, 0, sizeof(fuzz));
	fuzz.data = data;
	fuzz.size = size;
	sizes = take();
	fuzz.config.mode = sizes & 1 ? RING_OVERWRITE : RING_DISCARD;
	fuzz.config.sub_buffer_bytes = sizes & 2 ? 512 : 256;
	fuzz.config.nr_sub_buffers = 2u << (sizes >> 2) % 3;
	must(!ring_memory_bytes(&fuzz.config, &fuzz.nr_bytes));
	must(!posix_memalign(&memory, 4096, fuzz.nr_bytes));
	fuzz.memory = memory;
	must(!ring_init(&fuzz.ring, &fuzz.config, 1, fuzz.memory));
	fuzz.nr_words =
		(size_t)((uint8_t *)(fuzz.ring.places + fuzz.ring.nr_places) - fuzz.memory) / 4;
	init_reader();
	for (unsigned int i = 0; i < NR_OPERATIONS_MAX && fuzz.size; i++)
		operate(take());
	free(fuzz.memory);
	return 0;
}
