/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What names the functions of a binary, and nothing else of it: a copy with
 * the same headers, build-id, symbol tables, their strings, and what names the
 * slots of its procedure linkage table. Code and data keep their headers and
 * lose their bytes (SHT_NOBITS), as in a separate debug file; readers of
 * symbols read it like the binary itself.
 *
 * Copies bytes between descriptors and looks only at headers, so that it
 * needs no library; what the tables hold is for their reader to judge.
 */
#ifndef LIB_ELF_SKELETON_H
#define LIB_ELF_SKELETON_H

#include <stdint.h>

/*
 * From the file open at from to the empty one at to, both 32 or 64 bits, any
 * byte order. 0; -ENOEXEC not ELF; -EILSEQ damaged; -EFBIG more than
 * max_bytes would be written: then nothing is; -ENOMEM, or -errno of reading
 * or writing.
 */
int elf_skeleton_write(int from, int to, uint64_t max_bytes);

#endif
