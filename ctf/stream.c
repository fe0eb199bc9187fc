// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How it works: a stream is a state machine. NEW: the next file must be opened. BETWEEN: the header
 * of the next packet must be checked. IN_PACKET: record.c decodes records. ENDED: there are no more
 * files. After a damaged packet, the next packet is expected at the place where the damaged packet
 * should end. If no packet begins there, the file is searched for the magic and uuid of a packet at
 * each multiple of 128 bytes.
 */
#include "ctf/stream.h"

#include "ctf/chunk.h"
#include "ctf/packed.h"
#include "ctf/packet.h"
#include "ctf/parts.h"
#include "ctf/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Packets begin at multiples of 128 bytes, since sizes are powers of two and headers exceed 64
 * bytes.
 */
#define PACKET_ALIGN 128u
/*
 * A search for a packet checks at each multiple of HOLE_BYTES whether this offset is in a hole of
 * the file.
 */
#define HOLE_BYTES 65536u

struct ctf_stream {
	const struct ctf_metadata *metadata;
	const struct ctf_place *place;
	unsigned int chunk; /* index in place->chunks of the chunk that is opened next */
	char *name;
	char *path; /* the file's path, for diag */

	enum { STREAM_NEW, STREAM_BETWEEN, STREAM_IN_PACKET, STREAM_ENDED } state;
	struct ctf_window window;
	uint64_t *nr_long_bytes; /* counter for the window, or NULL */
	struct ctf_parts *parts; /* NULL: not needed so far */
	struct ctf_cursor cursor;
	struct ctf_event_index index;

	struct oprof_packet_header packet; /* header of the current or the last packet */
	uint64_t number;		   /* number of the current packet, also of a damaged one */
	uint64_t next_packet;		   /* offset at which the next packet begins */
	uint64_t nr_in_packet;		   /* records read from the current packet */
	uint64_t nr_skipped;		   /* damaged packets after the last valid packet */
	uint64_t nr_searched;		   /* bytes of the file that were searched for packets */
	uint64_t nr_entered;		   /* number of times that a packet was begun */

	struct ctf_value values[CTF_NR_FIELDS_MAX];
	struct ctf_stream_counts counts;
};

/* ---- the file ---- */

/*
 * Writes the path of the next file to stream->path, and returns the part of this path after the
 * folder.
 */
static const char *next_name(struct ctf_stream *stream)
{
	const struct ctf_place *place = stream->place;
	const size_t nr_folder = strlen(place->folder) + 1;
	char chunk[CTF_CHUNK_NAME_BYTES];

	if (!place->nr_chunks)
		return stream->path + nr_folder;
	ctf_chunk_name(place->chunks[stream->chunk], chunk);
	(void)snprintf(stream->path + nr_folder, sizeof(chunk) + strlen(stream->name) + 1, "%s/%s",
		       chunk, stream->name);
	return stream->path + nr_folder;
}

int ctf_stream_create(struct ctf_stream **stream, const struct ctf_metadata *metadata,
		      const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes)
{
	const size_t nr_path = strlen(place->folder) + CTF_CHUNK_NAME_BYTES + strlen(name) + 2;
	struct ctf_stream *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->path = malloc(nr_path);
	new->name = strdup(name);
	if (!new->path || !new->name) {
		free(new->path);
		free(new->name);
		free(new);
		return -ENOMEM;
	}
	(void)snprintf(new->path, nr_path, "%s/%s", place->folder, name);
	new->metadata = metadata;
	new->place = place;
	new->nr_long_bytes = nr_long_bytes;
	ctf_window_init(&new->window, &(struct ctf_file){.fd = -1}, nr_long_bytes);
	*stream = new;
	return 0;
}

/* Closes the file. The counts stay valid. */
static void close_file(struct ctf_stream *stream)
{
	stream->state = stream->chunk < stream->place->nr_chunks ? STREAM_NEW : STREAM_ENDED;
	ctf_window_deinit(&stream->window);
}

