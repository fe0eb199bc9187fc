// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/dwarf_abbrev.h"

#include "lib/array.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

/* ---- forms ---- */

static struct dwarf_step fixed(uint32_t nr_bytes)
{
	return (struct dwarf_step){.kind = DWARF_STEP_FIXED, .nr_bytes = nr_bytes};
}

static struct dwarf_step by_length(enum dwarf_step_kind kind)
{
	return (struct dwarf_step){.kind = kind};
}

struct dwarf_step dwarf_form_step(unsigned int form, const struct dwarf_format *format)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return fixed(0);
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return fixed(1);
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return fixed(2);
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return fixed(3);
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return fixed(4);
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return fixed(8);
	case DW_FORM_data16:
		return fixed(16);
	case DW_FORM_addr:
		return fixed(format->address_bytes);
	case DW_FORM_ref_addr:
		return fixed(format->version <= 2 ? format->address_bytes : format->offset_bytes);
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return fixed(format->offset_bytes);
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return by_length(DWARF_STEP_LEB);
	case DW_FORM_string:
		return by_length(DWARF_STEP_TEXT);
	case DW_FORM_block1:
		return by_length(DWARF_STEP_BLOCK1);
	case DW_FORM_block2:
		return by_length(DWARF_STEP_BLOCK2);
	case DW_FORM_block4:
		return by_length(DWARF_STEP_BLOCK4);
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return by_length(DWARF_STEP_BLOCK_LEB);
	case DW_FORM_indirect:
		return by_length(DWARF_STEP_INDIRECT);
	default:
		return by_length(DWARF_STEP_UNKNOWN);
	}
}

static void step_over_indirect(struct cursor *cursor, const struct dwarf_format *format)
{
	uint64_t form = cursor_uleb(cursor);
	struct dwarf_step step;

	/*
	 * Refuses two forms that compilers do not write here: DW_FORM_indirect again, and
	 * DW_FORM_implicit_const, whose value would have to be in the abbreviation table.
	 */
	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const || form > UINT16_MAX) {
		cursor_fail(cursor);
		return;
	}
	step = dwarf_form_step((unsigned int)form, format);
	dwarf_step_over(&step, cursor, format);
}

void dwarf_step_over(const struct dwarf_step *step, struct cursor *cursor,
		     const struct dwarf_format *format)
{
	switch ((enum dwarf_step_kind)step->kind) {
	case DWARF_STEP_FIXED:
		cursor_skip(cursor, step->nr_bytes);
		break;
	case DWARF_STEP_LEB:
		(void)cursor_uleb(cursor);
		break;
	case DWARF_STEP_TEXT:
		(void)cursor_text(cursor);
		break;
	case DWARF_STEP_BLOCK1:
		cursor_skip(cursor, cursor_u8(cursor));
		break;
	case DWARF_STEP_BLOCK2:
		cursor_skip(cursor, cursor_u16(cursor));
		break;
	case DWARF_STEP_BLOCK4:
		cursor_skip(cursor, cursor_u32(cursor));
		break;
	case DWARF_STEP_BLOCK_LEB:
		cursor_skip(cursor, cursor_uleb(cursor));
		break;
	case DWARF_STEP_INDIRECT:
		step_over_indirect(cursor, format);
		break;
	case DWARF_STEP_UNKNOWN:
	default:
		cursor_fail(cursor);
		break;
	}
}

/* ---- tables ---- */

/* Adds a step to *abbrev. Adjacent steps of fixed sizes are merged. */
static int add_step(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev,
		    struct dwarf_step step)
{
	struct dwarf_step *last = NULL;

	if (abbrev->nr_steps)
		last = &abbrevs->steps[abbrevs->nr_steps - 1];
	if (last && step.kind == DWARF_STEP_FIXED && last->kind == DWARF_STEP_FIXED) {
		last->nr_bytes += step.nr_bytes;
		return 0;
	}
	if (array_reserve(&abbrevs->steps, &abbrevs->room_steps, abbrevs->nr_steps, 1))
		return -ENOMEM;
	abbrevs->steps[abbrevs->nr_steps++] = step;
	abbrev->nr_steps++;
	return 0;
}

static int add_attribute(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev,
			 const struct dwarf_attribute *attribute)
{
	if (array_reserve(&abbrevs->attributes, &abbrevs->room_attributes, abbrevs->nr_attributes,
			  1))
		return -ENOMEM;
	if (attribute->name == DW_AT_sibling && abbrev->nr_attributes <= INT16_MAX)
		abbrev->sibling = (int16_t)abbrev->nr_attributes;
	abbrevs->attributes[abbrevs->nr_attributes++] = *attribute;
	abbrev->nr_attributes++;
	return add_step(abbrevs, abbrev, attribute->step);
}

