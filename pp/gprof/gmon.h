/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon.out, as gprof reads it (gmon_out.h of the C library): histograms of
 * samples by address, and arcs between addresses. In the byte order and with
 * the words of the binary that it is about.
 */
#ifndef PP_GMON_H
#define PP_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gmon_target {
	bool big_endian;
	bool wide; /* addresses have 64 bits, else 32 */
};

#define GMON_BIN_BYTES 2 /* gprof reckons in these; narrower ones it does not place right */

/* A stretch of addresses [start, end), of whole bins. */
struct gmon_histogram {
	uint64_t start, end;
	const uint64_t *counts; /* of each bin */
	uint32_t rate;		/* samples a unit: gprof divides by it */
	const char *unit;	/* "seconds", or what else is counted; 15 bytes at most are used */
};

void gmon_write_header(FILE *out, const struct gmon_target *target);

/*
 * A record, and more of the same as long as a count has more than its 16 bits
 * hold: gprof adds them up. *nr_records: of them. 0; -ENOMEM; -EFBIG: the stretch is too
 * long for a record; -ERANGE: an address is too large for the target.
 */
int gmon_write_histogram(FILE *out, const struct gmon_target *target,
			 const struct gmon_histogram *histogram, size_t *nr_records);

/* from: a place in the caller. Counts that do not fit are several arcs. -ERANGE as above. */
int gmon_write_arc(FILE *out, const struct gmon_target *target, uint64_t from, uint64_t to,
		   uint64_t count);

#endif
