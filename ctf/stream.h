/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one stream of a trace folder, record by record. In a trace in chunks it reads the stream's
 * files of all chunks, one after the other. The input is not trusted: a damaged packet is skipped
 * from its fault on, counted and reported, and reading continues with the next packet. The memory
 * used is bounded by the longest record (CTF_RECORD_BYTES_MAX), not by packets or files.
 */
#ifndef CTF_STREAM_H
#define CTF_STREAM_H

#include "ctf/metadata.h"
#include "oprof/packet.h"

/* Longer records are treated as damage. */
#define CTF_RECORD_BYTES_MAX ((uint64_t)16 << 20)

struct ctf_stream;

struct ctf_value {
	uint64_t number;      /* value of an integer; if signed, sign-extended to 64 bits */
	const uint8_t *bytes; /* bytes of a field of any other kind; not aligned */
	uint32_t nr;	      /* number of elements; of a text or string: bytes before the NUL */
};

/* A record is valid until the next call for its stream. */
struct ctf_record {
	const struct ctf_event *event;
	const struct ctf_value *values; /* one per field of the event */
	uint64_t time;			/* ticks of the trace's clock */
	const struct ctf_stream *stream;
	const struct oprof_packet_header *packet; /* header of the record's packet */
};

/* Returns element i of an array or sequence, extended to 64 bits as ctf_value.number. */
uint64_t ctf_value_element(const struct ctf_field *field, const struct ctf_value *value,
			   uint32_t i);

struct ctf_stream_counts {
	/* Packets, records and padding records that were read; nr_records is without padding. */
	uint64_t nr_packets, nr_records, nr_padding;
	uint64_t time_first, time_last; /* of records, if nr_records > 0 */
	uint64_t seq_first, seq_last;	/* of packets, if nr_packets > 0 */

	/* Records lost while recording, since the ring began, according to the last packet. */
	uint64_t lost, lost_by[OPROF_NR_LOST];
	/*
	 * The part of lost that the first packet already reports. These records were lost before
	 * the trace began, unless seq_first is 0.
	 */
	uint64_t lost_before;
	uint64_t lost_overwritten; /* packets that were overwritten: gaps in seq after seq_first */

	/* Lost while reading. */
	uint64_t lost_damaged; /* packets, skipped completely or from a fault on */
	uint64_t lost_cut;     /* packets that continue beyond the end of their file */
	/*
	 * Packets that were read although their time or seq does not follow the preceding packet.
	 */
	uint64_t nr_disordered;
};

/* The place of the files of streams. */
struct ctf_place {
	int folder_fd;
	const char *folder;	/* name of the folder, for diag */
	const uint32_t *chunks; /* in order; streams may be missing in some chunks */
	unsigned int nr_chunks; /* 0: the files are in the folder itself */
};

/*
 * Creates the reader of stream name. The caller keeps metadata, place and nr_long_bytes, which must
 * outlive the stream. Files are opened when ctf_stream_next needs them. Streams that share the
 * counter *nr_long_bytes, initially 0, together use at most CTF_LONG_BYTES_MAX for long records and
 * compressed files; NULL: only the length of a record is limited (CTF_RECORD_BYTES_MAX). Returns 0
 * or -ENOMEM.
 */
int ctf_stream_create(struct ctf_stream **stream, const struct ctf_metadata *metadata,
		      const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes);
void ctf_stream_destroy(struct ctf_stream *stream); /* NULL: does nothing */

/*
 * Reads the next record. Returns 1; 0: the end of the stream; -EBADMSG: a packet is damaged, diag
 * has the place, and the next call continues after the fault; another -errno: the file cannot be
 * read any further, and the next call continues with the next chunk.
 */
int ctf_stream_next(struct ctf_stream *stream, struct ctf_record *record, struct diag *diag);

/*
 * Seeks to the first packet that ends at time or later: ctf_stream_next continues with the packet's
 * first record, and the counts restart. If a chunk directly before this packet cannot be read,
 * ctf_stream_next begins with this chunk and reports its error, since the chunk may have had
 * packets of this time. Errors are as of ctf_stream_next; after an error of the search the stream
 * is at its end.
 */
int ctf_stream_seek(struct ctf_stream *stream, uint64_t time, struct diag *diag);

/*
 * Selects records: by() returns true for a record that gives a reader all the state it needs from
 * the stream before this record.
 */
struct ctf_known {
	bool (*by)(const void *context, const struct ctf_record *record);
	const void *context;
};

/*
 * Seeks as ctf_stream_seek, then back to the newest packet with a selected record before time.
 * Seeks to the start of the stream if no packet has such a record, or on an error, which
 * ctf_stream_next reports later. At worst all records before time are read.
 */
void ctf_stream_seek_known(struct ctf_stream *stream, uint64_t time, const struct ctf_known *known);

/* Returns the number of packets begun since the stream was created; shows the cost of seeks. */
uint64_t ctf_stream_nr_entered(const struct ctf_stream *stream);

/*
 * Inside ctf/: gets the stream's parts, which the stream owns. Returns 0, or -errno with *parts
 * NULL.
 */
struct ctf_parts;
int ctf_stream_parts(struct ctf_stream *stream, struct ctf_parts **parts, struct diag *diag);

const char *ctf_stream_name(const struct ctf_stream *stream);
struct ctf_stream_counts ctf_stream_counts(const struct ctf_stream *stream);

#endif
