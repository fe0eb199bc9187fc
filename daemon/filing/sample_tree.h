/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folders that live sample files lie in: made and removed one by one, so
 * that what they take on disk is known without walking them.
 */
#ifndef DAEMON_SAMPLE_TREE_H
#define DAEMON_SAMPLE_TREE_H

#include <stddef.h>
#include <stdint.h>

struct sample_tree {
	const char *folder; /* borrowed; never removed */
	uint64_t nr_bytes;  /* on disk, of those below it that were made and not removed */
};

/* folder holds no sample files yet. */
void sample_tree_init(struct sample_tree *tree, const char *folder);

/* Make the folders that path, which is below folder, lies in. 0 or -errno. */
int sample_tree_make_parents(struct sample_tree *tree, const char *path);

/*
 * A folder grows by the names in it, and does not shrink: tell its growth by
 * a file that may be made at path. Measure before, grown after it.
 */
uint64_t sample_tree_measure(const char *path);
void sample_tree_grown(struct sample_tree *tree, const char *path, uint64_t measured);

/* Remove the file at path, and its folders as far as they are empty. */
void sample_tree_remove(struct sample_tree *tree, const char *path);

/* Disk that the folders take; what is in them is not counted. */
uint64_t sample_tree_nr_bytes(const struct sample_tree *tree);

#endif
