/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists a session's slices and determines which of them are valid, by the rule of epochs
 * (oprof/slice.h). The daemon and reports use this list.
 */
#ifndef LIBDB_HISTORY_FILES_H
#define LIBDB_HISTORY_FILES_H

#include "lib/diag.h"
#include "oprof/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct history_file {
	char *path;
	enum oprof_slice_level level;
	uint64_t epoch_first, epoch_last;
	int64_t begin_ns, end_ns;
	uint64_t nr_samples, nr_idle; /* from the header */
	uint64_t nr_bytes;	      /* disk space of the slice's blocks, not its length */
	bool superseded;	      /* another slice has all its epochs: ignore this slice */
};

struct history_files {
	struct history_file *files; /* sorted by epoch_first; if equal, more epochs first */
	size_t nr_files, room_files;
	/* Highest epoch in a valid slice, or 0. Live files up to this epoch are ignored. */
	uint64_t epoch_closed;
	uint64_t epoch_named; /* highest epoch in any slice's name, also of damaged slices */
	size_t nr_damaged;    /* number of slices reported to damaged() */
};

/*
 * Lists the slices of the session at session_path, and reads and checks their headers. A file with
 * an invalid name, a damaged header, or a header that contradicts the name counts as damaged: it
 * is passed to damaged(), which may be NULL, and is not in the list. Leftover ".tmp" files are
 * ignored. A missing folder gives an empty list. Returns 0, -ENOMEM, or -errno.
 */
int history_files_list(struct history_files *history, const char *session_path,
		       void (*damaged)(const char *path, const struct diag *diag, void *context),
		       void *context);
void history_files_deinit(struct history_files *history);

/*
 * Returns whether the slices that are not superseded are the same in both lists. A reader of a
 * running session lists the slices, reads the live files, and lists the slices again. If the two
 * lists differ, samples may have moved from a live file to a slice in between, and the reader
 * starts again.
 */
bool history_files_same(const struct history_files *a, const struct history_files *b);

/* Writes a name such as "minute.17.17.slice" into text. */
void history_file_name(char *text, size_t nr_bytes, enum oprof_slice_level level,
		       uint64_t epoch_first, uint64_t epoch_last);
int history_file_parse(const char *name, enum oprof_slice_level *level, uint64_t *epoch_first,
		       uint64_t *epoch_last); /* 0 or -EINVAL */

#endif
