// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/calls/call_stacks.h"

#include "lib/array.h"
#include "lib/saturate.h"
#include "libdb/slice/slice_format.h"
#include "pp/selection/part_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum leaf { LEAF_NEW, LEAF_CHOSEN, LEAF_LEFT_OUT };

/* The state while one call tree is added. */
struct tree_adding {
	struct call_stacks *stacks;
	const struct stack_tree *tree;
	uint32_t session, side, stretch;
	const struct spec *spec;
	/* The specification also selects by the image of the leaf. */
	bool by_leaf;
	struct part_shown *shown; /* for each root of the tree; its member `image` is not set */
	const char **image_paths; /* for each image of the tree */
	uint32_t *images, *roots,
		*nodes;	 /* for each image, root and node of the tree: its index in `stacks` */
	uint8_t *leaves; /* enum leaf for each pair of a root and an image of the tree */
};

/* ---- growing arrays ---- */

/*
 * Makes room for one more element. Returns false if out of memory, or if indexes would need more
 * than 32 bits.
 */
static bool grow(void *array, size_t nr, size_t *room, size_t nr_bytes)
{
	return nr < CALL_IMAGE_NONE / 2 && !array_reserve_bytes(array, room, nr, 1, nr_bytes);
}

static uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return index_table_hash(index_table_hash(0, a), b);
}

/* ---- numbers of elements: equal elements have equal numbers ---- */

static bool same_app(uint32_t index, const void *key, void *context)
{
	const struct call_stacks *stacks = context;

	return stacks->apps[index] == key;
}

static int number_app(struct call_stacks *stacks, const char *app, uint32_t *number)
{
	uint64_t hash = hash_pair(1, (uint64_t)(uintptr_t)app);

	*number = index_table_find(&stacks->app_table, hash, same_app, app, stacks);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (!grow(&stacks->apps, stacks->nr_apps, &stacks->apps_room, sizeof(*stacks->apps)) ||
	    index_table_put(&stacks->app_table, hash, (uint32_t)stacks->nr_apps))
		return -ENOMEM;
	*number = (uint32_t)stacks->nr_apps;
	stacks->apps[stacks->nr_apps++] = app;
	return 0;
}

static bool same_root(uint32_t index, const void *key, void *context)
{
	const struct call_stacks *stacks = context;
	const struct call_stack_root *wanted = key;

	return stacks->roots[index].app == wanted->app &&
	       stacks->roots[index].column == wanted->column;
}

static int number_root(struct call_stacks *stacks, const struct call_stack_root *root,
		       uint32_t *number)
{
	uint64_t hash = hash_pair(root->app, root->column);

	*number = index_table_find(&stacks->root_table, hash, same_root, root, stacks);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (!grow(&stacks->roots, stacks->nr_roots, &stacks->roots_room, sizeof(*stacks->roots)) ||
	    index_table_put(&stacks->root_table, hash, (uint32_t)stacks->nr_roots))
		return -ENOMEM;
	*number = (uint32_t)stacks->nr_roots;
	stacks->roots[stacks->nr_roots++] = *root;
	return 0;
}

/* Returns whether the image's keys are numbers of names, which each session assigns itself. */
static bool is_named(const struct call_image *image)
{
	return image->kind == OPROF_IMAGE_CODE ||
	       (image->kind == OPROF_IMAGE_BPF && *image->path == '[');
}

static bool same_image(uint32_t index, const void *key, void *context)
{
	const struct call_stacks *stacks = context;
	const struct call_image *image = &stacks->images[index];
	const struct call_image *wanted = key;

	return image->path == wanted->path && image->kind == wanted->kind &&
	       image->image_start == wanted->image_start &&
	       sample_identity(&image->identity) == sample_identity(&wanted->identity) &&
	       (!is_named(wanted) || image->session == wanted->session);
}

