// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/cgroup_table.h"

#include "lib/array.h"
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room in the file for the line of CGROUP_TABLE_OTHERS. */
#define LAST_LINE_BYTES 64

struct cgroup_entry {
	struct node node;
	size_t number;
	char path[];
};

/* ---- in memory ---- */

static struct cgroup_entry *entry_find(const struct cgroup_table *table, const char *path)
{
	struct node *node = node_hash_first(&table->hash, hash_bytes(0, path, strlen(path)));

	for (; node; node = node_hash_next(node)) {
		struct cgroup_entry *entry = node_owner(node, struct cgroup_entry, node);

		if (!strcmp(entry->path, path))
			return entry;
	}
	return NULL;
}

/* If a damaged file contains a path twice, entry_find returns one of its numbers. */
static int entry_add(struct cgroup_table *table, const char *path)
{
	size_t nr_bytes = strlen(path);
	struct cgroup_entry *entry;

	if (array_reserve(&table->paths, &table->room, table->nr_paths, 1))
		return -ENOMEM;
	entry = malloc(sizeof(*entry) + nr_bytes + 1);
	if (!entry)
		return -ENOMEM;
	memcpy(entry->path, path, nr_bytes + 1);
	entry->number = table->nr_paths;
	table->paths[table->nr_paths++] = entry->path;
	node_hash_add(&table->hash, &entry->node, hash_bytes(0, path, nr_bytes));
	return 0;
}

static void entry_free(char *path)
{
	free(path - offsetof(struct cgroup_entry, path));
}

static void last_remove(struct cgroup_table *table)
{
	char *path = table->paths[--table->nr_paths];

	node_hash_remove(&table->hash, &entry_find(table, path)->node);
	entry_free(path);
}

/* ---- reading ---- */

/* Reads lines in the order of their numbers, until a line has a wrong number or format. */
static int load(struct cgroup_table *table, char *text)
{
	char *next = text;
	char *newline;

	while ((newline = strchr(next, '\n'))) {
		unsigned long number;
		char *end;
		int error;

		*newline = '\0';
		errno = 0;
		number = strtoul(next, &end, 10);
		if (errno || end == next || *end != ' ' || number != table->nr_paths)
			break;
		error = entry_add(table, end + 1);
		if (error)
			return error;
		next = newline + 1;
	}
	table->nr_bytes = (size_t)(next - text);
	return 0;
}

static int open_file(struct cgroup_table *table, int flags)
{
	table->fd = open(table->file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	return table->fd < 0 ? -errno : 0;
}

/*
 * Removes an incomplete line. No sample file uses its number, because a line is written completely
 * before its number is used.
 */
static int cut_torn_line(const struct cgroup_table *table)
{
	return ftruncate(table->fd, (off_t)table->nr_bytes) ? -errno : 0;
}

static int load_file(struct cgroup_table *table)
{
	size_t nr_bytes = 0;
	char *text = NULL;
	/*
	 * The limit is doubled, because the file may have been written by a version with a larger
	 * limit.
	 */
	int error =
		file_read_text(table->file, 2 * (size_t)CGROUP_TABLE_BYTES_MAX, &text, &nr_bytes);

	if (error == -ENOENT)
		return 0;
	if (!error)
		error = load(table, text);
	free(text);
	if (!error)
		error = open_file(table, 0);
	if (!error && table->nr_bytes < nr_bytes)
		error = cut_torn_line(table);
	return error;
}

int cgroup_table_init(struct cgroup_table *table, const char *file)
{
	int error;

	memset(table, 0, sizeof(*table));
	table->fd = -1;
	error = node_hash_init(&table->hash);
	if (error)
		return error;
	table->file = strdup(file);
	error = table->file ? load_file(table) : -ENOMEM;
	if (error)
		cgroup_table_deinit(table);
	return error;
}

void cgroup_table_deinit(struct cgroup_table *table)
{
	if (!table->hash.buckets)
		return; /* already zeroed */
	for (size_t i = 0; i < table->nr_paths; i++)
		entry_free(table->paths[i]);
	free(table->paths);
	node_hash_deinit(&table->hash);
	if (table->fd >= 0)
		(void)close(table->fd);
	free(table->file);
	memset(table, 0, sizeof(*table));
	table->fd = -1;
}

/* ---- adding ---- */

/*
 * Appends the line by a single write: if the process is killed, the line is complete or absent. On
 * a full disk the line may be incomplete.
 */
static int append(struct cgroup_table *table, const char *line, size_t nr_bytes)
{
	int error = table->fd < 0 ? open_file(table, O_CREAT) : 0;
	ssize_t written;

	if (error)
		return error;
	do
		written = pwrite(table->fd, line, nr_bytes, (off_t)table->nr_bytes);
	while (written < 0 && errno == EINTR);
	if (written < 0)
		return -errno;
	if (written == (ssize_t)nr_bytes) {
		table->nr_bytes += nr_bytes;
		return 0;
	}
	/*
	 * If the incomplete line cannot be removed, the next line overwrites it, or the next
	 * cgroup_table_init removes it.
	 */
	(void)cut_torn_line(table);
	return -ENOSPC;
}

static bool is_full(const struct cgroup_table *table, size_t nr_bytes)
{
	return table->nr_paths + 1 >= CGROUP_TABLE_MAX ||
	       table->nr_bytes + nr_bytes + LAST_LINE_BYTES > CGROUP_TABLE_BYTES_MAX;
}

static int64_t add(struct cgroup_table *table, const char *path)
{
	char line[PATH_MAX + 32];
	int nr_bytes = snprintf(line, sizeof(line), "%zu %s\n", table->nr_paths, path);
	int error = entry_add(table, path);

	if (error)
		return error;
	error = append(table, line, (size_t)nr_bytes);
	if (!error)
		return (int64_t)table->nr_paths - 1;
	last_remove(table); /* a number that is not on disk must not be used */
	return error;
}

int64_t cgroup_table_number(struct cgroup_table *table, const char *path)
{
	char clean[PATH_MAX];
	const struct cgroup_entry *entry;

	(void)snprintf(clean, sizeof(clean), "%s", path);
	for (char *c = clean; *c; c++)
		if (*c == '\n')
			*c = '?';
	entry = entry_find(table, clean);
	if (!entry && is_full(table, strlen(clean) + 32)) {
		(void)strcpy(clean, CGROUP_TABLE_OTHERS);
		entry = entry_find(table, clean);
	}
	return entry ? (int64_t)entry->number : add(table, clean);
}
