/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes gmon.out, the file that gprof reads (gmon_out.h of the C library): histograms of samples
 * by address, and arcs between addresses. Byte order and word size are those of the profiled
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

/* gprof counts addresses in this unit, and assigns samples of narrower bins to wrong addresses */
#define GMON_BIN_BYTES 2

/* A histogram of the address range [start, end), which consists of whole bins. */
struct gmon_histogram {
	uint64_t start, end;
	const uint64_t *counts; /* one for each bin */
	uint32_t rate;		/* samples per `unit`; gprof divides the counts by this number */
	/* "seconds", or the name of the counted event; at most 14 bytes are used */
	const char *unit;
};

void gmon_write_header(FILE *out, const struct gmon_target *target);

/*
 * Checks the range of a histogram. Returns 0; -EFBIG if the range is too long for a record; -ERANGE
 * if an address is too large for the target.
 */
int gmon_check_range(const struct gmon_target *target, uint64_t start, uint64_t end);

/*
 * Writes a histogram as one record. If counts need more than 16 bits, writes more records of the
 * same range, which gprof adds up. *nr_records is set to the number of records. Returns 0, -ENOMEM,
 * or an error of gmon_check_range().
 */
int gmon_write_histogram(FILE *out, const struct gmon_target *target,
			 const struct gmon_histogram *histogram, size_t *nr_records);

/*
 * Writes an arc from an address in the caller to an address in the callee. If `count` is too large
 * for one record, writes several records. Returns 0, or -ERANGE if an address is too large for the
 * target.
 */
int gmon_write_arc(FILE *out, const struct gmon_target *target, uint64_t from, uint64_t to,
		   uint64_t count);

#endif
