/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading code out of one ELF file. Runs in the helper (symbol_helper.h). */
#ifndef PP_CODE_READER_H
#define PP_CODE_READER_H

#include "pp/code/code_bytes.h"
#include "pp/symbols/symbol_image.h"

/* One range's code. */
struct code_read {
	uint8_t *bytes;	  /* malloc'ed, with padding of 0 behind; NULL: there is no code */
	size_t nr_bytes;  /* what the file has of the range, from its start */
	uint64_t address; /* of the first */
};

/* 0, -EFBIG, -ENOMEM or -errno; nothing to free then. */
int code_reader_range(const struct symbol_file *file, const struct code_range *range,
		      size_t padding, struct code_read *read);

/* Write what code_bytes_take takes; request->more is a struct code_bytes_request. */
int code_reader_read(const struct symbol_request *request, int fd);

#endif
