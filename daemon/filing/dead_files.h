/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dead files: closed sample files whose samples are all in a slice, and which are still to be
 * removed. On a slow disk, or one mounted with the option discard, removing thousands of files
 * takes many seconds, in which the daemon would neither read its rings nor answer.
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
/* Neither of these removes the files. */
void dead_files_clear(struct dead_files *dead);
void dead_files_deinit(struct dead_files *dead);

/* hash: of the path. nr_bytes: the file's bytes on disk. If memory is short, removes the file. */
void dead_files_add(struct dead_files *dead, const char *path, uint64_t hash, uint64_t nr_bytes);

/* To be called after a file was opened at path: it is used again, and not dead any more. */
void dead_files_forget(struct dead_files *dead, const char *path, uint64_t hash);

/* Returns whether the entries need so much memory that no file is to be made without removing one.
 */
bool dead_files_are_many(const struct dead_files *dead);

/* Removes one file, and folders that become empty. Returns false if there is none. */
bool dead_files_remove(struct dead_files *dead);

/*
 * To be called after an error (-errno) of writing to the disk: if the disk is full, removes files.
 * Returns whether there were any, so that a retry may succeed.
 */
bool dead_files_reclaim(struct dead_files *dead, int error);

/* Removes files for about this time, at least one. Returns whether there are more. */
bool dead_files_tidy(struct dead_files *dead, uint64_t ns);

#endif
