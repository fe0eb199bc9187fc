/* SPDX-License-Identifier: GPL-2.0-only */
/* A set of threads and their descendants. */
#ifndef KMOD_TRACE_TREE_H
#define KMOD_TRACE_TREE_H

#include <linux/types.h>

struct task_struct;
struct trace_tree;

/* Creates an empty set. -ENOENT: this kernel does not report new threads; -ENOMEM. */
int trace_tree_create(struct trace_tree **tree);
/* Returns -EINVAL if a tid is too large. */
int trace_tree_add(struct trace_tree *tree, const u64 *tids, u32 nr);
bool trace_tree_has(const struct trace_tree *tree, const struct task_struct *task);
/* If tree is NULL, this function and the next do nothing. */
void trace_tree_unregister(struct trace_tree *tree);
/* To be called after trace_tree_unregister(), when running probes have returned. */
void trace_tree_free(struct trace_tree *tree);

#endif
