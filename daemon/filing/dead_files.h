/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dead files: closed sample files whose samples are all in a slice, and which are still to be
 * removed. Only a few are removed at a time: removing thousands of files may take many seconds, if
 * the disk is slow or is mounted with the option discard. During this time the daemon would neither
 * read its rings nor answer requests.
 */
#ifndef DAEMON_DEAD_FILES_H
#define DAEMON_DEAD_FILES_H

#include "daemon/filing/sample_tree.h"
#include "daemon/system/node_hash.h"

#include <stdbool.h>
#include <stdint.h>

struct dead_files {
	struct node_hash files;
	struct sample_tree *tree; /* borrowed */
	uint64_t nr_bytes;	  /* bytes on disk of all files */
	uint64_t nr_memory;	  /* bytes of memory of the table's entries */
};

int dead_files_init(struct dead_files *dead, struct sample_tree *tree); /* 0 or -ENOMEM */
/* Neither of these functions removes files. */
void dead_files_clear(struct dead_files *dead);
void dead_files_deinit(struct dead_files *dead);

/* hash: of the path. nr_bytes: the file's bytes on disk. If memory is short, removes the file. */
void dead_files_add(struct dead_files *dead, const char *path, uint64_t hash, uint64_t nr_bytes);

/* Call after a file was opened at path: the file is in use again, and is no longer dead. */
void dead_files_forget(struct dead_files *dead, const char *path, uint64_t hash);

/*
 * Returns whether the entries need too much memory. A dead file must then be removed before a new
 * file is made.
 */
bool dead_files_are_many(const struct dead_files *dead);

/* Removes one file, and folders that become empty. Returns false if there is none. */
bool dead_files_remove(struct dead_files *dead);

/*
 * Call after an error (-errno) of writing to the disk. If the disk is full, removes dead files.
 * Returns true if a file was removed: the caller may then write again.
 */
bool dead_files_reclaim(struct dead_files *dead, int error);

/* Removes dead files until about `ns` have passed, at least one. Returns whether any remain. */
bool dead_files_tidy(struct dead_files *dead, uint64_t ns);

#endif
