/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AArch64 code without unwind tables, such as the vdso of older kernels. code_bare_add()
 * recognises functions that call no other function and do not move the stack pointer: their return
 * address stays in x30.
 *
 * code_bare_add() must not be used for other files, because it assumes that .dynsym lists all
 * functions.
 */
#ifndef UNWIND_CODE_BARE_H
#define UNWIND_CODE_BARE_H

#include "unwind/code_builder.h"
#include "unwind/code_elf.h"

/*
 * Adds the recognised functions of the file `elf` to an empty builder. Returns 0, -EFBIG, -EILSEQ,
 * -ENOMEM or -errno.
 */
int code_bare_add(struct code_builder *builder, struct code_elf *elf);

#endif
