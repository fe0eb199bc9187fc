/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which slices a session has, by the rule of epochs (oprof/slice.h): the one
 * place where it is decided what counts. Used by the daemon and by reports.
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
	bool superseded;	      /* counts as not there */
};

struct history_files {
	struct history_file *files; /* by epoch_first, wider first */
	size_t nr_files, room_files;
	uint64_t epoch_closed; /* highest epoch of any good slice; 0: none. Live files at or below
				  it hold nothing */
	uint64_t epoch_named;  /* highest in any name, damaged ones too: later epochs are free */
	size_t nr_damaged;     /* each was told to damaged() */
};

/*
 * The slices of the session at session_path, headers read and checked. A name
 * that does not parse, or says another thing than its header, and a damaged
 * header is damage (leftover ".tmp" files are passed over). No folder: none. 0, -ENOMEM, -errno.
 */
int history_files_list(struct history_files *history, const char *session_path,
		       void (*damaged)(const char *path, const struct diag *diag, void *context),
		       void *context);
void history_files_deinit(struct history_files *history);

/*
 * Whether both lists count the same slices. A reader of a running session
 * lists, reads live files, lists again, and begins anew when they differ:
 * samples may have gone from a live file to a slice meanwhile.
 */
bool history_files_same(const struct history_files *a, const struct history_files *b);

/* "minute.17.17.slice" into text. */
void history_file_name(char *text, size_t nr_bytes, enum oprof_slice_level level,
		       uint64_t epoch_first, uint64_t epoch_last);
int history_file_parse(const char *name, enum oprof_slice_level *level, uint64_t *epoch_first,
		       uint64_t *epoch_last); /* 0 or -EINVAL */

#endif
