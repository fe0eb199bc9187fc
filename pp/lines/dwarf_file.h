/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of debug information (DWARF 2 to 5) in one ELF file, as they
 * lie in memory, decompressed. Runs in the helper, on what a hostile file
 * says. Not for their meaning: dwarf_unit.h, dwarf_lines.h.
 */
#ifndef PP_DWARF_FILE_H
#define PP_DWARF_FILE_H

#include "lib/cursor.h"

#include <libelf.h>

enum dwarf_section {
	DWARF_ABBREV,
	DWARF_ADDR,
	DWARF_CU_INDEX, /* of a package of split files */
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
	const uint8_t *bytes; /* NULL: there is no such section */
	size_t nr_bytes;
};

struct dwarf_file {
	struct dwarf_bytes sections[NR_DWARF_SECTIONS];
	bool swapped;
	bool split;	     /* sections are those of a .dwo or .dwp */
	bool undecompressed; /* a section is compressed in a way that is not known here, or damaged
			      */
	uint8_t *decompressed[NR_DWARF_SECTIONS]; /* memory of its own; NULL: it is elf's */
	const char
		*alt_name; /* .gnu_debugaltlink: the file that dwz put shared parts in; or NULL */
	const uint8_t *alt_id; /* its build-id */
	size_t alt_id_bytes;
};

/* split: take the sections whose names end in ".dwo". elf stays open until deinit. */
void dwarf_file_init(struct dwarf_file *file, Elf *elf, bool split);
/* Also of one that is all zeros. A copy of one has none of its own: it goes before the original. */
void dwarf_file_deinit(struct dwarf_file *file);
struct dwarf_file dwarf_file_copy(const struct dwarf_file *file);

/* A cursor at offset of a section: at its end and failed where that is beyond. */
struct cursor dwarf_file_at(const struct dwarf_file *file, enum dwarf_section section,
			    uint64_t offset);

/* The text at offset of a section of strings, or "". */
const char *dwarf_file_text(const struct dwarf_file *file, enum dwarf_section section,
			    uint64_t offset);

#endif
