/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of a session's slices. It applies the rule of epochs
 * (oprof/slice.h), and so decides, for the daemon and for reports, which slices
 * count.
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
	uint64_t nr_bytes;	      /* on disk: blocks, not length */
	bool superseded;	      /* its epochs are in another slice: ignore it */
};

struct history_files {
	struct history_file *files; /* by epoch_first; if equal, the wider one first */
	size_t nr_files, room_files;
	uint64_t epoch_closed; /* highest in a good slice, or 0; live files up to it are void */
	uint64_t epoch_named;  /* highest in any name, damaged or not */
	size_t nr_damaged;     /* each was reported to damaged() */
};

/*
 * Lists the slices of the session at session_path, and reads and checks their
 * headers. An invalid name, a name that contradicts its header, or a damaged
 * header counts as damage, is reported to damaged (which may be NULL) and left
 * out of the list. Leftover ".tmp" files are ignored. A missing folder is an
 * empty list. Returns 0, -ENOMEM, or -errno.
 */
int history_files_list(struct history_files *history, const char *session_path,
		       void (*damaged)(const char *path, const struct diag *diag, void *context),
		       void *context);
void history_files_deinit(struct history_files *history);

/*
 * Returns whether both lists count the same slices. A reader of a running
 * session lists them, reads the live files, lists again, and starts over if the
 * lists differ: samples may have moved from a live file to a slice in between.
 */
bool history_files_same(const struct history_files *a, const struct history_files *b);

/* Writes a name such as "minute.17.17.slice" into text. */
void history_file_name(char *text, size_t nr_bytes, enum oprof_slice_level level,
		       uint64_t epoch_first, uint64_t epoch_last);
int history_file_parse(const char *name, enum oprof_slice_level *level, uint64_t *epoch_first,
		       uint64_t *epoch_last); /* 0 or -EINVAL */

#endif
