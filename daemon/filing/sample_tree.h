/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folders of live sample files. They are created and removed one by one. Their size on disk is
 * therefore known, and the folders need not be walked.
 */
#ifndef DAEMON_SAMPLE_TREE_H
#define DAEMON_SAMPLE_TREE_H

#include <stddef.h>
#include <stdint.h>

struct sample_tree {
	const char *folder; /* borrowed; never removed */
	uint64_t nr_bytes;  /* bytes on disk of the folders below `folder` */
};

/* `folder` must not contain sample files yet. */
void sample_tree_init(struct sample_tree *tree, const char *folder);

/* Creates the parent folders of path, which must be below `folder`. Returns 0 or -errno. */
int sample_tree_make_parents(struct sample_tree *tree, const char *path);

/*
 * A folder grows with its number of names and does not shrink. To count the growth when a file
 * may be created at path, call sample_tree_measure before and sample_tree_grown after.
 */
uint64_t sample_tree_measure(const char *path);
void sample_tree_grown(struct sample_tree *tree, const char *path, uint64_t measured);

/* Removes the file at path, and its parent folders that become empty. */
void sample_tree_remove(struct sample_tree *tree, const char *path);

/* Returns the bytes on disk of the folders, without their content. */
uint64_t sample_tree_nr_bytes(const struct sample_tree *tree);

#endif
