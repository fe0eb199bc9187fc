// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/line_walk.h"

#include "lib/array.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

/* Maximum nesting of entries. Real programs need far less. */
#define DEPTH_MAX 4096
/* Maximum number of references followed from a function to its declaration. */
#define NAME_STEPS_MAX 16

#define UNKNOWN_FILE UINT32_MAX

/* The state while the entries of one unit are walked. */
struct walked {
	struct line_walk *walk;
	/* the unit that has the entries: the split unit, if there is one */
	struct dwarf_unit *unit;
	struct dwarf_lines lines; /* line program with the files to which entries refer */
	/* for each file in `lines`: its number in the line table; UNKNOWN_FILE: not yet known */
	uint32_t *files;
	struct cursor cursor;
	uint32_t depth;
	/* for each depth: the node into which entries of this depth are inlined */
	uint32_t nodes[DEPTH_MAX];
};

/* ---- files ---- */

static int open_lines(struct walked *walked, const struct dwarf_unit *unit)
{
	int error;

	if (!unit->has_lines)
		return -ENOENT;
	error = dwarf_lines_open(&walked->lines, unit);
	if (error)
		return error;
	walked->files = malloc((walked->lines.nr_files + 1) * sizeof(*walked->files));
	if (!walked->files) {
		dwarf_lines_close(&walked->lines);
		return -ENOMEM;
	}
	memset(walked->files, 0xff, (walked->lines.nr_files + 1) * sizeof(*walked->files));
	return 0;
}

static void close_lines(struct walked *walked)
{
	if (walked->files)
		dwarf_lines_close(&walked->lines);
	free(walked->files);
	walked->files = NULL;
}

static int seek_file(struct walked *walked, uint64_t own, uint32_t *number)
{
	char *path = dwarf_lines_path(&walked->lines, own);
	int error = path ? line_builder_file(walked->walk->builder, path, number) : -ENOMEM;

	free(path);
	return error;
}

/* Converts a file number of the unit's line program to a file number of the line table. */
static inline int file_number(struct walked *walked, uint64_t own, uint32_t *number)
{
	uint64_t index = own - walked->lines.first_file;
	int error = 0;

	*number = 0;
	if (!walked->files || index >= walked->lines.nr_files)
		return 0;
	if (walked->files[index] == UNKNOWN_FILE) {
		error = seek_file(walked, own, &walked->files[index]);
		if (error)
			walked->files[index] = UNKNOWN_FILE;
	}
	*number = walked->files[index];
	return error;
}

/* ---- line programs ---- */

static bool same_program(uint32_t index, const void *key, void *context)
{
	const struct line_walk *walk = context;

	return walk->programs[index] == *(const uint64_t *)key;
}

/*
 * Adds the line program at this offset to walk->programs. Returns 1 if it is new; 0 if another unit
 * has the same program, which has been run; or -ENOMEM.
 */
static int is_new_program(struct line_walk *walk, uint64_t offset)
{
	uint64_t hash = index_table_hash(0, offset);

	if (index_table_find(&walk->program_table, hash, same_program, &offset, walk) !=
	    INDEX_TABLE_NONE)
		return 0;
	if (array_reserve(&walk->programs, &walk->room_programs, walk->nr_programs, 1) ||
	    index_table_put(&walk->program_table, hash, (uint32_t)walk->nr_programs))
		return -ENOMEM;
	walk->programs[walk->nr_programs++] = offset;
	return 1;
}

static int run_lines(struct walked *walked)
{
	struct dwarf_rows *rows = &walked->walk->builder->rows;
	size_t first = rows->nr_rows;
	int result = is_new_program(walked->walk, walked->lines.unit->lines);
	int error = 0;

	if (result <= 0)
		return result;
	result = dwarf_lines_run(&walked->lines, rows);
	for (size_t i = first; !error && i < rows->nr_rows; i++)
		error = file_number(walked, rows->rows[i].file, &rows->rows[i].file);
	return error ? error : result;
}

/* ---- names of functions ---- */