void ctf_stream_destroy(struct ctf_stream *stream)
{
	if (!stream)
		return;
	close_file(stream);
	ctf_parts_close(stream->parts);
	free(stream->path);
	free(stream->name);
	free(stream);
}

/*
 * Opens the next file. It is not an error if the chunk has no such file, or was removed after the
 * chunks were listed: the loss then shows as a gap in seq.
 */
static int open_file(struct ctf_stream *stream, struct diag *diag)
{
	const char *name = next_name(stream), *fault;
	struct ctf_file file;
	const int error =
		ctf_file_open(&file, stream->place->folder_fd, name, stream->nr_long_bytes, &fault);

	stream->chunk++;
	if (error) {
		close_file(stream);
		return error == -ENOENT && stream->place->nr_chunks
			       ? 0
			       : diag_set_at(diag, error, stream->path, 0, "%s%s",
					     error == -EINVAL ? "" : "cannot be read: ", fault);
	}
	ctf_window_init(&stream->window, &file, stream->nr_long_bytes);
	stream->next_packet = 0;
	stream->nr_searched = 0;
	stream->state = STREAM_BETWEEN;
	return 0;
}

/* ---- faults ---- */

/* Reports a fault, found at offset `at`, of the packet that begins at offset `start`. */
static int tell(struct ctf_stream *stream, uint64_t start, uint64_t at, const char *fault,
		struct diag *diag)
{
	return diag_set_at(diag, -EBADMSG, stream->path, 0,
			   "packet %" PRIu64 ", from byte %" PRIu64 ": %s (at byte %" PRIu64 ")",
			   stream->number, start, fault, at);
}

static const char *reason_of(int error)
{
	return error == -ENODATA   ? "the file became shorter while it was read"
	       : error == -EBADMSG ? "the file's compressed data are damaged"
				   : strerror(-error);
}

/*
 * Closes the file after an error of reading or decompressing, which is not a fault of a single
 * packet.
 */
static int give_up(struct ctf_stream *stream, int error, struct diag *diag)
{
	stream->counts.lost_damaged += error == -EBADMSG;
	close_file(stream);
	return diag_set_at(diag, error, stream->path, 0, "cannot be read further: %s",
			   reason_of(error));
}

static bool begins_packet(const struct ctf_stream *stream, const uint8_t *bytes)
{
	struct oprof_packet_header header;

	ctf_layout_decode(&stream->metadata->layout, bytes, &header);
	return header.magic == OPROF_PACKET_MAGIC &&
	       !memcmp(header.uuid, stream->metadata->trace.uuid, sizeof(header.uuid));
}

/* Returns 1 if a packet of this trace seems to begin at `offset`, 0 if not, or -errno. */
static int looks_like_packet(struct ctf_stream *stream, uint64_t offset)
{
	const unsigned int nr_bytes = stream->metadata->layout.nr_bytes;
	int error;

	if (offset > stream->window.file.nr_bytes ||
	    nr_bytes > stream->window.file.nr_bytes - offset)
		return 0;
	error = ctf_window_need(&stream->window, offset, offset + nr_bytes);
	if (error)
		return error == -ENODATA ? 0 : error;
	return begins_packet(stream, ctf_window_at(&stream->window, offset));
}

/*
 * Like looks_like_packet, but does not move the window, so that a search can continue at the
 * window's position.
 */
static int looks_like_packet_far(const struct ctf_stream *stream, uint64_t offset)
{
	const unsigned int nr_bytes = stream->metadata->layout.nr_bytes;
	uint8_t bytes[CTF_LAYOUT_BYTES_MAX];
	const ssize_t nr = ctf_file_pread(&stream->window.file, bytes, nr_bytes, offset);

	if (nr < 0)
		return (int)nr;
	return (size_t)nr == nr_bytes && begins_packet(stream, bytes);
}

/*
 * Returns `at` or, if it is in a hole, the first offset after the hole at which a packet may
 * begin.
 */
