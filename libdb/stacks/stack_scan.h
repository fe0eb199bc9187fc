/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the records of a stack file (oprof/stack_file.h) with pread and checks them. Used to load
 * and check a file, and to index it when it is opened for writing.
 */
#ifndef LIBDB_STACK_SCAN_H
#define LIBDB_STACK_SCAN_H

#include "lib/diag.h"
#include "libdb/slice/stack_tree.h"
#include "oprof/stack_file.h"

#include <stdbool.h>
#include <stdint.h>

/* Limit of a record's length: a struct and three strings of at most PATH_MAX fit. */
#define STACK_RECORD_BYTES_MAX (32u << 10)

/*
 * One of these is called for each record. It returns a number below 2^31, which stands for the
 * record in later calls; -EEXIST: an equal record exists; or -ENOMEM, ... Strings are valid during
 * the call only.
 */
struct stack_scan_ops {
	int64_t (*root)(void *context, const struct slice_section *section, uint32_t position);
	int64_t (*image)(void *context, const struct stack_image *image, uint32_t position);
	/* parent: the number of a root or a node; image: the number of an image, or STACK_MARK() */
	int64_t (*node)(void *context, const struct oprof_stack_node *record, uint32_t parent,
			uint32_t image, uint32_t position);
};

/*
 * Reads and checks the header of fd. The copy is consistent, even if a writer changes the file
 * concurrently. Returns 0; -ENODATA: the file was never begun; -EINVAL: not a stack file; -EILSEQ:
 * damaged; -EPROTONOSUPPORT: another version or byte order, or an unknown flag; -EAGAIN: emptied
 * too often; or -errno; sets diag.
 */
int stack_scan_header(int fd, const char *path, struct oprof_stack_header *header,
		      struct diag *diag);

/* Returns whether the file is being emptied, so that its records do not count. */
bool stack_scan_is_void(const struct oprof_stack_header *header);

/*
 * Reads all records up to header->nr_bytes and calls ops for each. Returns 0; -EILSEQ: damaged;
 * -ENOMEM; or -errno; sets diag.
 */
int stack_scan(int fd, const char *path, const struct oprof_stack_header *header,
	       const struct stack_scan_ops *ops, void *context, struct diag *diag);

#endif
