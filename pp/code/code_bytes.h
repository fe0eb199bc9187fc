/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads ranges of a binary image's code, in the confined child process that reads binaries. A range
 * is returned either complete or not at all.
 *
 * Not for kernel modules, or for code that is not in a file.
 */
#ifndef PP_CODE_BYTES_H
#define PP_CODE_BYTES_H

#include "pp/symbols/symbols.h"

#include <stddef.h>
#include <stdint.h>

/* The keys from `start` up to, but not including, `end`. */
struct code_range {
	uint64_t start, end;
};

struct code_bytes_request {
	const struct code_range *ranges; /* each with start < end */
	size_t nr_ranges;
};

/*
 * The bytes of one range, which begin at `offset` in code_bytes.memory. nr_bytes is 0 if the file
 * does not have all bytes.
 */
struct code_part {
	uint64_t offset, nr_bytes;
};

struct code_bytes {
	const struct code_part *parts; /* in the order of the ranges; NULL: no code could be read */
	size_t nr_parts;
	void *memory; /* internal: a mapping with the parts and the bytes */
	size_t memory_bytes;
};

/*
 * Reads the requested ranges. A range that cannot be read has no bytes. Returns 0, or -ENOMEM or
 * -errno if an error occurs in this process (not in the child).
 */
int code_bytes_load(struct code_bytes *code, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search, const struct code_bytes_request *request);
void code_bytes_deinit(struct code_bytes *code);

/* Returns the bytes of the range with this index, or NULL if the range could not be read. */
const uint8_t *code_bytes_of(const struct code_bytes *code, size_t range);

/*
 * Maps the child's result from fd: nr_ranges of struct code_part, then the
 * bytes. Returns 0, -EILSEQ if the result is invalid, -ENOMEM or -errno; *code
 * is untouched on failure.
 */
int code_bytes_take(int fd, const struct code_bytes_request *request, struct code_bytes *code);

#endif
