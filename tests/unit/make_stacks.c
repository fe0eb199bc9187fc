// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_stacks.h"

#include "libdb/slice_format.h"

#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks of every node: those of Check write a line each. */
#define MUST(held)                                                                                 \
	do {                                                                                       \
		if (!(held))                                                                       \
			ck_abort_msg("%s", #held);                                                 \
	} while (0)

static uint64_t next_random(uint64_t *random)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

struct slice_section make_stacks_root(unsigned int i)
{
	static const char *const apps[] = {"/usr/bin/program", "/bin/sh",
					   "/opt/a name with blanks"};

	return (struct slice_section){
		.app = {.kind = i % 5 == 4 ? SAMPLE_PATH_KERN : SAMPLE_PATH_ROOT,
			.path = i % 5 == 4 ? "vmlinux" : apps[i % 3]},
		.event = i % 2 ? "cycles" : "cpu-clock",
		.period_or_hz = 997,
		.unit_mask = i / 3,
		.flags = i % 3 == 1 ? OPROF_SDB_FREQUENCY | OPROF_SDB_WEIGHTED : 0,
		.tgid = i == 5 ? 17 : SAMPLE_NAME_ALL,
		.tid = i == 5 ? 18 : SAMPLE_NAME_ALL,
		.cpu = i == 3 ? 0 : SAMPLE_NAME_ALL,
		.cgroup = i == 2 ? "/system.slice/a.service" : NULL,
	};
}

struct stack_image make_stacks_image(unsigned int i)
{
	static const char *const paths[] = {"/usr/bin/program", "/usr/lib/libc.so.6", "vmlinux"};
	struct stack_image image = {
		.path = {.kind = i % 3 == 2 ? SAMPLE_PATH_KERN : SAMPLE_PATH_ROOT,
			 .path = paths[i % 3]},
		.kind = i % 3 == 2 ? OPROF_IMAGE_KERNEL : OPROF_IMAGE_FILE,
		.identity = {.build_id = {(uint8_t)i, 7}, .nr_build_id = 20},
	};

	if (i == 7)
		image = (struct stack_image){.path = {.kind = SAMPLE_PATH_ANON,
						      .path = "[heap]",
						      .tgid = 9,
						      .start = 0x7f0000000000,
						      .end = 0x7f0000002000},
					     .kind = OPROF_IMAGE_ANON,
					     .image_start = 0x7f0000000000};
	if (i == 8)
		image.identity = (struct oprof_image_identity){.dev = 8,
							       .inode = 1234567,
							       .inode_generation = 3,
							       .mtime_ns = -5,
							       .size_bytes = 99};
	return image;
}

/* ---- samples ---- */

/* What a frame calls depends on what it is: few functions each. */
static struct make_stacks_frame frame_next(const struct make_stacks_frame *before, uint64_t *random)
{
	/* One after the other: the same on every machine. */
	const uint64_t first = next_random(random), second = next_random(random);
	const uint64_t lot = first % (second % 4 ? 3 : 40);
	uint64_t mixed = (before ? before->offset * 31 + before->image : 5) + lot * 7919;

	mixed = mixed * 0x9e3779b97f4a7c15u >> 20;
	if (mixed % 50 == 0)
		return (struct make_stacks_frame){STACK_MARK(OPROF_STACK_UNKNOWN), 0};
	return (struct make_stacks_frame){(uint32_t)(mixed % MAKE_STACKS_NR_IMAGES),
					  mixed % 97 ? mixed / 64 % 8192 * 16
						     : UINT64_MAX - mixed % 3};
}

struct make_stacks_sample make_stacks_next(uint64_t *random)
{
	struct make_stacks_sample sample = {0};
	struct slice_section root;
	unsigned int i = 0;

	sample.root = (unsigned int)(next_random(random) % MAKE_STACKS_NR_ROOTS);
	sample.nr_frames = 1 + (unsigned int)(next_random(random) % MAKE_STACKS_DEPTH_MAX);
	sample.nr_samples = 1 + next_random(random) % 3;
	root = make_stacks_root(sample.root);
	sample.weight = root.flags & OPROF_SDB_WEIGHTED ? sample.nr_samples * 1001
							: sample.nr_samples * root.period_or_hz;
	if (next_random(random) % 16 == 0 && sample.nr_frames > 1)
		sample.frames[i++].image = next_random(random) % 2
						   ? STACK_MARK(OPROF_STACK_TRUNCATED)
						   : STACK_MARK(OPROF_STACK_BROKEN);
	for (; i < sample.nr_frames; i++)
		sample.frames[i] = frame_next(i ? &sample.frames[i - 1] : NULL, random);
	return sample;
}

uint32_t make_stacks_add(struct stack_tree *tree, const struct make_stacks_sample *sample)
{
	const struct slice_section section = make_stacks_root(sample->root);
	int64_t node = stack_tree_root(tree, &section);

	MUST(node >= 0);
	for (unsigned int i = 0; i < sample->nr_frames; i++) {
		const struct make_stacks_frame *frame = &sample->frames[i];
		int64_t image = frame->image;

		if (frame->image < MAKE_STACKS_NR_IMAGES) {
			const struct stack_image what = make_stacks_image(frame->image);

			image = stack_tree_image(tree, &what);
			MUST(image >= 0);
		}
		node = stack_tree_child(tree, (uint32_t)node, (uint32_t)image, frame->offset);
		MUST(node >= 0);
	}
	stack_tree_add(tree, (uint32_t)node, sample->nr_samples, sample->weight);
	return (uint32_t)node;
}

void make_stacks_fill(struct stack_tree *tree, uint64_t *random, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct make_stacks_sample sample = make_stacks_next(random);

		(void)make_stacks_add(tree, &sample);
	}
}

