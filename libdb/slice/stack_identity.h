/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares roots and images of call trees, and computes their hashes for stack_index.h. */
#ifndef LIBDB_STACK_IDENTITY_H
#define LIBDB_STACK_IDENTITY_H

#include "libdb/slice/stack_tree.h"

#include <stdint.h>

/* Like slice_section_compare, but without comparing images. */
int stack_root_compare(const struct slice_section *a, const struct slice_section *b);
uint32_t stack_root_hash(const struct slice_section *section);

/*
 * Compares by path, identity, kind and start. If both identities have a build-id, only the
 * build-ids are compared.
 */
int stack_image_compare(const struct stack_image *a, const struct stack_image *b);
uint32_t stack_image_hash(const struct stack_image *image);

#endif
