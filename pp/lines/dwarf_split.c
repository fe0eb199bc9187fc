// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/dwarf_split.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void dwarf_split_init(struct dwarf_split *split, struct file_opener *opener)
{
	*split = (struct dwarf_split){.opener = opener, .package_fd = -1, .fd = -1};
}

/* Closes the file that contains the last unit found. */
static void close_found(struct dwarf_split *split)
{
	dwarf_info_deinit(&split->info);
	dwarf_file_deinit(&split->info.file);
	if (split->elf)
		elf_end(split->elf);
	if (split->fd >= 0)
		close(split->fd);
	free(split->path);
	split->path = NULL;
	split->elf = NULL;
	split->fd = -1;
}

void dwarf_split_deinit(struct dwarf_split *split)
{
	close_found(split);
	dwarf_file_deinit(&split->package_file);
	free(split->package_path);
	if (split->package)
		elf_end(split->package);
	if (split->package_fd >= 0)
		close(split->package_fd);
	free(split->missing);
	dwarf_split_init(split, NULL);
}

/* ---- the package ---- */

/*
 * Returns the section that a number in a package's index means, or -1 if this section is not
 * needed. Some numbers have a new meaning since version 5.
 */
static int section_of_column(uint32_t column, unsigned int version)
{
	switch (column) {
	case 1:
		return DWARF_INFO;
	case 3:
		return DWARF_ABBREV;
	case 6:
		return DWARF_STR_OFFSETS;
	case 8:
		return version >= 5 ? DWARF_RNGLISTS : -1;
	default:
		return -1;
	}
}

struct package_index {
	uint32_t version, nr_columns, nr_units, nr_slots;
	struct cursor slots; /* nr_slots ids of units: the hash table of find_row() */
	struct cursor rows;  /* nr_slots row numbers, one for each id */
	struct cursor columns, offsets, sizes;
};

static bool read_index(const struct dwarf_file *package, struct package_index *index)
{
	struct cursor cursor = dwarf_file_at(package, DWARF_CU_INDEX, 0);
	uint64_t row_bytes;

	index->version = cursor_u32(&cursor);
	/*
	 * In version 2, the version field has 4 bytes. Since version 5, the field has 2 bytes,
	 * followed by 2 bytes of padding.
	 */
	if (index->version != 2)
		index->version = package->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
					 ? index->version >> 16
					 : index->version & 0xffff;
	index->nr_columns = cursor_u32(&cursor);
	index->nr_units = cursor_u32(&cursor);
	index->nr_slots = cursor_u32(&cursor);
	row_bytes = (uint64_t)index->nr_columns * sizeof(uint32_t);
	index->slots = cursor;
	cursor_skip(&cursor, (uint64_t)index->nr_slots * sizeof(uint64_t));
	index->rows = cursor;
	cursor_skip(&cursor, (uint64_t)index->nr_slots * sizeof(uint32_t));
	index->columns = cursor;
	cursor_skip(&cursor, row_bytes);
	index->offsets = cursor;
	if (index->nr_units > cursor_left(&cursor))
		return false;
	cursor_skip(&cursor, row_bytes * index->nr_units);
	index->sizes = cursor;
	cursor_skip(&cursor, row_bytes * index->nr_units);
	return !cursor.failed && (index->version == 2 || index->version == 5);
}

/*
 * Returns the number of the row that describes the unit with this id; 0 if there is no such row.
 * Rows are counted from 1. The slots are a hash table, which DWARF 5, 7.3.5.3, defines.
 */
static uint32_t find_row(const struct package_index *index, uint64_t id)
{
	uint64_t mask = (uint64_t)index->nr_slots - 1;
	uint64_t slot = id & mask;

	if (!index->nr_slots || (index->nr_slots & mask))
		return 0;
	for (uint32_t i = 0; i < index->nr_slots; i++) {
		struct cursor slots = index->slots, rows = index->rows;
		uint32_t row;

		cursor_skip(&slots, slot * sizeof(uint64_t));
		cursor_skip(&rows, slot * sizeof(uint32_t));
		row = cursor_u32(&rows);
		if (!row || row > index->nr_units)
			return 0;
		if (cursor_u64(&slots) == id)
			return row;
		slot = (slot + ((id >> 32 & mask) | 1)) & mask;
	}
	return 0;
}

/*
 * Reduces the sections of *file to the parts that belong to the unit in this row. Returns false if
 * the index is damaged.
 */
static bool cut_sections(const struct package_index *index, uint32_t row, struct dwarf_file *file)
{
	struct cursor columns = index->columns, offsets = index->offsets;
	struct cursor sizes = index->sizes;
	uint64_t before = (uint64_t)(row - 1) * index->nr_columns * sizeof(uint32_t);

	cursor_skip(&offsets, before);
	cursor_skip(&sizes, before);
	for (uint32_t i = 0; i < index->nr_columns; i++) {
		int section = section_of_column(cursor_u32(&columns), index->version);
		uint32_t offset = cursor_u32(&offsets), nr_bytes = cursor_u32(&sizes);
		struct dwarf_bytes *bytes = section < 0 ? NULL : &file->sections[section];

		if (!bytes || !bytes->bytes)
			continue;
		if (offset > bytes->nr_bytes || nr_bytes > bytes->nr_bytes - offset)
			return false;
		bytes->bytes += offset;
		bytes->nr_bytes = nr_bytes;
	}
	return true;
}

