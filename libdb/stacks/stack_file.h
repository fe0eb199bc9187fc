/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live stack file of a session (oprof/stack_file.h): written by one
 * daemon, for weeks, killed at any instruction, and read meanwhile.
 *
 *			who may run against whom, on one file
 *			writer		reader
 *	writer		excluded by	allowed
 *			flock (-EBUSY)
 */
#ifndef LIBDB_STACK_FILE_H
#define LIBDB_STACK_FILE_H

#include "lib/diag.h"
#include "libdb/slice/stack_tree.h"
#include "oprof/stack_file.h"

#include <stdbool.h>
#include <stdint.h>

struct stack_file; /* open for writing; one thread at a time */

/*
 * Open path for writing, made with mode 0600 when it is missing, for samples
 * of epoch (0: of none). One of an earlier epoch is emptied: its samples must be in a
 * slice. What is there of this epoch is found again. nr_bytes_max: it grows
 * no further (64 KB at least); so many addresses are taken. Errors as sdb_open's.
 */
int stack_file_open(struct stack_file **file, const char *path, uint64_t epoch,
		    uint64_t nr_bytes_max, struct diag *diag);
void stack_file_close(struct stack_file *file); /* NULL is fine */

/* Empty it for a later epoch, as sdb_restart does. 0, or -EIO: close and remove it. */
int stack_file_restart(struct stack_file *file, uint64_t epoch);

/*
 * Positions of what is said, appended if it is not there: found by a table in
 * memory. Once it is full (nr_bytes_max, the disk), what is there is still found;
 * of a node that is not, the parent's OPROF_STACK_OTHER is given, and *folded
 * is set (it is never cleared, so that one serves for a whole stack). A 16th of the
 * file is kept for them; where that is full, too, it is that of the nearest
 * node above that has one, and each root has room for its own. Below an
 * OPROF_STACK_OTHER it is itself what is given, so that a stack may be
 * gone through to its end. Errors: -ENOSPC and the like (a root or image
 * without room), -ENAMETOOLONG, -EIO (the file was truncated), -ENOMEM.
 *
 * Samples can be added to nodes only (-EINVAL: to a root); errors as above.
 */
int64_t stack_file_root(struct stack_file *file, const struct slice_section *section);
int64_t stack_file_image(struct stack_file *file, const struct stack_image *image);
int64_t stack_file_child(struct stack_file *file, uint32_t parent, uint32_t image, uint64_t offset,
			 bool *folded);
int stack_file_add(struct stack_file *file, uint32_t node, uint64_t nr_samples, uint64_t weight);

/* Changes with each restart: positions of before are void, those of images too. */
uint64_t stack_file_epoch(const struct stack_file *file);
uint64_t stack_file_nr_bytes(const struct stack_file *file); /* on disk */
bool stack_file_is_at(const struct stack_file *file, const char *path);
int stack_file_sync(struct stack_file *file);

/*
 * Read path, while a writer may be at work, into *tree (to be deinited only
 * after 0); *epoch: of its samples, which were all there at one time between
 * two emptyings. Every record is checked. Errors as sdb_image_load's.
 */
int stack_file_load(const char *path, struct stack_tree *tree, uint64_t *epoch, struct diag *diag);

/* Verify every invariant of doc/stack-file.md. 0, -EILSEQ and diag, or an error of reading. */
int stack_file_check(const char *path, struct diag *diag);

#endif