static bool same_function(uint32_t index, const void *key, void *context)
{
	const struct line_walk *walk = context;
	const struct line_function *function = &walk->functions[index], *wanted = key;

	return function->entry == wanted->entry && function->info == wanted->info &&
	       function->info_number == wanted->info_number;
}

/* The names found so far for one function, and the next entry to search for its names. */
struct naming {
	const char *linkage, *plain;
	struct dwarf_info *info;
	uint64_t entry; /* offset of the entry to read next */
	bool elsewhere;
};

static int read_naming(struct naming *naming)
{
	struct dwarf_unit *unit = dwarf_info_find(naming->info, naming->entry);
	int error = unit ? dwarf_unit_read(unit) : -EILSEQ;
	const struct dwarf_abbrev *abbrev;
	struct cursor cursor;

	if (error)
		return error;
	cursor = dwarf_unit_at(unit, naming->entry);
	abbrev = dwarf_abbrevs_find(unit->abbrevs, cursor_uleb(&cursor));
	naming->elsewhere = false;
	for (uint32_t i = 0; abbrev && i < abbrev->nr_attributes && !cursor.failed; i++) {
		const struct dwarf_attribute *attribute =
			&unit->abbrevs->attributes[abbrev->attributes + i];
		struct dwarf_value value;

		dwarf_value_read(unit, attribute, &cursor, &value);
		if (attribute->name == DW_AT_linkage_name ||
		    attribute->name == DW_AT_MIPS_linkage_name)
			naming->linkage = dwarf_value_text(unit, &value);
		else if (attribute->name == DW_AT_name && !*naming->plain)
			naming->plain = dwarf_value_text(unit, &value);
		else if (attribute->name == DW_AT_specification ||
			 attribute->name == DW_AT_abstract_origin)
			naming->elsewhere =
				dwarf_value_entry(unit, &value, &naming->info, &naming->entry);
	}
	return abbrev ? 0 : -EILSEQ;
}

static int seek_name(struct line_walk *walk, struct dwarf_info *info, uint64_t entry,
		     uint32_t *name)
{
	struct naming naming = {
		.linkage = "", .plain = "", .info = info, .entry = entry, .elsewhere = true};
	const char *text;

	for (int i = 0; i < NAME_STEPS_MAX && naming.elsewhere && !*naming.linkage; i++) {
		int error = read_naming(&naming);

		if (error == -ENOMEM)
			return error;
		if (error) {
			walk->damaged = true;
			break;
		}
	}
	text = *naming.linkage ? naming.linkage : naming.plain;
	return line_builder_text(walk->builder, *text ? text : "[unknown]", name);
}

static int name_of(struct line_walk *walk, struct dwarf_info *info, uint64_t entry, uint32_t *name)
{
	/* For every split file, `info` is &walk->split.info; the number distinguishes the files. */
	struct line_function function = {
		.info = info,
		.entry = entry,
		.info_number = info == &walk->split.info ? walk->split.number : 0,
	};
	uint64_t hash = index_table_hash((uintptr_t)info, entry);
	uint32_t index =
		index_table_find(&walk->function_table, hash, same_function, &function, walk);
	int error;

	if (index != INDEX_TABLE_NONE) {
		*name = walk->functions[index].name;
		return 0;
	}
	error = seek_name(walk, info, entry, &function.name);
	if (error)
		return error;
	if (array_reserve(&walk->functions, &walk->room_functions, walk->nr_functions, 1) ||
	    index_table_put(&walk->function_table, hash, (uint32_t)walk->nr_functions))
		return -ENOMEM;
	walk->functions[walk->nr_functions++] = function;
	*name = function.name;
	return 0;
}

/* ---- inlined functions ---- */

struct inlined {
	struct walked *walked;
	struct dwarf_value origin, low, high, ranges;
	uint64_t call_file, call_line;
	uint32_t node; /* 0: no code has been found yet */
};

static int make_node(struct inlined *inlined)
{
	struct walked *walked = inlined->walked;
	struct line_wire_node node = {
		.call_line = inlined->call_line > UINT32_MAX ? 0 : (uint32_t)inlined->call_line,
		.parent = walked->nodes[walked->depth]};
	struct dwarf_info *info;
	uint64_t entry;
	int error = file_number(walked, inlined->call_file, &node.call_file);

	if (!error && dwarf_value_entry(walked->unit, &inlined->origin, &info, &entry))
		error = name_of(walked->walk, info, entry, &node.function);
	else if (!error)
		error = line_builder_text(walked->walk->builder, "[unknown]", &node.function);
	return error ? error : line_builder_node(walked->walk->builder, &node, &inlined->node);
}

