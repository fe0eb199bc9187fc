/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads code from one ELF file. Runs in the helper (symbol_helper.h). */
#ifndef PP_CODE_READER_H
#define PP_CODE_READER_H

#include "pp/code/code_bytes.h"
#include "pp/symbols/symbol_image.h"

/* One range's code. */
struct code_read {
	uint8_t *bytes;	  /* malloc'ed, followed by `padding` zeros; NULL: no code */
	size_t nr_bytes;  /* how many bytes the file has, from the start of the range */
	uint64_t address; /* address of the first byte */
};

/*
 * Reads the code of one range. Returns 0, -EFBIG, -ENOMEM or -errno; after an error, there is
 * nothing to free.
 */
int code_reader_range(const struct symbol_file *file, const struct code_range *range,
		      size_t padding, struct code_read *read);

/*
 * Writes to fd the code that code_bytes_take() will map. request->more points to a struct
 * code_bytes_request.
 */
int code_reader_read(const struct symbol_request *request, int fd);

#endif