static int number_image(struct call_stacks *stacks, const struct call_image *image,
			uint32_t *number)
{
	uint64_t hash =
		hash_pair(sample_identity(&image->identity), (uint64_t)(uintptr_t)image->path);

	*number = index_table_find(&stacks->image_table, hash, same_image, image, stacks);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	if (!grow(&stacks->images, stacks->nr_images, &stacks->images_room,
		  sizeof(*stacks->images)) ||
	    index_table_put(&stacks->image_table, hash, (uint32_t)stacks->nr_images))
		return -ENOMEM;
	*number = (uint32_t)stacks->nr_images;
	stacks->images[stacks->nr_images++] = *image;
	return 0;
}

static bool same_key(uint32_t index, const void *key, void *context)
{
	const struct call_stacks *stacks = context;
	const struct call_key *wanted = key;

	return stacks->keys[index].offset == wanted->offset &&
	       stacks->keys[index].image == wanted->image;
}

static int number_key(struct call_stacks *stacks, const struct call_key *key, uint32_t *number)
{
	uint64_t hash = hash_pair(key->image, key->offset);

	*number = index_table_find(&stacks->key_table, hash, same_key, key, stacks);
	if (*number == INDEX_TABLE_NONE) {
		if (!grow(&stacks->keys, stacks->nr_keys, &stacks->keys_room,
			  sizeof(*stacks->keys)) ||
		    index_table_put(&stacks->key_table, hash, (uint32_t)stacks->nr_keys))
			return -ENOMEM;
		*number = (uint32_t)stacks->nr_keys;
		stacks->keys[stacks->nr_keys++] = *key;
	}
	stacks->keys[*number].sides |= key->sides;
	return 0;
}

static bool same_node(uint32_t index, const void *key, void *context)
{
	const struct call_stacks *stacks = context;
	const struct call_stack_node *node = &stacks->nodes[index];
	const struct call_stack_node *wanted = key;

	return node->parent == wanted->parent && node->key == wanted->key &&
	       node->root == wanted->root;
}

static uint64_t hash_node(const struct call_stack_node *node)
{
	return hash_pair((uint64_t)node->parent << 32 | node->root, node->key);
}

static int append_node(struct call_stacks *stacks, const struct call_stack_node *node,
		       uint32_t *number)
{
	if (!grow(&stacks->nodes, stacks->nr_nodes, &stacks->nodes_room, sizeof(*stacks->nodes)))
		return -ENOMEM;
	*number = (uint32_t)stacks->nr_nodes;
	stacks->nodes[stacks->nr_nodes++] = *node;
	return 0;
}

/*
 * All nodes of one call tree differ, so the nodes of the first tree are added without a look-up.
 * Some of these nodes may become equal, because their roots or images are merged. Equal nodes are
 * joined later, when they get their symbols.
 */
static int number_node(struct call_stacks *stacks, const struct call_stack_node *node,
		       uint32_t *number)
{
	uint64_t hash;
	int error;

	if (stacks->nr_trees == 1)
		return append_node(stacks, node, number);
	hash = hash_node(node);
	*number = index_table_find(&stacks->node_table, hash, same_node, node, stacks);
	if (*number != INDEX_TABLE_NONE)
		return 0;
	error = append_node(stacks, node, number);
	return error ? error : index_table_put(&stacks->node_table, hash, *number);
}

/*
 * Enters the nodes of the first tree into node_table. Called before the second tree is added.
 */
static int index_nodes(struct call_stacks *stacks)
{
	int error = 0;

	for (size_t i = 0; i < stacks->nr_nodes && !error; i++)
		error = index_table_put(&stacks->node_table, hash_node(&stacks->nodes[i]),
					(uint32_t)i);
	return error;
}

/* ---- selection ---- */

/* Returns whether the selection depends on a sample's image, not only on its application. */
static bool is_by_leaf(const struct spec *spec, const struct selection *selection)
{
	return spec->lists[SPEC_IMAGE_EXCLUDE].nr_patterns ||
	       spec->lists[SPEC_LIB_IMAGE].nr_patterns ||
	       spec->lists[SPEC_LIB_IMAGE_EXCLUDE].nr_patterns ||
	       spec->lists[SPEC_WORD].nr_patterns || selection->options.exclude_dependent;
}

