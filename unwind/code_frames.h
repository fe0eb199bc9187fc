/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the sections .eh_frame and .debug_frame, which consist of common parts (CIE) and functions
 * (FDE). code_rows.h executes the instructions in them.
 */
#ifndef UNWIND_CODE_FRAMES_H
#define UNWIND_CODE_FRAMES_H

#include "lib/cursor.h"
#include "unwind/code_elf.h"

#define CODE_FRAMES_SECTIONS_MAX 16

struct code_frames_section {
	uint8_t *bytes;
	size_t nr_bytes;
	uint64_t address;  /* address to which the section is loaded; 0: not loaded */
	bool is_debug;	   /* .debug_frame */
	bool ends_at_zero; /* nr_bytes is a maximum: an entry of length 0 ends the section */
};

/* A CIE: information that several functions share. */
struct code_frames_common {
	uint32_t section;
	uint64_t offset;  /* offset in the section; `commons` is sorted by section and offset */
	bool usable;	  /* the CIE's version and encodings are supported */
	bool sized;	  /* the functions have augmentation data that begin with a size */
	bool signal;	  /* the functions are signal frames */
	uint8_t encoding; /* encoding of pointers (DW_EH_PE) */
	uint64_t code_align;
	int64_t data_align;
	const uint8_t *begin, *end; /* instructions of the CIE */
};

struct code_frames_function {
	uint64_t start, end; /* keys */
	uint64_t address;    /* address of the key `start` */
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
	size_t nr_lost; /* number of functions that could not be read */
};

/*
 * Reads all CIEs and FDEs of the file `elf`. Returns 0; -ENODATA: the file has neither section;
 * -EILSEQ, -EFBIG, -ENOMEM. The caller must call code_frames_deinit in all cases.
 */
int code_frames_init(struct code_frames *frames, const struct code_elf *elf, struct diag *diag);
void code_frames_deinit(struct code_frames *frames);

/*
 * Reads a pointer with this encoding at the cursor, which must be in `section`. If the encoding is
 * not supported, sets cursor->failed.
 */
uint64_t code_frames_pointer(struct cursor *cursor, uint8_t encoding,
			     const struct code_frames_section *section);

#endif
