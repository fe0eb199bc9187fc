/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Packets: what one sub-buffer of a ring hands over, and what a trace folder
 * is made of (doc/packets.md). CTF 1.8 from the first byte: this header, then
 * records, then padding up to packet_bits; moved as they are.
 *
 * Little-endian, in memory and on disk: oprof traces on no other machines.
 * Compiles alone in the kernel, in C and in C++.
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

/* Why a record was lost. Counters grow for a ring's life and never shrink. */
enum oprof_ring_lost {
	OPROF_LOST_FULL,    /* discard mode: the reader had not read what lies there */
	OPROF_LOST_NESTED,  /* a writer that this one interrupted still writes there, a lap ago;
			       or more of them nest than can be kept account of */
	OPROF_LOST_TOO_BIG, /* longer than a sub-buffer */
	OPROF_LOST_STOPPED, /* the ring had been finalised */
	OPROF_LOST_KILLED,  /* its writer died between reserve and commit */
	OPROF_NR_LOST,
};

/* nr_records of a packet that was repaired after its writer's death: count them. */
#define OPROF_PACKET_NR_UNKNOWN 0xffffffffu

/* cpu_id of a stream that is no CPU's: what the daemon tells of the machine. */
#define OPROF_PACKET_NO_CPU 0xffffffffu

/*
 * A packet's first bytes: CTF's packet header up to stream_id, then the packet
 * context. Times are of the session's clock. In a stream: time_begin is at
 * least the time_end of the packet before, no record lies outside its packet's
 * times, seq grows (a gap: so many packets were overwritten), and lost and
 * lost_by never shrink.
 */
struct oprof_packet_header {
	uint32_t magic;
	uint8_t uuid[16]; /* of the trace */
	uint32_t stream_id;
	uint64_t time_begin;
	uint64_t time_end;
	uint64_t content_bits; /* this header and the records */
	uint64_t packet_bits;  /* with the padding: the sub-buffer */
	uint64_t seq;	       /* the ring's sub-buffers, numbered from 0 */
	uint64_t lost;	       /* sum of lost_by, as CTF's readers want it: events_discarded */
	uint32_t cpu_id;       /* of the ring; of a thread's ring: its number in the trace */
	uint32_t nr_records;   /* in this packet, padding records not among them */
	uint64_t lost_by[OPROF_NR_LOST]; /* up to this packet's end */
};

/*
 * Record header: at an address aligned to 4 in the packet; the payload behind
 * it at its event's alignment (1, 2, 4 or 8). The time of a compact one are
 * the low bits of its stamp, which lies less than 2^OPROF_RECORD_TIME_BITS
 * behind the record before it (the first one: behind time_begin).
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
 * Events' ids: up to ..._COMPACT_MAX they take a compact header; the three
 * after it are taken; all above are written extended.
 * A padding record covers a slot that was cancelled or whose writer died: a
 * string of any length up to its NUL; or, in a slot of a header's size, nothing.
 */
#define OPROF_EVENT_COMPACT_MAX	  28u
#define OPROF_EVENT_PADDING_EMPTY 29u
#define OPROF_EVENT_PADDING	  30u
#define OPROF_EVENT_ESCAPE	  31u

#endif