static bool is_by_image(const struct tree_adding *adding, uint32_t root)
{
	return adding->tree->roots[root].flags & OPROF_STACK_BY_IMAGE;
}

/*
 * Returns whether the specification selects those samples of this root that were taken in the image
 * with this path.
 */
static bool is_chosen(const struct tree_adding *adding, uint32_t root, const char *image)
{
	struct part_shown shown = adding->shown[root];

	shown.image = image;
	if (is_by_image(adding, root))
		shown.app = image;
	if (adding->stacks->selection->options.exclude_dependent && shown.app != shown.image)
		return false;
	return part_match(adding->spec, &adding->tree->roots[root], &shown) == SPEC_NR_TAGS;
}

static bool is_idle(const struct stack_image *image)
{
	return image->kind == OPROF_IMAGE_IDLE;
}

static bool has_images(const struct tree_adding *adding)
{
	return adding->spec->lists[SPEC_IMAGE].nr_patterns;
}

static bool is_leaf_chosen(const struct tree_adding *adding, uint32_t root, uint32_t image)
{
	const struct stack_tree *tree = adding->tree;
	uint8_t *leaf;

	bool by_leaf = adding->by_leaf || is_by_image(adding, root);

	/* If the leaf of a sample is a mark, the sample's image is unknown. */
	if (image >= tree->nr_images)
		return !adding->by_leaf && (!is_by_image(adding, root) || !has_images(adding));
	if (is_idle(&tree->images[image]))
		return false;
	if (!by_leaf)
		return true;
	leaf = &adding->leaves[(size_t)root * tree->nr_images + image];
	if (*leaf == LEAF_NEW)
		*leaf = is_chosen(adding, root, adding->image_paths[image]) ? LEAF_CHOSEN
									    : LEAF_LEFT_OUT;
	return *leaf == LEAF_CHOSEN;
}

/* ---- adding one call tree ---- */

/*
 * Finds or adds the root in `stacks` for root `number` of the tree, and stores its index in
 * adding->roots[number]. The index is CALL_NODE_NONE if the root is not selected, or belongs to no
 * column. Returns 0 or -ENOMEM.
 */
static int take_root(struct tree_adding *adding, uint32_t number)
{
	struct call_stacks *stacks = adding->stacks;
	const struct classes *classes = &stacks->selection->classes;
	const struct slice_section *section = &adding->tree->roots[number];
	struct part_shown *shown = &adding->shown[number];
	struct call_stack_root root;
	struct class_key key;
	const char *row;
	size_t class;

	adding->roots[number] = CALL_NODE_NONE;
	shown->app = part_show_path(&section->app, stacks->strings);
	shown->cgroup = part_show_cgroup(section->cgroup, stacks->strings);
	if (!shown->app || !shown->cgroup ||
	    selection_class_key(stacks->selection, adding->session, section, shown->cgroup,
				stacks->strings, &key, &row))
		return -ENOMEM;
	class = classes_find(classes, &key);
	if (class == classes->nr_classes || (!adding->by_leaf && !is_by_image(adding, number) &&
					     !is_chosen(adding, number, shown->app)))
		return 0;
	stacks->has_by_image |= is_by_image(adding, number);
	root.column = (uint32_t)(class + adding->side * classes->nr_classes);
	if (number_app(stacks, row ? row : shown->app, &root.app))
		return -ENOMEM;
	return number_root(stacks, &root, &adding->roots[number]);
}

static int take_image(struct tree_adding *adding, uint32_t number)
{
	struct call_stacks *stacks = adding->stacks;
	const struct stack_image *from = &adding->tree->images[number];
	struct call_image image = {.kind = from->kind,
				   .identity = from->identity,
				   .image_start = from->image_start,
				   .session = adding->session};

	image.path = part_show_path(&from->path, stacks->strings);
	if (!image.path)
		return -ENOMEM;
	adding->image_paths[number] = image.path;
	return number_image(stacks, &image, &adding->images[number]);
}

