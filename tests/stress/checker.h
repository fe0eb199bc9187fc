/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the packets that the reader of one ring of the stress test gets: each packet by
 * doc/packets.md, each record by its pattern, length and number. torn: content that differs from
 * what was written. unexplained: the content is right, but sums or numbers do not agree.
 */
#ifndef STRESS_CHECKER_H
#define STRESS_CHECKER_H

#include "tests/stress/writer.h"

/* Numbers of one context's records, as far as packets were read. */
struct stress_numbers {
	uint32_t next;
	/*
	 * A previous packet was overwritten: the number of the first full record after it, less the
	 * short records before that one, gives the number of missing records.
	 */
	bool has_gap;
	uint32_t nr_short;
};

struct stress_sums {
	uint64_t nr_packets, nr_records, nr_padding;
	uint64_t nr_extended,
		nr_gap_headers; /* extended headers; of those, the ones needed only for the time */
	uint64_t nr_overwritten_packets, nr_overwritten_records;
	/* What a reader of the packets alone can count, from the first packet on. */
	uint64_t lost_since_first, nr_missing_since_first;
	uint64_t nr_snapshots, nr_snapshot_packets, nr_snapshot_gone;
	uint64_t torn, unexplained;
};

struct stress_checker {
	struct stress_writer *writer;
	struct stress_sums sums;
	struct stress_numbers numbers[STRESS_NR_LEVELS_MAX];
	struct oprof_packet_header last; /* last packet consumed; magic 0: none */
};

/* Checks a packet that is consumed, in order. */
void stress_check_next(struct stress_checker *checker, const struct ring_packet *packet);

/* Checks a packet of a snapshot. */
void stress_check_look(struct stress_checker *checker, const struct ring_packet *packet);

/* Checks the sums after writer and reader have ended and the ring was read to its end. */
void stress_check_sums(struct stress_checker *checker, const struct ring_reader *reader);

/* Counts an unexplained result, and prints the first few. */
void stress_unexplained(struct stress_checker *checker, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
