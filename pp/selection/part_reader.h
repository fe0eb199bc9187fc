/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the samples of selected parts, from live files or slices. Parts must be requested in
 * the selection's order, since sections of a slice are read forward only.
 */
#ifndef PP_PART_READER_H
#define PP_PART_READER_H

#include "lib/diag.h"
#include "libdb/sdb.h"
#include "pp/selection/selection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct part_reader {
	const struct selection *selection;
	struct part_cursor *cursors; /* one for each slice of each session */
	size_t *first_cursor;	     /* by session */
	struct sdb_entry *entries;   /* entries of the current section */
	size_t entries_room;
};

/*
 * Prepares reading the selected parts. Returns 0 or -ENOMEM. Call part_reader_deinit() also after
 * an error.
 */
int part_reader_init(struct part_reader *reader, const struct selection *selection);
void part_reader_deinit(struct part_reader *reader);

/* The samples of one part, valid until the next part is loaded. */
struct part_samples {
	const struct sdb_entry *entries; /* sorted by key; NULL: not requested */
	size_t nr_entries;
	uint64_t nr_samples, weight;
	const char *path;	      /* the image's path, as in the file; NULL: nothing was read */
	const struct sdb_image *file; /* the live file; NULL: the part is in a slice */
	struct sdb_image loaded;      /* internal */
	bool is_loaded;
};

/*
 * Loads the sums of `part`; if `keys` is true, also its entries. Returns 0, -ENOMEM, or an error of
 * reading. After an error of reading, *samples has no samples. For a damaged slice the first call
 * returns the error; later calls return 0 with no samples. Call part_samples_deinit() also after an
 * error.
 */
int part_samples_load(struct part_samples *samples, struct part_reader *reader,
		      const struct selected_part *part, bool keys, struct diag *diag);
void part_samples_deinit(struct part_samples *samples);

#endif
