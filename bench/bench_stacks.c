// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call trees: time to insert a node into the live file, which includes growth
 * from an empty file, and in memory; time to encode, decode and fold; bytes per
 * node in a slice. Nodes are pairs (parent, function). For inserts the tree
 * grows at random; for the other figures it is a tree whose functions call few
 * others, as in real programs.
 */
#include "bench/bench.h"

#include "lib/diag.h"
#include "libdb/sdb_format.h"
#include "libdb/slice/slice.h"
#include "libdb/stacks/stack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NR_NODES_MAX 1000000u
#define NR_FUNCTIONS 20000u
#define NR_IMAGES    40u
#define BYTES_MAX    (256u << 20)
#define MMAP_BYTES   (32 << 20)

enum figure {
	FIGURE_FILE_NS,
	FIGURE_FIND_NS,
	FIGURE_TREE_NS,
	FIGURE_ENCODE_NS,
	FIGURE_DECODE_NS,
	FIGURE_FOLD_NS,
	FIGURE_BYTES
};

static const struct line {
	const char *name;
	enum figure figure;
	unsigned int nr_nodes;
	unsigned int nr_rounds;
} lines[] = {
	{"sdb_insert_node_1e5", FIGURE_FILE_NS, 100000, 40},
	{"sdb_insert_node_1e6", FIGURE_FILE_NS, 1000000, 10},
	{"stack_file_find_1e5", FIGURE_FIND_NS, 100000, 20},
	{"stack_tree_insert_1e5", FIGURE_TREE_NS, 100000, 40},
	{"stack_tree_insert_1e6", FIGURE_TREE_NS, 1000000, 10},
	{"stack_tree_encode_1e5", FIGURE_ENCODE_NS, 100000, 10},
	{"stack_tree_decode_1e5", FIGURE_DECODE_NS, 100000, 10},
	{"stack_tree_fold_1e6", FIGURE_FOLD_NS, 1000000, 4},
	{"stack_bytes_per_node_1e5", FIGURE_BYTES, 100000, 1},
};
#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static char folder[PATH_MAX];
static char path[PATH_MAX + 16];
static uint32_t *positions; /* positions of the nodes so far */

/*
 * The keys to insert, in order. They are the same in every round, so that the
 * parents' positions are known in advance.
 */
static struct key {
	uint32_t parent, image;
	uint64_t offset;
} * keys;
static uint32_t *parents; /* for each node, the index of its parent, an earlier node */
static uint32_t *functions;

static const struct slice_section section = {.app = {.path = "/usr/bin/bench"},
					     .event = "cpu-clock",
					     .period_or_hz = 1000000,
					     .tgid = SAMPLE_NAME_ALL,
					     .tid = SAMPLE_NAME_ALL,
					     .cpu = SAMPLE_NAME_ALL};

static void check(const char *what, int64_t error)
{
	if (error < 0)
		bench_fail(what, (int)error);
}

static struct stack_image image_of(unsigned int i, char *name, size_t nr_bytes)
{
	struct stack_image image = {.kind = OPROF_IMAGE_FILE,
				    .identity = {.build_id = {(uint8_t)i}, .nr_build_id = 20}};

	(void)snprintf(name, nr_bytes, "/usr/lib/x86_64-linux-gnu/lib%u.so", i);
	image.path.path = name;
	return image;
}

static void make_nodes(unsigned int nr)
{
	uint64_t state = nr;

	for (unsigned int i = 0; i < nr; i++) {
		parents[i] = (uint32_t)(bench_random(&state) % (i + 1));
		functions[i] = (uint32_t)(bench_random(&state) % NR_FUNCTIONS);
	}
}

/* ---- the live file ---- */

static struct stack_file *open_file(uint32_t *images, uint32_t *root)
{
	struct stack_file *file;
	struct diag diag;
	char name[64];
	int64_t position;
	int error;

