/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants and tests that the writer and the parser of sample files' names share. */
#ifndef LIBDB_SAMPLE_NAME_INTERNAL_H
#define LIBDB_SAMPLE_NAME_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#define SAMPLE_COMPONENT_BYTES_MAX 255u /* NAME_MAX of common file systems */
#define SAMPLE_HASH_MARK	   "%~" /* not an escape: '~' is not a hexadecimal digit */
#define SAMPLE_HASH_MARK_BYTES	   (2u + 16u)
#define SAMPLE_ROOT		   "{root}"
#define SAMPLE_KERN		   "{kern}"
#define SAMPLE_DEP		   "{dep}"
#define SAMPLE_ANON		   "{anon:"
#define SAMPLE_NR_FIELDS	   8

/* Returns whether component ends with the mark of a cut component and its 16 digits. */
bool sample_component_is_hashed(const char *component, size_t nr_bytes);

#endif
