/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slices of a session: the list in memory of those that count (history->files), and their
 * folder. They come by history_slices_append, go by history_slices_drop, and are counted as
 * expired then; history_slices_list reads the folder after anything else has changed it.
 */
#ifndef DAEMON_HISTORY_SLICES_H
#define DAEMON_HISTORY_SLICES_H

#include "daemon/history/history_state.h"

/* "<session>/history/<name>", to be freed; NULL: no memory. */
char *history_slices_path(const struct history *history, const char *name);

/*
 * Read the folder anew: set aside what is damaged, remove what is superseded
 * or was left by a kill; no child is at work. 0, 1 samples were lost with a slice, or -errno.
 */
int history_slices_list(struct history *history);

/*
 * A slice of the live files was published. The list takes file, with its path. 0, or -ENOMEM:
 * the path is the caller's still.
 */
int history_slices_append(struct history *history, const struct history_file *file);

/*
 * Remove slice i, which no child reads, and count it as expired. False: it cannot be removed,
 * or is not there any more, and list_due is set.
 */
bool history_slices_drop(struct history *history, size_t i);

/* Rename a slice out of the way, and count it as damaged; the list has it still. */
void history_slices_set_aside(struct history *history, const char *path, const char *why);

/* Write slices of epochs after epoch_synced, and their folder's entries, to disk. 0 or -errno. */
int history_slices_sync(const struct history *history);

#endif
