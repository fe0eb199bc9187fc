/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code without unwind information that can be recognised: procedure linkage
 * tables for which the linker wrote none, and the trampolines to which signal
 * handlers return.
 */
#ifndef UNWIND_CODE_GAPS_H
#define UNWIND_CODE_GAPS_H

#include "unwind/code_builder.h"
#include "unwind/code_elf.h"

/*
 * Adds to builder what is known about the keys [start, end). The rest is added
 * as no function. Returns 0 or the error of code_builder_add.
 */
int code_gaps_add(struct code_builder *builder, struct code_elf *elf, uint64_t start, uint64_t end);

/* Whether [start, end) contains a trampoline of signal handlers. */
bool code_gaps_has_trampoline(struct code_elf *elf, uint64_t start, uint64_t end);

#endif