static uint64_t skip_hole(const struct ctf_stream *stream, uint64_t at)
{
	const uint64_t data = ctf_file_skip_hole(&stream->window.file, at);

	return data > at ? data & ~(uint64_t)(PACKET_ALIGN - 1) : at;
}

static bool may_search(struct ctf_stream *stream)
{
	stream->nr_searched += PACKET_ALIGN;
	return !stream->window.file.packed || stream->nr_searched <= CTF_PACKED_SEARCH_BYTES_MAX;
}

/*
 * Finds the packet with which reading continues after a damaged packet at `start`: the packet
 * directly after it, or else the first packet that a search finds. Returns 1 with its offset in
 * *found; 0: no packet follows; -E2BIG: the search of a compressed file reached its limit at
 * *found; or another -errno.
 */
static int find_packet(struct ctf_stream *stream, uint64_t start, uint64_t *found)
{
	const uint64_t size = stream->packet.packet_bits / 8;
	const uint64_t file_bytes = stream->window.file.nr_bytes;
	int result = 0;

	if (size && size <= file_bytes - start) {
		*found = start + size;
		result = looks_like_packet_far(stream, *found);
	}
	for (uint64_t at = start + PACKET_ALIGN; !result && at < file_bytes; at += PACKET_ALIGN) {
		if (at % HOLE_BYTES == 0)
			at = skip_hole(stream, at);
		*found = at;
		if (!may_search(stream))
			return -E2BIG;
		result = looks_like_packet(stream, at);
	}
	return result;
}

/* Ends the reading of a compressed file, because the search for a packet has reached its limit. */
static int end_search(struct ctf_stream *stream, uint64_t start, const char *fault,
		      struct diag *diag)
{
	stream->counts.lost_damaged++;
	(void)diag_set_at(diag, -EBADMSG, stream->path, 0,
			  "packet %" PRIu64 ", from byte %" PRIu64
			  ": %s; reading stops at byte %" PRIu64
			  ": the search for the next packet ended after %" PRIu64
			  " MiB, the limit in compressed files",
			  stream->number, start, fault, stream->next_packet,
			  CTF_PACKED_SEARCH_BYTES_MAX >> 20);
	close_file(stream);
	return -EBADMSG;
}

/* Skips a packet of which no record can be read. Counts the packet and reports the fault. */
static int skip_packet(struct ctf_stream *stream, uint64_t start, const char *fault, bool is_cut,
		       struct diag *diag)
{
	int found = find_packet(stream, start, &stream->next_packet);

	if (found == -E2BIG)
		return end_search(stream, start, fault, diag);
	if (found < 0)
		return give_up(stream, found, diag);
	if (!found && is_cut)
		stream->counts.lost_cut++;
	else
		stream->counts.lost_damaged++;
	(void)tell(stream, start, start, fault, diag);
	stream->number++;
	stream->nr_skipped++;
	if (!found)
		close_file(stream);
	return -EBADMSG;
}

/* Counts and reports a fault of the current packet, whose records before the fault were read. */
static int leave_damaged(struct ctf_stream *stream, const char *fault, struct diag *diag)
{
	stream->counts.lost_damaged++;
	(void)tell(stream, stream->cursor.packet_start, stream->cursor.next, fault, diag);
	stream->number++;
	stream->state = STREAM_BETWEEN;
	return -EBADMSG;
}

/* ---- packets ---- */

static bool has_stream(const struct ctf_trace *trace, uint32_t id)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		if (trace->streams[i] == id)
			return true;
	return false;
}

static void count_packet(struct ctf_stream *stream, const struct oprof_packet_header *header)
{
	struct ctf_stream_counts *counts = &stream->counts;

	if (!counts->nr_packets) {
		counts->lost_before = header->lost;
		counts->seq_first = header->seq;
	} else if (header->seq > stream->packet.seq) {
		const uint64_t gap = header->seq - stream->packet.seq - 1;

		counts->lost_overwritten += gap > stream->nr_skipped ? gap - stream->nr_skipped : 0;
	}
	counts->nr_packets++;
	counts->seq_last = header->seq;
	counts->lost = header->lost;
	memcpy(counts->lost_by, header->lost_by, sizeof(counts->lost_by));
}

