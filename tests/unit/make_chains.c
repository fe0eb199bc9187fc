// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_chains.h"

#include "lib/file.h"
#include "libdb/stack_file.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_BYTES 4096
#define MAX_BYTES    (64u << 20)

void make_chains_init(struct make_chains *chains)
{
	*chains = (struct make_chains){0};
	ck_assert_int_eq(stack_tree_init(&chains->tree), 0);
}

/* Images' names are copies. */
void make_chains_deinit(struct make_chains *chains)
{
	stack_tree_deinit(&chains->tree);
	for (size_t i = 0; i < chains->nr_parts; i++)
		free((void *)(uintptr_t)chains->parts[i].file.image);
	free(chains->parts);
	*chains = (struct make_chains){0};
}

static uint64_t weight_of(const struct make_file *file, uint64_t nr_samples)
{
	if (file->weight_each)
		return nr_samples * file->weight_each;
	if (file->frequency)
		return nr_samples;
	return nr_samples * (file->period_or_hz ? file->period_or_hz : 1000000);
}

static int mark_of(const char *frame)
{
	static const char *const names[OPROF_STACK_MARKS] = {
		[OPROF_STACK_UNKNOWN] = "[unknown]",
		[OPROF_STACK_TRUNCATED] = "[truncated]",
		[OPROF_STACK_BROKEN] = "[broken]",
		[OPROF_STACK_OTHER] = "[other]",
	};

	for (int i = 0; i < OPROF_STACK_MARKS; i++)
		if (!strcmp(frame, names[i]))
			return i;
	return -1;
}

static uint32_t add_root(struct make_chains *chains, const struct make_file *file)
{
	struct slice_section section;
	int64_t root;

	make_session_section(&section, file);
	section.image = (struct slice_path){0};
	section.identity = (struct oprof_image_identity){0};
	section.image_kind = 0;
	section.image_start = 0;
	root = stack_tree_root(&chains->tree, &section);
	ck_assert_int_ge(root, 0);
	return (uint32_t)root;
}

static uint32_t add_image(struct make_chains *chains, const struct make_file *file)
{
	struct slice_section section;
	struct stack_image image;
	int64_t number;

	make_session_section(&section, file);
	image = (struct stack_image){.path = section.image,
				     .kind = section.image_kind,
				     .image_start = section.image_start,
				     .identity = section.identity};
	number = stack_tree_image(&chains->tree, &image);
	ck_assert_int_ge(number, 0);
	return (uint32_t)number;
}

/* *leaf: where the frame's samples are, if it is the last. */
static uint32_t add_frame(struct make_chains *chains, uint32_t parent, char *frame,
			  struct make_slice_part *leaf)
{
	int mark = mark_of(frame);
	char *key = strchr(frame, '+');
	int64_t node;

	leaf->key = 0;
	leaf->file.image = NULL;
	if (mark >= 0) {
		node = stack_tree_child(&chains->tree, parent, STACK_MARK(mark), 0);
	} else {
		ck_assert_ptr_nonnull(key);
		*key++ = '\0';
		leaf->key = strtoull(key, NULL, 16);
		leaf->file.image = *frame ? frame : NULL;
		node = stack_tree_child(&chains->tree, parent, add_image(chains, &leaf->file),
					leaf->key);
	}
	ck_assert_int_ge(node, 0);
	return (uint32_t)node;
}

void make_chains_add(struct make_chains *chains, const struct make_file *file, const char *frames,
		     uint64_t nr_samples)
{
	struct make_slice_part leaf = {.file = *file, .nr_samples = nr_samples};
	uint32_t node = add_root(chains, file);
	char copy[FRAMES_BYTES];
	char *next = copy;

	ck_assert_int_lt(snprintf(copy, sizeof(copy), "%s", frames), FRAMES_BYTES);
	for (char *frame; (frame = strtok_r(next, " ", &next));)
		node = add_frame(chains, node, frame, &leaf);
	stack_tree_add(&chains->tree, node, nr_samples, weight_of(file, nr_samples));
	if (leaf.file.image)
		leaf.file.image = strdup(leaf.file.image);
	if (file->flags & OPROF_STACK_BY_IMAGE && leaf.file.image)
		leaf.file.app = leaf.file.image;
	leaf.file.flags &= ~OPROF_STACK_BY_IMAGE;
	chains->parts = reallocarray(chains->parts, chains->nr_parts + 1, sizeof(leaf));
	ck_assert_ptr_nonnull(chains->parts);
	chains->parts[chains->nr_parts++] = leaf;
}

static int64_t copy_node(struct stack_file *file, const struct stack_tree *tree, uint32_t number,
			 const int64_t *positions)
{
	const struct stack_node *node = &tree->nodes[number];
	int64_t image = 0;
	bool folded;

	if (node->parent == STACK_NODE_ROOT)
		return stack_file_root(file, &tree->roots[node->image]);
	if (node->image < tree->nr_images)
		image = stack_file_image(file, &tree->images[node->image]);
	else
		image = STACK_MARK(node->image);
	ck_assert_int_ge(image, 0);
	return stack_file_child(file, (uint32_t)positions[node->parent], (uint32_t)image,
				node->offset, &folded);
}

static void copy_tree(struct stack_file *file, const struct stack_tree *tree)
{
	int64_t *positions = calloc(tree->nr_nodes + 1, sizeof(*positions));

	ck_assert_ptr_nonnull(positions);
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[i];

		positions[i] = copy_node(file, tree, i, positions);
		ck_assert_int_ge(positions[i], 0);
		if (node->nr_samples)
			ck_assert_int_eq(stack_file_add(file, (uint32_t)positions[i],
							node->nr_samples, node->weight),
					 0);
	}
	free(positions);
}

void make_chains_live(struct make_chains *chains, const struct make_session *session,
		      uint64_t epoch)
{
	struct stack_file *file;
	char path[PATH_MAX];
	struct diag diag;
	int error;

	for (size_t i = 0; i < chains->nr_parts; i++) {
		struct make_slice_part *part = &chains->parts[i];

		part->file.epoch = epoch;
		make_session_add_one(session, &part->file, part->key, part->nr_samples);
	}
	(void)snprintf(path, sizeof(path), "%s/samples/%s/" OPROF_STACK_FILE, session->dir,
		       session->name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	error = stack_file_open(&file, path, epoch, MAX_BYTES, &diag);
	ck_assert_msg(!error, "%s", diag_show(&diag));
	copy_tree(file, &chains->tree);
	stack_file_close(file);
}

void make_chains_slice(struct make_chains *chains, const struct make_session *session,
		       const struct make_slice_head *head)
{
	struct make_slice_head with = *head;

	with.stacks = &chains->tree;
	make_session_slice(session, &with, chains->parts, chains->nr_parts, NULL);
}
