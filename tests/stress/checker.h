/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks what the reader of one ring of the stress test takes from it: every
 * packet by doc/packets.md, every record by its pattern, length and number.
 * torn: what is not as it was written. unexplained: all is whole, but sums or
 * numbers do not fit.
 */
#ifndef STRESS_CHECKER_H
#define STRESS_CHECKER_H

#include "tests/stress/writer.h"

/* Numbers of one context's records, as far as the packets were read. */
struct stress_numbers {
	uint32_t next;
	/*
	 * A packet before was overwritten: the number of the first full record
	 * from there on, less the short ones before it, tells how many were.
	 */
	bool has_gap;
	uint32_t nr_short;
};

struct stress_sums {
	uint64_t nr_packets, nr_records, nr_padding;
	uint64_t nr_extended, nr_gap_headers; /* extended; of those only for their time */
	uint64_t nr_overwritten_packets, nr_overwritten_records;
	/* What a reader of the packets alone can tell: since the first one. */
	uint64_t lost_since_first, nr_missing_since_first;
	uint64_t nr_snapshots, nr_snapshot_packets, nr_snapshot_gone;
	uint64_t torn, unexplained;
};

struct stress_checker {
	struct stress_writer *writer;
	struct stress_sums sums;
	struct stress_numbers numbers[STRESS_NR_LEVELS_MAX];
	struct oprof_packet_header last; /* consumed; magic 0: none */
};

/* A packet that is consumed, in order. */
void stress_check_next(struct stress_checker *checker, const struct ring_packet *packet);

/* A packet that is only looked at. */
void stress_check_look(struct stress_checker *checker, const struct ring_packet *packet);

/* At the end: writer and reader have ended, and the ring was read to its end. */
void stress_check_sums(struct stress_checker *checker, const struct ring_reader *reader);

/* Count what is unexplained and say it, the first few times. */
void stress_unexplained(struct stress_checker *checker, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
