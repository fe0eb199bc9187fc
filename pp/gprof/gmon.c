// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/gprof/gmon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE	      "gmon"
#define VERSION	      1
#define SPARE_BYTES   12
#define UNIT_BYTES    15
#define BIN_MAX	      UINT16_MAX
#define BINS_MAX      (64u << 20)
#define ARC_COUNT_MAX INT32_MAX
/*
 * Maximum number of records for one arc, to limit the file's size. If a count needs more records,
 * the rest of the count is omitted.
 */
#define ARC_RECORDS_MAX 1024

enum gmon_tag { TAG_HISTOGRAM = 0, TAG_ARC = 1 };

static void put_number(FILE *out, const struct gmon_target *target, uint64_t value,
		       unsigned int nr_bytes)
{
	for (unsigned int i = 0; i < nr_bytes; i++) {
		unsigned int shift = 8 * (target->big_endian ? nr_bytes - 1 - i : i);

		(void)putc_unlocked((int)(value >> shift & 0xff), out);
	}
}

static void put_address(FILE *out, const struct gmon_target *target, uint64_t address)
{
	put_number(out, target, address, target->wide ? 8 : 4);
}

static bool fits(const struct gmon_target *target, uint64_t address)
{
	return target->wide || address <= UINT32_MAX;
}

void gmon_write_header(FILE *out, const struct gmon_target *target)
{
	(void)fwrite(COOKIE, 1, 4, out);
	put_number(out, target, VERSION, 4);
	for (int i = 0; i < SPARE_BYTES; i++)
		(void)putc_unlocked(0, out);
}

/*
 * Writes a histogram record. The number in a bin is the count in left[], limited to what a bin can
 * hold. Subtracts the written numbers from left[]. Returns whether any count remains.
 */
static bool put_record(FILE *out, const struct gmon_target *target,
		       const struct gmon_histogram *histogram, uint64_t *left)
{
	size_t nr_bins = (histogram->end - histogram->start) / GMON_BIN_BYTES;
	char unit[UNIT_BYTES] = "";
	bool more = false;

	(void)putc_unlocked(TAG_HISTOGRAM, out);
	put_address(out, target, histogram->start);
	put_address(out, target, histogram->end);
	put_number(out, target, nr_bins, 4);
	put_number(out, target, histogram->rate, 4);
	memcpy(unit, histogram->unit, strnlen(histogram->unit, UNIT_BYTES - 1));
	(void)fwrite(unit, 1, UNIT_BYTES, out);
	(void)putc_unlocked(*unit, out);
	for (size_t i = 0; i < nr_bins; i++) {
		uint64_t count = left[i] > BIN_MAX ? BIN_MAX : left[i];

		put_number(out, target, count, 2);
		left[i] -= count;
		more |= left[i] != 0;
	}
	return more && !ferror(out);
}

int gmon_check_range(const struct gmon_target *target, uint64_t start, uint64_t end)
{
	if (!fits(target, end))
		return -ERANGE;
	return (end - start) / GMON_BIN_BYTES > BINS_MAX ? -EFBIG : 0;
}

int gmon_write_histogram(FILE *out, const struct gmon_target *target,
			 const struct gmon_histogram *histogram, size_t *nr_records)
{
	size_t nr_bins = (histogram->end - histogram->start) / GMON_BIN_BYTES;
	int error = gmon_check_range(target, histogram->start, histogram->end);
	uint64_t *left;

	if (error)
		return error;
	left = malloc((nr_bins + 1) * sizeof(*left));
	if (!left)
		return -ENOMEM;
	memcpy(left, histogram->counts, nr_bins * sizeof(*left));
	*nr_records = 1;
	while (put_record(out, target, histogram, left))
		(*nr_records)++;
	free(left);
	return 0;
}

int gmon_write_arc(FILE *out, const struct gmon_target *target, uint64_t from, uint64_t to,
		   uint64_t count)
{
	if (!fits(target, from) || !fits(target, to))
		return -ERANGE;
	for (int i = 0; count && i < ARC_RECORDS_MAX; i++) {
		uint64_t part = count > ARC_COUNT_MAX ? ARC_COUNT_MAX : count;

		(void)putc_unlocked(TAG_ARC, out);
		put_address(out, target, from);
		put_address(out, target, to);
		put_number(out, target, part, 4);
		count -= part;
	}
	return 0;
}
