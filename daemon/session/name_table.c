// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/name_table.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES_MAX 8192

struct name {
	struct node node;
	uint32_t number;
	char text[]; /* the name, escaped as in the file */
};

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

/*
 * Escapes a name so that it fits in one line: control characters and '\' become \xHH. A name that
 * is too long is cut.
 */
static size_t escape(char *to, size_t room, const char *name)
{
	size_t nr = 0;

	for (; *name && nr + 5 <= room; name++) {
		unsigned char c = (unsigned char)*name;

		if (is_control(c) || c == '\\')
			nr += (size_t)snprintf(to + nr, room - nr, "\\x%02x", c);
		else
			to[nr++] = (char)c;
	}
	to[nr] = '\0';
	return nr;
}

static struct name *name_find(const struct name_table *table, const char *text, uint64_t hash)
{
	struct node *node = node_hash_first(&table->names, hash);

	for (; node; node = node_hash_next(node)) {
		struct name *name = node_owner(node, struct name, node);

		if (!strcmp(name->text, text))
			return name;
	}
	return NULL;
}

/* Makes a name from text, which has nr_bytes and needs no NUL. Returns NULL if out of memory. */
static struct name *name_create(const char *text, size_t nr_bytes, uint32_t number)
{
	struct name *name = malloc(sizeof(*name) + nr_bytes + 1);

	if (!name)
		return NULL;
	name->number = number;
	memcpy(name->text, text, nr_bytes);
	name->text[nr_bytes] = '\0';
	return name;
}

static void name_add(struct name_table *table, struct name *name)
{
	node_hash_add(&table->names, &name->node, hash_bytes(0, name->text, strlen(name->text)));
	table->last_number = name->number;
}

/* ---- reading ---- */

/*
 * Adds the name in a line, if the line's number is larger than all numbers before. Skips other
 * lines, so that no number is assigned twice, whatever the file contains. If a damaged file has two
 * numbers for one name, name_find returns one of them.
 */
static int load_line(struct name_table *table, const char *line, size_t nr_bytes)
{
	struct name *name;
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(line, &end, 10);
	if (errno || memchr(line, '\0', nr_bytes) || *line < '1' || *line > '9' || *end != ' ' ||
	    !end[1] || number > NAME_TABLE_MAX || number <= table->last_number) {
		table->nr_bad_lines++;
		return 0;
	}
	name = name_create(end + 1, strlen(end + 1), (uint32_t)number);
	if (!name)
		return -ENOMEM;
	name_add(table, name);
	return 0;
}

static int load(struct name_table *table, char *text, size_t nr_bytes)
{
	char *next = text;
	char *end;
	int error = 0;

	while (!error && (end = memchr(next, '\n', nr_bytes - (size_t)(next - text)))) {
		*end = '\0';
		error = load_line(table, next, (size_t)(end - next));
		next = end + 1;
	}
	table->nr_bytes = (size_t)(next - text);
	return error;
}

static int open_file(struct name_table *table, int flags)
{
	table->fd = open(table->file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	return table->fd < 0 ? -errno : 0;
}

/*
 * Removes an incomplete line. No sample uses its number, because a line is written completely
 * before its number is used.
 */
static int cut_torn_line(const struct name_table *table)
{
	return ftruncate(table->fd, (off_t)table->nr_bytes) ? -errno : 0;
}

static int load_file(struct name_table *table)
{
	size_t nr_bytes = 0;
	char *text = NULL;
	/*
	 * The limit is doubled, because the file may have been written by a version with a larger
	 * limit.
	 */
	int error = file_read_text(table->file, 2 * (size_t)NAME_TABLE_BYTES_MAX, &text, &nr_bytes);

	if (error == -ENOENT)
		return 0;
	if (!error)
		error = load(table, text, nr_bytes);
	free(text);
	if (!error)
		error = open_file(table, 0);
	if (!error && table->nr_bytes < nr_bytes)
		error = cut_torn_line(table);
	return error;
}

int name_table_init(struct name_table *table, const char *file)
{
	static uint64_t nr_births;
	int error;

	memset(table, 0, sizeof(*table));
	table->fd = -1;
	table->birth = ++nr_births;
	error = node_hash_init(&table->names);
	if (error)
		return error;
	table->file = strdup(file);
	error = table->file ? load_file(table) : -ENOMEM;
	if (error)
		name_table_deinit(table);
	return error;
}

void name_table_deinit(struct name_table *table)
{
	struct node *node;

	while (table->names.buckets && (node = node_hash_any(&table->names))) {
		node_hash_remove(&table->names, node);
		free(node_owner(node, struct name, node));
	}
	if (table->names.buckets)
		node_hash_deinit(&table->names);
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
static int append(struct name_table *table, const char *line, size_t nr_bytes)
{
	ssize_t written;

	if (table->fd < 0) {
		int error = open_file(table, O_CREAT);

		if (error)
			return error;
	}
	do
		written = pwrite(table->fd, line, nr_bytes, (off_t)table->nr_bytes);
	while (written < 0 && errno == EINTR);
	if (written == (ssize_t)nr_bytes) {
		table->nr_bytes += nr_bytes;
		return 0;
	}
	if (written < 0)
		return -errno;
	/*
	 * If the incomplete line cannot be removed, the next line overwrites it, or the next
	 * name_table_init removes it.
	 */
	(void)cut_torn_line(table);
	return -ENOSPC;
}

int64_t name_table_number(struct name_table *table, const char *name)
{
	char line[LINE_BYTES_MAX];
	struct name *found, *added;
	size_t head, nr_bytes;
	uint32_t number = table->last_number + 1;
	int error;

	head = (size_t)snprintf(line, sizeof(line), "%u ", number);
	nr_bytes = escape(line + head, sizeof(line) - head - 1, name);
	found = name_find(table, line + head, hash_bytes(0, line + head, nr_bytes));
	if (found)
		return found->number;
	if (!nr_bytes || number > NAME_TABLE_MAX ||
	    table->nr_bytes + head + nr_bytes + 1 > NAME_TABLE_BYTES_MAX)
		return NAME_TABLE_OTHER;
	/*
	 * The name is allocated before its line is written. If the allocation failed after the
	 * write, the next call would write the line again.
	 */
	added = name_create(line + head, nr_bytes, number);
	if (!added)
		return -ENOMEM;
	line[head + nr_bytes] = '\n';
	error = append(table, line, head + nr_bytes + 1);
	if (error) {
		free(added);
		return error;
	}
	name_add(table, added);
	return number;
}

int name_table_sync(const struct name_table *table)
{
	return table->fd >= 0 && fdatasync(table->fd) ? -errno : 0;
}
