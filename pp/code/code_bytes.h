/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of parts of a binary image's code, read in the confined child
 * that reads binaries. A part that its file has not all bytes of has none:
 * whoever is given bytes has all that were asked for.
 *
 * Not for: modules and code that is in no file.
 */
#ifndef PP_CODE_BYTES_H
#define PP_CODE_BYTES_H

#include "pp/symbols/symbols.h"

#include <stddef.h>
#include <stdint.h>

/* Keys from start up to end. */
struct code_range {
	uint64_t start, end;
};

struct code_bytes_request {
	const struct code_range *ranges; /* start < end each */
	size_t nr_ranges;
};

/* Of a range: its bytes lie at offset in the result; 0 of them: the file has not all. */
struct code_part {
	uint64_t offset, nr_bytes;
};

struct code_bytes {
	const struct code_part *parts; /* by range; NULL: there are none */
	size_t nr_parts;
	void *memory; /* internal: a mapping that holds parts and bytes */
	size_t memory_bytes;
};

/* What cannot be read has no bytes. -ENOMEM or -errno only when this process itself fails. */
int code_bytes_load(struct code_bytes *code, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search, const struct code_bytes_request *request);
void code_bytes_deinit(struct code_bytes *code);

/* All bytes of the range with this index, or NULL. */
const uint8_t *code_bytes_of(const struct code_bytes *code, size_t range);

/*
 * What the child hands back: nr_ranges of struct code_part, and the bytes.
 * 0, -EILSEQ when that is not so, -ENOMEM, -errno; *code is then untouched.
 */
int code_bytes_take(int fd, const struct code_bytes_request *request, struct code_bytes *code);

#endif