/* Returns a text that describes a fault of a packet's header, or NULL. */
static const char *find_fault(const struct ctf_stream *stream,
			      const struct oprof_packet_header *header)
{
	const struct ctf_metadata *metadata = stream->metadata;
	const char *fault =
		ctf_packet_fault(header, metadata->trace.uuid, metadata->layout.nr_bytes);

	if (fault)
		return fault;
	if (!has_stream(&metadata->trace, header->stream_id))
		return "it belongs to a stream that the metadata does not describe";
	if (!stream->counts.nr_packets)
		return NULL;
	if (header->stream_id != stream->packet.stream_id)
		return "it belongs to a different stream than the previous packet";
	if (stream->counts.nr_records && header->time_begin < stream->counts.time_last)
		return "it begins before the last record of the previous packets";
	return NULL;
}

/* Begins to read the records of a valid packet at offset `start`. */
static int enter_packet(struct ctf_stream *stream, const struct oprof_packet_header *header,
			uint64_t start, struct diag *diag)
{
	const char *disorder =
		stream->counts.nr_packets ? ctf_packet_order_fault(&stream->packet, header) : NULL;

	if (!stream->counts.nr_packets)
		ctf_event_index_init(&stream->index, &stream->metadata->trace, header->stream_id);
	count_packet(stream, header);
	stream->packet = *header;
	stream->next_packet = start + header->packet_bits / 8;
	stream->nr_in_packet = 0;
	stream->nr_skipped = 0;
	stream->nr_entered++;
	stream->cursor = (struct ctf_cursor){.window = &stream->window,
					     .index = &stream->index,
					     .packet_start = start,
					     .next = start + stream->metadata->layout.nr_bytes,
					     .end = start + header->content_bits / 8,
					     .time = header->time_begin,
					     .time_end = header->time_end};
	stream->state = STREAM_IN_PACKET;
	if (!disorder)
		return 0;
	stream->counts.nr_disordered++;
	return tell(stream, start, start, disorder, diag);
}

/* Moves to the next packet. At the end of the file, closes the file. */
static int next_packet(struct ctf_stream *stream, struct diag *diag)
{
	const unsigned int nr_bytes = stream->metadata->layout.nr_bytes;
	const uint64_t start = stream->next_packet;
	const uint64_t left = stream->window.file.nr_bytes - start;
	struct oprof_packet_header header;
	const char *fault;
	int error;

	if (!left) {
		close_file(stream);
		return 0;
	}
	if (left < nr_bytes)
		return skip_packet(stream, start, "the file ends within the packet", true, diag);
	error = ctf_window_need(&stream->window, start, start + nr_bytes);
	if (error)
		return give_up(stream, error, diag);
	ctf_layout_decode(&stream->metadata->layout, ctf_window_at(&stream->window, start),
			  &header);
	fault = find_fault(stream, &header);
	if (fault)
		return skip_packet(stream, start, fault, false, diag);
	if (header.packet_bits / 8 > left)
		return skip_packet(stream, start, "the file ends within the packet", true, diag);
	return enter_packet(stream, &header, start, diag);
}

/* ---- records ---- */

static int end_packet(struct ctf_stream *stream, struct diag *diag)
{
	if (stream->packet.nr_records != OPROF_PACKET_NR_UNKNOWN &&
	    stream->packet.nr_records != stream->nr_in_packet)
		return leave_damaged(stream,
				     "its number of records differs from nr_records in its header",
				     diag);
	stream->number++;
	stream->state = STREAM_BETWEEN;
	return 0;
}

static int give_record(struct ctf_stream *stream, const struct ctf_event *event,
		       struct ctf_record *record)
{
	const uint64_t time = stream->cursor.time;

