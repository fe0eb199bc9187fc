/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that no unwind table tells of, but that is known by its form:
 * procedure linkage tables, where the linker makes no table for them, and the
 * trampolines that handlers of signals return to.
 */
#ifndef UNWIND_CODE_GAPS_H
#define UNWIND_CODE_GAPS_H

#include "unwind/code_builder.h"
#include "unwind/code_elf.h"

/*
 * Add to builder what is known of the keys [start, end), and that there is
 * nothing for the rest. 0, or of code_builder_add.
 */
int code_gaps_add(struct code_builder *builder, struct code_elf *elf, uint64_t start, uint64_t end);

/* A handler of signals returns to somewhere in [start, end). */
bool code_gaps_has_trampoline(struct code_elf *elf, uint64_t start, uint64_t end);

#endif
