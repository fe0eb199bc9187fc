// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/stack_sum.h"

#include "libdb/history_files.h"
#include "libdb/stack_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static int add_tree(struct stack_sum *sum, const struct stack_tree *tree, uint64_t *nr)
{
	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		*nr += tree->nodes[i].nr_samples;
		sum->weight += tree->nodes[i].weight;
	}
	sum->nr_samples += *nr;
	return stack_tree_merge(&sum->tree, tree);
}

static int add_slice(struct stack_sum *sum, const char *path, struct diag *diag)
{
	struct slice *slice;
	struct stack_tree tree;
	uint64_t nr = 0;
	int error = slice_open(&slice, path, diag);

	if (error)
		return error;
	error = slice_read_stacks(slice, &tree, diag);
	if (!error) {
		sum->nr_slices += tree.nr_nodes != 0;
		error = add_tree(sum, &tree, &nr);
		stack_tree_deinit(&tree);
	}
	slice_close(slice);
	return error;
}

static int add_live(struct stack_sum *sum, const char *session_path, uint64_t epoch_closed,
		    struct diag *diag)
{
	struct stack_tree tree;
	uint64_t epoch;
	char *path;
	int error;

	if (asprintf(&path, "%s/" OPROF_STACK_FILE, session_path) < 0)
		return -ENOMEM;
	error = stack_file_load(path, &tree, &epoch, diag);
	free(path);
	if (error) /* -ENODATA: a kill before its first page was written */
		return error == -ENOENT || error == -ENODATA ? 0 : error;
	if (epoch > epoch_closed) {
		sum->has_live = true;
		error = add_tree(sum, &tree, &sum->nr_live);
	}
	stack_tree_deinit(&tree);
	return error;
}

static int add_session(struct stack_sum *sum, const char *session_path, struct diag *diag)
{
	struct history_files history;
	int error = history_files_list(&history, session_path, NULL, NULL);

	if (error)
		return error;
	for (size_t i = 0; i < history.nr_files && !error; i++)
		if (!history.files[i].superseded)
			error = add_slice(sum, history.files[i].path, diag);
	if (!error)
		error = add_live(sum, session_path, history.epoch_closed, diag);
	history_files_deinit(&history);
	return error;
}

int stack_sum_init(struct stack_sum *sum, const char *session_path, struct diag *diag)
{
	int error;

	memset(sum, 0, sizeof(*sum));
	error = stack_tree_init(&sum->tree);
	if (error)
		return error;
	error = add_session(sum, session_path, diag);
	if (error)
		stack_tree_deinit(&sum->tree);
	return error;
}

void stack_sum_deinit(struct stack_sum *sum)
{
	stack_tree_deinit(&sum->tree);
}

/* ---- text ---- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_frame(FILE *out, const struct stack_tree *tree, const struct stack_node *node)
{
	static const char *const marks[OPROF_STACK_MARKS] = {"[unknown]", "[truncated]", "[broken]",
							     "[other]"};

	if (STACK_MARK(0) - node->image < OPROF_STACK_MARKS)
		fputs(marks[STACK_MARK(0) - node->image], out);
	else
		fprintf(out, "%s+%" PRIx64, last_part(tree->images[node->image].path.path),
			node->offset);
}

/* The root's words, then the frames down to index. */
static void print_way(FILE *out, const struct stack_tree *tree, uint32_t index)
{
	const struct stack_node *node = &tree->nodes[index];
	const struct stack_node *parent = &tree->nodes[node->parent];

	if (parent->parent != STACK_NODE_ROOT) {
		print_way(out, tree, node->parent);
		fputc(';', out);
	} else {
		const struct slice_section *root = &tree->roots[parent->image];

		fprintf(out, "%s%s %s ", last_part(root->app.path),
			root->flags & OPROF_STACK_BY_IMAGE ? "(by image)" : "", root->event);
	}
	print_frame(out, tree, node);
}

static int line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *node_line(const struct stack_tree *tree, uint32_t index, bool with_nr)
{
	size_t nr_bytes;
	char *line = NULL;
	FILE *out = open_memstream(&line, &nr_bytes);

	if (!out)
		abort();
	if (with_nr)
		fprintf(out, "%" PRIu64 " ", tree->nodes[index].nr_samples);
	print_way(out, tree, index);
	if (fclose(out))
		abort();
	return line;
}

static bool is_end(const struct stack_node *node)
{
	return node->parent != STACK_NODE_ROOT && node->nr_samples;
}

void stack_sum_print(const struct stack_sum *sum, FILE *out)
{
	const struct stack_tree *tree = &sum->tree;
	char **lines = calloc(tree->nr_nodes + 1, sizeof(*lines));
	size_t nr = 0;

	if (!lines)
		abort();
	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		if (is_end(&tree->nodes[i]))
			lines[nr++] = node_line(tree, i, true);
	qsort(lines, nr, sizeof(*lines), line_compare);
	for (size_t i = 0; i < nr; i++) {
		fprintf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

char *stack_sum_text(const struct stack_sum *sum)
{
	size_t nr_bytes;
	char *text = NULL;
	FILE *out = open_memstream(&text, &nr_bytes);

	if (!out)
		abort();
	stack_sum_print(sum, out);
	if (fclose(out))
		abort();
	return text;
}

uint64_t stack_sum_of(const struct stack_sum *sum, const char *way)
{
	const struct stack_tree *tree = &sum->tree;
	uint64_t nr = 0;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		char *line;

		if (!is_end(&tree->nodes[i]))
			continue;
		line = node_line(tree, i, false);
		if (!strcmp(line, way))
			nr += tree->nodes[i].nr_samples;
		free(line);
	}
	return nr;
}
