/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skeletons of binaries: copies that keep only what names their functions. A skeleton has the
 * headers, build-id, symbol tables with their strings, and the sections that name the slots of
 * the procedure linkage table. Other sections keep their headers and lose their bytes
 * (SHT_NOBITS), as in a separate debug file. Symbol readers read a skeleton like the binary
 * itself.
 *
 * The copy needs no ELF library: it looks only at headers. The content of the tables is not
 * checked.
 */
#ifndef LIB_ELF_SKELETON_H
#define LIB_ELF_SKELETON_H

#include <stdint.h>

/*
 * Writes the skeleton of the file open at from to the empty file open at to. Both have the
 * same word size (32 or 64 bits) and byte order. Returns 0; -ENOEXEC: not ELF; -EILSEQ:
 * damaged; -EFBIG: the skeleton would exceed max_bytes, nothing is written; -ENOMEM; or -errno
 * of reading or writing.
 */
int elf_skeleton_write(int from, int to, uint64_t max_bytes);

#endif
