/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skeletons of binaries: copies that keep only the parts by which functions are named. A skeleton
 * has the headers, build-id, symbol tables with their strings, and the sections from which the
 * slots of the procedure linkage table get names. Other sections keep their headers and lose
 * their bytes (SHT_NOBITS), as in a separate debug file. Symbol readers can read a skeleton like
 * the binary itself.
 *
 * The copy needs no ELF library: it looks only at headers. The content of the tables is not
 * checked.
 */
#ifndef LIB_ELF_SKELETON_H
#define LIB_ELF_SKELETON_H

#include <stdint.h>

/*
 * Writes the skeleton of the binary open at descriptor `from` to the empty file open at
 * descriptor `to`. Both have the same word size (32 or 64 bits) and byte order. Returns 0;
 * -ENOEXEC: not an ELF file; -EILSEQ: the file is damaged; -EFBIG: the skeleton would exceed
 * max_bytes, nothing is written; -ENOMEM; or -errno of reading or writing.
 */
int elf_skeleton_write(int from, int to, uint64_t max_bytes);

#endif
