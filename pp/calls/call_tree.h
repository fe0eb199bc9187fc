/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The container of call stacks: the trees of a selection (libdb/slice/stack_tree.h),
 * with symbols, summed over sessions, slices and whatever is not a column.
 *
 * A function is an (image, symbol) of the profile's kind; nodes of one parent
 * and one function are one. A stack is chosen as the sample that it ends in
 * is: by application, and the image of its leaf. So sums of all roots are
 * the flat profile's, but for what nr_missing counts. A root is the program that
 * ran: also of what the kernel did for it where that is filed under the kernel, so that single
 * roots may hold more than the flat profile's application.
 *
 * Knows profiles and symbols; not for layout.
 */
#ifndef PP_CALL_TREE_H
#define PP_CALL_TREE_H

#include "libdb/slice/stack_tree.h"
#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct call_function {
	uint32_t image;	   /* index in call_tree.images; CALL_IMAGE_NONE: a mark */
	const char *name;  /* as in the file, in the pool; NULL: outside every symbol; of a mark
			      "[truncated]", "[broken]", "[other]", "[unknown]" */
	uint64_t address;  /* of its first byte, as the file's symbol table has it; 0: not known */
	uint64_t offset;   /* key of its first byte; 0: not known */
	uint64_t nr_bytes; /* 0: not known */
	/* Outside every symbol, but where it begins is known: name is "IMAGE+0xOFFSET". */
	bool is_nameless;
	enum oprof_stack_mark mark; /* OPROF_STACK_MARKS: it is none */
};

#define CALL_IMAGE_NONE UINT32_MAX
#define CALL_NODE_NONE	UINT32_MAX

struct call_node {
	uint32_t parent;   /* index, smaller than the node's own; CALL_NODE_NONE: a root */
	uint32_t function; /* index; of a root: of its application in apps */
};

/* By path, identity and kind, as struct selection_image. */
struct call_image {
	const char *path; /* as shown, in the pool */
	enum oprof_image_kind kind;
	struct oprof_image_identity identity;
	uint64_t image_start;
	uint32_t session; /* index in the selection's of one that has the image */
	bool has_symbols;
	enum symbols_lack lack;
	char *note; /* what lacks and what to install; NULL */
};

/* Columns are the profile's: classes x sides; counts and shares as in struct profile. */
struct call_tree {
	const struct profile *profile; /* the flat one */
	const char **apps;	       /* ascending, with --by: what the rows are */
	struct call_image *images;
	struct call_function *functions;
	struct call_node *nodes; /* the first nr_apps are the roots, one for each application */
	/* nr_nodes x nr_columns: of samples that ended there, and with all below. */
	uint64_t *self, *self_shares;
	uint64_t *below, *below_shares;
	size_t nr_apps, nr_images, nr_functions, nr_nodes, nr_columns;
	uint64_t *totals, *share_totals;	     /* of each column */
	uint64_t nr_samples;			     /* of all columns */
	uint64_t nr_truncated, nr_broken, nr_folded; /* of those, by how their stacks end */
	uint64_t nr_filtered;			     /* taken out by include and exclude */
	uint64_t nr_missing; /* of the flat profile, without a stack: not recorded then, or lost */
	size_t nr_damaged;   /* trees that could not be read; each was told to skip() */
	bool is_flat;	     /* call_tree_flat: one function deep */
	bool has_by_image;   /* roots hold samples that are filed under their images */
	/* Where flat has its stretches of time: entries, whose rows are nodes; what ended there. */
	struct profile_time *time;
	struct strings strings;
};

/*
 * flat: of the same selection, which was made with stacks; with symbols or
 * without. include and exclude choose stacks by the function that they end
 * in. 0; -ENODATA: nothing of the selection has stacks (diag: how to record
 * them), -ENOMEM, ... Nothing to deinit then.
 */
int call_tree_build(struct call_tree *tree, const struct profile *flat,
		    const struct profile_options *options, struct diag *diag);

/* Of a profile with symbols: each row a stack of one function. 0 or -ENOMEM. */
int call_tree_flat(struct call_tree *tree, const struct profile *flat);
void call_tree_deinit(struct call_tree *tree);

/* Of a node: nr_columns samples, or shares. */
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
 * By function: for each, who called it and whom it called, with the samples
 * that went that way, summed over applications. A recursive function, and an
 * arc that comes again, counts a sample once, whatever the depth.
 */
struct call_arc {
	uint32_t caller, callee; /* functions */
};

struct call_graph {
	const struct call_tree *tree;
	/* nr_functions x nr_columns */
	uint64_t *self, *self_shares;	/* ended there */
	uint64_t *below, *below_shares; /* have the function somewhere in their stack */
	struct call_arc *arcs;
	size_t nr_arcs;
	/* nr_arcs x nr_columns: samples with the arc somewhere in their stack. */
	uint64_t *arc_counts, *arc_shares;
	/*
	 * The same, each sample for the outermost frame of its callee only: these of all arcs
	 * that lead to a function, and what roots have of it, are its below.
	 */
	uint64_t *arc_costs, *arc_cost_shares;
	/* Indexes of arcs, by callee (caller), then by samples, the most first. */
	uint32_t *by_callee, *by_caller;
	size_t *first_by_callee, *first_by_caller; /* nr_functions + 1 each */
};

int call_graph_build(struct call_graph *graph, const struct call_tree *tree); /* 0 or -ENOMEM */
void call_graph_deinit(struct call_graph *graph);

#endif
