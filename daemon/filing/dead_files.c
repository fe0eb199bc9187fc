// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/dead_files.h"

#include "lib/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Time limit for removing files when the disk is full. At least one file is removed. */
#define FULL_DISK_NS UINT64_C(100000000)
#define MEMORY_MAX   (UINT64_C(8) << 20)

struct dead_file {
	struct node node; /* has the hash of the path */
	uint64_t nr_bytes;
	char path[];
};

int dead_files_init(struct dead_files *dead, struct sample_tree *tree)
{
	*dead = (struct dead_files){.tree = tree};
	return node_hash_init(&dead->files);
}

static struct dead_file *any(struct dead_files *dead)
{
	struct node *node = node_hash_any(&dead->files);

	return node ? node_owner(node, struct dead_file, node) : NULL;
}

static size_t memory_of(const char *path)
{
	return sizeof(struct dead_file) + strlen(path) + 1;
}

static void forget(struct dead_files *dead, struct dead_file *file)
{
	node_hash_remove(&dead->files, &file->node);
	dead->nr_bytes -= file->nr_bytes;
	dead->nr_memory -= memory_of(file->path);
	free(file);
}

void dead_files_clear(struct dead_files *dead)
{
	struct dead_file *file;

	while ((file = any(dead)))
		forget(dead, file);
}

void dead_files_deinit(struct dead_files *dead)
{
	dead_files_clear(dead);
	node_hash_deinit(&dead->files);
}

void dead_files_add(struct dead_files *dead, const char *path, uint64_t hash, uint64_t nr_bytes)
{
	struct dead_file *file = calloc(1, memory_of(path));

	if (!file) {
		sample_tree_remove(dead->tree, path);
		return;
	}
	memcpy(file->path, path, strlen(path) + 1);
	file->nr_bytes = nr_bytes;
	dead->nr_bytes += nr_bytes;
	dead->nr_memory += memory_of(path);
	node_hash_add(&dead->files, &file->node, hash);
}

void dead_files_forget(struct dead_files *dead, const char *path, uint64_t hash)
{
	for (struct node *node = node_hash_first(&dead->files, hash); node;
	     node = node_hash_next(node)) {
		struct dead_file *file = node_owner(node, struct dead_file, node);

		if (strcmp(file->path, path) != 0)
			continue;
		forget(dead, file);
		return;
	}
}

bool dead_files_are_many(const struct dead_files *dead)
{
	return dead->nr_memory > MEMORY_MAX;
}

bool dead_files_remove(struct dead_files *dead)
{
	struct dead_file *file = any(dead);

	if (!file)
		return false;
	sample_tree_remove(dead->tree, file->path);
	forget(dead, file);
	return true;
}

bool dead_files_tidy(struct dead_files *dead, uint64_t ns)
{
	const uint64_t begin_ns = clock_monotonic_ns();

	while (dead_files_remove(dead) && clock_monotonic_ns() - begin_ns < ns) {
		/* the next file */
	}
	return dead->files.nr_nodes;
}

bool dead_files_reclaim(struct dead_files *dead, int error)
{
	if ((error != -ENOSPC && error != -EDQUOT) || !dead_files_remove(dead))
		return false;
	(void)dead_files_tidy(dead, FULL_DISK_NS);
	return true;
}
