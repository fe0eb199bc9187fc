// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/dwarf_unit.h"

#include "lib/array.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>

/* ---- headers ---- */

/*
 * Reads a unit's length. The length has 4 bytes. If all 4 are 0xff, the length is instead in the
 * next 8 bytes, and offsets in the unit have 8 bytes too.
 */
static uint64_t read_length(struct cursor *cursor, struct dwarf_format *format)
{
	uint64_t length = cursor_u32(cursor);

	format->offset_bytes = 4;
	if (length != 0xffffffff)
		return length;
	format->offset_bytes = 8;
	return cursor_u64(cursor);
}

/*
 * Reads the header, beginning with the version. Returns false if the header is of an unknown kind.
 */
static bool read_header(struct dwarf_unit *unit, struct cursor *cursor)
{
	struct dwarf_format *format = &unit->format;
	uint16_t version = cursor_u16(cursor);

	if (cursor->failed || version < 2 || version > 5)
		return false;
	format->version = (uint8_t)version;
	unit->type = DW_UT_compile;
	if (version >= 5) {
		unit->type = cursor_u8(cursor);
		format->address_bytes = cursor_u8(cursor);
		unit->abbrev_offset = cursor_number(cursor, format->offset_bytes);
	} else {
		unit->abbrev_offset = cursor_number(cursor, format->offset_bytes);
		format->address_bytes = cursor_u8(cursor);
	}
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->dwo_id = cursor_u64(cursor);
	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
		cursor_skip(cursor, 8 + (uint64_t)format->offset_bytes);
	return !cursor->failed && (format->address_bytes == 4 || format->address_bytes == 8);
}

static int add_unit(struct dwarf_info *info, const struct dwarf_unit *unit)
{
	if (array_reserve(&info->units, &info->room_units, info->nr_units, 1))
		return -ENOMEM;
	info->units[info->nr_units++] = *unit;
	return 0;
}

static int list_unit(struct dwarf_info *info, struct cursor *cursor)
{
	const uint8_t *begin = info->file.sections[DWARF_INFO].bytes;
	struct dwarf_unit unit = {.info = info,
				  .file = &info->file,
				  .start = (uint64_t)(cursor->at - begin),
				  .name = "",
				  .folder = ""};
	uint64_t length = read_length(cursor, &unit.format);
	struct cursor inside = *cursor;

	if (cursor->failed || length > cursor_left(cursor)) {
		cursor_fail(cursor);
		return 0;
	}
	inside.end = inside.at + length;
	cursor->at += length;
	unit.end = (uint64_t)(cursor->at - begin);
	if (!read_header(&unit, &inside)) {
		info->damaged = true; /* the list omits this unit; the next units can be read */
		return 0;
	}
	unit.entries = (uint64_t)(inside.at - begin);
	return add_unit(info, &unit);
}

int dwarf_info_init(struct dwarf_info *info)
{
	struct cursor cursor = dwarf_file_at(&info->file, DWARF_INFO, 0);
	int error = 0;

	info->units = NULL;
	info->nr_units = info->room_units = 0;
	info->abbrevs = NULL;
	while (!error && cursor_left(&cursor))
		error = list_unit(info, &cursor);
	if (cursor.failed)
		info->damaged = true;
	if (error)
		dwarf_info_deinit(info);
	return error;
}

struct dwarf_unit *dwarf_info_find(const struct dwarf_info *info, uint64_t offset)
{
	size_t low = 0, high = info->nr_units;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (info->units[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == info->nr_units || offset < info->units[low].entries)
		return NULL;
	return &info->units[low];
}

/* ---- abbreviations ---- */

struct cached_abbrevs {
	const uint8_t *at; /* the table's first byte */
	struct dwarf_format format;
	struct dwarf_abbrevs abbrevs;
};

static int cached_order(const void *left, const void *right)
{
	const struct cached_abbrevs *a = left, *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return memcmp(&a->format, &b->format, sizeof(a->format));
}

static void free_cached(void *node)
{
	struct cached_abbrevs *cached = node;

	dwarf_abbrevs_deinit(&cached->abbrevs);
	free(cached);
}

void dwarf_info_deinit(struct dwarf_info *info)
{
	tdestroy(info->abbrevs, free_cached);
	info->abbrevs = NULL;
	free(info->units);
	info->units = NULL;
	info->nr_units = info->room_units = 0;
}

static int make_cached(struct cached_abbrevs **made, const struct cached_abbrevs *key,
		       struct cursor cursor)
{
	struct cached_abbrevs *cached = malloc(sizeof(*cached));
	int error;

