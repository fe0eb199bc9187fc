/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going through the records of a stack file (oprof/stack_file.h) with pread,
 * trusting none: for reading it, checking it, and finding again what is there
 * when it is opened for writing.
 */
#ifndef LIBDB_STACK_SCAN_H
#define LIBDB_STACK_SCAN_H

#include "lib/diag.h"
#include "libdb/slice/stack_tree.h"
#include "oprof/stack_file.h"

#include <stdbool.h>
#include <stdint.h>

/* A record is no longer: three strings, the longest of PATH_MAX, fit well. */
#define STACK_RECORD_BYTES_MAX (32u << 10)

/*
 * What comes of each record: a number, below 2^31, by which later ones are
 * told of it; -EEXIST where it is there already, -ENOMEM, ... Strings are valid during the call.
 */
struct stack_scan_ops {
	int64_t (*root)(void *context, const struct slice_section *section, uint32_t position);
	int64_t (*image)(void *context, const struct stack_image *image, uint32_t position);
	/* parent: the number of a root or a node; image: of an image, or STACK_MARK() */
	int64_t (*node)(void *context, const struct oprof_stack_node *record, uint32_t parent,
			uint32_t image, uint32_t position);
};

/*
 * Read the header of fd and check it, as it was at one moment of one epoch,
 * whatever a writer does meanwhile. 0, -ENODATA never begun, -EINVAL no stack
 * file, -EILSEQ, -EPROTONOSUPPORT, -EAGAIN emptied too often, -errno; diag.
 */
int stack_scan_header(int fd, const char *path, struct oprof_stack_header *header,
		      struct diag *diag);

/* The records count for nothing: the file is being emptied. */
bool stack_scan_is_void(const struct oprof_stack_header *header);

/* All records that header tells of. 0, -EILSEQ and diag, -ENOMEM, -errno. */
int stack_scan(int fd, const char *path, const struct oprof_stack_header *header,
	       const struct stack_scan_ops *ops, void *context, struct diag *diag);

#endif
