// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sample_tree.h"

#include "lib/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES 512 /* of st_blocks */

void sample_tree_init(struct sample_tree *tree, const char *folder)
{
	tree->folder = folder;
	tree->nr_folders = 0;
	tree->folder_blocks = 0;
}

static void tree_made(struct sample_tree *tree, const char *folder)
{
	struct stat st;

	if (!tree->nr_folders && !stat(folder, &st))
		tree->folder_blocks = (uint64_t)st.st_blocks * BLOCK_BYTES;
	tree->nr_folders++;
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
		*c = '\0';
		if (!mkdir(folder, 0700))
			tree_made(tree, folder);
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
		*end = '\0';
		if (rmdir(folder))
			return;
		if (tree->nr_folders)
			tree->nr_folders--;
	}
}

uint64_t sample_tree_nr_bytes(const struct sample_tree *tree)
{
	return tree->nr_folders * tree->folder_blocks;
}
