/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon.out, the file that gprof reads (gmon_out.h of the C library): histograms of samples by
 * address, and arcs between addresses. Byte order and word size are those of the described
 * binary.
 */
#ifndef PP_GMON_H
#define PP_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gmon_target {
	bool big_endian;
	bool wide; /* addresses have 64 bits; otherwise 32 */
};

#define GMON_BIN_BYTES 2 /* gprof computes in this unit, and misplaces samples of narrower bins */

/* A histogram of the address range [start, end), which consists of whole bins. */
struct gmon_histogram {
	uint64_t start, end;
	const uint64_t *counts; /* one for each bin */
	uint32_t rate;		/* samples per unit; gprof divides by it */
	const char *unit;	/* "seconds", or the counted event; at most 14 bytes are used */
};

void gmon_write_header(FILE *out, const struct gmon_target *target);

/*
 * Returns 0 if a histogram may have this range; -EFBIG if the range is too long for a record;
 * -ERANGE if an address is too large for the target.
 */
int gmon_check_range(const struct gmon_target *target, uint64_t start, uint64_t end);

/*
 * Writes one record, and more records of the same range if counts need more than 16 bits: gprof
 * adds the records up. *nr_records: number of records. Returns 0, -ENOMEM, or an error of
 * gmon_check_range().
 */
int gmon_write_histogram(FILE *out, const struct gmon_target *target,
			 const struct gmon_histogram *histogram, size_t *nr_records);

/*
 * Writes an arc from an address in the caller to an address in the callee. A large count becomes
 * several arcs. Returns 0, or -ERANGE if an address is too large for the target.
 */
int gmon_write_arc(FILE *out, const struct gmon_target *target, uint64_t from, uint64_t to,
		   uint64_t count);

#endif