static int add_inlined(void *context, uint64_t begin, uint64_t end)
{
	struct inlined *inlined = context;
	struct line_builder *builder = inlined->walked->walk->builder;
	int error = 0;

	if (!line_builder_has_code(builder, begin))
		return 0;
	if (!inlined->node)
		error = make_node(inlined);
	return error ? error : line_builder_inlined(builder, inlined->node, begin, end);
}

static void take_attribute(struct inlined *inlined, unsigned int name,
			   const struct dwarf_value *value)
{
	switch (name) {
	case DW_AT_abstract_origin:
		inlined->origin = *value;
		break;
	case DW_AT_low_pc:
		inlined->low = *value;
		break;
	case DW_AT_high_pc:
		inlined->high = *value;
		break;
	case DW_AT_ranges:
		inlined->ranges = *value;
		break;
	case DW_AT_call_file:
		inlined->call_file = value->number;
		break;
	case DW_AT_call_line:
		inlined->call_line = value->number;
		break;
	default:
		break;
	}
}

static int add_code(struct inlined *inlined)
{
	const struct dwarf_unit *unit = inlined->walked->unit;
	uint64_t low, high;

	if (inlined->ranges.form)
		return dwarf_value_ranges(unit, &inlined->ranges, add_inlined, inlined);
	if (!inlined->high.form || !dwarf_value_address(unit, &inlined->low, &low))
		return 0;
	/* If DW_AT_high_pc is not an address, its value is the length of the code. */
	if (!dwarf_value_address(unit, &inlined->high, &high))
		high = low + inlined->high.number;
	return add_inlined(inlined, low, high);
}

/*
 * Reads the entry of an inlined function and adds its code. Sets *node to the node into which the
 * entry's children are inlined.
 */
static int walk_inlined(struct walked *walked, const struct dwarf_abbrev *abbrev, uint32_t *node)
{
	struct inlined inlined = {.walked = walked};
	const struct dwarf_attribute *attribute =
		&walked->unit->abbrevs->attributes[abbrev->attributes];
	int error;

	for (uint32_t i = 0; i < abbrev->nr_attributes; i++) {
		struct dwarf_value value;

		dwarf_value_read(walked->unit, &attribute[i], &walked->cursor, &value);
		take_attribute(&inlined, attribute[i].name, &value);
	}
	error = add_code(&inlined);
	if (error == -EILSEQ) {
		walked->walk->damaged = true;
		error = 0;
	}
	*node = inlined.node ? inlined.node : walked->nodes[walked->depth];
	return error;
}

/* ---- entries ---- */

/* Moves the cursor from an entry's attributes to its sibling. Returns false if data are damaged. */
static bool go_to_sibling(struct walked *walked, const struct dwarf_abbrev *abbrev)
{
	const struct dwarf_unit *unit = walked->unit;
	const struct dwarf_attribute *attribute = &unit->abbrevs->attributes[abbrev->attributes];
	const uint8_t *before = walked->cursor.at;
	struct dwarf_value value;
	struct cursor sibling;

	for (int i = 0; i < abbrev->sibling; i++)
		dwarf_step_over(&attribute[i].step, &walked->cursor, &unit->format);
	dwarf_value_read(unit, &attribute[abbrev->sibling], &walked->cursor, &value);
	sibling = dwarf_unit_at(unit, unit->start + value.number);
	/* Refuses to move backward, so that the walk ends. */
	if (walked->cursor.failed || sibling.failed || sibling.at <= walked->cursor.at) {
		walked->cursor.at = before;
		cursor_fail(&walked->cursor);
		return false;
	}
	walked->cursor = sibling;
	return true;
}

