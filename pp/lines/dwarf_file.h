/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug sections (DWARF 2 to 5) of one ELF file, in memory, decompressed.
 * Runs in the helper, on untrusted input. Not for interpreting the sections:
 * dwarf_unit.h, dwarf_lines.h.
 */
#ifndef PP_DWARF_FILE_H
#define PP_DWARF_FILE_H

#include "lib/cursor.h"

#include <libelf.h>

enum dwarf_section {
	DWARF_ABBREV,
	DWARF_ADDR,
	DWARF_CU_INDEX, /* of a package of split files (.dwp) */
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
	const uint8_t *bytes; /* NULL: no such section */
	size_t nr_bytes;
};

struct dwarf_file {
	struct dwarf_bytes sections[NR_DWARF_SECTIONS];
	bool swapped;
	bool split;	     /* sections of a .dwo or .dwp */
	bool undecompressed; /* a section is damaged or has an unsupported compression */
	uint8_t *decompressed[NR_DWARF_SECTIONS]; /* malloc'ed; NULL: libelf's memory is used */
	const char *alt_name;  /* .gnu_debugaltlink: path of the file that dwz made; or NULL */
	const uint8_t *alt_id; /* that file's build-id */
	size_t alt_id_bytes;
};

/* split: use the sections whose names end in ".dwo". elf must stay open until dwarf_file_deinit. */
void dwarf_file_init(struct dwarf_file *file, Elf *elf, bool split);
/*
 * dwarf_file_deinit accepts a zeroed struct. A copy shares the original's
 * memory, and must not be used after the original's dwarf_file_deinit.
 */
void dwarf_file_deinit(struct dwarf_file *file);
struct dwarf_file dwarf_file_copy(const struct dwarf_file *file);

/*
 * Returns a cursor at offset of a section. If offset is beyond the section's
 * end, the cursor has failed.
 */
struct cursor dwarf_file_at(const struct dwarf_file *file, enum dwarf_section section,
			    uint64_t offset);

/* Returns the text at offset of a string section, or "" if offset is invalid. */
const char *dwarf_file_text(const struct dwarf_file *file, enum dwarf_section section,
			    uint64_t offset);

#endif