	if (!cached)
		return -ENOMEM;
	*cached = *key;
	error = dwarf_abbrevs_init(&cached->abbrevs, cursor, &key->format);
	if (error)
		free(cached);
	else
		*made = cached;
	return error;
}

static int find_abbrevs(struct dwarf_unit *unit)
{
	struct cursor cursor = dwarf_file_at(unit->file, DWARF_ABBREV, unit->abbrev_offset);
	struct cached_abbrevs key = {.at = cursor.at, .format = unit->format};
	struct dwarf_info *info = unit->info;
	struct cached_abbrevs *cached, **found = tfind(&key, &info->abbrevs, cached_order);
	int error;

	if (cursor.failed)
		return -EILSEQ;
	if (found) {
		unit->abbrevs = &(*found)->abbrevs;
		return 0;
	}
	error = make_cached(&cached, &key, cursor);
	if (error)
		return error;
	if (!tsearch(cached, &info->abbrevs, cached_order)) {
		free_cached(cached);
		return -ENOMEM;
	}
	unit->abbrevs = &cached->abbrevs;
	return 0;
}

/* ---- root entries ---- */

struct cursor dwarf_unit_at(const struct dwarf_unit *unit, uint64_t offset)
{
	struct cursor cursor = dwarf_file_at(unit->file, DWARF_INFO, unit->entries);
	const uint8_t *begin = unit->file->sections[DWARF_INFO].bytes;

	cursor.end = begin + unit->end;
	if (offset < unit->entries)
		cursor_fail(&cursor);
	else
		cursor_skip(&cursor, offset - unit->entries);
	return cursor;
}

/*
 * Values of the root entry that can be resolved only after all its attributes are read, because
 * they refer to the bases.
 */
struct root {
	struct dwarf_value name, folder, dwo_name, low_address;
};

static void take_root(struct dwarf_unit *unit, struct root *root, unsigned int attribute,
		      const struct dwarf_value *value)
{
	switch (attribute) {
	case DW_AT_name:
		root->name = *value;
		break;
	case DW_AT_comp_dir:
		root->folder = *value;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		root->dwo_name = *value;
		break;
	case DW_AT_low_pc:
		root->low_address = *value;
		unit->has_code = true;
		break;
	case DW_AT_ranges:
		unit->has_code = true;
		break;
	case DW_AT_GNU_dwo_id:
		unit->dwo_id = value->number;
		break;
	case DW_AT_stmt_list:
		unit->lines = value->number;
		unit->has_lines = true;
		break;
	case DW_AT_str_offsets_base:
		unit->str_offsets_base = value->number;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		unit->addr_base = value->number;
		break;
	case DW_AT_rnglists_base:
		unit->rnglists_base = value->number;
		break;
	case DW_AT_GNU_ranges_base:
		unit->ranges_base = value->number;
		break;
	default:
		break;
	}
}

/*
 * Sets the bases of a unit in a split file of version 5. Such units have no base attributes: each
 * base is the end of its section's header.
 */
static void set_split_bases(struct dwarf_unit *unit)
{
	bool wide = unit->format.offset_bytes == 8;

	if (!unit->file->split || unit->format.version < 5)
		return;
	unit->str_offsets_base = wide ? 16 : 8;
	unit->rnglists_base = wide ? 20 : 12;
}

static void resolve_root(struct dwarf_unit *unit, const struct root *root)
{
	unit->name = dwarf_value_text(unit, &root->name);
	unit->folder = dwarf_value_text(unit, &root->folder);
	if (root->dwo_name.form && !unit->file->split)
		unit->dwo_name = dwarf_value_text(unit, &root->dwo_name);
	if (unit->skeleton)
		unit->low_address = unit->skeleton->low_address;
	else if (!dwarf_value_address(unit, &root->low_address, &unit->low_address))
		unit->low_address = 0;
}

static int read_root(struct dwarf_unit *unit)
{
	struct cursor cursor = dwarf_unit_at(unit, unit->entries);
	const struct dwarf_abbrev *abbrev;
	struct root root = {.name = {.form = 0}};

	abbrev = dwarf_abbrevs_find(unit->abbrevs, cursor_uleb(&cursor));
	if (!abbrev)
		return -EILSEQ;
	set_split_bases(unit);
	for (uint32_t i = 0; i < abbrev->nr_attributes; i++) {
		const struct dwarf_attribute *attribute =
			&unit->abbrevs->attributes[abbrev->attributes + i];
		struct dwarf_value value;

		dwarf_value_read(unit, attribute, &cursor, &value);
		take_root(unit, &root, attribute->name, &value);
	}
	if (cursor.failed)
		return -EILSEQ;
	resolve_root(unit, &root);
	return 0;
}

int dwarf_unit_read(struct dwarf_unit *unit)
{
	int error;

	if (!unit->abbrevs) {
		error = find_abbrevs(unit);
		if (error)
			return error;
		unit->root_is_damaged = read_root(unit) != 0;
	}
	return unit->root_is_damaged ? -EILSEQ : 0;
}

/* ---- values ---- */

static void read_form(const struct dwarf_unit *unit, const struct dwarf_step *step,
		      struct cursor *cursor, struct dwarf_value *value)
{
	switch ((enum dwarf_step_kind)step->kind) {
	case DWARF_STEP_FIXED:
		if (step->nr_bytes == 0)
			value->number = 1; /* DW_FORM_flag_present: its presence means true */
		else if (step->nr_bytes == 3)
			value->number = cursor_u24(cursor);
		else if (step->nr_bytes <= 8)
			value->number = cursor_number(cursor, step->nr_bytes);
		else
			cursor_skip(cursor, step->nr_bytes);
		break;
	case DWARF_STEP_LEB:
		value->number = value->form == DW_FORM_sdata ? (uint64_t)cursor_sleb(cursor)
							     : cursor_uleb(cursor);
		break;
	case DWARF_STEP_TEXT:
		value->text = cursor_text(cursor);
		break;
	case DWARF_STEP_BLOCK1:
	case DWARF_STEP_BLOCK2:
	case DWARF_STEP_BLOCK4:
	case DWARF_STEP_BLOCK_LEB:
	case DWARF_STEP_INDIRECT:
	case DWARF_STEP_UNKNOWN:
	default:
		dwarf_step_over(step, cursor, &unit->format);
		break;
	}
}

/*
 * Reads the form, then the value. Refuses two forms: DW_FORM_indirect again, and
 * DW_FORM_implicit_const, whose value would have to be in the abbreviation table.
 */
static void read_indirect(const struct dwarf_unit *unit, struct cursor *cursor,
			  struct dwarf_value *value)
{
	uint64_t form = cursor_uleb(cursor);
	struct dwarf_step step;

