/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one stream of a trace folder, record by record. In a trace in chunks it
 * reads the stream's files of all chunks, one after the other. It trusts no
 * input: a damaged packet is skipped from its fault on, counted and reported,
 * and reading continues with the next packet. Memory is bounded by the longest
 * record (CTF_RECORD_BYTES_MAX), not by packets or files.
 */
#ifndef CTF_STREAM_H
#define CTF_STREAM_H

#include "ctf/metadata.h"
#include "oprof/packet.h"

/* Longer records are treated as damage. */
#define CTF_RECORD_BYTES_MAX ((uint64_t)16 << 20)

struct ctf_stream;

struct ctf_value {
	uint64_t number;      /* of an integer; a signed one is sign-extended to 64 bits */
	const uint8_t *bytes; /* of all other kinds; not aligned */
	uint32_t nr;	      /* elements; of a text or string: bytes before the NUL */
};

/* A record is valid until the next call for its stream. */
struct ctf_record {
	const struct ctf_event *event;
	const struct ctf_value *values; /* one per field of the event */
	uint64_t time;			/* ticks of the trace's clock */
	const struct ctf_stream *stream;
	const struct oprof_packet_header *packet; /* header of the record's packet */
};

/* Returns element i of an array or sequence, extended to 64 bits like ctf_value's number. */
uint64_t ctf_value_element(const struct ctf_field *field, const struct ctf_value *value,
			   uint32_t i);

struct ctf_stream_counts {
	uint64_t nr_packets, nr_records, nr_padding; /* read; nr_records excludes padding records */
	uint64_t time_first, time_last;		     /* of records, if nr_records > 0 */
	uint64_t seq_first, seq_last;		     /* of packets, if nr_packets > 0 */

	/* Records lost while recording, since the ring began, according to the last packet. */
	uint64_t lost, lost_by[OPROF_NR_LOST];
	/*
	 * The part of lost that the first packet already counted. It was lost
	 * before the trace began, unless seq_first is 0.
	 */
	uint64_t lost_before;
	uint64_t lost_overwritten; /* packets: gaps in seq after seq_first */

	/* Lost while reading. */
	uint64_t lost_damaged; /* packets, skipped completely or from a fault on */
	uint64_t lost_cut;     /* packets that continue beyond the end of their file */
	/* Packets read although their time or number does not follow the preceding packet's. */
	uint64_t nr_disordered;
};

/* Where the files of streams are. */
struct ctf_place {
	int folder_fd;
	const char *folder;	/* its name, for diag */
	const uint32_t *chunks; /* in order; streams may be missing in some chunks */
	unsigned int nr_chunks; /* 0: the files are in the folder itself */
};

/*
 * Creates the reader of stream name. metadata and place stay the caller's and
 * must outlive the stream. Files are opened when ctf_stream_next needs them.
 * Streams that share nr_long_bytes, initially 0, together use at most
 * CTF_LONG_BYTES_MAX for long records and compressed files. NULL: the only
 * limit is that of a record (CTF_RECORD_BYTES_MAX). nr_long_bytes must also
 * outlive the stream. -ENOMEM.
 */
int ctf_stream_create(struct ctf_stream **stream, const struct ctf_metadata *metadata,
		      const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes);
void ctf_stream_destroy(struct ctf_stream *stream); /* NULL: does nothing */

/*
 * Reads the next record. Returns 1, or 0 at the end of the stream. -EBADMSG: a
 * packet is damaged and diag says where; the next call continues after the
 * fault. Another -errno: the file cannot be read any further; the next call
 * continues with the next chunk.
 */
int ctf_stream_next(struct ctf_stream *stream, struct ctf_record *record, struct diag *diag);

/*
 * Seeks to the first packet that ends at time or later: ctf_stream_next
 * continues with its first record, and the counts restart. If a chunk right
 * before that packet cannot be read, ctf_stream_next begins with the chunk and
 * reports it: it may have had packets of that time. Errors are those of
 * ctf_stream_next; after an error of the search the stream is at its end.
 */
int ctf_stream_seek(struct ctf_stream *stream, uint64_t time, struct diag *diag);

/* Selects the records that tell a reader all it needs of the stream before them. */
struct ctf_known {
	bool (*by)(const void *context, const struct ctf_record *record);
	const void *context;
};

/*
 * Seeks like ctf_stream_seek, then back to the newest packet with a selected
 * record before time. Seeks to the start of the stream if no packet has one or
 * an error occurs; ctf_stream_next reports the error later. At worst all
 * records before time are read.
 */
void ctf_stream_seek_known(struct ctf_stream *stream, uint64_t time, const struct ctf_known *known);

/* Returns how many packets this stream has begun to read since its creation: the cost of seeks. */
uint64_t ctf_stream_nr_entered(const struct ctf_stream *stream);

/* Inside ctf/: returns the stream's parts, owned by the stream. After an error *parts is NULL. */
struct ctf_parts;
int ctf_stream_parts(struct ctf_stream *stream, struct ctf_parts **parts, struct diag *diag);

const char *ctf_stream_name(const struct ctf_stream *stream);
struct ctf_stream_counts ctf_stream_counts(const struct ctf_stream *stream);

#endif
