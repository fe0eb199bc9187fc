/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one stream of a trace folder: packet by packet, record by record; of a
 * trace in chunks, the stream's files of all of them, one behind the other.
 * Trusts nothing in it. A damaged packet is skipped from its fault on, counted
 * and told, and what is behind it is read; memory is bounded by the longest
 * record (CTF_RECORD_BYTES_MAX), not by packets or files.
 */
#ifndef CTF_STREAM_H
#define CTF_STREAM_H

#include "ctf/metadata.h"
#include "oprof/packet.h"

/* Longer ones are refused as damage. */
#define CTF_RECORD_BYTES_MAX ((uint64_t)16 << 20)

struct ctf_stream;

struct ctf_value {
	uint64_t number;      /* of an integer; a signed one extended to 64 bits */
	const uint8_t *bytes; /* of all others; not aligned */
	uint32_t nr;	      /* elements; of text and string: bytes before their NUL */
};

/* Good until the next call for its stream. */
struct ctf_record {
	const struct ctf_event *event;
	const struct ctf_value *values; /* one for each of the event's fields */
	uint64_t time;			/* ticks of the trace's clock */
	const struct ctf_stream *stream;
	const struct oprof_packet_header *packet; /* that it is in */
};

/* Element i of an array or sequence, as number is of an integer. */
uint64_t ctf_value_element(const struct ctf_field *field, const struct ctf_value *value,
			   uint32_t i);

struct ctf_stream_counts {
	uint64_t nr_packets, nr_records, nr_padding; /* read; padding records apart */
	uint64_t time_first, time_last;		     /* of records; if there are any */
	uint64_t seq_first, seq_last;		     /* of packets; likewise */

	/* Lost when recorded: as the last packet tells, since the ring began. */
	uint64_t lost, lost_by[OPROF_NR_LOST];
	/* Of lost, what the first packet told of already; all of it the trace's if seq_first is 0.
	 */
	uint64_t lost_before;
	uint64_t lost_overwritten; /* packets: gaps in their numbers, behind seq_first */

	/* Lost here. */
	uint64_t lost_damaged; /* packets, skipped whole or from a fault on */
	uint64_t lost_cut;     /* packets that a file ends within */
	/* Read, though they do not follow on the packet before them (times, numbers). */
	uint64_t nr_disordered;
};

/* Where streams are. */
struct ctf_place {
	int folder_fd;
	const char *folder;	/* its name, for diag */
	const uint32_t *chunks; /* in order; a chunk that lacks a stream is none of it */
	unsigned int nr_chunks; /* 0: streams are in the folder itself */
};

/*
 * The stream name. metadata and place are the caller's, who keeps them until
 * stream is destroyed; a file is opened by the ctf_stream_next that needs it.
 * nr_long_bytes likewise, 0 at first, of all streams that bound together what
 * long records and compressed files take (CTF_LONG_BYTES_MAX); NULL: each alone
 * (CTF_RECORD_BYTES_MAX). -ENOMEM.
 */
int ctf_stream_create(struct ctf_stream **stream, const struct ctf_metadata *metadata,
		      const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes);
void ctf_stream_destroy(struct ctf_stream *stream); /* NULL: nothing */

/*
 * The next record: 1; 0: there is none any more. -EBADMSG: a packet is
 * damaged, diag says where; call again for what is behind it. Other -errno:
 * the file cannot be read (on); the next call goes on with the next chunk's.
 */
int ctf_stream_next(struct ctf_stream *stream, struct ctf_record *record, struct diag *diag);

/*
 * Go to the first packet that ends at time or later: ctf_stream_next goes on
 * with its first record, and the counts begin anew. Errors are those of
 * ctf_stream_next; there is no record any more then.
 */
int ctf_stream_seek(struct ctf_stream *stream, uint64_t time, struct diag *diag);

/* Records by which a reader knows what it has to, whatever was before them in their stream. */
struct ctf_known {
	bool (*by)(const void *context, const struct ctf_record *record);
	const void *context;
};

/*
 * As ctf_stream_seek, and from there back to the newest packet that has such a
 * record of before that time; to the stream's begin where none has, or where that
 * cannot be found: what is wrong, ctf_stream_next tells then. At most all before
 * that time is read for it.
 */
void ctf_stream_seek_known(struct ctf_stream *stream, uint64_t time, const struct ctf_known *known);

/* Packets whose records were read, all or some, since it was created: what seeks have cost. */
uint64_t ctf_stream_nr_entered(const struct ctf_stream *stream);

/* Inside ctf/: its packets, which are the stream's. Errors as above, and parts is NULL. */
struct ctf_parts;
int ctf_stream_parts(struct ctf_stream *stream, struct ctf_parts **parts, struct diag *diag);

const char *ctf_stream_name(const struct ctf_stream *stream);
struct ctf_stream_counts ctf_stream_counts(const struct ctf_stream *stream);

#endif
