// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/packets.h"

#include "ctf/packed.h"
#include "ctf/packet.h"
#include "ctf/window.h"
#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>

/*
 * The same values as in stream.c. Packets begin at multiples of PACKET_ALIGN. A search checks for
 * holes at multiples of HOLE_BYTES.
 */
#define PACKET_ALIGN 128u
#define HOLE_BYTES   65536u

struct ctf_packets {
	const struct ctf_metadata *metadata;
	const struct ctf_file *file;
	uint64_t size;	   /* size of each packet; 0: sizes differ, and all packets are indexed */
	uint64_t nr;	   /* number of packets */
	uint64_t *offsets; /* offsets of the packets, if size is 0 */
	size_t room;
	uint64_t nr_searched; /* bytes searched for packets; limited in compressed files */
	bool is_partial;
};

/*
 * Reads the header at `offset`. Returns 1 if a valid, complete packet begins there, 0 if not, or
 * -errno.
 */
static int read_at(const struct ctf_packets *packets, uint64_t offset,
		   struct ctf_packet_place *place)
{
	const struct ctf_layout *layout = &packets->metadata->layout;
	uint8_t bytes[CTF_LAYOUT_BYTES_MAX];
	struct oprof_packet_header header;
	ssize_t nr;

	if (offset >= packets->file->nr_bytes)
		return 0;
	nr = ctf_file_pread(packets->file, bytes, layout->nr_bytes, offset);
	if (nr < 0)
		return (int)nr;
	if ((size_t)nr < layout->nr_bytes)
		return 0;
	ctf_layout_decode(layout, bytes, &header);
	if (ctf_packet_fault(&header, packets->metadata->trace.uuid, layout->nr_bytes) ||
	    header.packet_bits / 8 > packets->file->nr_bytes - offset)
		return 0;
	*place = (struct ctf_packet_place){.offset = offset,
					   .nr_bytes = header.packet_bits / 8,
					   .time_begin = header.time_begin,
					   .time_end = header.time_end};
	return 1;
}

/* ---- packets of any size ---- */

static int add(struct ctf_packets *packets, uint64_t offset)
{
	if (array_reserve(&packets->offsets, &packets->room, (size_t)packets->nr, 1))
		return -ENOMEM;
	packets->offsets[packets->nr++] = offset;
	return 0;
}

/*
 * Returns `at` or, if it is in a hole, the first offset after the hole at which a packet may
 * begin.
 */
static uint64_t skip_hole(const struct ctf_packets *packets, uint64_t at)
{
	const uint64_t data = ctf_file_skip_hole(packets->file, at);

	return data > at ? data & ~(uint64_t)(PACKET_ALIGN - 1) : at;
}

/* Returns whether a search of a compressed file has reached one of its limits. */
static bool is_enough(const struct ctf_packets *packets)
{
	return packets->file->packed && (packets->nr_searched >= CTF_PACKED_SEARCH_BYTES_MAX ||
					 packets->nr >= CTF_PACKED_NR_PACKETS_MAX);
}

/*
 * Moves *at from a damaged packet to the next magic number, or to the end of the file if there is
 * none.
 */
static int find_magic(struct ctf_packets *packets, struct ctf_window *window, uint64_t *at)
{
	for (*at += PACKET_ALIGN; *at < packets->file->nr_bytes; *at += PACKET_ALIGN) {
		uint32_t magic;
		int error;

		packets->nr_searched += PACKET_ALIGN;
		if (is_enough(packets))
			return 0;
		if (*at % HOLE_BYTES == 0)
			*at = skip_hole(packets, *at);
		if (packets->file->nr_bytes - *at < packets->metadata->layout.nr_bytes)
			break;
		error = ctf_window_need(window, *at, *at + sizeof(magic));
		if (error)
			return error == -ENODATA ? 0 : error;
		magic = *(const uint32_t *)(const void *)ctf_window_at(window, *at);
		if (magic == OPROF_PACKET_MAGIC)
			return 0;
	}
	*at = packets->file->nr_bytes;
	return 0;
}

