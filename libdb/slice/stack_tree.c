// SPDX-License-Identifier: GPL-2.0-or-later
/* A call tree in memory: finding and appending nodes, sums, merging. */
#include "libdb/slice/stack_tree_internal.h"

#include "lib/saturate.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_identity.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_NODES_MIN   64u
#define NR_OTHERS_MIN  8u
#define TEXT_BYTES_MIN 4000u

/* Flags of a root: the flags that distinguish roots, and whether weights are stored. */
#define ROOT_FLAGS (SLICE_ROOT_FLAGS_TELL | OPROF_SDB_WEIGHTED)

int stack_tree_init(struct stack_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->memory = calloc(1, sizeof(*tree->memory));
	return tree->memory ? 0 : -ENOMEM;
}

static void index_destroy(struct stack_tree *tree)
{
	if (!tree->index)
		return;
	stack_index_deinit(&tree->index->nodes);
	stack_index_deinit(&tree->index->images);
	stack_index_deinit(&tree->index->roots);
	free(tree->index);
	tree->index = NULL;
}

/* ---- strings ---- */

struct stack_text {
	struct stack_text *before;
	size_t nr_bytes, room;
	char bytes[];
};

static void texts_free(struct stack_text *text)
{
	while (text) {
		struct stack_text *before = text->before;

		free(text);
		text = before;
	}
}

void stack_tree_deinit(struct stack_tree *tree)
{
	index_destroy(tree);
	if (tree->memory) {
		texts_free(tree->memory->texts);
		free(tree->memory->root_of);
	}
	free(tree->memory);
	free(tree->roots);
	free(tree->images);
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
}

const char *stack_tree_text(struct stack_tree *tree, const char *text, size_t nr_bytes)
{
	struct stack_text *last = tree->memory->texts;
	char *copy;

	if (!last || last->room - last->nr_bytes <= nr_bytes) {
		const size_t room = nr_bytes < TEXT_BYTES_MIN ? TEXT_BYTES_MIN : nr_bytes + 1;

		last = malloc(sizeof(*last) + room);
		if (!last)
			return NULL;
		*last = (struct stack_text){.before = tree->memory->texts, .room = room};
		tree->memory->texts = last;
	}
	copy = last->bytes + last->nr_bytes;
	memcpy(copy, text, nr_bytes);
	copy[nr_bytes] = '\0';
	last->nr_bytes += nr_bytes + 1;
	return copy;
}

/* Replaces *text by a copy that belongs to the tree. Returns 0 or -ENOMEM. */
static int text_keep(struct stack_tree *tree, const char **text)
{
	const char *copy = stack_tree_text(tree, *text, strlen(*text));

	if (copy)
		*text = copy;
	return copy ? 0 : -ENOMEM;
}

/* ---- appending ---- */

/* Doubles or allocates an array. Returns NULL if out of memory; the old array then stays valid. */
static void *array_bigger(void *array, uint32_t *room, uint32_t nr_min, size_t nr_bytes_each)
{
	const uint32_t nr = *room ? 2 * *room : nr_min;
	void *bigger = realloc(array, nr * nr_bytes_each);

	if (bigger)
		*room = nr;
	return bigger;
}

