/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one stream of a trace folder, record by record. In a trace in chunks, the stream has a
 * file in each chunk, and these files are read one after the other. The input is not trusted: if a
 * packet is damaged, its rest is skipped, the fault is counted and reported, and reading continues
 * with the next packet. The memory used depends on the longest record (up to
 * CTF_RECORD_BYTES_MAX), but not on the sizes of packets or files.
 */
#ifndef CTF_STREAM_H
#define CTF_STREAM_H

#include "ctf/metadata.h"
#include "oprof/packet.h"

/* Longer records are treated as damage. */
#define CTF_RECORD_BYTES_MAX ((uint64_t)16 << 20)

struct ctf_stream;

struct ctf_value {
	uint64_t number;      /* value of an integer, extended to 64 bits according to its sign */
	const uint8_t *bytes; /* the bytes of a field of any other kind; not aligned */
	uint32_t nr;	      /* number of elements; for a text or string: bytes before the NUL */
};

/* A record is valid until the next call for the same stream. */
struct ctf_record {
	const struct ctf_event *event;
	const struct ctf_value *values; /* values of the event's fields, in their order */
	uint64_t time;			/* ticks of the trace's clock */
	const struct ctf_stream *stream;
	const struct oprof_packet_header *packet; /* header of the record's packet */
};

/* Returns element i of an array or sequence, extended to 64 bits like ctf_value.number. */
uint64_t ctf_value_element(const struct ctf_field *field, const struct ctf_value *value,
			   uint32_t i);

struct ctf_stream_counts {
	/*
	 * Numbers of packets, records and padding records that were read. nr_records does not
	 * include padding.
	 */
	uint64_t nr_packets, nr_records, nr_padding;
	uint64_t time_first, time_last; /* times of the first and last record, if any */
	uint64_t seq_first, seq_last;	/* numbers of the first and last packet, if any */

	/*
	 * Records that were lost during recording, counted since the ring began. The values are
	 * those of the last packet's header.
	 */
	uint64_t lost, lost_by[OPROF_NR_LOST];
	/*
	 * The value of `lost` in the first packet. If seq_first is not 0, these records were lost
	 * before the trace began.
	 */
	uint64_t lost_before;
	uint64_t lost_overwritten; /* number of overwritten packets: gaps in seq after seq_first */

	uint64_t lost_damaged; /* packets skipped completely, or from a fault to their end */
	uint64_t lost_cut;     /* packets that are incomplete because their file ends */
	/* Packets that were read although their time or seq does not fit the preceding packet. */
	uint64_t nr_disordered;
};

/* The location of the files of streams. */
struct ctf_place {
	int folder_fd;
	const char *folder;	/* name of the folder, for diag */
	const uint32_t *chunks; /* in ascending order; some chunks may lack files of streams */
	unsigned int nr_chunks; /* 0: the files are in the folder itself */
};

/*
 * Creates a reader for the stream `name`. The caller owns metadata, place and nr_long_bytes, which
 * must exist until the stream is destroyed. Files are opened when ctf_stream_next needs them.
 * *nr_long_bytes must be 0 at first. Streams that share it together use at most CTF_LONG_BYTES_MAX
 * bytes for long records and compressed files. If nr_long_bytes is NULL, only the length of each
 * record is limited (CTF_RECORD_BYTES_MAX). Returns 0 or -ENOMEM.
 */
int ctf_stream_create(struct ctf_stream **stream, const struct ctf_metadata *metadata,
		      const struct ctf_place *place, const char *name, uint64_t *nr_long_bytes);
void ctf_stream_destroy(struct ctf_stream *stream); /* NULL: does nothing */

/*
 * Reads the next record. Returns 1, or 0 at the end of the stream. Returns -EBADMSG if a packet is
 * damaged; diag has its location, and the next call continues after the fault. Returns another
 * -errno if the rest of the file cannot be read; the next call continues with the next chunk.
 */
int ctf_stream_next(struct ctf_stream *stream, struct ctf_record *record, struct diag *diag);

/*
 * Moves to the first packet that ends at `time` or later: ctf_stream_next continues with the first
 * record of this packet, and the counts begin again. If a chunk directly before this packet cannot
 * be read, it may have had packets of this time. ctf_stream_next then begins with this chunk and
 * reports its error. Returns the same errors as ctf_stream_next. If the search fails, the stream is
 * moved to its end.
 */
int ctf_stream_seek(struct ctf_stream *stream, uint64_t time, struct diag *diag);

/*
 * Selects records: by() returns true if a reader that begins with this record needs no state from
 * earlier records of the stream.
 */
struct ctf_known {
	bool (*by)(const void *context, const struct ctf_record *record);
	const void *context;
};

/*
 * Does the same as ctf_stream_seek, and then moves back to the newest packet that has a selected
 * record before `time`. If no packet has such a record, or after an error, moves to the start of
 * the stream; ctf_stream_next reports the error later. In the worst case, all records before
 * `time` are read.
 */
void ctf_stream_seek_known(struct ctf_stream *stream, uint64_t time, const struct ctf_known *known);

/*
 * Returns how many packets were begun since the stream was created, which shows the cost of seeks.
 */
uint64_t ctf_stream_nr_entered(const struct ctf_stream *stream);

/*
 * Only for ctf/: gets the stream's parts, which the stream owns. Returns 0, or -errno with *parts
 * NULL.
 */
struct ctf_parts;
int ctf_stream_parts(struct ctf_stream *stream, struct ctf_parts **parts, struct diag *diag);

const char *ctf_stream_name(const struct ctf_stream *stream);
struct ctf_stream_counts ctf_stream_counts(const struct ctf_stream *stream);

#endif
