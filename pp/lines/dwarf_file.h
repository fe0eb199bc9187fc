/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the debug sections (DWARF 2 to 5) of one ELF file into memory, decompressed. Runs in the
 * helper, on untrusted input. Not for interpreting the sections (dwarf_unit.h, dwarf_lines.h).
 */
#ifndef PP_DWARF_FILE_H
#define PP_DWARF_FILE_H

#include "lib/cursor.h"

#include <libelf.h>

enum dwarf_section {
	DWARF_ABBREV,
	DWARF_ADDR,
	DWARF_CU_INDEX, /* index of a package of split files (.dwp) */
	DWARF_INFO,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	NR_DWARF_SECTIONS,
};

struct dwarf_bytes {
	const uint8_t *bytes; /* NULL: the file lacks the section */
	size_t nr_bytes;
};

struct dwarf_file {
	struct dwarf_bytes sections[NR_DWARF_SECTIONS];
	bool swapped;
	bool split;	     /* the sections are those of a .dwo or .dwp file */
	bool undecompressed; /* a section is damaged or has an unsupported compression */
	uint8_t *decompressed[NR_DWARF_SECTIONS]; /* malloc'ed; NULL: libelf's memory is used */
	const char *alt_name;  /* path in .gnu_debugaltlink: the file that dwz made; or NULL */
	const uint8_t *alt_id; /* build-id of the file that dwz made */
	size_t alt_id_bytes;
};

/*
 * Loads the sections. split: use the sections whose names end in ".dwo". `elf` must stay open until
 * dwarf_file_deinit().
 */
void dwarf_file_init(struct dwarf_file *file, Elf *elf, bool split);
/*
 * dwarf_file_deinit() accepts a struct of zeros. A copy uses the original's memory, so it must not
 * be used after dwarf_file_deinit() of the original.
 */
void dwarf_file_deinit(struct dwarf_file *file);
struct dwarf_file dwarf_file_copy(const struct dwarf_file *file);

/*
 * Returns a cursor at this offset in a section. If the offset is beyond the section's end, the
 * cursor is marked as failed.
 */
struct cursor dwarf_file_at(const struct dwarf_file *file, enum dwarf_section section,
			    uint64_t offset);

/* Returns the text at this offset in a string section, or "" if the offset is invalid. */
const char *dwarf_file_text(const struct dwarf_file *file, enum dwarf_section section,
			    uint64_t offset);

#endif
