/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads .eh_frame and .debug_frame: their common parts (CIE) and functions
 * (FDE). code_rows.h executes their instructions.
 */
#ifndef UNWIND_CODE_FRAMES_H
#define UNWIND_CODE_FRAMES_H

#include "lib/cursor.h"
#include "unwind/code_elf.h"

#define CODE_FRAMES_SECTIONS_MAX 16

struct code_frames_section {
	uint8_t *bytes;
	size_t nr_bytes;
	uint64_t address;  /* address where it is loaded; 0: it is not loaded */
	bool is_debug;	   /* .debug_frame */
	bool ends_at_zero; /* nr_bytes is only a bound: an entry of length 0 ends the section */
};

/* A CIE: the information that many functions have in common. */
struct code_frames_common {
	uint32_t section;
	uint64_t offset;  /* in the section; frames->commons is sorted by section and offset */
	bool usable;	  /* its version and encodings are supported */
	bool sized;	  /* functions have augmentation data with a size */
	bool signal;	  /* functions are signal frames */
	uint8_t encoding; /* encoding of pointers (DW_EH_PE) */
	uint64_t code_align;
	int64_t data_align;
	const uint8_t *begin, *end; /* instructions of the CIE */
};

struct code_frames_function {
	uint64_t start, end; /* keys */
	uint64_t address;    /* of key start */
	uint32_t common;     /* index in frames->commons */
	bool is_debug;
	const uint8_t *instructions, *instructions_end;
};

struct code_frames {
	const struct code_elf *elf;
	struct code_frames_section sections[CODE_FRAMES_SECTIONS_MAX];
	size_t nr_sections;
	struct code_frames_common *commons;
	size_t nr_commons, commons_room;
	struct code_frames_function *functions; /* sorted by start, disjoint */
	size_t nr_functions, functions_room;
	size_t nr_lost; /* functions that could not be read */
};

/*
 * Reads all CIEs and FDEs of elf. Returns 0; -ENODATA: elf has neither section; -EILSEQ, -EFBIG,
 * -ENOMEM. Call code_frames_deinit in all cases.
 */
int code_frames_init(struct code_frames *frames, const struct code_elf *elf, struct diag *diag);
void code_frames_deinit(struct code_frames *frames);

/*
 * Reads a pointer of the given encoding from cursor, which is within section.
 * The cursor fails if the encoding is not supported.
 */
uint64_t code_frames_pointer(struct cursor *cursor, uint8_t encoding,
			     const struct code_frames_section *section);

#endif