static int walk_entry(struct walked *walked, const struct dwarf_abbrev *abbrev)
{
	uint32_t node = walked->nodes[walked->depth];
	int error = 0;

	if (abbrev->use == DWARF_USE_LEAVE && abbrev->has_children && abbrev->sibling >= 0 &&
	    go_to_sibling(walked, abbrev))
		return 0;
	if (abbrev->use == DWARF_USE_INLINED)
		error = walk_inlined(walked, abbrev, &node);
	else
		dwarf_abbrev_skip(walked->unit->abbrevs, abbrev, &walked->cursor,
				  &walked->unit->format);
	if (error || !abbrev->has_children)
		return error;
	if (walked->depth + 1 == DEPTH_MAX) {
		cursor_fail(&walked->cursor);
		return 0;
	}
	walked->nodes[++walked->depth] = abbrev->tag == DW_TAG_subprogram ? 0 : node;
	return 0;
}

static int walk_entries(struct walked *walked)
{
	const struct dwarf_abbrevs *abbrevs = walked->unit->abbrevs;
	int error = 0;

	walked->cursor = dwarf_unit_at(walked->unit, walked->unit->entries);
	walked->depth = 0;
	walked->nodes[0] = 0;
	while (!error && cursor_left(&walked->cursor)) {
		uint64_t code = cursor_uleb(&walked->cursor);
		const struct dwarf_abbrev *abbrev;

		if (!code) {
			if (walked->depth <= 1) /* this ends the children of the root entry */
				break;
			walked->depth--;
			continue;
		}
		abbrev = dwarf_abbrevs_find(abbrevs, code);
		if (!abbrev)
			return -EILSEQ;
		error = walk_entry(walked, abbrev);
	}
	if (walked->cursor.failed && !error)
		error = -EILSEQ;
	return error;
}

/* ---- units ---- */

/* Walks the unit's entries, if it has code or lines: other units cannot have inlined functions. */
static int walk_code(struct walked *walked, struct dwarf_unit *unit)
{
	int error;

	walked->unit = unit;
	if (!unit->dwo_name)
		return unit->has_code || unit->has_lines ? walk_entries(walked) : 0;
	error = dwarf_split_find(&walked->walk->split, unit, &walked->unit);
	if (error == -ENOENT)
		return 0; /* dwarf_split_find() has counted the missing unit */
	return error ? error : walk_entries(walked);
}

/*
 * Walks the lines and entries of a unit. A unit may have no lines, for example if it contains only
 * types. The entries are walked even if the lines cannot be read.
 */
static int walk_unit(struct walked *walked, struct dwarf_unit *unit)
{
	int error = dwarf_unit_read(unit);
	int result;

	if (error)
		return error;
	error = open_lines(walked, unit);
	if (!error)
		error = run_lines(walked);
	result = error == -ENOMEM ? error : walk_code(walked, unit);
	close_lines(walked);
	if (result)
		return result;
	return error == -ENOENT ? 0 : error;
}

static bool is_walked(const struct dwarf_unit *unit)
{
	return unit->type == DW_UT_compile || unit->type == DW_UT_skeleton;
}

int line_walk_run(struct line_walk *walk)
{
	struct walked *walked = malloc(sizeof(*walked));
	int error = walked ? 0 : -ENOMEM;

	if (walked)
		*walked = (struct walked){.walk = walk};
	for (size_t i = 0; !error && i < walk->info->nr_units; i++) {
		if (!is_walked(&walk->info->units[i]))
			continue;
		error = walk_unit(walked, &walk->info->units[i]);
		if (error && error != -ENOMEM) {
			walk->damaged = true;
			error = 0;
		}
	}
	walk->damaged = walk->damaged || walk->info->damaged;
	free(walked);
	return error;
}

void line_walk_init(struct line_walk *walk, struct line_builder *builder, struct dwarf_info *info,
		    struct file_opener *opener)
{
	*walk = (struct line_walk){.builder = builder, .info = info};
	dwarf_split_init(&walk->split, opener);
}

void line_walk_deinit(struct line_walk *walk)
{
	dwarf_split_deinit(&walk->split);
	free(walk->functions);
	index_table_deinit(&walk->function_table);
	free(walk->programs);
	index_table_deinit(&walk->program_table);
}
