// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads lists of address ranges: in .debug_ranges up to version 4, in .debug_rnglists since version
 * 5.
 */
#include "pp/lines/dwarf_unit.h"

#include <dwarf.h>
#include <errno.h>

struct range_list {
	const struct dwarf_unit *unit;
	struct cursor cursor;
	uint64_t base;
	int (*visit)(void *context, uint64_t begin, uint64_t end);
	void *context;
};

static int visit_range(struct range_list *list, uint64_t begin, uint64_t end)
{
	return begin < end ? list->visit(list->context, begin, end) : 0;
}

/*
 * Reads a list of versions 2 to 4: pairs of addresses relative to a base. If the first address of a
 * pair is the highest possible address, the second address is a new base.
 */
static int read_pairs(struct range_list *list)
{
	unsigned int nr_bytes = list->unit->format.address_bytes;
	uint64_t highest = nr_bytes == 8 ? UINT64_MAX : UINT32_MAX;
	int error = 0;

	while (!error) {
		uint64_t begin = cursor_number(&list->cursor, nr_bytes);
		uint64_t end = cursor_number(&list->cursor, nr_bytes);

		if (list->cursor.failed)
			return -EILSEQ;
		if (!begin && !end)
			return 0;
		if (begin == highest)
			list->base = end;
		else
			error = visit_range(list, list->base + begin, list->base + end);
	}
	return error;
}

static uint64_t read_index(struct range_list *list)
{
	struct dwarf_value value = {.form = DW_FORM_addrx, .number = cursor_uleb(&list->cursor)};
	uint64_t address = 0;

	if (!dwarf_value_address(list->unit, &value, &address))
		cursor_fail(&list->cursor);
	return address;
}

static int read_entry(struct range_list *list, unsigned int kind)
{
	struct cursor *cursor = &list->cursor;
	unsigned int nr_bytes = list->unit->format.address_bytes;
	uint64_t begin, end;

	switch (kind) {
	case DW_RLE_base_addressx:
		list->base = read_index(list);
		return 0;
	case DW_RLE_base_address:
		list->base = cursor_number(cursor, nr_bytes);
		return 0;
	case DW_RLE_startx_endx:
		begin = read_index(list);
		end = read_index(list);
		break;
	case DW_RLE_startx_length:
		begin = read_index(list);
		end = begin + cursor_uleb(cursor);
		break;
	case DW_RLE_offset_pair:
		begin = list->base + cursor_uleb(cursor);
		end = list->base + cursor_uleb(cursor);
		break;
	case DW_RLE_start_end:
		begin = cursor_number(cursor, nr_bytes);
		end = cursor_number(cursor, nr_bytes);
		break;
	case DW_RLE_start_length:
		begin = cursor_number(cursor, nr_bytes);
		end = begin + cursor_uleb(cursor);
		break;
	default:
		return -EILSEQ;
	}
	return cursor->failed ? -EILSEQ : visit_range(list, begin, end);
}

static int read_entries(struct range_list *list)
{
	for (;;) {
		unsigned int kind = cursor_u8(&list->cursor);
		int error;

		if (list->cursor.failed)
			return -EILSEQ;
		if (kind == DW_RLE_end_of_list)
			return 0;
		error = read_entry(list, kind);
		if (error)
			return error;
	}
}

/* Finds the offset of the list with this index. Returns false if the index is invalid. */
static bool find_list(const struct dwarf_unit *unit, uint64_t index, uint64_t *offset)
{
	unsigned int offset_bytes = unit->format.offset_bytes;
	struct cursor cursor;
	uint64_t at;

	if (__builtin_mul_overflow(index, offset_bytes, &at) ||
	    __builtin_add_overflow(at, unit->rnglists_base, &at))
		return false;
	cursor = dwarf_file_at(unit->file, DWARF_RNGLISTS, at);
	*offset = cursor_number(&cursor, offset_bytes);
	return !cursor.failed && !__builtin_add_overflow(*offset, unit->rnglists_base, offset);
}

int dwarf_value_ranges(const struct dwarf_unit *unit, const struct dwarf_value *value,
		       int (*visit)(void *context, uint64_t begin, uint64_t end), void *context)
{
	struct range_list list = {
		.unit = unit, .base = unit->low_address, .visit = visit, .context = context};
	uint64_t offset = value->number;

	if (unit->format.version < 5) {
		/* The ranges of a split unit are in the file of its skeleton. */
		const struct dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;

		if (unit->skeleton)
			offset += owner->ranges_base;
		list.cursor = dwarf_file_at(owner->file, DWARF_RANGES, offset);
		return read_pairs(&list);
	}
	if (value->form == DW_FORM_rnglistx && !find_list(unit, value->number, &offset))
		return -EILSEQ;
	list.cursor = dwarf_file_at(unit->file, DWARF_RNGLISTS, offset);
	return read_entries(&list);
}
