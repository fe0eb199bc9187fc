/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a slice. The caller first adds all sections in order, and then writes the slice to a file.
 */
#ifndef LIBDB_SLICE_WRITER_H
#define LIBDB_SLICE_WRITER_H

#include "libdb/slice/slice.h"
#include "libdb/slice/slice_packer.h"
#include "libdb/slice/stack_tree.h"

#include <stddef.h>
#include <stdint.h>

struct slice_writer {
	struct slice_packer keys, counts, weights, stacks;
	uint64_t nr_stack_samples;
	ZSTD_CCtx *small;
};

/*
 * Adds the next section, in the order of slice_section_compare. The keys of entries must ascend,
 * and nr_entries must not be 0. Sets the section's sums. Sets the section's flag
 * OPROF_SDB_WEIGHTED if its weights must be stored, else clears this flag. Returns 0 or -ENOMEM.
 */
int slice_writer_add(struct slice_writer *writer, struct slice_section *section,
		     const struct sdb_entry *entries, size_t nr_entries);

/*
 * Adds the call trees of all sections. The call trees are folded if they have more than
 * STACK_TREE_NODES_MAX nodes. Returns 0 or -ENOMEM.
 */
int slice_writer_stacks(struct slice_writer *writer, const struct stack_tree *tree);

/* Writes all added sections to fd. Returns 0 or an error, like slice_builder_write. */
int slice_writer_finish(struct slice_writer *writer, const struct slice_section *const *sections,
			size_t nr_sections, const struct slice_info *info, int fd,
			uint64_t *nr_bytes);

void slice_writer_deinit(struct slice_writer *writer);

#endif
