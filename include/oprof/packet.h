/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Packets (doc/packets.md). A packet is the content of one sub-buffer of a ring; the reader gets
 * the whole packet at once. A trace folder consists of packets. Packets are moved to the trace
 * folder unchanged. Each packet is valid CTF 1.8: struct oprof_packet_header, then records, then
 * padding up to packet_bits.
 *
 * Packets are little-endian, in memory and on disk: oprof traces only on little-endian machines.
 *
 * This header can be included without other headers: in the kernel, in C and in C++.
 */
#ifndef OPROF_PACKET_H
#define OPROF_PACKET_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define OPROF_PACKET_VERSION 1
#define OPROF_PACKET_MAGIC   0xc1fc1fc1u

/* Why a record was lost. A ring's counters of losses never decrease. */
enum oprof_ring_lost {
	OPROF_LOST_FULL,    /* discard mode: the next sub-buffer contains an unread packet */
	OPROF_LOST_NESTED,  /* the next sub-buffer has an open slot of an interrupted writer, or
			       writers nest too deeply */
	OPROF_LOST_TOO_BIG, /* the record is longer than a sub-buffer */
	OPROF_LOST_STOPPED, /* the ring was already finalised */
	OPROF_LOST_KILLED,  /* the record's writer died between reserve and commit */
	OPROF_NR_LOST,
};

/*
 * Value of nr_records in a packet that was repaired after its writer died. The number of records is
 * unknown, so readers count the records.
 */
#define OPROF_PACKET_NR_UNKNOWN 0xffffffffu

/* cpu_id of a stream that belongs to no CPU, such as the daemon's records about the machine. */
#define OPROF_PACKET_NO_CPU 0xffffffffu

/*
 * The first bytes of a packet: CTF's packet header up to stream_id, then the packet context. Times
 * are read from the session's clock. Invariants of a stream: time_begin is at least the time_end of
 * the previous packet; every record lies within the times of its packet; seq increases by 1 (if n
 * packets are missing, by n + 1); lost and lost_by never decrease.
 */
struct oprof_packet_header {
	uint32_t magic;
	uint8_t uuid[16]; /* the trace's UUID */
	uint32_t stream_id;
	uint64_t time_begin;
	uint64_t time_end;
	uint64_t content_bits; /* size of this header and the records */
	uint64_t packet_bits;  /* size including the padding: the whole sub-buffer */
	uint64_t seq;	       /* number of the sub-buffer since the ring began, from 0 */
	uint64_t lost;	       /* sum of lost_by; CTF's events_discarded */
	uint32_t cpu_id; /* the ring's CPU; for a thread's ring, the thread's number in the trace */
	uint32_t nr_records;		 /* records in this packet, not counting padding records */
	uint64_t lost_by[OPROF_NR_LOST]; /* losses of the ring up to the end of this packet */
};

/*
 * A record header is aligned to 4 bytes in the packet. The payload follows the header, aligned as
 * its event requires (to 1, 2, 4 or 8 bytes). A compact header has only the low bits of the
 * record's stamp. A compact header is used only if the stamp is less than 2^OPROF_RECORD_TIME_BITS
 * after the stamp of the previous record (for the first record, after time_begin).
 *
 *	compact:  u32 { id: 5 low bits, time: 27 }
 *	extended: u32 { 31, 0 }, u32 id, u64 time (aligned to 4)
 */
#define OPROF_RECORD_HEADER_ALIGN   4u
#define OPROF_RECORD_COMPACT_BYTES  4u
#define OPROF_RECORD_EXTENDED_BYTES 16u
#define OPROF_RECORD_ID_BITS	    5u
#define OPROF_RECORD_TIME_BITS	    27u

/*
 * Ids of events. Records with ids up to OPROF_EVENT_COMPACT_MAX normally have a compact header;
 * the next three ids are reserved; records with higher ids have an extended header.
 *
 * A padding record covers a slot that was cancelled or whose writer died. Its payload is a string
 * of any length that ends with a NUL. If the slot has room only for a header, there is no payload.
 */
#define OPROF_EVENT_COMPACT_MAX	  28u
#define OPROF_EVENT_PADDING_EMPTY 29u
#define OPROF_EVENT_PADDING	  30u
#define OPROF_EVENT_ESCAPE	  31u

#endif
