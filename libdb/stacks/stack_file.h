/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live stack file of a session (oprof/stack_file.h). One daemon writes the file, possibly for
 * weeks, and may be killed at any instruction. Other processes may read the file at any time.
 *
 *		which operations may run concurrently on one file
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

struct stack_file; /* a file open for writing; only one thread may use it */

/*
 * Opens path for writing samples of `epoch` (0: the file has no epochs). A missing file is created
 * with mode 0600. A file of an earlier epoch, whose samples must be in a slice, is emptied.
 * Existing records of the same epoch are indexed. The file may grow up to nr_bytes_max (at least
 * 64 KB), and its mapping takes this much address space. Errors as sdb_open.
 */
int stack_file_open(struct stack_file **file, const char *path, uint64_t epoch,
		    uint64_t nr_bytes_max, struct diag *diag);
void stack_file_close(struct stack_file *file); /* file may be NULL */

/*
 * Empties the file for a later epoch, like sdb_restart. Returns 0, or -EIO: the caller must close
 * and remove the file.
 */
int stack_file_restart(struct stack_file *file, uint64_t epoch);

/*
 * stack_file_root, _image and _child return the position of a record. If the record is missing,
 * they append it. If the file is full (it has nr_bytes_max bytes, or the disk is full), existing
 * records are still found. If the file is full and a node is missing, stack_file_child returns the
 * parent's OPROF_STACK_OTHER node and sets *folded. stack_file_child never clears *folded, so one
 * variable can be used for a whole stack. A 16th of the file is reserved for OPROF_STACK_OTHER
 * nodes. If this room is full, too, stack_file_child returns the OPROF_STACK_OTHER node of the
 * nearest ancestor that has such a node or has room for one. For a root, this room is always
 * reserved. If the parent is an OPROF_STACK_OTHER node, stack_file_child returns the parent itself,
 * so that the caller can continue to the end of a stack. Errors: -ENOSPC and the like: no room for
 * a root or image; -ENAMETOOLONG; -EIO: the file was truncated; -EILSEQ: the file was overwritten;
 * -ENOMEM.
 *
 * stack_file_add adds samples to a node; for a root it returns -EINVAL.
 */
int64_t stack_file_root(struct stack_file *file, const struct slice_section *section);
int64_t stack_file_image(struct stack_file *file, const struct stack_image *image);
int64_t stack_file_child(struct stack_file *file, uint32_t parent, uint32_t image, uint64_t offset,
			 bool *folded);
int stack_file_add(struct stack_file *file, uint32_t node, uint64_t nr_samples, uint64_t weight);

/*
 * Returns the epoch of the file. Each stack_file_restart changes the epoch and makes all earlier
 * positions of nodes and images invalid.
 */
uint64_t stack_file_epoch(const struct stack_file *file);
uint64_t stack_file_nr_bytes(const struct stack_file *file); /* on disk */
bool stack_file_is_at(const struct stack_file *file, const char *path);
int stack_file_sync(struct stack_file *file);

/*
 * Reads the file at path into *tree, possibly while a writer appends to the file. Sets *epoch to
 * the epoch of the samples. All loaded records were in the file at one moment, and every record is
 * checked. The caller must call stack_tree_deinit if the function succeeds, and must not call it
 * after an error. Errors as sdb_image_load.
 */
int stack_file_load(const char *path, struct stack_tree *tree, uint64_t *epoch, struct diag *diag);

/*
 * Verifies every invariant of doc/stack-file.md. Returns 0; -EILSEQ with the details in diag; or an
 * error of reading.
 */
int stack_file_check(const char *path, struct diag *diag);

#endif