static int nodes_grow(struct stack_tree *tree)
{
	struct stack_tree_memory *memory = tree->memory;
	uint32_t room = memory->nodes_room;
	uint32_t *root_of;
	struct stack_node *nodes;

	if (room >= STACK_NUMBER_MAX / 2)
		return -E2BIG;
	root_of = array_bigger(memory->root_of, &room, NR_NODES_MIN, sizeof(*root_of));
	if (!root_of)
		return -ENOMEM;
	memory->root_of = root_of;
	nodes = array_bigger(tree->nodes, &memory->nodes_room, NR_NODES_MIN, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	tree->nodes = nodes;
	return 0;
}

static int roots_grow(struct stack_tree *tree)
{
	struct slice_section *roots;

	if (tree->nr_roots >= STACK_NUMBER_MAX / 2)
		return -E2BIG;
	roots = array_bigger(tree->roots, &tree->memory->roots_room, NR_OTHERS_MIN, sizeof(*roots));
	if (roots)
		tree->roots = roots;
	return roots ? 0 : -ENOMEM;
}

static int images_grow(struct stack_tree *tree)
{
	struct stack_image *images;

	if (tree->nr_images >= STACK_NUMBER_MAX / 2)
		return -E2BIG;
	images = array_bigger(tree->images, &tree->memory->images_room, NR_OTHERS_MIN,
			      sizeof(*images));
	if (images)
		tree->images = images;
	return images ? 0 : -ENOMEM;
}

int64_t stack_tree_append_node(struct stack_tree *tree, uint32_t parent, uint32_t image,
			       uint64_t offset)
{
	const uint32_t node = tree->nr_nodes;
	const uint32_t root = parent == STACK_NODE_ROOT ? image : tree->memory->root_of[parent];
	int error = node < tree->memory->nodes_room ? 0 : nodes_grow(tree);

	if (!error && tree->index)
		error = stack_index_reserve(&tree->index->nodes, 1);
	if (error)
		return error;
	tree->nodes[node] = (struct stack_node){.parent = parent, .image = image, .offset = offset};
	tree->memory->root_of[node] = root;
	tree->memory->nr_others += stack_node_is_other(&tree->nodes[node]);
	tree->roots[root].nr_keys++;
	tree->nr_nodes++;
	if (tree->index)
		stack_index_put(&tree->index->nodes, stack_hash_node(parent, image, offset),
				node + 1);
	return node;
}

int64_t stack_tree_append_root(struct stack_tree *tree, const struct slice_section *section)
{
	const uint32_t root = tree->nr_roots;
	int64_t node;
	int error = root < tree->memory->roots_room ? 0 : roots_grow(tree);

	if (!error && tree->index)
		error = stack_index_reserve(&tree->index->roots, 1);
	if (error)
		return error;
	tree->roots[root] = (struct slice_section){.app = section->app,
						   .event = section->event,
						   .period_or_hz = section->period_or_hz,
						   .unit_mask = section->unit_mask,
						   .flags = section->flags & ROOT_FLAGS,
						   .tgid = section->tgid,
						   .tid = section->tid,
						   .cpu = section->cpu,
						   .cgroup = section->cgroup};
	node = stack_tree_append_node(tree, STACK_NODE_ROOT, root, 0);
	if (node < 0)
		return node;
	tree->nr_roots++;
	if (tree->index)
		stack_index_put(&tree->index->roots, stack_root_hash(section), root + 1);
	return node;
}

int64_t stack_tree_append_image(struct stack_tree *tree, const struct stack_image *image)
{
	const uint32_t number = tree->nr_images;
	int error = number < tree->memory->images_room ? 0 : images_grow(tree);

	if (!error && tree->index)
		error = stack_index_reserve(&tree->index->images, 1);
	if (error)
		return error;
	tree->images[number] = *image;
	tree->nr_images++;
	if (tree->index)
		stack_index_put(&tree->index->images, stack_image_hash(image), number + 1);
	return number;
}

/* ---- the index ---- */

static int index_fill(struct stack_tree *tree)
{
	struct stack_tree_index *index = tree->index;
	int error = stack_index_reserve(&index->nodes, tree->nr_nodes);

	if (!error)
		error = stack_index_reserve(&index->images, tree->nr_images);
	if (!error)
		error = stack_index_reserve(&index->roots, tree->nr_roots);
	if (error)
		return error;
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[i];

		stack_index_put(&index->nodes,
				stack_hash_node(node->parent, node->image, node->offset), i + 1);
	}
	for (uint32_t i = 0; i < tree->nr_images; i++)
		stack_index_put(&index->images, stack_image_hash(&tree->images[i]), i + 1);
	for (uint32_t i = 0; i < tree->nr_roots; i++)
		stack_index_put(&index->roots, stack_root_hash(&tree->roots[i]), i + 1);
	return 0;
}

static int index_make(struct stack_tree *tree)
{
	int error;

	tree->index = calloc(1, sizeof(*tree->index));
	if (!tree->index)
		return -ENOMEM;
	error = index_fill(tree);
	if (error)
		index_destroy(tree);
	return error;
}

int stack_tree_begin_again(struct stack_tree *tree)
{
	int error = tree->index ? 0 : index_make(tree);

	if (error)
		return error;
	stack_index_empty(&tree->index->nodes);
	tree->nr_nodes = 0;
	for (uint32_t i = 0; i < tree->nr_roots; i++)
		tree->roots[i].nr_keys = tree->roots[i].nr_samples = tree->roots[i].weight = 0;
	return 0;
}

/* ---- finding ---- */

struct sought_record {
	const struct stack_tree *tree;
	union {
		const struct slice_section *section;
		const struct stack_image *image;
		struct stack_node node;
	};
};

static bool same_root(const void *what, uint32_t number)
{
	const struct sought_record *sought = what;

	return !stack_root_compare(&sought->tree->roots[number - 1], sought->section);
}

static bool same_image(const void *what, uint32_t number)
{
	const struct sought_record *sought = what;

	return !stack_image_compare(&sought->tree->images[number - 1], sought->image);
}

static inline bool same_node(const void *what, uint32_t number)
{
	const struct sought_record *sought = what;
	const struct stack_node *found = &sought->tree->nodes[number - 1];

	return found->parent == sought->node.parent && found->image == sought->node.image &&
	       found->offset == sought->node.offset;
}

static inline uint32_t find_node(const struct stack_tree *tree, uint32_t parent, uint32_t image,
				 uint64_t offset)
{
	const struct sought_record sought = {
		.tree = tree, .node = {.parent = parent, .image = image, .offset = offset}};

	return stack_index_find(&tree->index->nodes, stack_hash_node(parent, image, offset),
				same_node, &sought);
}