	if (!stream->counts.nr_records++)
		stream->counts.time_first = time;
	stream->counts.time_last = time;
	stream->nr_in_packet++;
	*record = (struct ctf_record){.event = event,
				      .values = stream->values,
				      .time = time,
				      .stream = stream,
				      .packet = &stream->packet};
	return 1;
}

/* Returns 1 with a record; 0 if the caller must call again; or -errno. */
static int next_record(struct ctf_stream *stream, struct ctf_record *record, struct diag *diag)
{
	const struct ctf_event *event = NULL;
	int result = ctf_record_take(&stream->cursor, &event, stream->values);

	switch (result) {
	case 0:
		return end_packet(stream, diag);
	case 1:
		return give_record(stream, event, record);
	case 2:
		stream->counts.nr_padding++;
		return 0;
	case -EBADMSG:
		return leave_damaged(stream, stream->cursor.fault, diag);
	default:
		return give_up(stream, result, diag);
	}
}

int ctf_stream_next(struct ctf_stream *stream, struct ctf_record *record, struct diag *diag)
{
	int result = 0;

	while (!result && stream->state != STREAM_ENDED) {
		if (stream->state == STREAM_NEW)
			result = open_file(stream, diag);
		else if (stream->state == STREAM_BETWEEN)
			result = next_packet(stream, diag);
		else
			result = next_record(stream, record, diag);
	}
	return result;
}

/* ---- seeking ---- */

int ctf_stream_parts(struct ctf_stream *stream, struct ctf_parts **parts, struct diag *diag)
{
	const char *fault = NULL;
	int error = 0;

	if (!stream->parts)
		error = ctf_parts_open(&stream->parts, stream->metadata, stream->place,
				       stream->name, stream->nr_long_bytes, &fault);
	*parts = stream->parts;
	if (!error)
		return 0;
	return diag_set_at(diag, error, stream->path, 0, "%s%s",
			   error == -EINVAL && fault ? "" : "cannot be read: ",
			   fault ? fault : strerror(-error));
}

static int open_at(struct ctf_stream *stream, unsigned int chunk, struct diag *diag)
{
	if (stream->state != STREAM_NEW && stream->state != STREAM_ENDED &&
	    stream->chunk == chunk + 1)
		return 0;
	ctf_window_deinit(&stream->window);
	stream->chunk = chunk;
	return open_file(stream, diag);
}

/* Resets the counts, and the state that depends on the previous position. */
static void forget_place(struct ctf_stream *stream)
{
	stream->counts = (struct ctf_stream_counts){0};
	stream->packet = (struct oprof_packet_header){0};
	stream->number = 0;
	stream->nr_skipped = 0;
}

/* Moves to a packet. If the packet's file has been removed, returns 0, and no file is open. */
static int go_to(struct ctf_stream *stream, const struct ctf_position *at,
		 const struct ctf_packet_place *place, struct diag *diag)
{
	int error;

	forget_place(stream);
	error = open_at(stream, at->part, diag);
	if (error || stream->state == STREAM_NEW || stream->state == STREAM_ENDED)
		return error;
	stream->state = STREAM_BETWEEN;
	stream->number = at->number;
	stream->next_packet = place->offset;
	return 0;
}

/* Moves to the beginning of a chunk. ctf_stream_next then opens its file and reports errors. */
static void start_at(struct ctf_stream *stream, unsigned int chunk)
{
	forget_place(stream);
	ctf_window_deinit(&stream->window);
	stream->chunk = chunk;
	stream->state = STREAM_NEW;
}

/*
 * Finds the position from which records of `time` and later must be read. Returns 0, with *at and
 * *place of a packet. Returns 1 if at->part is a chunk that cannot be read, but may have had
 * packets of this time. Returns -ENOENT if there is neither such a packet nor such a chunk; or
 * another -errno.
 */
static int find_begin(struct ctf_parts *parts, uint64_t time, struct ctf_position *at,
		      struct ctf_packet_place *place)
{
	unsigned int first;
	int error = ctf_parts_find(parts, time, at);