	(void)unlink(path);
	error = stack_file_open(&file, path, 1, BYTES_MAX, &diag);
	if (error)
		bench_fail(diag_show(&diag), error);
	for (unsigned int i = 0; i < NR_IMAGES; i++) {
		const struct stack_image image = image_of(i, name, sizeof(name));

		position = stack_file_image(file, &image);
		check("stack_file_image", position);
		images[i] = (uint32_t)position;
	}
	position = stack_file_root(file, &section);
	check("stack_file_root", position);
	*root = (uint32_t)position;
	return file;
}

/* Appends the nodes once to find their positions, which are the same each time. */
static void make_file_keys(unsigned int nr_nodes)
{
	uint32_t images[NR_IMAGES];
	struct stack_file *file = open_file(images, &positions[0]);
	bool folded = false;

	for (unsigned int i = 0; i < nr_nodes; i++) {
		int64_t node;

		keys[i] = (struct key){positions[parents[i]], images[functions[i] % NR_IMAGES],
				       functions[i] * 64ULL};
		node = stack_file_child(file, keys[i].parent, keys[i].image, keys[i].offset,
					&folded);
		check("stack_file_child", node);
		positions[i + 1] = (uint32_t)node;
	}
	stack_file_close(file);
}

static uint64_t insert_all(struct stack_file *file, unsigned int nr_nodes)
{
	const uint64_t begin = bench_thread_ns();
	bool folded = false;
	int64_t worst = 0;

	for (unsigned int i = 0; i < nr_nodes; i++) {
		const int64_t node = stack_file_child(file, keys[i].parent, keys[i].image,
						      keys[i].offset, &folded);

		worst = node < worst ? node : worst;
	}
	check("stack_file_child", folded ? -ENOSPC : worst);
	return bench_thread_ns() - begin;
}

static double file_ns(const struct line *line)
{
	uint32_t images[NR_IMAGES], root;
	struct stack_file *file;
	uint64_t ns;

	make_file_keys(line->nr_nodes);
	file = open_file(images, &root);
	ns = insert_all(file, line->nr_nodes);
	if (line->figure == FIGURE_FIND_NS)
		ns = insert_all(file, line->nr_nodes);
	stack_file_close(file);
	return (double)ns / line->nr_nodes;
}

/*
 * A lower bound for this machine's memory: inserts the same keys into a plain
 * table of constant size, which is 70 % full at the end, never grows, is not in
 * a file, and stores only half of each key. It is not a peer, because no
 * existing program works in this way.
 */
static double plain_ns(const struct line *line)
{
	const uint64_t nr_slots = (uint64_t)line->nr_nodes * 10 / 7;
	uint64_t *slots = calloc(nr_slots, sizeof(*slots));
	uint64_t begin, end;

	if (!slots)
		bench_fail("plain table", errno);
	make_file_keys(line->nr_nodes);
	begin = bench_thread_ns();
	for (unsigned int i = 0; i < line->nr_nodes; i++) {
		const uint64_t key = (uint64_t)keys[i].parent << 32 | (keys[i].offset + 1);
		uint64_t slot = (uint64_t)((unsigned __int128)sdb_mix(key) * nr_slots >> 64);

		while (slots[slot] && slots[slot] != key)
			slot = slot + 1 < nr_slots ? slot + 1 : 0;
		slots[slot] = key;
	}
	end = bench_thread_ns();
	free(slots);
	return (double)(end - begin) / line->nr_nodes;
}

/* ---- in memory ---- */

static void tree_begin(struct stack_tree *tree)
{
	char name[64];

	check("stack_tree_init", stack_tree_init(tree));
	for (unsigned int i = 0; i < NR_IMAGES; i++) {
		const struct stack_image image = image_of(i, name, sizeof(name));

		check("stack_tree_image", stack_tree_image(tree, &image));
	}
	check("stack_tree_root", stack_tree_root(tree, &section));
}

