/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of one view of oprof top: samples of one event, summed by symbol, image, program,
 * process, thread, cgroup or CPU, the largest share first.
 */
#ifndef PP_TOP_ROWS_H
#define PP_TOP_ROWS_H

#include "pp/base/strings.h"
#include "pp/top/top_samples.h"
#include "pp/top/top_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_SAMPLES_SOLID 4

enum top_view {
	TOP_SYMBOLS,
	TOP_IMAGES,
	TOP_PROGRAMS,
	TOP_PROCESSES,
	TOP_THREADS,
	TOP_CGROUPS,
	TOP_CPUS,
	TOP_NR_VIEWS,
};

/* A row. Its share is relative to all samples, so it does not depend on the filter. */
struct top_row {
	const char *name;   /* in the rows' pool */
	const char *detail; /* image, program or other object that the row belongs to; or "" */
	uint64_t nr_samples, nr_idle;
	uint64_t weight;
	double share; /* percent of the weight */
	double error; /* twice the standard error of share, in percent; see top_row_is_noise() */
	bool exact;   /* share has no sampling error */
};

struct top_rows {
	struct top_row *rows; /* rows that pass the filter, sorted by share */
	size_t nr_rows;
	size_t nr_hidden;  /* rows that do not pass the filter */
	size_t nr_loading; /* sections whose symbols are not loaded yet */
	struct strings strings;
};

struct top_choice {
	size_t event; /* index in the samples' events */
	enum top_view view;
	const char *filter; /* text that name or detail must contain, ignoring case; "": all */
};

/*
 * Makes the rows. Reads names of processes and threads from /proc. Returns 0, or -ENOMEM; rows then
 * needs no deinit.
 */
int top_rows_make(struct top_rows *rows, const struct top_samples *samples,
		  const struct top_choice *choice, struct top_symbols *symbols);
void top_rows_deinit(struct top_rows *rows);

/* Returns whether the row has so few samples that its share may be chance. */
static inline bool top_row_is_noise(const struct top_row *row)
{
	return !row->exact && (row->nr_samples < TOP_SAMPLES_SOLID || row->share <= row->error);
}

#endif