static int take_root_node(struct tree_adding *adding, const struct stack_node *from, uint32_t *node)
{
	struct call_stack_node root = {.parent = CALL_NODE_NONE,
				       .key = CALL_NODE_NONE,
				       .root = adding->roots[from->image]};

	*node = CALL_NODE_NONE;
	if (root.root == CALL_NODE_NONE)
		return 0;
	return number_node(adding->stacks, &root, node);
}

static int take_child(struct tree_adding *adding, const struct stack_node *from, uint32_t *node)
{
	uint32_t parent = adding->nodes[from->parent];
	bool is_mark = from->image >= adding->tree->nr_images;
	struct call_key key = {.image = is_mark ? from->image : adding->images[from->image],
			       .offset = is_mark ? 0 : from->offset,
			       .sides = 1u << adding->side};
	struct call_stack_node child = {.parent = parent};

	*node = CALL_NODE_NONE;
	if (parent == CALL_NODE_NONE)
		return 0;
	child.root = adding->stacks->nodes[parent].root;
	if (number_key(adding->stacks, &key, &child.key))
		return -ENOMEM;
	return number_node(adding->stacks, &child, node);
}

static int take_samples(struct tree_adding *adding, uint32_t number, const struct stack_node *from)
{
	struct call_stack_node *node = &adding->stacks->nodes[number];

	node->nr_samples = saturate_sum(node->nr_samples, from->nr_samples);
	node->weight = saturate_sum(node->weight, from->weight);
	if (!adding->stacks->stretches)
		return 0;
	return profile_time_add(&adding->stacks->times,
				&(struct time_entry){.row = number,
						     .stretch = adding->stretch,
						     .nr_samples = from->nr_samples,
						     .share = from->weight});
}

/* Adds the tree's nodes and their selected samples. of_root: receives the root of each node. */
static int take_nodes(struct tree_adding *adding, uint32_t *of_root)
{
	const struct stack_tree *tree = adding->tree;
	int error = 0;

	for (uint32_t i = 0; i < tree->nr_nodes && !error; i++) {
		const struct stack_node *from = &tree->nodes[i];
		bool is_root = from->parent == STACK_NODE_ROOT;

		of_root[i] = is_root ? from->image : of_root[from->parent];
		error = is_root ? take_root_node(adding, from, &adding->nodes[i])
				: take_child(adding, from, &adding->nodes[i]);
		if (error || adding->nodes[i] == CALL_NODE_NONE || !from->nr_samples ||
		    (!is_root && !is_leaf_chosen(adding, of_root[i], from->image)))
			continue;
		error = take_samples(adding, adding->nodes[i], from);
	}
	return error;
}

static bool needs_leaves(const struct tree_adding *adding)
{
	bool needed = adding->by_leaf;

	for (uint32_t i = 0; i < adding->tree->nr_roots && !needed; i++)
		needed = is_by_image(adding, i);
	return needed;
}

static int make_adding(struct tree_adding *adding)
{
	const struct stack_tree *tree = adding->tree;
	size_t nr_leaves = needs_leaves(adding) ? (size_t)tree->nr_roots * tree->nr_images : 0;

	adding->shown = calloc((size_t)tree->nr_roots + 1, sizeof(*adding->shown));
	adding->image_paths = calloc((size_t)tree->nr_images + 1, sizeof(*adding->image_paths));
	adding->images = calloc((size_t)tree->nr_images + 1, sizeof(*adding->images));
	adding->roots = calloc((size_t)tree->nr_roots + 1, sizeof(*adding->roots));
	adding->nodes = calloc((size_t)tree->nr_nodes + 1, sizeof(*adding->nodes));
	adding->leaves = calloc(nr_leaves + 1, 1);
	return adding->shown && adding->image_paths && adding->images && adding->roots &&
			       adding->nodes && adding->leaves
		       ? 0
		       : -ENOMEM;
}

static void adding_deinit(struct tree_adding *adding)
{
	free(adding->shown);
	free(adding->image_paths);
	free(adding->images);
	free(adding->roots);
	free(adding->nodes);
	free(adding->leaves);
}

