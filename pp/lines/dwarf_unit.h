/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads units of .debug_info and the values of their entries (DWARF 5 standard, chapters 2 and 7;
 * GNU extensions of version 4). Runs in the helper; no offset is trusted. Offsets count from the
 * start of .debug_info.
 */
#ifndef PP_DWARF_UNIT_H
#define PP_DWARF_UNIT_H

#include "pp/lines/dwarf_abbrev.h"
#include "pp/lines/dwarf_file.h"

struct dwarf_info;

struct dwarf_unit {
	struct dwarf_info *info;
	/* info->file. For a unit of a package, its sections are only the parts of this unit. */
	const struct dwarf_file *file;
	/*
	 * for a split unit: the corresponding unit in the binary, which has the addresses and
	 * ranges; otherwise NULL
	 */
	const struct dwarf_unit *skeleton;
	struct dwarf_format format;
	uint8_t type;		      /* DW_UT_* */
	uint64_t start, entries, end; /* offsets of the header, the first entry, and the end */
	uint64_t abbrev_offset;
	const struct dwarf_abbrevs *abbrevs; /* NULL before dwarf_unit_read */
	bool root_is_damaged;		     /* dwarf_unit_read() could not read the root entry */

	/* The following values are read from the unit's root entry. */
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	uint64_t low_address; /* base address of the unit's ranges */
	uint64_t lines;	      /* offset in .debug_line */
	bool has_lines;
	bool has_code; /* the root entry has addresses */
	uint64_t dwo_id;
	const char *name, *folder; /* folder: compilation directory; "" if unknown */
	/* path of the file with the rest of the unit; NULL: the unit is complete */
	const char *dwo_name;
};

/* All units of one file. */
struct dwarf_info {
	struct dwarf_file file;
	struct dwarf_unit *units; /* by ascending start */
	size_t nr_units, room_units;
	bool damaged; /* some units could not be read */
	/* tsearch() tree of the abbreviation tables read so far, by position and format */
	void *abbrevs;
	struct dwarf_info *alt; /* the units of the file that dwz made; or NULL */
};

/* Lists the units of info->file, which the caller has set. Returns 0 or -ENOMEM. */
int dwarf_info_init(struct dwarf_info *info);
void dwarf_info_deinit(struct dwarf_info *info);

/* Returns the unit whose entries include this offset, or NULL. */
struct dwarf_unit *dwarf_info_find(const struct dwarf_info *info, uint64_t offset);

/*
 * Reads the unit's abbreviations and root entry. A later call reads nothing, and only returns the
 * same result. Returns 0, -EILSEQ or -ENOMEM.
 */
int dwarf_unit_read(struct dwarf_unit *unit);

/*
 * Returns a cursor that begins at this offset and ends at the end of the unit's entries. If the
 * offset is outside the entries, the cursor is marked as failed.
 */
struct cursor dwarf_unit_at(const struct dwarf_unit *unit, uint64_t offset);

/* ---- values ---- */

struct dwarf_value {
	uint16_t form;	  /* 0: none */
	uint64_t number;  /* offset, index, address or constant, depending on `form` */
	const char *text; /* DW_FORM_string */
};

/*
 * Reads the value of an attribute at `cursor`, and moves the cursor to the end of the value. A
 * value that is a block is only skipped.
 */
void dwarf_value_read(const struct dwarf_unit *unit, const struct dwarf_attribute *attribute,
		      struct cursor *cursor, struct dwarf_value *value);

/* Returns the value as text; "" if the value is not a text. */
const char *dwarf_value_text(const struct dwarf_unit *unit, const struct dwarf_value *value);

/* Converts the value to an address. Returns false if the value is not an address. */
bool dwarf_value_address(const struct dwarf_unit *unit, const struct dwarf_value *value,
			 uint64_t *address);

/* Finds the entry to which the value refers. Returns false if the value is not a reference. */
bool dwarf_value_entry(const struct dwarf_unit *unit, const struct dwarf_value *value,
		       struct dwarf_info **info, uint64_t *offset);

/*
 * Calls visit() for each non-empty range [begin, end) of a DW_AT_ranges value. Returns 0, -EILSEQ,
 * or the first nonzero result of visit().
 */
int dwarf_value_ranges(const struct dwarf_unit *unit, const struct dwarf_value *value,
		       int (*visit)(void *context, uint64_t begin, uint64_t end), void *context);

#endif