static bool has_attribute(const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev,
			  unsigned int name)
{
	for (uint32_t i = 0; i < abbrev->nr_attributes; i++)
		if (abbrevs->attributes[abbrev->attributes + i].name == name)
			return true;
	return false;
}

/*
 * Returns how the walk treats entries with this abbreviation. The walk visits the children of all
 * entries that may contain code: a DW_TAG_subprogram with code may be nested in nearly any entry,
 * even in a type or in a function without code, where GCC puts lambdas.
 */
static enum dwarf_use use_of(const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev)
{
	switch (abbrev->tag) {
	case DW_TAG_inlined_subroutine:
		return DWARF_USE_INLINED;
	case DW_TAG_subprogram:
		return has_attribute(abbrevs, abbrev, DW_AT_declaration) ? DWARF_USE_LEAVE
									 : DWARF_USE_PASS;
	case DW_TAG_subroutine_type:
	case DW_TAG_array_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
	case DW_TAG_GNU_formal_parameter_pack:
	case DW_TAG_GNU_template_parameter_pack:
		return DWARF_USE_LEAVE;
	default:
		return DWARF_USE_PASS;
	}
}

static int read_attributes(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev,
			   struct cursor *cursor, const struct dwarf_format *format)
{
	for (;;) {
		uint64_t name = cursor_uleb(cursor);
		uint64_t form = cursor_uleb(cursor);
		struct dwarf_attribute attribute = {.name = (uint16_t)name, .form = (uint16_t)form};
		int error;

		if (form == DW_FORM_implicit_const)
			attribute.implicit = cursor_sleb(cursor);
		if (cursor->failed || name > UINT16_MAX || form > UINT16_MAX)
			return -EILSEQ;
		if (!name && !form)
			return 0;
		attribute.step = dwarf_form_step(attribute.form, format);
		error = add_attribute(abbrevs, abbrev, &attribute);
		if (error)
			return error;
	}
}

static int read_abbrev(struct dwarf_abbrevs *abbrevs, uint64_t code, struct cursor *cursor,
		       const struct dwarf_format *format)
{
	uint64_t tag = cursor_uleb(cursor);
	struct dwarf_abbrev abbrev = {.code = code,
				      .tag = tag > UINT16_MAX ? 0 : (uint16_t)tag,
				      .has_children = cursor_u8(cursor),
				      .sibling = -1,
				      .attributes = (uint32_t)abbrevs->nr_attributes,
				      .steps = (uint32_t)abbrevs->nr_steps};
	int error = read_attributes(abbrevs, &abbrev, cursor, format);

	if (error)
		return error;
	if (array_reserve(&abbrevs->abbrevs, &abbrevs->room_abbrevs, abbrevs->nr_abbrevs, 1))
		return -ENOMEM;
	abbrev.use = (uint8_t)use_of(abbrevs, &abbrev);
	abbrevs->abbrevs[abbrevs->nr_abbrevs++] = abbrev;
	return 0;
}

static int code_order(const void *left, const void *right)
{
	const struct dwarf_abbrev *a = left, *b = right;

	return (a->code > b->code) - (a->code < b->code);
}

int dwarf_abbrevs_init(struct dwarf_abbrevs *abbrevs, struct cursor cursor,
		       const struct dwarf_format *format)
{
	bool ascending = true;
	uint64_t code, before = 0;
	int error = cursor.failed ? -EILSEQ : 0;

	*abbrevs = (struct dwarf_abbrevs){0};
	/* The last table of the section may lack the 0 at its end. */
	while (!error && cursor_left(&cursor) && (code = cursor_uleb(&cursor))) {
		ascending = ascending && code > before;
		before = code;
		error = read_abbrev(abbrevs, code, &cursor, format);
	}
	if (error) {
		dwarf_abbrevs_deinit(abbrevs);
		return error;
	}
	if (!ascending)
		qsort(abbrevs->abbrevs, abbrevs->nr_abbrevs, sizeof(*abbrevs->abbrevs), code_order);
	return 0;
}

void dwarf_abbrevs_deinit(struct dwarf_abbrevs *abbrevs)
{
	free(abbrevs->abbrevs);
	free(abbrevs->attributes);
	free(abbrevs->steps);
	*abbrevs = (struct dwarf_abbrevs){0};
}

const struct dwarf_abbrev *dwarf_abbrevs_find_slow(const struct dwarf_abbrevs *abbrevs,
						   uint64_t code)
{
	const struct dwarf_abbrev key = {.code = code};

	if (!abbrevs->nr_abbrevs)
		return NULL;
	return bsearch(&key, abbrevs->abbrevs, abbrevs->nr_abbrevs, sizeof(*abbrevs->abbrevs),
		       code_order);
}
