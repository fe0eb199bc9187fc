/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of .debug_info and the values in their entries (DWARF 5 standard,
 * chapters 2 and 7; GNU extensions of version 4). Runs in the helper: every
 * offset may be anything. Offsets count from the start of .debug_info.
 */
#ifndef PP_DWARF_UNIT_H
#define PP_DWARF_UNIT_H

#include "pp/lines/dwarf_abbrev.h"
#include "pp/lines/dwarf_file.h"

struct dwarf_info;

struct dwarf_unit {
	struct dwarf_info *info;
	const struct dwarf_file *file;	   /* info's; of a package: cut to the unit's parts */
	const struct dwarf_unit *skeleton; /* of a split unit: whose addresses and ranges it has */
	struct dwarf_format format;
	uint8_t type;		      /* DW_UT_* */
	uint64_t start, entries, end; /* its header, first entry, and what is behind it */
	uint64_t abbrev_offset;
	const struct dwarf_abbrevs *abbrevs; /* once dwarf_unit_read has been here */

	/* From its root. */
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	uint64_t low_address; /* what ranges are relative to */
	uint64_t lines;	      /* offset in .debug_line */
	bool has_lines;
	bool has_code; /* it gives addresses */
	uint64_t dwo_id;
	const char *name, *folder; /* "" when it has none; where it was compiled */
	const char *dwo_name;	   /* the file that has the rest; NULL: this is all */
};

/* All units of one file. */
struct dwarf_info {
	struct dwarf_file file;
	struct dwarf_unit *units; /* by ascending start */
	size_t nr_units, room_units;
	bool damaged;		/* not all could be read */
	void *abbrevs;		/* tables read so far, by offset and format (tsearch) */
	struct dwarf_info *alt; /* what dwz took out of it; or NULL */
};

/* List the units of info->file, which the caller has filled. 0 or -ENOMEM. */
int dwarf_info_init(struct dwarf_info *info);
void dwarf_info_deinit(struct dwarf_info *info);

/* The unit that offset lies in, or NULL. */
struct dwarf_unit *dwarf_info_find(const struct dwarf_info *info, uint64_t offset);

/* Read the unit's abbreviations and root, once. 0, -EILSEQ, -ENOMEM. */
int dwarf_unit_read(struct dwarf_unit *unit);

/* A cursor over the unit's entries from offset on. */
struct cursor dwarf_unit_at(const struct dwarf_unit *unit, uint64_t offset);

/* ---- values ---- */

struct dwarf_value {
	uint16_t form;	  /* 0: none */
	uint64_t number;  /* as in the file: offset, index, address, constant */
	const char *text; /* DW_FORM_string */
};

/* Read the value of attribute, which cursor is at. Blocks are stepped over. */
void dwarf_value_read(const struct dwarf_unit *unit, const struct dwarf_attribute *attribute,
		      struct cursor *cursor, struct dwarf_value *value);

/* The text; "" where it is none. */
const char *dwarf_value_text(const struct dwarf_unit *unit, const struct dwarf_value *value);

/* false: it is no address. */
bool dwarf_value_address(const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *address);

/* The entry that it refers to: in which file, and where. false: to none. */
bool dwarf_value_entry(const struct dwarf_unit *unit, const struct dwarf_value *value,
		       struct dwarf_info **info, uint64_t *offset);

/* Call visit for each range [begin, end) that is not empty, of a value of DW_AT_ranges. */
int dwarf_value_ranges(const struct dwarf_unit *unit, const struct dwarf_value *value,
		       int (*visit)(void *context, uint64_t begin, uint64_t end), void *context);

#endif
