/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises two kinds of code without unwind information: some procedure linkage tables (PLT),
 * for which the linker wrote no such information, and the trampolines to which signal handlers
 * return.
 */
#ifndef UNWIND_CODE_GAPS_H
#define UNWIND_CODE_GAPS_H

#include "unwind/code_builder.h"
#include "unwind/code_elf.h"

/*
 * Adds the recognised code in the keys [start, end) to the builder. The rest of this range is
 * added as code without a function. Returns 0 or an error of code_builder_add.
 */
int code_gaps_add(struct code_builder *builder, struct code_elf *elf, uint64_t start, uint64_t end);

/* Returns whether [start, end) contains a trampoline of signal handlers. */
bool code_gaps_has_trampoline(struct code_elf *elf, uint64_t start, uint64_t end);

#endif
