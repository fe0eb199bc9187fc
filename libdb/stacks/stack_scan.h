/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the records of a stack file (oprof/stack_file.h) with pread, and checks the records. A
 * reader uses these functions to load and check a file. A writer uses them to index a file that it
 * opens.
 */
#ifndef LIBDB_STACK_SCAN_H
#define LIBDB_STACK_SCAN_H

#include "lib/diag.h"
#include "libdb/slice/stack_tree.h"
#include "oprof/stack_file.h"

#include <stdbool.h>
#include <stdint.h>

/* Maximum size of a record. A struct and three strings of PATH_MAX bytes fit. */
#define STACK_RECORD_BYTES_MAX (32u << 10)

/*
 * For each record, one of these functions is called. The function returns a number below 2^31,
 * which identifies the record in later calls; -EEXIST if an equal record exists; or another -errno
 * such as -ENOMEM. Strings are valid only during the call.
 */
struct stack_scan_ops {
	int64_t (*root)(void *context, const struct slice_section *section, uint32_t position);
	int64_t (*image)(void *context, const struct stack_image *image, uint32_t position);
	/*
	 * parent is the number of a root or a node; image is the number of an image, or
	 * STACK_MARK()
	 */
	int64_t (*node)(void *context, const struct oprof_stack_node *record, uint32_t parent,
			uint32_t image, uint32_t position);
};

/*
 * Reads and checks the header of fd. The copy is consistent, even if a writer changes the file
 * concurrently. Returns 0; -ENODATA: the file has no header yet; -EINVAL: not a stack file;
 * -EILSEQ: damaged; -EPROTONOSUPPORT: another version or byte order, or an unknown flag; -EAGAIN:
 * the file was emptied too often during the attempts; or another -errno. An error sets diag.
 */
int stack_scan_header(int fd, const char *path, struct oprof_stack_header *header,
		      struct diag *diag);

/* Returns whether the file is being emptied, so that its records must be ignored. */
bool stack_scan_is_void(const struct oprof_stack_header *header);

/*
 * Reads all records up to header->nr_bytes and calls a function of `ops` for each. Returns 0;
 * -EILSEQ: damaged; or another -errno. An error sets diag.
 */
int stack_scan(int fd, const char *path, const struct oprof_stack_header *header,
	       const struct stack_scan_ops *ops, void *context, struct diag *diag);

#endif
