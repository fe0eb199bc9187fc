/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Abbreviation tables describe the layout of the entries of .debug_info. This module converts them
 * so that entries can be skipped quickly. Runs in the helper.
 */
#ifndef PP_DWARF_ABBREV_H
#define PP_DWARF_ABBREV_H

#include "lib/cursor.h"

/* The values in a unit's header that determine the sizes of forms (encodings of values). */
struct dwarf_format {
	uint8_t version;
	uint8_t address_bytes;
	uint8_t offset_bytes; /* 4 or 8 */
};

/* How to skip a value or part of an entry. */
enum dwarf_step_kind {
	DWARF_STEP_FIXED, /* skip nr_bytes */
	DWARF_STEP_LEB,
	DWARF_STEP_TEXT,
	/* Read a length (1, 2 or 4 bytes, or LEB), then skip as many bytes as the length states. */
	DWARF_STEP_BLOCK1,
	DWARF_STEP_BLOCK2,
	DWARF_STEP_BLOCK4,
	DWARF_STEP_BLOCK_LEB,
	DWARF_STEP_INDIRECT, /* read the form, which precedes the value, then skip the value */
	DWARF_STEP_UNKNOWN,  /* unknown form: the rest of the unit cannot be read */
};

struct dwarf_step {
	uint32_t kind;
	uint32_t nr_bytes;
};

struct dwarf_attribute {
	uint16_t name;
	uint16_t form;
	struct dwarf_step step; /* skips the attribute's value */
	int64_t implicit;	/* the value, if the form is DW_FORM_implicit_const */
};

/* How the walk that searches for inlined functions treats an entry. */
enum dwarf_use {
	DWARF_USE_PASS, /* ignore the entry, but visit its children */
	/*
	 * the entry and its children have no code: skip the children, if the offset of the entry's
	 * sibling is known
	 */
	DWARF_USE_LEAVE,
	DWARF_USE_INLINED,
};

struct dwarf_abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	uint8_t use;	     /* enum dwarf_use */
	int16_t sibling;     /* index of DW_AT_sibling among the entry's attributes; -1: none */
	uint32_t attributes; /* index of the first attribute */
	uint32_t nr_attributes;
	uint32_t steps;
	uint32_t nr_steps;
};

struct dwarf_abbrevs {
	struct dwarf_abbrev *abbrevs; /* by ascending code */
	size_t nr_abbrevs, room_abbrevs;
	struct dwarf_attribute *attributes;
	size_t nr_attributes, room_attributes;
	struct dwarf_step *steps;
	size_t nr_steps, room_steps;
};

/*
 * Reads the table at `cursor`. Returns 0, -EILSEQ if the table is damaged or of an unknown kind, or
 * -ENOMEM.
 */
int dwarf_abbrevs_init(struct dwarf_abbrevs *abbrevs, struct cursor cursor,
		       const struct dwarf_format *format);
void dwarf_abbrevs_deinit(struct dwarf_abbrevs *abbrevs);

/* Returns the abbreviation with this code, or NULL. */
const struct dwarf_abbrev *dwarf_abbrevs_find_slow(const struct dwarf_abbrevs *abbrevs,
						   uint64_t code);

static inline const struct dwarf_abbrev *dwarf_abbrevs_find(const struct dwarf_abbrevs *abbrevs,
							    uint64_t code)
{
	if (code - 1 < abbrevs->nr_abbrevs && abbrevs->abbrevs[code - 1].code == code)
		return &abbrevs->abbrevs[code - 1];
	return dwarf_abbrevs_find_slow(abbrevs, code);
}

/* Returns the step that skips a value of this form. */
struct dwarf_step dwarf_form_step(unsigned int form, const struct dwarf_format *format);

/* Skips the value of one attribute. dwarf_abbrev_skip() skips all values of an entry. */
void dwarf_step_over(const struct dwarf_step *step, struct cursor *cursor,
		     const struct dwarf_format *format);

static inline void dwarf_abbrev_skip(const struct dwarf_abbrevs *abbrevs,
				     const struct dwarf_abbrev *abbrev, struct cursor *cursor,
				     const struct dwarf_format *format)
{
	const struct dwarf_step *step = abbrevs->steps + abbrev->steps;

	for (uint32_t i = 0; i < abbrev->nr_steps; i++, step++) {
		if (step->kind == DWARF_STEP_FIXED)
			cursor_skip(cursor, step->nr_bytes);
		else
			dwarf_step_over(step, cursor, format);
	}
}

#endif
