// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/image_alias.h"

#include "lib/buildid.h"
#include "lib/clock.h"

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
	*table = (struct image_alias_table){.proc_path = proc_path};
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
 * Returns whether st is the status of the file. On some file systems (btrfs), stat() returns
 * another device than the device in mappings. In this case, the link map_path must contain the path
 * of the file.
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

/* ---- looking at files, in the reader ---- */

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

static bool look_everywhere(const char *proc_path, const struct mapped_file *file, pid_t tgid,
			    struct oprof_image_identity *identity)
{
	char path[PATH_MAX];

	if (file->map_path && look(file->map_path, &file->name, file->map_path, identity))
		return true;
	if (file->name.path[0] != '/')
		return false;
	/* The process may have another root or mount namespace, or may have ended. */
	if (snprintf(path, sizeof(path), "%s/%d/root%s", proc_path, (int)tgid, file->name.path) <
		    (int)sizeof(path) &&
	    look(path, &file->name, NULL, identity))
		return true;
	return look(file->name.path, &file->name, NULL, identity);
}

/* ---- requests to the reader ---- */

/*
 * A request: this struct, proc_path with a NUL, and the files. Each file is a struct look_file, its
 * path with a NUL, and its map_path with a NUL (empty: none).
 */
struct look_head {
	int32_t tgid;
	uint32_t nr_proc_path; /* bytes, with the NUL */
};

struct look_file {
	uint64_t dev, inode, inode_generation;
	uint32_t nr_path, nr_map_path; /* bytes, with the NUL */
};

/* The answer has one of these for each file, in the order of the request. */
struct look_result {
	uint64_t found;
	struct oprof_image_identity identity;
};

/* Files in one request, at most. */
#define BATCH_FILES 256u

struct look_batch {
	struct image_alias_table *table;
	pid_t tgid;
	uint64_t time_ns;
	const struct mapped_file *files[BATCH_FILES];
	size_t nr_files, nr_bytes;
	char bytes[SLOW_REQUEST_BYTES_MAX];
};

/*
 * A request ends itself after this time, before the daemon concludes that the reader hangs
 * (slow_reader.c). Otherwise the daemon would refuse later requests for the process, although its
 * files are only on a slow disk.
 */
#define LOOK_NS UINT64_C(1000000000)

/*
 * The daemon is trusted: the request is complete, and its texts are terminated. At least one file
 * is looked at.
 */
int image_alias_look(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	const char *next = request, *end = next + nr_bytes, *proc_path;
	const uint64_t begin_ns = clock_monotonic_ns();
	struct look_head head;
	int error = 0;

	memcpy(&head, next, sizeof(head));
	proc_path = next + sizeof(head);
	next = proc_path + head.nr_proc_path;
	while (!error && next < end) {
		struct look_result result;
		struct mapped_file file;
		struct look_file entry;

		memset(&result, 0, sizeof(result));
		memcpy(&entry, next, sizeof(entry));
		next += sizeof(entry);
		file.name =
			(struct file_name){next, entry.dev, entry.inode, entry.inode_generation};
		next += entry.nr_path;
		file.map_path = *next ? next : NULL;
		next += entry.nr_map_path;
		result.found = look_everywhere(proc_path, &file, head.tgid, &result.identity);
		error = slow_answer_put(answer, &result, sizeof(result));
		if (clock_monotonic_ns() - begin_ns >= LOOK_NS)
			break;
		/* Send the results so far, so that they are not lost if the next file hangs. */
		if (!error && next < end)
			error = slow_answer_send(answer);
	}
	return error;
}

static void batch_add(struct look_batch *batch, const void *bytes, size_t nr_bytes)
{
	memcpy(batch->bytes + batch->nr_bytes, bytes, nr_bytes);
	batch->nr_bytes += nr_bytes;
}

static void batch_begin(struct look_batch *batch)
{
	const char *proc_path = batch->table->proc_path;
	const struct look_head head = {batch->tgid, (uint32_t)strlen(proc_path) + 1};

	batch->nr_files = 0;
	batch->nr_bytes = 0;
	batch_add(batch, &head, sizeof(head));
	batch_add(batch, proc_path, head.nr_proc_path);
}

