/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembles parts of one ELF file with libopcodes. Runs in the helper (symbol_helper.h). On x86,
 * equal bytes have equal text, unless the text contains an address. So most instructions are found
 * in a cache, and need not be decoded again.
 */
#ifndef PP_DISASSEMBLY_READER_H
#define PP_DISASSEMBLY_READER_H

#include "pp/symbols/symbol_reader.h"

/*
 * Writes the disassembly to fd in the format of disassembly_wire.h. request->more points to a
 * struct disassembly_request. Returns -ENOMEM, -errno, or 0 even if there is no code (`lack` and
 * `note` then give the reason).
 */
int disassembly_read(const struct symbol_request *request, int fd);

#endif
