/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembles parts of a binary image with libopcodes, in the confined child process that reads
 * binaries. libopcodes determines which machines are supported: in most distributions only the
 * native one.
 *
 * Cannot disassemble modules, or the kernel without its vmlinux, because the session has no copy of
 * their code.
 */
#ifndef PP_DISASSEMBLY_H
#define PP_DISASSEMBLY_H

#include "pp/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The keys from `start` up to, but not including, `end`. */
struct disassembly_range {
	uint64_t start, end;
};

struct disassembly_line {
	uint32_t text;	   /* offset in strings */
	uint32_t nr_bytes; /* > 0 */
};

/* A range for which the file has code. Its lines are consecutive. */
struct disassembly_part {
	uint64_t key, address; /* address: the address of `key` in the file */
	uint64_t first, nr;    /* first: index of the first line; nr: number of lines */
};

struct disassembly {
	const struct disassembly_line *lines;
	size_t nr_lines;
	const struct disassembly_part *parts; /* sorted by key, not overlapping */
	size_t nr_parts;
	const char *strings; /* the texts; their only control characters are tabs */
	void *memory;	     /* internal: a mapping with lines, parts and strings */
	size_t memory_bytes;
	/* SYMBOLS_FULL if the image could be opened and disassembled. */
	enum symbols_lack lack;
	char *note; /* why code is missing; NULL: no code is missing */
};

struct disassembly_request {
	const struct disassembly_range *ranges; /* ascending, not overlapping */
	size_t nr_ranges;
	const struct symbol_table *symbols; /* for the names of branch targets */
	enum demangle_mode demangle;	    /* for the names */
};

/*
 * Always fills *disassembly. Returns 0, or -ENOMEM or -errno if an error occurs in this process
 * (not in the child).
 */
int disassembly_load(struct disassembly *disassembly, const char *path,
		     const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		     const struct symbol_search *search, const struct disassembly_request *request);
void disassembly_deinit(struct disassembly *disassembly);

/* A position in a part: the current instruction. */
struct disassembly_cursor {
	uint64_t key, address;
	uint32_t nr_bytes;
	const char *text;
	size_t line, nr_left; /* internal */
};

/*
 * Moves to the first instruction of the part that begins at `key`. Returns false if there is no
 * such instruction.
 */
bool disassembly_first(const struct disassembly *disassembly, uint64_t key,
		       struct disassembly_cursor *cursor);
/* Moves to the part's next instruction. Returns false after the last instruction. */
bool disassembly_next(const struct disassembly *disassembly, struct disassembly_cursor *cursor);

#endif