static uint64_t insert_in_tree(unsigned int nr_nodes, bool learn)
{
	struct stack_tree tree;
	uint64_t begin, end;
	int64_t worst = 0;

	tree_begin(&tree);
	begin = bench_thread_ns();
	for (unsigned int i = 0; i < nr_nodes; i++) {
		int64_t node;

		if (learn)
			keys[i] = (struct key){positions[parents[i]], functions[i] % NR_IMAGES,
					       functions[i] * 64ULL};
		node = stack_tree_child(&tree, keys[i].parent, keys[i].image, keys[i].offset);
		worst = node < worst ? node : worst;
		if (learn)
			positions[i + 1] = (uint32_t)node;
	}
	end = bench_thread_ns();
	check("stack_tree_child", worst);
	stack_tree_deinit(&tree);
	return end - begin;
}

static double tree_ns(const struct line *line)
{
	positions[0] = 0;
	(void)insert_in_tree(line->nr_nodes, true);
	return (double)insert_in_tree(line->nr_nodes, false) / line->nr_nodes;
}

/*
 * Makes a tree in which a function calls up to 8 others, most often the first
 * three, and paths have 5 to 29 frames.
 */
static void tree_by_lot(struct stack_tree *tree, unsigned int nr_nodes)
{
	uint64_t state = 1;

	tree_begin(tree);
	while (tree->nr_nodes < nr_nodes) {
		const unsigned int depth = 5 + (unsigned int)(bench_random(&state) % 25);
		uint64_t function = 0;
		int64_t node = 0;

		for (unsigned int i = 0; i < depth; i++) {
			const uint64_t lot = bench_random(&state);
			const uint64_t callee = lot % 3 ? lot / 3 % 3 : lot / 3 % 8;

			function = (function * 31 + callee * 7919 + 1) * 0x9e3779b97f4a7c15u >> 40;
			function %= NR_FUNCTIONS;
			node = stack_tree_child(tree, (uint32_t)node,
						(uint32_t)(function % NR_IMAGES),
						function * 37 * 16 % (1u << 21));
			check("stack_tree_child", node);
		}
		stack_tree_add(tree, (uint32_t)node, 1, section.period_or_hz);
	}
}

static double coding_ns(const struct line *line)
{
	struct stack_tree tree, decoded;
	uint64_t begin, encoded, end;
	uint8_t *bytes;
	size_t nr_bytes;

	tree_by_lot(&tree, line->nr_nodes);
	begin = bench_thread_ns();
	check("stack_tree_encode", stack_tree_encode(&tree, &bytes, &nr_bytes));
	encoded = bench_thread_ns();
	check("stack_tree_decode",
	      stack_tree_decode(&decoded, OPROF_SLICE_VERSION, bytes, nr_bytes, NULL));
	end = bench_thread_ns();
	free(bytes);
	stack_tree_deinit(&decoded);
	stack_tree_deinit(&tree);
	return (double)(line->figure == FIGURE_ENCODE_NS ? encoded - begin : end - encoded) /
	       line->nr_nodes;
}

static double fold_ns(const struct line *line)
{
	struct stack_tree tree;
	uint64_t begin, end;

	tree_by_lot(&tree, line->nr_nodes);
	begin = bench_thread_ns();
	check("stack_tree_fold", stack_tree_fold(&tree, line->nr_nodes / 2));
	end = bench_thread_ns();
	stack_tree_deinit(&tree);
	return (double)(end - begin) / line->nr_nodes;
}

/* Returns the size of a slice that contains only the tree. */
static uint64_t slice_bytes(const struct stack_tree *tree)
{
	const struct slice_info info = {
		.epoch_first = 1, .epoch_last = 1, .host = "bench", .cpu_type = "bench"};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct slice_builder *builder;
	uint64_t nr_bytes = 0;

	check(path, fd < 0 ? -errno : 0);
	check("slice_builder_create", slice_builder_create(&builder));
	slice_builder_stacks(builder, tree);
	check("slice_builder_write", slice_builder_write(builder, &info, fd, &nr_bytes));
	slice_builder_destroy(builder);
	(void)close(fd);
	return nr_bytes;
}

