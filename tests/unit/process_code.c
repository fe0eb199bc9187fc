// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/process_code.h"

#include "lib/file.h"
#include "unwind/stack_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TABLE_BYTES_MAX (1u << 30)
#define VDSO_BYTES_MAX	(1u << 20)

static struct code_table *build_from(int from)
{
	struct code_table *table = NULL;
	int to = memfd_create("table", MFD_CLOEXEC);

	if (to >= 0 && (code_table_build(from, to, TABLE_BYTES_MAX, NULL) ||
			code_table_open(&table, to, NULL)))
		table = NULL;
	if (to >= 0)
		close(to);
	return table;
}

struct code_table *process_code_build(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	struct code_table *table = from < 0 ? NULL : build_from(from);

	if (from >= 0)
		close(from);
	return table;
}

/* The vdso is in memory only. */
static struct code_table *build_vdso(const struct process_code *code,
				     const struct process_code_map *map)
{
	const size_t nr_bytes = (size_t)(map->end - map->start);
	struct code_table *table = NULL;
	int to = memfd_create("vdso", MFD_CLOEXEC);
	char path[64];
	void *bytes;
	int from;

	if (to < 0 || nr_bytes > VDSO_BYTES_MAX)
		abort();
	bytes = malloc(nr_bytes);
	if (!bytes)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)code->pid);
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from >= 0 &&
	    file_pread_all(from, bytes, nr_bytes, (off_t)map->start) == (ssize_t)nr_bytes &&
	    !file_write_all(to, bytes, nr_bytes))
		table = build_from(to);
	if (from >= 0)
		close(from);
	close(to);
	free(bytes);
	return table;
}

static struct code_table *table_of(struct process_code *code, const struct process_code_map *map)
{
	for (size_t i = 0; i < code->nr_tables; i++)
		if (!strcmp(code->tables[i].path, map->path))
			return code->tables[i].table;
	if (code->nr_tables == PROCESS_CODE_MAPS_MAX)
		abort();
	memcpy(code->tables[code->nr_tables].path, map->path, sizeof(map->path));
	code->tables[code->nr_tables].table = !strcmp(map->path, "[vdso]")
						      ? build_vdso(code, map)
						      : process_code_build(map->path);
	return code->tables[code->nr_tables++].table;
}

void process_code_init(struct process_code *code, pid_t pid)
{
	memset(code, 0, sizeof(*code));
	code->pid = pid;
}

void process_code_deinit(struct process_code *code)
{
	for (size_t i = 0; i < code->nr_tables; i++)
		code_table_close(code->tables[i].table);
}

static void add_map(struct process_code *code, const char *line)
{
	struct process_code_map *map = &code->maps[code->nr_maps];
	char rights[8];

	if (code->nr_maps == PROCESS_CODE_MAPS_MAX)
		abort();
	memset(map, 0, sizeof(*map));
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255[^\n]", &map->start,
		   &map->end, rights, &map->offset, map->path) < 4)
		return;
	map->can_run = strchr(rights, 'x') != NULL;
	code->nr_maps++;
}

int process_code_read(struct process_code *code)
{
	char path[64];
	char *text = NULL;
	char *line;
	char *next = NULL;
	int error;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)code->pid);
	error = file_read_text(path, 1u << 20, &text, NULL);
	if (error)
		return error;
	code->nr_maps = 0;
	for (line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
		add_map(code, line);
	free(text);
	for (size_t i = 0; i < code->nr_maps; i++) {
		struct process_code_map *map = &code->maps[i];

		if (map->can_run && (map->path[0] == '/' || !strcmp(map->path, "[vdso]")))
			map->table = table_of(code, map);
	}
	return 0;
}

static const struct process_code_map *find_map(const struct process_code *code, uint64_t address)
{
	for (size_t i = 0; i < code->nr_maps; i++)
		if (address >= code->maps[i].start && address < code->maps[i].end)
			return &code->maps[i];
	return NULL;
}

const struct process_code_map *process_code_map(struct process_code *code, uint64_t address)
{
	const struct process_code_map *map = find_map(code, address);

	if (!map && !code->is_fixed && !process_code_read(code))
		map = find_map(code, address);
	return map;
}

const struct code_table *process_code_find(void *context, uint64_t address, uint64_t *key)
{
	const struct process_code_map *map = process_code_map(context, address);

	if (!map || !map->can_run)
		*key = STACK_WALK_NO_CODE;
	if (!map || !map->table)
		return NULL;
	*key = address - map->start + map->offset;
	return map->table;
}