/*
 * Adds a call tree. part: for the tree of a slice, the slice's index in the session; for the tree
 * of the live files, the session's number of slices.
 */
static int add_tree(struct call_stacks *stacks, const struct stack_tree *tree, size_t session,
		    size_t part, size_t side)
{
	const struct spec *spec = &stacks->selection->specs[side];
	struct tree_adding adding = {.stacks = stacks,
				     .tree = tree,
				     .session = (uint32_t)session,
				     .side = (uint32_t)side,
				     .spec = spec,
				     .by_leaf = is_by_leaf(spec, stacks->selection)};
	const struct profile_time *time = stacks->stretches;
	uint32_t *of_root = calloc((size_t)tree->nr_nodes + 1, sizeof(*of_root));
	int error = make_adding(&adding);

	stacks->has_stacks |= tree->nr_nodes != 0;
	if (time)
		adding.stretch = time->stretch_of[time->first_of[session] + part];
	if (!of_root)
		error = -ENOMEM;
	if (!error && ++stacks->nr_trees == 2)
		error = index_nodes(stacks);
	for (uint32_t i = 0; i < tree->nr_roots && !error; i++)
		error = take_root(&adding, i);
	for (uint32_t i = 0; i < tree->nr_images && !error; i++)
		error = take_image(&adding, i);
	if (!error)
		error = take_nodes(&adding, of_root);
	adding_deinit(&adding);
	free(of_root);
	return error;
}

/* ---- adding all trees of the selection ---- */

static int add_slice(struct call_stacks *stacks, size_t session, size_t part, size_t side,
		     void (*skip)(const char *path, const struct diag *diag))
{
	const struct part_slice *slice = &stacks->selection->sessions[session].parts.slices[part];
	struct stack_tree tree;
	struct diag why;
	int error = slice_read_stacks(slice->slice, &tree, &why);

	if (error == -ENOMEM)
		return error;
	if (error) {
		stacks->nr_damaged++;
		skip(slice->path, &why);
		return 0;
	}
	error = add_tree(stacks, &tree, session, part, side);
	stack_tree_deinit(&tree);
	return error;
}

static int add_session(struct call_stacks *stacks, size_t session, size_t side,
		       void (*skip)(const char *path, const struct diag *diag))
{
	const struct session_parts *parts = &stacks->selection->sessions[session].parts;
	int error = 0;

	for (size_t i = 0; i < parts->nr_slices && !error; i++)
		error = add_slice(stacks, session, i, side, skip);
	if (!error && parts->stacks)
		error = add_tree(stacks, parts->stacks, session, parts->nr_slices, side);
	stacks->nr_damaged += parts->nr_damaged_stacks;
	return error;
}

int call_stacks_read(struct call_stacks *stacks, const struct profile *flat,
		     struct strings *strings,
		     void (*skip)(const char *path, const struct diag *diag))
{
	const struct selection *selection = flat->selection;
	int error = 0;

	*stacks = (struct call_stacks){
		.selection = selection, .strings = strings, .stretches = flat->time};
	for (size_t i = 0; i < selection->nr_sides && !error; i++)
		for (size_t j = 0; j < selection->sides[i].nr_sessions && !error; j++)
			error = add_session(stacks, selection->sides[i].first_session + j, i, skip);
	index_table_deinit(&stacks->app_table);
	index_table_deinit(&stacks->image_table);
	index_table_deinit(&stacks->root_table);
	index_table_deinit(&stacks->key_table);
	index_table_deinit(&stacks->node_table);
	return error;
}

void call_stacks_deinit(struct call_stacks *stacks)
{
	for (size_t i = 0; stacks->images && i < stacks->nr_images; i++)
		free(stacks->images[i].note);
	free(stacks->apps);
	free(stacks->images);
	free(stacks->roots);
	free(stacks->keys);
	free(stacks->nodes);
	profile_time_deinit(&stacks->times);
	*stacks = (struct call_stacks){0};
}
