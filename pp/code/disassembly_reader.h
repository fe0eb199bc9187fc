/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembling parts of one ELF file by libopcodes. Runs in the helper
 * (symbol_helper.h). x86 code decodes to the same text wherever the same bytes
 * stand, but for addresses: most of it is looked up, not decoded again.
 */
#ifndef PP_DISASSEMBLY_READER_H
#define PP_DISASSEMBLY_READER_H

#include "pp/symbols/symbol_reader.h"

/*
 * Write what disassembly_wire.h says to fd; request->more is a struct
 * disassembly_request. 0 also when there is nothing to disassemble (lack and
 * note then tell); -ENOMEM or -errno.
 */
int disassembly_read(const struct symbol_request *request, int fd);

#endif
