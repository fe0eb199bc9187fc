/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of AArch64 without a word of how its frames are left, as the vdso of
 * older kernels is: a function that calls none and leaves the stack pointer
 * alone is known by that, as its return address stays in x30.
 *
 * Not for: files in general; it believes that all code is in functions of .dynsym.
 */
#ifndef UNWIND_CODE_BARE_H
#define UNWIND_CODE_BARE_H

#include "unwind/code_builder.h"
#include "unwind/code_elf.h"

/* Add all that is known of elf to an empty builder. 0; -EFBIG, -EILSEQ, -ENOMEM, -errno. */
int code_bare_add(struct code_builder *builder, struct code_elf *elf);

#endif
