/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call trees of a selection (libdb/slice/stack_tree.h), added up to one tree of functions. Each
 * column has the sum over all sessions, slices and other properties that the column includes.
 *
 * A function is a pair (image, symbol) of the flat profile; a node has at most one child for each
 * function. A stack is selected like the sample at its leaf: by application and by the leaf's
 * image. So the sum over all roots, plus nr_missing, is the total of the flat profile. A root
 * stands for the program that ran. The root includes the samples of kernel code that ran for this
 * program, even if these samples are stored under the kernel's image. So a root may have more
 * samples than its application in the flat profile.
 *
 * This module uses profiles and symbols. It does not lay out text.
 */
#ifndef PP_CALL_TREE_H
#define PP_CALL_TREE_H

#include "libdb/slice/stack_tree.h"
#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct call_function {
	uint32_t image; /* index in call_tree.images; CALL_IMAGE_NONE: a mark */
	/*
	 * The name, not demangled; belongs to call_tree.strings. NULL: code outside all symbols. A
	 * mark has the name "[truncated]", "[broken]", "[other]" or "[unknown]".
	 */
	const char *name;
	/* address of the first byte, as in the file's symbol table; 0: unknown */
	uint64_t address;
	uint64_t offset;   /* key of the first byte; 0: unknown */
	uint64_t nr_bytes; /* 0: not known */
	/*
	 * No symbol covers the function, but its first byte is known. Its name is "IMAGE+0xOFFSET".
	 */
	bool is_nameless;
	enum oprof_stack_mark mark; /* OPROF_STACK_MARKS: not a mark */
};

#define CALL_IMAGE_NONE UINT32_MAX
#define CALL_NODE_NONE	UINT32_MAX

struct call_node {
	uint32_t parent;   /* smaller than the node's own index; CALL_NODE_NONE: a root */
	uint32_t function; /* index in call_tree.functions; for a root: index in call_tree.apps */
};

/* An image. As with struct selection_image, any two images differ in path, identity or kind. */
struct call_image {
	const char *path; /* path that reports show; belongs to call_tree.strings */
	enum oprof_image_kind kind;
	struct oprof_image_identity identity;
	uint64_t image_start;
	uint32_t session; /* index of one of the selection's sessions that have the image */
	bool has_symbols;
	enum symbols_lack lack;
	char *note; /* states what is missing and what to install; NULL: nothing is missing */
};

/*
 * The columns are the same as the profile's: one for each class and side. Counts and shares are as
 * in struct profile.
 */
struct call_tree {
	const struct profile *profile; /* the flat profile */
	/* paths of the applications, sorted; with --by, the names of the rows */
	const char **apps;
	struct call_image *images;
	struct call_function *functions;
	struct call_node *nodes; /* the first nr_apps are the roots, one for each application */
	/*
	 * Arrays of nr_nodes x nr_columns. self: samples of the node itself; below: sum of `self`
	 * of the node and of all nodes below it.
	 */
	uint64_t *self, *self_shares;
	uint64_t *below, *below_shares;
	size_t nr_apps, nr_images, nr_functions, nr_nodes, nr_columns;
	uint64_t *totals, *share_totals; /* one for each column */
	uint64_t nr_samples;		 /* sum over all columns */
	/* Samples, among nr_samples, whose stacks are truncated, broken or folded. */
	uint64_t nr_truncated, nr_broken, nr_folded;
	uint64_t nr_filtered; /* samples removed by include and exclude */
	/* Samples of the flat profile whose stacks were not recorded or were lost. */
	uint64_t nr_missing;
	size_t nr_damaged; /* trees that could not be read; each was reported to skip() */
	bool is_flat;	   /* made by call_tree_flat(): each stack has one function */
	bool has_by_image; /* samples of some roots are stored under images, not under programs */
	/*
	 * The numbers of `self` for each stretch (interval) of time. A row of *time is a node.
	 * NULL: the profile has no times.
	 */
	struct profile_time *time;
	struct strings strings;
};

/*
 * Builds the call tree of flat->selection, which must include stacks. *flat may lack symbols, and
 * must outlive the tree. options->include and ->exclude select stacks by the function at their
 * leaf. Returns 0; -ENODATA if no sample has a stack (diag explains how to record stacks); -EINVAL
 * from rows_by_name(); or an error of call_functions_make(). After an error, *tree needs no deinit.
 */
int call_tree_build(struct call_tree *tree, const struct profile *flat,
		    const struct profile_options *options, struct diag *diag);

/*
 * Builds a tree in which each row of *flat is a stack of one function. *flat must have symbols.
 * Returns 0 or -ENOMEM.
 */
int call_tree_flat(struct call_tree *tree, const struct profile *flat);
void call_tree_deinit(struct call_tree *tree);

/* These functions return the nr_columns numbers of samples, or shares, of a node. */
static inline const uint64_t *call_tree_self(const struct call_tree *tree, size_t node)
{
	return tree->self + node * tree->nr_columns;
}

static inline const uint64_t *call_tree_self_shares(const struct call_tree *tree, size_t node)
{
	return tree->self_shares + node * tree->nr_columns;
}

static inline const uint64_t *call_tree_below(const struct call_tree *tree, size_t node)
{
	return tree->below + node * tree->nr_columns;
}

static inline const uint64_t *call_tree_below_shares(const struct call_tree *tree, size_t node)
{
	return tree->below_shares + node * tree->nr_columns;
}

/*
 * The call graph: an arc from each caller to each callee, with the number of samples whose stacks
 * contain this call, summed over applications. A sample counts once for a function or an arc, even
 * if its stack contains the function or arc several times.
 */
struct call_arc {
	uint32_t caller, callee; /* indexes in the tree's functions */
};

struct call_graph {
	const struct call_tree *tree;
	/* nr_functions x nr_columns */
	uint64_t *self, *self_shares;	/* samples of the function itself */
	uint64_t *below, *below_shares; /* samples whose stacks contain the function */
	struct call_arc *arcs;
	size_t nr_arcs;
	/* Arrays of nr_arcs x nr_columns: samples whose stacks contain the arc. */
	uint64_t *arc_counts, *arc_shares;
	/*
	 * Like arc_counts, but a sample counts only for the arc to the outermost frame of the
	 * callee. So the value of `below` for a function is the sum of arc_costs of all arcs to the
	 * function, plus `below` of the function's nodes that are directly under roots.
	 */
	uint64_t *arc_costs, *arc_cost_shares;
	/* Indexes in `arcs`, sorted by callee or by caller, then by share, largest first. */
	uint32_t *by_callee, *by_caller;
	size_t *first_by_callee, *first_by_caller; /* nr_functions + 1 entries each */
};

/* Builds the call graph of a tree. The tree must outlive the graph. Returns 0 or -ENOMEM. */
int call_graph_build(struct call_graph *graph, const struct call_tree *tree);
void call_graph_deinit(struct call_graph *graph);

#endif