	if (form > UINT16_MAX || form == DW_FORM_indirect || form == DW_FORM_implicit_const) {
		cursor_fail(cursor);
		return;
	}
	value->form = (uint16_t)form;
	step = dwarf_form_step(value->form, &unit->format);
	read_form(unit, &step, cursor, value);
}

void dwarf_value_read(const struct dwarf_unit *unit, const struct dwarf_attribute *attribute,
		      struct cursor *cursor, struct dwarf_value *value)
{
	*value = (struct dwarf_value){.form = attribute->form};
	if (attribute->form == DW_FORM_implicit_const)
		value->number = (uint64_t)attribute->implicit;
	else if (attribute->form == DW_FORM_indirect)
		read_indirect(unit, cursor, value);
	else
		read_form(unit, &attribute->step, cursor, value);
}

static bool multiply_add(uint64_t base, uint64_t index, uint64_t item_bytes, uint64_t *offset)
{
	return !__builtin_mul_overflow(index, item_bytes, offset) &&
	       !__builtin_add_overflow(*offset, base, offset);
}

static const char *indexed_text(const struct dwarf_unit *unit, uint64_t index)
{
	unsigned int offset_bytes = unit->format.offset_bytes;
	struct cursor cursor;
	uint64_t offset;

	if (!multiply_add(unit->str_offsets_base, index, offset_bytes, &offset))
		return "";
	cursor = dwarf_file_at(unit->file, DWARF_STR_OFFSETS, offset);
	offset = cursor_number(&cursor, offset_bytes);
	return cursor.failed ? "" : dwarf_file_text(unit->file, DWARF_STR, offset);
}

const char *dwarf_value_text(const struct dwarf_unit *unit, const struct dwarf_value *value)
{
	const struct dwarf_info *alt = unit->info->alt;

	switch (value->form) {
	case DW_FORM_string:
		return value->text ? value->text : "";
	case DW_FORM_strp:
		return dwarf_file_text(unit->file, DWARF_STR, value->number);
	case DW_FORM_line_strp:
		return dwarf_file_text(unit->file, DWARF_LINE_STR, value->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_text(unit, value->number);
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		return alt ? dwarf_file_text(&alt->file, DWARF_STR, value->number) : "";
	default:
		return "";
	}
}

static bool indexed_address(const struct dwarf_unit *unit, uint64_t index, uint64_t *address)
{
	const struct dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;
	struct cursor cursor;
	uint64_t offset;

	if (!multiply_add(owner->addr_base, index, unit->format.address_bytes, &offset))
		return false;
	cursor = dwarf_file_at(owner->file, DWARF_ADDR, offset);
	*address = cursor_number(&cursor, unit->format.address_bytes);
	return !cursor.failed;
}

bool dwarf_value_address(const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *address)
{
	switch (value->form) {
	case DW_FORM_addr:
		*address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return indexed_address(unit, value->number, address);
	default:
		return false;
	}
}

bool dwarf_value_entry(const struct dwarf_unit *unit, const struct dwarf_value *value,
		       struct dwarf_info **info, uint64_t *offset)
{
	*info = unit->info;
	*offset = value->number;
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return !__builtin_add_overflow(unit->start, value->number, offset) &&
		       *offset < unit->end;
	case DW_FORM_ref_addr:
		return true;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		*info = unit->info->alt;
		return *info != NULL;
	default:
		return false;
	}
}