/* ---- a tree as text ---- */

static void print_path(FILE *out, const struct slice_path *path)
{
	fprintf(out, "%d:%s", (int)path->kind, path->path);
	if (path->kind == SAMPLE_PATH_ANON)
		fprintf(out, ":%" PRId64 ":%" PRIx64 "-%" PRIx64, path->tgid, path->start,
			path->end);
}

static void print_root(FILE *out, const struct slice_section *root)
{
	print_path(out, &root->app);
	fprintf(out, " %s %" PRIu64 " %u %x %" PRId64 " %" PRId64 " %" PRId64 " %s", root->event,
		root->period_or_hz, root->unit_mask, root->flags & SLICE_SECTION_FLAGS_TELL,
		root->tgid, root->tid, root->cpu, root->cgroup ? root->cgroup : "-");
}

static void print_image(FILE *out, const struct stack_image *image)
{
	const struct oprof_image_identity *identity = &image->identity;

	print_path(out, &image->path);
	fprintf(out, ",%d,%" PRIx64 ",%u,%d,%" PRIu64 ",%" PRIu64 ",%" PRId64, (int)image->kind,
		image->image_start, identity->nr_build_id, identity->build_id[0], identity->dev,
		identity->inode, identity->mtime_ns);
}

static void print_way(FILE *out, const struct stack_tree *tree, uint32_t i)
{
	const struct stack_node *node = &tree->nodes[i];

	if (node->parent == STACK_NODE_ROOT) {
		print_root(out, &tree->roots[node->image]);
		return;
	}
	print_way(out, tree, node->parent);
	if (node->image < tree->nr_images) {
		fprintf(out, ";");
		print_image(out, &tree->images[node->image]);
		fprintf(out, "+%" PRIx64, node->offset);
	} else {
		MUST(node->image > STACK_MARK(OPROF_STACK_MARKS));
		fprintf(out, ";mark %u", UINT32_MAX - node->image);
	}
}

static int compare_lines(const void *a, const void *b)
{
	const char *const *left = a, *const *right = b;

	return strcmp(*left, *right);
}

char *make_stacks_text(const struct stack_tree *tree)
{
	char **lines = calloc(tree->nr_nodes + 1, sizeof(*lines));
	char *text = NULL;
	size_t nr_lines = 0, nr_bytes;
	FILE *out;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		if (!tree->nodes[i].nr_samples && !tree->nodes[i].weight)
			continue;
		out = open_memstream(&lines[nr_lines++], &nr_bytes);
		MUST(out);
		print_way(out, tree, i);
		fprintf(out, " = %" PRIu64 " %" PRIu64 "\n", tree->nodes[i].nr_samples,
			tree->nodes[i].weight);
		(void)fclose(out);
	}
	qsort(lines, nr_lines, sizeof(*lines), compare_lines);
	out = open_memstream(&text, &nr_bytes);
	ck_assert_ptr_nonnull(out);
	for (size_t i = 0; i < nr_lines; i++) {
		fputs(lines[i], out);
		free(lines[i]);
	}
	(void)fclose(out);
	free(lines);
	return text;
}

void make_stacks_same(const struct stack_tree *a, const struct stack_tree *b)
{
	char *left = make_stacks_text(a), *right = make_stacks_text(b);

	make_stacks_verify(a);
	make_stacks_verify(b);
	ck_assert_msg(!strcmp(left, right), "trees differ: %zu and %zu bytes of text", strlen(left),
		      strlen(right));
	free(left);
	free(right);
}

/* ---- what holds of every tree ---- */

static void verify_roots(const struct stack_tree *tree)
{
	uint64_t *samples, *weights;
	uint32_t nr_roots = 0;

	ck_assert_int_eq(stack_tree_sum(tree, &samples, &weights), 0);
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		if (tree->nodes[i].parent != STACK_NODE_ROOT)
			continue;
		MUST(tree->nodes[i].image < tree->nr_roots);
		ck_assert_uint_eq(tree->roots[tree->nodes[i].image].nr_samples, samples[i]);
		ck_assert_uint_eq(tree->roots[tree->nodes[i].image].weight, weights[i]);
		nr_roots++;
	}
	ck_assert_uint_eq(nr_roots, tree->nr_roots);
	free(samples);
	free(weights);
}

void make_stacks_verify(const struct stack_tree *tree)
{
	uint64_t nr_keys = 0;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[i];

		if (node->parent == STACK_NODE_ROOT)
			continue;
		MUST(node->parent < i);
		MUST(node->image < tree->nr_images || node->image > STACK_MARK(OPROF_STACK_MARKS));
		MUST(tree->nodes[node->parent].parent == STACK_NODE_ROOT ||
		     tree->nodes[node->parent].image != STACK_MARK(OPROF_STACK_OTHER));
	}
	for (uint32_t i = 0; i < tree->nr_roots; i++)
		nr_keys += tree->roots[i].nr_keys;
	ck_assert_uint_eq(nr_keys, tree->nr_nodes);
	verify_roots(tree);
}