/* Returns false if the batch has no room for the file. */
static bool batch_put(struct look_batch *batch, const struct mapped_file *file)
{
	const char *map_path = file->map_path ? file->map_path : "";
	const struct look_file entry = {
		file->name.dev, file->name.inode, file->name.inode_generation,
		(uint32_t)strlen(file->name.path) + 1, (uint32_t)strlen(map_path) + 1};

	if (batch->nr_files == BATCH_FILES ||
	    batch->nr_bytes + sizeof(entry) + entry.nr_path + entry.nr_map_path >
		    sizeof(batch->bytes))
		return false;
	batch_add(batch, &entry, sizeof(entry));
	batch_add(batch, file->name.path, entry.nr_path);
	batch_add(batch, map_path, entry.nr_map_path);
	batch->files[batch->nr_files++] = file;
	return true;
}

/* Puts the result into the cache. A file that was not found has only its name as identity. */
static void take_result(struct image_alias_table *table, const struct file_name *file,
			uint64_t time_ns, const struct look_result *result)
{
	const uint64_t hash = file_hash(file);
	struct alias *alias = alias_find(table, file, hash);
	struct oprof_image_identity identity = {
		.dev = file->dev,
		.inode = file->inode,
		.inode_generation = file->inode_generation,
	};

	if (result->found)
		identity = result->identity;
	if (alias && result->found)
		alias->identity = identity;
	if (alias)
		alias->looked_ns = time_ns;
	else
		alias_add(table, file, hash, time_ns, &identity);
}

static struct image_alias_late *late_of(struct image_alias_table *table, pid_t tgid)
{
	return &table->late[(uint32_t)tgid % IMAGE_ALIAS_LATE];
}

/* Returns whether a request for the process was late, or was refused, a short time ago. */
static bool is_late(struct image_alias_table *table, pid_t tgid, uint64_t time_ns)
{
	const struct image_alias_late *late = late_of(table, tgid);

	return tgid && late->tgid == tgid && time_ns - late->time_ns < FRESH_NS;
}

/*
 * Sends the request. If the reader does not finish in time, the files without a result are not
 * cached, since they may also be mapped by processes that can be read. image_alias_identify() looks
 * at each file that is not cached.
 */
static void batch_end(struct look_batch *batch)
{
	struct image_alias_table *table = batch->table;
	struct slow_reply reply;
	size_t nr_results;
	int error;

	if (!batch->nr_files || is_late(table, batch->tgid, batch->time_ns))
		return;
	error = slow_reader_call(table->reader, image_alias_look, batch->tgid, batch->bytes,
				 batch->nr_bytes, &reply);
	if (slow_reader_is_late(error))
		*late_of(table, batch->tgid) =
			(struct image_alias_late){batch->tgid, batch->time_ns};
	nr_results = reply.nr_bytes / sizeof(struct look_result);
	for (size_t i = 0; i < nr_results && i < batch->nr_files; i++) {
		struct look_result result;

		memcpy(&result, reply.bytes + i * sizeof(result), sizeof(result));
		take_result(table, &batch->files[i]->name, batch->time_ns, &result);
	}
	slow_reply_deinit(&reply);
}

static bool is_fresh(const struct alias *alias, uint64_t time_ns)
{
	return alias && time_ns < alias->looked_ns + FRESH_NS;
}

void image_alias_prepare(struct image_alias_table *table, const struct mapped_file *files,
			 size_t nr_files, pid_t tgid, uint64_t time_ns)
{
	static struct look_batch batch; /* too big for the stack */

	if (table->names_only)
		return;
	batch.table = table;
	batch.tgid = tgid;
	batch.time_ns = time_ns;
	batch_begin(&batch);
	for (size_t i = 0; i < nr_files; i++) {
		const struct file_name *file = &files[i].name;

		if (is_fresh(alias_find(table, file, file_hash(file)), time_ns) ||
		    batch_put(&batch, &files[i]))
			continue;
		batch_end(&batch);
		batch_begin(&batch);
		(void)batch_put(&batch, &files[i]);
	}
	batch_end(&batch);
}

void image_alias_identify(struct image_alias_table *table, const struct mapped_file *file,
			  pid_t tgid, uint64_t time_ns, struct oprof_image_identity *identity)
{
	const uint64_t hash = file_hash(&file->name);
	struct alias *alias = alias_find(table, &file->name, hash);

	if (!table->names_only && !is_fresh(alias, time_ns)) {
		image_alias_prepare(table, file, 1, tgid, time_ns);
		alias = alias_find(table, &file->name, hash);
	}
	if (alias)
		*identity = alias->identity;
	else
		*identity = (struct oprof_image_identity){
			.dev = file->name.dev,
			.inode = file->name.inode,
			.inode_generation = file->name.inode_generation,
		};
}