int64_t stack_tree_root(struct stack_tree *tree, const struct slice_section *section)
{
	const struct sought_record sought = {.tree = tree, .section = section};
	struct slice_section kept = *section;
	uint32_t found;

	if (!tree->index && index_make(tree))
		return -ENOMEM;
	found = stack_index_find(&tree->index->roots, stack_root_hash(section), same_root, &sought);
	if (found) {
		tree->roots[found - 1].flags |= section->flags & OPROF_SDB_WEIGHTED;
		return (int64_t)find_node(tree, STACK_NODE_ROOT, found - 1, 0) - 1;
	}
	if (text_keep(tree, &kept.app.path) || text_keep(tree, &kept.event) ||
	    (kept.cgroup && text_keep(tree, &kept.cgroup)))
		return -ENOMEM;
	return stack_tree_append_root(tree, &kept);
}

int64_t stack_tree_image(struct stack_tree *tree, const struct stack_image *image)
{
	const struct sought_record sought = {.tree = tree, .image = image};
	struct stack_image kept = *image;
	uint32_t found;

	if (!tree->index && index_make(tree))
		return -ENOMEM;
	found = stack_index_find(&tree->index->images, stack_image_hash(image), same_image,
				 &sought);
	if (found)
		return (int64_t)found - 1;
	if (text_keep(tree, &kept.path.path))
		return -ENOMEM;
	return stack_tree_append_image(tree, &kept);
}

int64_t stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t image, uint64_t offset)
{
	uint32_t found;

	assert(parent < tree->nr_nodes);
	assert(image < tree->nr_images || stack_is_mark(image));
	if (!tree->index && index_make(tree))
		return -ENOMEM;
	if (tree->memory->nr_others && stack_node_is_other(&tree->nodes[parent]))
		return parent; /* an OTHER node also stands for all nodes below it */
	if (stack_is_mark(image))
		offset = 0;
	found = find_node(tree, parent, image, offset);
	return found ? (int64_t)found - 1 : stack_tree_append_node(tree, parent, image, offset);
}

/* ---- sums ---- */

void stack_tree_add(struct stack_tree *tree, uint32_t node, uint64_t nr_samples, uint64_t weight)
{
	struct stack_node *to = &tree->nodes[node];
	struct slice_section *root = &tree->roots[tree->memory->root_of[node]];

	assert(node < tree->nr_nodes);
	to->nr_samples = saturate_sum(to->nr_samples, nr_samples);
	to->weight = saturate_sum(to->weight, weight);
	root->nr_samples = saturate_sum(root->nr_samples, nr_samples);
	root->weight = saturate_sum(root->weight, weight);
}

int stack_tree_sum(const struct stack_tree *tree, uint64_t **samples, uint64_t **weights)
{
	const size_t room = tree->nr_nodes ? tree->nr_nodes : 1;
	uint64_t *below = malloc(room * sizeof(*below));
	uint64_t *weight = malloc(room * sizeof(*weight));

	if (!below || !weight) {
		free(below);
		free(weight);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		below[i] = tree->nodes[i].nr_samples;
		weight[i] = tree->nodes[i].weight;
	}
	for (uint32_t i = tree->nr_nodes; i-- > 0;) {
		const uint32_t parent = tree->nodes[i].parent;

		if (parent == STACK_NODE_ROOT)
			continue;
		below[parent] = saturate_sum(below[parent], below[i]);
		weight[parent] = saturate_sum(weight[parent], weight[i]);
	}
	*samples = below;
	*weights = weight;
	return 0;
}

/* ---- merging ---- */

/*
 * Translates an image's index in the other tree to its index in the merged tree. Marks stay the
 * same.
 */
static int64_t image_of(const uint32_t *images, uint32_t image)
{
	return stack_is_mark(image) ? image : images[image];
}

static int64_t merge_node(struct stack_tree *tree, const struct stack_tree *from,
			  const struct stack_node *node, const uint32_t *images,
			  const uint32_t *nodes)
{
	if (stack_node_is_root(node))
		return stack_tree_root(tree, &from->roots[node->image]);
	return stack_tree_child(tree, nodes[node->parent], (uint32_t)image_of(images, node->image),
				node->offset);
}

static int merge_nodes(struct stack_tree *tree, const struct stack_tree *from,
		       const uint32_t *images, uint32_t *nodes)
{
	for (uint32_t i = 0; i < from->nr_nodes; i++) {
		const struct stack_node *node = &from->nodes[i];
		const int64_t merged = merge_node(tree, from, node, images, nodes);

		if (merged < 0)
			return (int)merged;
		nodes[i] = (uint32_t)merged;
		stack_tree_add(tree, nodes[i], node->nr_samples, node->weight);
	}
	return 0;
}

int stack_tree_merge(struct stack_tree *tree, const struct stack_tree *from)
{
	uint32_t *images = calloc(from->nr_images + 1u, sizeof(*images));
	uint32_t *nodes = malloc((from->nr_nodes + 1u) * sizeof(*nodes));
	int error = images && nodes ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < from->nr_images && !error; i++) {
		const int64_t image = stack_tree_image(tree, &from->images[i]);

		images[i] = (uint32_t)image;
		error = image < 0 ? (int)image : 0;
	}
	if (!error)
		error = merge_nodes(tree, from, images, nodes);
	free(images);
	free(nodes);
	return error;
}
