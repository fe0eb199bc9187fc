/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slices of a session: their folder, and the list in memory of the slices that are not
 * superseded (history->files). history_slices_append adds a slice; history_slices_drop removes one
 * and counts it as expired; history_slices_list reads the folder after any other change.
 */
#ifndef DAEMON_HISTORY_SLICES_H
#define DAEMON_HISTORY_SLICES_H

#include "daemon/history/history_state.h"

/* Returns "<session>/history/<name>", which the caller frees; NULL if out of memory. */
char *history_slices_path(const struct history *history, const char *name);

/*
 * Reads the folder again, sets damaged slices aside, and removes superseded slices and files left
 * by a kill. No child process may be running. Returns 0; 1: samples were lost with a slice; or
 * -errno.
 */
int history_slices_list(struct history *history);

/*
 * Call when a slice of the live files was published: adds `file` to the list, which takes ownership
 * of its path. Returns 0, or -ENOMEM: the caller keeps the path.
 */
int history_slices_append(struct history *history, const struct history_file *file);

/*
 * Removes slice i, which no child may be reading, and counts it as expired. Returns false if it
 * cannot be removed; if it does not exist any more, list_due is set.
 */
bool history_slices_drop(struct history *history, size_t i);

/* Renames a damaged slice and counts it; the slice stays in the list. */
void history_slices_set_aside(struct history *history, const char *path, const char *why);

/*
 * Writes to disk the slices of epochs after epoch_synced, and the folder's entries. Returns 0 or
 * -errno.
 */
int history_slices_sync(const struct history *history);

#endif
