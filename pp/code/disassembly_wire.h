/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of the result of the child process that disassembles. As in symbol_wire.h, the parent
 * does not trust the result, and checks every number.
 *
 *   struct disassembly_wire_header
 *   struct disassembly_line [nr_lines]
 *   struct disassembly_part [nr_parts]
 *   strings_bytes of strings, each with its NUL
 */
#ifndef PP_DISASSEMBLY_WIRE_H
#define PP_DISASSEMBLY_WIRE_H

#include "pp/code/disassembly.h"

#include <stdint.h>

#define DISASSEMBLY_WIRE_MAGIC 0x44534d32u

struct disassembly_wire_header {
	uint32_t magic;
	uint32_t lack; /* enum symbols_lack */
	uint64_t nr_lines, nr_parts;
	uint32_t strings_bytes;
	uint32_t note; /* offset of the note in the strings; 0: none */
};

/*
 * Fills *disassembly from the content of fd. Returns 0, -EILSEQ if the content is invalid,
 * -ENOMEM or -errno; *disassembly is untouched on failure.
 */
int disassembly_wire_read(int fd, struct disassembly *disassembly);

#endif
