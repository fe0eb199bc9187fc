/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of selected parts, wherever they are. Parts must be asked for
 * in the selection's order, in which no slice is read backwards.
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
	struct part_cursor *cursors; /* of all slices of all sessions */
	size_t *first_cursor;	     /* of each session */
	struct sdb_entry *entries;   /* of the section in hand */
	size_t entries_room;
};

/* 0 or -ENOMEM; to be deinited in any case. */
int part_reader_init(struct part_reader *reader, const struct selection *selection);
void part_reader_deinit(struct part_reader *reader);

/* Valid until the next part is loaded. */
struct part_samples {
	const struct sdb_entry *entries; /* ascending; NULL: not asked for */
	size_t nr_entries;
	uint64_t nr_samples, weight;
	const char *path;	      /* of the image, as its file has it; NULL: nothing was read */
	const struct sdb_image *file; /* where it is a live file; else NULL */
	struct sdb_image loaded;      /* internal */
	bool is_loaded;
};

/*
 * What part holds; keys: with entries, else sums only. 0, -ENOMEM, or why it
 * can't be read, told for the first part of a slice only: *samples is then
 * empty. To be deinited in any case.
 */
int part_samples_load(struct part_samples *samples, struct part_reader *reader,
		      const struct selected_part *part, bool keys, struct diag *diag);
void part_samples_deinit(struct part_samples *samples);

#endif
