// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/sample_tree.h"

#include "lib/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES 512 /* the unit of st_blocks */

void sample_tree_init(struct sample_tree *tree, const char *folder)
{
	tree->folder = folder;
	tree->nr_bytes = 0;
}

static uint64_t folder_bytes(const char *folder)
{
	struct stat st;

	return stat(folder, &st) ? 0 : (uint64_t)st.st_blocks * BLOCK_BYTES;
}

uint64_t sample_tree_measure(const char *path)
{
	const char *end = strrchr(path, '/');
	char folder[2 * PATH_MAX];

	if (!end || (size_t)(end - path) >= sizeof(folder))
		return 0;
	memcpy(folder, path, (size_t)(end - path));
	folder[end - path] = '\0';
	return folder_bytes(folder);
}

void sample_tree_grown(struct sample_tree *tree, const char *path, uint64_t measured)
{
	uint64_t nr_bytes = sample_tree_measure(path);

	/* A folder that did not exist before is counted when it is created. */
	if (measured && nr_bytes > measured)
		tree->nr_bytes += nr_bytes - measured;
}

static void tree_made(struct sample_tree *tree, const char *folder, uint64_t parent_bytes)
{
	tree->nr_bytes += folder_bytes(folder);
	sample_tree_grown(tree, folder, parent_bytes);
}

int sample_tree_make_parents(struct sample_tree *tree, const char *path)
{
	char folder[2 * PATH_MAX];
	size_t nr_bytes = strlen(tree->folder);
	int error;

	if (strlen(path) >= sizeof(folder) || strncmp(path, tree->folder, nr_bytes) != 0)
		return -ENAMETOOLONG;
	error = file_make_dirs(tree->folder, 0700);
	if (error)
		return error;
	(void)snprintf(folder, sizeof(folder), "%s", path);
	for (char *c = folder + nr_bytes + 1; (c = strchr(c, '/')); c++) {
		uint64_t parent_bytes;

		*c = '\0';
		parent_bytes = sample_tree_measure(folder);
		if (!mkdir(folder, 0700))
			tree_made(tree, folder, parent_bytes);
		else if (errno != EEXIST)
			return -errno;
		*c = '/';
	}
	return 0;
}

void sample_tree_remove(struct sample_tree *tree, const char *path)
{
	char folder[2 * PATH_MAX];
	size_t nr_bytes = strlen(tree->folder);
	char *end;

	(void)unlink(path);
	if (strlen(path) >= sizeof(folder))
		return;
	(void)snprintf(folder, sizeof(folder), "%s", path);
	while ((end = strrchr(folder, '/')) && (size_t)(end - folder) > nr_bytes) {
		uint64_t taken;

		*end = '\0';
		taken = folder_bytes(folder);
		if (rmdir(folder))
			return;
		tree->nr_bytes -= taken < tree->nr_bytes ? taken : tree->nr_bytes;
	}
}

uint64_t sample_tree_nr_bytes(const struct sample_tree *tree)
{
	return tree->nr_bytes;
}