/* *path becomes the malloc'ed path at which the file was opened or searched, or NULL. */
static Elf *open_elf(const struct dwarf_split *split, enum file_kind kind, const char *text,
		     int *fd, char **path)
{
	const struct file_query query = {.kind = kind};
	Elf *elf;

	*fd = file_opener_open(split->opener, &query, text, path);
	if (*fd < 0)
		return NULL;
	elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	if (elf)
		elf_end(elf);
	close(*fd);
	*fd = -1;
	return NULL;
}

/* Opens the package, which is the file "PROGRAM.dwp" in the program's folder. */
static void seek_package(struct dwarf_split *split)
{
	split->package_sought = true;
	split->package =
		open_elf(split, FILE_SPLIT_PACKAGE, "", &split->package_fd, &split->package_path);
	if (split->package)
		dwarf_file_init(&split->package_file, split->package, true);
}

/* Finds the unit with the skeleton's id among the units in *info. */
static struct dwarf_unit *find_unit(struct dwarf_info *info, const struct dwarf_unit *skeleton,
				    int *error)
{
	*error = -ENOENT;
	for (size_t i = 0; i < info->nr_units; i++) {
		struct dwarf_unit *unit = &info->units[i];

		if (unit->type == DW_UT_split_type || unit->type == DW_UT_type)
			continue;
		unit->skeleton = skeleton;
		*error = dwarf_unit_read(unit);
		if (*error == -ENOMEM)
			return NULL;
		if (!*error && unit->dwo_id == skeleton->dwo_id)
			return unit;
		*error = *error ? *error : -ENOENT;
	}
	return NULL;
}

/* Finds the unit in split->info.file, which the caller has set to the file at `path`. */
static int find_in_file(struct dwarf_split *split, const char *path,
			const struct dwarf_unit *skeleton, struct dwarf_unit **unit)
{
	int error = dwarf_info_init(&split->info);

	if (error)
		return error;
	split->number++;
	*unit = find_unit(&split->info, skeleton, &error);
	if (!*unit)
		return error;
	split->path = strdup(path);
	return split->path ? 0 : -ENOMEM;
}

static int find_in_package(struct dwarf_split *split, const struct dwarf_unit *skeleton,
			   struct dwarf_unit **unit)
{
	struct package_index index;
	uint32_t row;

	if (!split->package_sought)
		seek_package(split);
	if (!split->package)
		return -ENOENT;
	if (!read_index(&split->package_file, &index))
		return -EILSEQ;
	row = find_row(&index, skeleton->dwo_id);
	if (!row)
		return -ENOENT;
	split->info.file = dwarf_file_copy(&split->package_file);
	if (!cut_sections(&index, row, &split->info.file))
		return -EILSEQ;
	return find_in_file(split, split->package_path, skeleton, unit);
}

/* ---- .dwo files ---- */

/* *path becomes the malloc'ed path at which the file was searched, or NULL. */
static int find_at(struct dwarf_split *split, enum file_kind kind, const char *text,
		   const struct dwarf_unit *skeleton, struct dwarf_unit **unit, char **path)
{
	close_found(split);
	split->elf = open_elf(split, kind, text, &split->fd, path);
	if (!split->elf)
		return -ENOENT;
	dwarf_file_init(&split->info.file, split->elf, true);
	return find_in_file(split, *path, skeleton, unit);
}

static void note_missing(struct dwarf_split *split, const char *path)
{
	if (!split->nr_missing++ && path)
		split->missing = strdup(path);
}

/*
 * Searches the binary's folder for a file of the same name, because programs may have been moved
 * together with their .dwo files.
 */
static int find_beside(struct dwarf_split *split, const struct dwarf_unit *skeleton,
		       struct dwarf_unit **unit)
{
	const char *name = strrchr(skeleton->dwo_name, '/');
	char *path;
	int error = find_at(split, FILE_SPLIT_BESIDE, name ? name + 1 : skeleton->dwo_name,
			    skeleton, unit, &path);

	free(path);
	return error;
}

static int find_by_name(struct dwarf_split *split, const struct dwarf_unit *skeleton,
			struct dwarf_unit **unit)
{
	const char *name = skeleton->dwo_name;
	bool whole = *name == '/' || !*skeleton->folder;
	char *text, *path;
	int error;

	if (asprintf(&text, "%s%s%s", whole ? "" : skeleton->folder, whole ? "" : "/", name) < 0)
		return -ENOMEM;
	error = find_at(split, FILE_SPLIT, text, skeleton, unit, &path);
	if (error && error != -ENOMEM && !find_beside(split, skeleton, unit))
		error = 0;
	if (error && error != -ENOMEM)
		note_missing(split, path);
	free(path);
	free(text);
	return error;
}

int dwarf_split_find(struct dwarf_split *split, const struct dwarf_unit *skeleton,
		     struct dwarf_unit **unit)
{
	int error;

	close_found(split);
	error = find_in_package(split, skeleton, unit);
	if (error != -ENOENT)
		return error;
	return find_by_name(split, skeleton, unit);
}
