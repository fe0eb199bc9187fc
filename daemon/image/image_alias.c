// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/image_alias.h"

#include "lib/buildid.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * If there are more aliases, all are forgotten. The files are then read again to find their
 * identities.
 */
#define ALIASES_MAX 16384u
#define FRESH_NS    1000000000u

struct alias {
	struct node node;
	struct file_name file; /* path is owned by the alias */
	uint64_t looked_ns;
	struct oprof_image_identity identity;
};

int image_alias_init(struct image_alias_table *table, const char *proc_path)
{
	table->proc_path = proc_path;
	return node_hash_init(&table->aliases);
}

static void alias_free(struct alias *alias)
{
	free((char *)(uintptr_t)alias->file.path);
	free(alias);
}

static void forget_all(struct image_alias_table *table)
{
	struct node *node;

	while ((node = node_hash_any(&table->aliases))) {
		node_hash_remove(&table->aliases, node);
		alias_free(node_owner(node, struct alias, node));
	}
}

void image_alias_deinit(struct image_alias_table *table)
{
	forget_all(table);
	node_hash_deinit(&table->aliases);
}

uint64_t image_alias_dev(unsigned int major, unsigned int minor)
{
	return (uint64_t)major << 32 | minor;
}

static uint64_t file_hash(const struct file_name *file)
{
	uint64_t hash = hash_number(file->dev ^ hash_number(file->inode));

	return hash_bytes(hash, file->path, strlen(file->path));
}

/* Finds the alias of the file. An unknown inode generation matches any generation. */
static struct alias *alias_find(const struct image_alias_table *table, const struct file_name *file,
				uint64_t hash)
{
	struct node *node = node_hash_first(&table->aliases, hash);

	for (; node; node = node_hash_next(node)) {
		struct alias *alias = node_owner(node, struct alias, node);
		uint64_t known = alias->file.inode_generation;

		if (alias->file.dev == file->dev && alias->file.inode == file->inode &&
		    (!known || !file->inode_generation || known == file->inode_generation) &&
		    !strcmp(alias->file.path, file->path))
			return alias;
	}
	return NULL;
}

static void alias_add(struct image_alias_table *table, const struct file_name *file, uint64_t hash,
		      uint64_t time_ns, const struct oprof_image_identity *identity)
{
	struct alias *alias = calloc(1, sizeof(*alias));

	if (!alias)
		return;
	alias->file = *file;
	alias->file.path = strdup(file->path);
	if (!alias->file.path) {
		free(alias);
		return;
	}
	alias->looked_ns = time_ns;
	alias->identity = *identity;
	if (table->aliases.nr_nodes >= ALIASES_MAX)
		forget_all(table);
	node_hash_add(&table->aliases, &alias->node, hash);
}

/*
 * Returns whether st is the status of the file. On some file systems (btrfs) the device of stat()
 * differs from the device in mappings: in this case, the link map_path must give the path of the
 * file.
 */
static bool is_the_file(const struct file_name *file, const struct stat *st, const char *map_path)
{
	char path[PATH_MAX];
	ssize_t nr;

	if (!S_ISREG(st->st_mode) || st->st_ino != file->inode)
		return false;
	if (image_alias_dev(major(st->st_dev), minor(st->st_dev)) == file->dev)
		return true;
	if (!map_path)
		return false;
	nr = readlink(map_path, path, sizeof(path) - 1);
	if (nr < 0)
		return false;
	path[nr] = '\0';
	return !strcmp(path, file->path);
}

static void identity_of_fd(int fd, const struct file_name *file, const struct stat *st,
			   struct oprof_image_identity *identity)
{
	struct buildid id;

	memset(identity, 0, sizeof(*identity));
	if (!buildid_read_fd(fd, &id)) {
		memcpy(identity->build_id, id.bytes, sizeof(id.bytes));
		identity->nr_build_id = id.nr_bytes;
		return;
	}
	identity->dev = file->dev;
	identity->inode = file->inode;
	identity->inode_generation = file->inode_generation;
	identity->mtime_ns = st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	identity->size_bytes = (uint64_t)st->st_size;
	if (!identity->inode_generation) {
		long generation = 0;

		/* The kernel writes an int. Many file systems do not support this ioctl. */
		if (!ioctl(fd, FS_IOC_GETVERSION, &generation))
			identity->inode_generation = (uint32_t)generation;
	}
}

void image_alias_identify_fd(int fd, const struct file_name *file,
			     struct oprof_image_identity *identity)
{
	struct stat st;

	if (fstat(fd, &st))
		memset(&st, 0, sizeof(st));
	identity_of_fd(fd, file, &st, identity);
}

/* Reads the identity of the file at path, if it is the named file. */
static bool look(const char *path, const struct file_name *file, const char *map_path,
		 struct oprof_image_identity *identity)
{
	struct stat st;
	bool found;
	int fd;

	/* Check before the open, since opening a device may have side effects. */
	if (stat(path, &st) || !is_the_file(file, &st, map_path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	found = !fstat(fd, &st) && is_the_file(file, &st, map_path);
	if (found)
		identity_of_fd(fd, file, &st, identity);
	close(fd);
	return found;
}

static bool look_everywhere(const struct image_alias_table *table, const struct file_name *file,
			    pid_t tgid, const char *map_path, struct oprof_image_identity *identity)
{
	char path[PATH_MAX];

	if (map_path && look(map_path, file, map_path, identity))
		return true;
	if (file->path[0] != '/')
		return false;
	/* The process may have another root or mount namespace, or may have ended. */
	if (snprintf(path, sizeof(path), "%s/%d/root%s", table->proc_path, (int)tgid, file->path) <
		    (int)sizeof(path) &&
	    look(path, file, NULL, identity))
		return true;
	return look(file->path, file, NULL, identity);
}

void image_alias_identify(struct image_alias_table *table, const struct file_name *file, pid_t tgid,
			  const char *map_path, uint64_t time_ns,
			  struct oprof_image_identity *identity)
{
	uint64_t hash = file_hash(file);
	struct alias *alias = alias_find(table, file, hash);
	bool found;

	if (alias && time_ns < alias->looked_ns + FRESH_NS) {
		*identity = alias->identity;
		return;
	}
	found = look_everywhere(table, file, tgid, map_path, identity);
	if (alias && found)
		alias->identity = *identity;
	if (alias) {
		alias->looked_ns = time_ns;
		*identity = alias->identity;
		return;
	}
	if (!found)
		*identity = (struct oprof_image_identity){
			.dev = file->dev,
			.inode = file->inode,
			.inode_generation = file->inode_generation,
		};
	alias_add(table, file, hash, time_ns, identity);
}