static double bytes_per_node(const struct line *line)
{
	struct stack_tree tree, none;
	double bytes;

	tree_by_lot(&tree, line->nr_nodes);
	check("stack_tree_init", stack_tree_init(&none));
	bytes = (double)(slice_bytes(&tree) - slice_bytes(&none)) / tree.nr_nodes;
	stack_tree_deinit(&tree);
	stack_tree_deinit(&none);
	return bytes;
}

/* ---- all figures ---- */

static double measure(const struct line *line)
{
	make_nodes(line->nr_nodes);
	switch (line->figure) {
	case FIGURE_FILE_NS:
	case FIGURE_FIND_NS:
		return file_ns(line);
	case FIGURE_TREE_NS:
		return tree_ns(line);
	case FIGURE_FOLD_NS:
		return fold_ns(line);
	case FIGURE_BYTES:
		return bytes_per_node(line);
	default:
		return coding_ns(line);
	}
}

/*
 * Measures all lines in turn, round by round, so that disturbances by other
 * programs affect all lines alike.
 */
static void run_lines(void)
{
	double best[NR_LINES] = {0}, plain[NR_LINES] = {0};

	for (unsigned int round = 0; round < 40; round++) {
		for (size_t i = 0; i < NR_LINES; i++) {
			double value;

			if (round >= lines[i].nr_rounds || !bench_wanted(lines[i].name))
				continue;
			value = measure(&lines[i]);
			if (!round || value < best[i])
				best[i] = value;
			if (lines[i].figure != FIGURE_FILE_NS)
				continue;
			value = plain_ns(&lines[i]);
			if (!round || value < plain[i])
				plain[i] = value;
		}
	}
	for (size_t i = 0; i < NR_LINES; i++) {
		char floor_name[64];

		if (!bench_wanted(lines[i].name))
			continue;
		bench_print(lines[i].name, best[i], lines[i].figure == FIGURE_BYTES ? "B" : "ns");
		if (lines[i].figure != FIGURE_FILE_NS)
			continue;
		(void)snprintf(floor_name, sizeof(floor_name), "floor_%s", lines[i].name);
		bench_print(floor_name, plain[i], "ns");
	}
}

static bool any_wanted(void)
{
	for (size_t i = 0; i < NR_LINES; i++) {
		if (bench_wanted(lines[i].name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const char *where = getenv("TMPDIR");

	bench_init(argc, argv);
	if (!any_wanted())
		return EXIT_SUCCESS;
	/*
	 * By default, malloc adapts these limits to the sizes of freed blocks.
	 * Then the number of a tree's page faults would depend on the blocks
	 * that preceding lines freed.
	 */
	if (!mallopt(M_MMAP_THRESHOLD, MMAP_BYTES) || !mallopt(M_TRIM_THRESHOLD, INT_MAX))
		bench_fail("mallopt", EINVAL);
	(void)snprintf(folder, sizeof(folder), "%s/bench_stacks.XXXXXX", where ? where : "/tmp");
	if (!mkdtemp(folder))
		bench_fail(folder, errno);
	(void)snprintf(path, sizeof(path), "%s/stacks", folder);
	positions = malloc((NR_NODES_MAX + 1) * sizeof(*positions));
	parents = malloc(NR_NODES_MAX * sizeof(*parents));
	functions = malloc(NR_NODES_MAX * sizeof(*functions));
	keys = malloc(NR_NODES_MAX * sizeof(*keys));
	if (!positions || !parents || !functions || !keys)
		bench_fail("nodes", errno);
	run_lines();
	free(positions);
	free(parents);
	free(functions);
	free(keys);
	(void)unlink(path);
	(void)rmdir(folder);
	return EXIT_SUCCESS;
}
