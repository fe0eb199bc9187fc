/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the records of roots and images for a stack file, and compares them with records in the
 * file. Used to find a record in the file and to append new records.
 */
#ifndef LIBDB_STACK_RECORD_H
#define LIBDB_STACK_RECORD_H

#include "libdb/stacks/stack_scan.h"

#include <stdbool.h>
#include <stdint.h>

struct stack_record {
	union {
		struct oprof_stack_record head;
		struct oprof_stack_root root;
		struct oprof_stack_image image;
		uint8_t bytes[STACK_RECORD_BYTES_MAX]; /* the first head.size_bytes are used */
	};
};

/* These functions build a record. They return 0 or -ENAMETOOLONG. */
int stack_record_root(struct stack_record *record, const struct slice_section *section);
int stack_record_image(struct stack_record *record, const struct stack_image *image);

/*
 * Returns whether `record` equals the record at `bytes`, of which at most nr_bytes bytes may be
 * read.
 */
bool stack_record_same(const struct stack_record *record, const uint8_t *bytes, uint64_t nr_bytes);

#endif
