/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembles parts of one ELF file with libopcodes. Runs in the helper (symbol_helper.h).
 * On x86 equal bytes have equal text, except for addresses, so most instructions are looked
 * up in a cache instead of decoded again.
 */
#ifndef PP_DISASSEMBLY_READER_H
#define PP_DISASSEMBLY_READER_H

#include "pp/symbols/symbol_reader.h"

/*
 * Writes the disassembly to fd in disassembly_wire.h's format; request->more is a struct
 * disassembly_request. Returns 0 also if there is no code (lack and note give the reason);
 * -ENOMEM or -errno.
 */
int disassembly_read(const struct symbol_request *request, int fd);

#endif
