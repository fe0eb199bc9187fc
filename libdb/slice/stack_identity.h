/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tells roots of call trees apart, and images: their order, and hashes for stack_index.h. */
#ifndef LIBDB_STACK_IDENTITY_H
#define LIBDB_STACK_IDENTITY_H

#include "libdb/slice/stack_tree.h"

#include <stdint.h>

/* As slice_section_compare orders sections, without their images. */
int stack_root_compare(const struct slice_section *a, const struct slice_section *b);
uint32_t stack_root_hash(const struct slice_section *section);

/* Two of one build-id are one, whatever else their identities say. */
int stack_image_compare(const struct stack_image *a, const struct stack_image *b);
uint32_t stack_image_hash(const struct stack_image *image);

#endif
