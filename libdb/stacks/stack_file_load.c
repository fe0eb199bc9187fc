// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a stack file, possibly while a writer appends to it. */
#include "libdb/stacks/stack_file.h"

#include "libdb/stacks/stack_scan.h"
#include "libdb/slice/stack_tree_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define EMPTIED_MAX 10

/* ---- records to a tree ---- */

/*
 * Returns `made`, the result of a stack_tree_* function. If the stack_tree_* function found an
 * existing item, so that nothing was added, returns -EEXIST instead.
 */
static int64_t only_new(int64_t made, uint32_t nr_before, uint32_t nr_now)
{
	return made >= 0 && nr_before == nr_now ? -EEXIST : made;
}

static int64_t load_root(void *context, const struct slice_section *section, uint32_t position)
{
	struct stack_tree *tree = context;
	const uint32_t nr_before = tree->nr_roots;
	const int64_t made = stack_tree_root(tree, section);

	(void)position;
	return only_new(made, nr_before, tree->nr_roots);
}

static int64_t load_image(void *context, const struct stack_image *image, uint32_t position)
{
	struct stack_tree *tree = context;
	const uint32_t nr_before = tree->nr_images;
	const int64_t made = stack_tree_image(tree, image);

	(void)position;
	return only_new(made, nr_before, tree->nr_images);
}

static int64_t load_node(void *context, const struct oprof_stack_node *record, uint32_t parent,
			 uint32_t image, uint32_t position)
{
	struct stack_tree *tree = context;
	const uint32_t nr_before = tree->nr_nodes;
	const int64_t made = stack_tree_child(tree, parent, image, record->offset);

	(void)position;
	if (made >= 0 && tree->nr_nodes > nr_before)
		stack_tree_add(tree, (uint32_t)made, record->nr_samples, record->weight);
	return only_new(made, nr_before, tree->nr_nodes);
}

static const struct stack_scan_ops ops_load = {
	.root = load_root, .image = load_image, .node = load_node};

/* ---- the file ---- */

/*
 * Returns 1 if the file was emptied after its header was read, otherwise 0 or -errno. After 1, the
 * caller must discard the records and any error found in them, since the records may be a mixture
 * of two epochs.
 */
static int epoch_changed(int fd, const char *path, const struct oprof_stack_header *header,
			 struct diag *diag)
{
	struct oprof_stack_header now;
	int error = stack_scan_header(fd, path, &now, diag);

	if (error)
		return error;
	return now.epoch != header->epoch || now.epoch_emptied != header->epoch_emptied;
}

/*
 * Returns 0, -errno, or 1 if the file was emptied during the reading. *tree must be freed in all
 * cases.
 */
static int load_once(int fd, const char *path, struct stack_tree *tree, uint64_t *epoch,
		     struct diag *diag)
{
	struct oprof_stack_header header;
	int error = stack_scan_header(fd, path, &header, diag);
	int changed;

	if (error)
		return error;
	*epoch = header.epoch;
	if (!stack_scan_is_void(&header))
		error = stack_scan(fd, path, &header, &ops_load, tree, diag);
	if (error == -ENOMEM)
		return error;
	changed = epoch_changed(fd, path, &header, error ? NULL : diag);
	return changed ? changed : error;
}

int stack_file_load(const char *path, struct stack_tree *tree, uint64_t *epoch, struct diag *diag)
{
	struct stack_tree loaded = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error = 1;

	if (fd < 0)
		return diag_set_at(diag, -errno, path, 0, "%s", strerror(errno));
	/*
	 * A file is emptied about once a minute. If this happens again and again, the writer is
	 * hostile.
	 */
	for (int tries = 0; tries < EMPTIED_MAX && error > 0; tries++) {
		stack_tree_deinit(&loaded);
		error = stack_tree_init(&loaded);
		if (error)
			(void)diag_set_at(diag, error, path, 0, "%s", strerror(-error));
		else
			error = load_once(fd, path, &loaded, epoch, diag);
	}
	if (error > 0)
		error = diag_set_at(diag, -EAGAIN, path, 0,
				    "the file was emptied too often while it was read; try again");
	(void)close(fd);
	if (error)
		stack_tree_deinit(&loaded);
	else
		*tree = loaded;
	return error;
}

int stack_file_check(const char *path, struct diag *diag)
{
	struct stack_tree tree;
	uint64_t epoch;
	int error = stack_file_load(path, &tree, &epoch, diag);

	if (!error)
		stack_tree_deinit(&tree);
	return error;
}
