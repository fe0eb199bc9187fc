// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/cgroup_table.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CGROUP_TABLE_BYTES_MAX (16u << 20)

static int cgroup_table_append(struct cgroup_table *table, const char *path)
{
	char *copy;

	if (table->nr_paths == table->room) {
		size_t room = table->room ? 2 * table->room : 16;
		char **paths = realloc(table->paths, room * sizeof(*paths));

		if (!paths)
			return -ENOMEM;
		table->paths = paths;
		table->room = room;
	}
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	table->paths[table->nr_paths++] = copy;
	return 0;
}

/* Lines in the order of their numbers; anything else ends what is believed. */
static int cgroup_table_load(struct cgroup_table *table, char *text)
{
	char *rest = text;
	char *line;

	while ((line = strsep(&rest, "\n")) && rest) {
		char *end;
		unsigned long number;
		int error;

		errno = 0;
		number = strtoul(line, &end, 10);
		if (errno || end == line || *end != ' ' || number != table->nr_paths)
			break;
		error = cgroup_table_append(table, end + 1);
		if (error)
			return error;
	}
	return 0;
}

int cgroup_table_init(struct cgroup_table *table, const char *file)
{
	char *text = NULL;
	int error;

	memset(table, 0, sizeof(*table));
	table->file = strdup(file);
	if (!table->file)
		return -ENOMEM;
	error = file_read_text(file, CGROUP_TABLE_BYTES_MAX, &text, NULL);
	if (!error)
		error = cgroup_table_load(table, text);
	else if (error == -ENOENT)
		error = 0;
	free(text);
	if (error)
		cgroup_table_deinit(table);
	return error;
}

void cgroup_table_deinit(struct cgroup_table *table)
{
	for (size_t i = 0; i < table->nr_paths; i++)
		free(table->paths[i]);
	free(table->paths);
	free(table->file);
	memset(table, 0, sizeof(*table));
}

/* The whole file each time: cgroups are few and new ones rare. */
static int cgroup_table_save(const struct cgroup_table *table)
{
	char *text = NULL;
	size_t nr_bytes = 0;
	FILE *stream = open_memstream(&text, &nr_bytes);
	int error = 0;

	if (!stream)
		return -ENOMEM;
	for (size_t i = 0; i < table->nr_paths; i++)
		if (fprintf(stream, "%zu %s\n", i, table->paths[i]) < 0)
			error = -ENOMEM;
	if (fclose(stream))
		error = -ENOMEM;
	if (!error)
		error = file_replace(table->file, text, nr_bytes, 0600);
	free(text);
	return error;
}

int64_t cgroup_table_number(struct cgroup_table *table, const char *path)
{
	char clean[PATH_MAX];
	int error;

	(void)snprintf(clean, sizeof(clean), "%s", path);
	for (char *c = clean; *c; c++)
		if (*c == '\n')
			*c = '?';
	for (size_t i = 0; i < table->nr_paths; i++)
		if (!strcmp(table->paths[i], clean))
			return (int64_t)i;
	error = cgroup_table_append(table, clean);
	if (error)
		return error;
	error = cgroup_table_save(table);
	if (error) { /* a number that is not on disk names nothing */
		free(table->paths[--table->nr_paths]);
		return error;
	}
	return (int64_t)table->nr_paths - 1;
}