	if (!error)
		error = ctf_parts_get(parts, at, place);
	if (error ? error != -ENOENT : place->time_begin <= time)
		return error;
	first = ctf_parts_first_unreadable(parts, at);
	if (first == at->part)
		return error;
	*at = (struct ctf_position){.part = first};
	return 1;
}

static void tell_search(struct ctf_stream *stream, unsigned int chunk, uint64_t time, int error,
			struct diag *diag)
{
	stream->chunk = chunk;
	(void)next_name(stream);
	(void)diag_set_at(diag, error, stream->path, 0,
			  "cannot find the packet that contains time %" PRIu64 ": %s", time,
			  reason_of(error));
}

int ctf_stream_seek(struct ctf_stream *stream, uint64_t time, struct diag *diag)
{
	struct ctf_packet_place place = {0};
	struct ctf_position at = {0};
	struct ctf_parts *parts;
	int result = ctf_stream_parts(stream, &parts, diag);

	if (!result) {
		result = find_begin(parts, time, &at, &place);
		if (result < 0 && result != -ENOENT)
			tell_search(stream, at.part, time, result, diag);
	}
	if (!result)
		return go_to(stream, &at, &place, diag);
	if (result > 0) {
		start_at(stream, at.part);
		return 0;
	}
	forget_place(stream);
	stream->chunk = stream->place->nr_chunks;
	close_file(stream);
	return result == -ENOENT ? 0 : result;
}

/* Returns 1 if the packet has a record before `time` that `known` selects, 0 if not, or -errno. */
static int has_known(struct ctf_stream *stream, const struct ctf_position *at,
		     const struct ctf_packet_place *place, uint64_t time,
		     const struct ctf_known *known)
{
	struct ctf_record record = {0};
	struct diag diag;
	int result = go_to(stream, at, place, &diag);

	if (result)
		return result;
	while ((result = ctf_stream_next(stream, &record, &diag))) {
		/*
		 * Faults are ignored here, since they are reported when the packet is read for the
		 * caller.
		 */
		if (stream->counts.nr_packets > 1 || (result > 0 && record.time >= time))
			return 0;
		if (result > 0 && known->by(known->context, &record))
			return 1;
	}
	return 0;
}

/*
 * Goes back from *at to the newest packet that has a selected record: a record before `time` for
 * which known->by returns true. Returns 1; 0 if there is no such packet; or -errno.
 */
static int find_known(struct ctf_stream *stream, struct ctf_parts *parts, struct ctf_position *at,
		      struct ctf_packet_place *place, uint64_t time, const struct ctf_known *known)
{
	int result = ctf_parts_get(parts, at, place);

	if (result == -ENOENT) /* all packets end before `time` */
		result = ctf_parts_back(parts, at, place);
	while (!result) {
		result = has_known(stream, at, place, time, known);
		if (!result)
			result = ctf_parts_back(parts, at, place);
	}
	return result == -ENOENT ? 0 : result;
}

void ctf_stream_seek_known(struct ctf_stream *stream, uint64_t time, const struct ctf_known *known)
{
	struct ctf_packet_place place = {0};
	struct ctf_position at = {0};
	struct ctf_parts *parts;
	struct diag diag;
	int result = ctf_stream_parts(stream, &parts, &diag);

	if (!result)
		result = ctf_parts_find(parts, time, &at);
	if (!result)
		result = find_known(stream, parts, &at, &place, time, known);
	/*
	 * Free stream->parts and close its file, since reading records does not use stream->parts.
	 */
	ctf_parts_close(stream->parts);
	stream->parts = NULL;
	if (result > 0 && !go_to(stream, &at, &place, &diag))
		return;
	start_at(stream, 0);
}

uint64_t ctf_stream_nr_entered(const struct ctf_stream *stream)
{
	return stream->nr_entered;
}

const char *ctf_stream_name(const struct ctf_stream *stream)
{
	return stream->name;
}

struct ctf_stream_counts ctf_stream_counts(const struct ctf_stream *stream)
{
	return stream->counts;
}