static int index_all(struct ctf_packets *packets)
{
	struct ctf_packet_place place;
	struct ctf_window window;
	uint64_t at = 0;
	int error = 0;

	packets->size = packets->nr = packets->nr_searched = 0;
	packets->is_partial = false;
	ctf_window_init(&window, packets->file, NULL);
	while (!error && at < packets->file->nr_bytes && !packets->is_partial) {
		error = read_at(packets, at, &place);
		if (error > 0) {
			error = add(packets, at);
			at += place.nr_bytes;
		} else if (!error) {
			error = find_magic(packets, &window, &at);
		}
		packets->is_partial = !error && is_enough(packets) && at < packets->file->nr_bytes;
	}
	/* Otherwise ctf_window_deinit() would close the file, which belongs to `packets`. */
	window.file = (struct ctf_file){.fd = -1};
	ctf_window_deinit(&window);
	return error;
}

/* ---- packets of one size ---- */

/*
 * If the first and the last packet have the same size, assumes this size for all packets and
 * returns 1. Returns 0 if the sizes differ or one of the two is damaged; or -errno.
 */
static int guess_size(struct ctf_packets *packets)
{
	struct ctf_packet_place first, last;
	int result = read_at(packets, 0, &first);

	if (result <= 0)
		return result;
	packets->size = first.nr_bytes;
	packets->nr = packets->file->nr_bytes / first.nr_bytes;
	result = read_at(packets, (packets->nr - 1) * packets->size, &last);
	return result > 0 ? last.nr_bytes == first.nr_bytes : result;
}

int ctf_packets_open(struct ctf_packets **packets, const struct ctf_metadata *metadata,
		     const struct ctf_file *file)
{
	struct ctf_packets *made = calloc(1, sizeof(*made));
	int result;

	if (!made)
		return -ENOMEM;
	made->metadata = metadata;
	made->file = file;
	result = guess_size(made);
	if (!result)
		result = index_all(made);
	if (result < 0) {
		ctf_packets_close(made);
		return result;
	}
	*packets = made;
	return 0;
}

void ctf_packets_close(struct ctf_packets *packets)
{
	if (!packets)
		return;
	free(packets->offsets);
	free(packets);
}

/* ---- queries ---- */

uint64_t ctf_packets_nr(const struct ctf_packets *packets)
{
	return packets->nr;
}

bool ctf_packets_is_partial(const struct ctf_packets *packets)
{
	return packets->is_partial;
}

/*
 * Finds the packet with this number. If packets->size is not 0, assumes that all packets have this
 * size. Returns 0, or an error as ctf_packets_get(), or -EAGAIN. -EAGAIN: the sizes differ, all
 * packets have now been indexed, and the caller must try again.
 */
static int get(struct ctf_packets *packets, uint64_t number, struct ctf_packet_place *place)
{
	int result;

	if (number >= packets->nr)
		return -ENOENT;
	result = read_at(packets, packets->size ? number * packets->size : packets->offsets[number],
			 place);
	if (result < 0)
		return result;
	if (result && (!packets->size || place->nr_bytes == packets->size))
		return 0;
	if (!packets->size)
		return -EIO; /* the indexed packet is no longer valid */
	result = index_all(packets);
	return result ? result : -EAGAIN;
}

int ctf_packets_get(struct ctf_packets *packets, uint64_t number, struct ctf_packet_place *place)
{
	const int result = get(packets, number, place);

	return result == -EAGAIN ? get(packets, number, place) : result;
}

static int search(struct ctf_packets *packets, uint64_t time, uint64_t *number)
{
	uint64_t low = 0, high = packets->nr;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		struct ctf_packet_place place;
		const int error = get(packets, middle, &place);

		if (error)
			return error;
		if (place.time_end < time)
			low = middle + 1;
		else
			high = middle;
	}
	*number = packets->is_partial && low && low == packets->nr ? low - 1 : low;
	return 0;
}

int ctf_packets_find(struct ctf_packets *packets, uint64_t time, uint64_t *number)
{
	const int result = search(packets, time, number);

	return result == -EAGAIN ? search(packets, time, number) : result;
}
