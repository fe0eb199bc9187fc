/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skeletons of binaries. A skeleton is a copy with only the parts that are needed to find the names
 * of functions: the headers, the build-id, the symbol tables with their strings, and the sections
 * that give names to the slots of the procedure linkage table. For all other sections, a skeleton
 * has only the headers (with type SHT_NOBITS), as in a separate debug file. Symbol readers can read
 * a skeleton like the binary itself.
 *
 * No ELF library is needed, because only headers are interpreted. The content of the tables is not
 * checked.
 */
#ifndef LIB_ELF_SKELETON_H
#define LIB_ELF_SKELETON_H

#include <stdint.h>

/*
 * Writes the skeleton of the binary open at descriptor `from` to the empty file open at descriptor
 * `to`. The skeleton has the binary's word size (32 or 64 bits) and byte order. Returns 0;
 * -ENOEXEC: not an ELF file; -EILSEQ: the file is damaged; -EFBIG: the skeleton would exceed
 * max_bytes, nothing is written; -ENOMEM; or -errno of reading or writing.
 */
int elf_skeleton_write(int from, int to, uint64_t max_bytes);

#endif
