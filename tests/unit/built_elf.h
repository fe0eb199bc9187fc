/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binaries that a test has built for itself, in a folder that it removes. */
#ifndef TESTS_UNIT_BUILT_ELF_H
#define TESTS_UNIT_BUILT_ELF_H

#include <stddef.h>

/* Make a temporary folder; fails the test where it can't. */
void built_elf_init(void);
void built_elf_deinit(void);

/* The path of name in that folder, in a static buffer of eight. */
const char *built_elf_path(const char *name);

/* Write text to name. */
void built_elf_write(const char *name, const void *bytes, size_t nr_bytes);
void built_elf_source(const char *name, const char *text);

/* Run a shell command in the folder; fails the test when it fails. */
void built_elf_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
