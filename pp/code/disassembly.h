/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembles parts of a binary image with libopcodes, in the confined child that reads
 * binaries. libopcodes determines which machines are supported: in most distributions only
 * the native one.
 *
 * Not for the kernel without its vmlinux, nor for modules: the session keeps
 * none of their code.
 */
#ifndef PP_DISASSEMBLY_H
#define PP_DISASSEMBLY_H

#include "pp/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys from start up to end, which is excluded. */
struct disassembly_range {
	uint64_t start, end;
};

struct disassembly_line {
	uint32_t text;	   /* offset in strings */
	uint32_t nr_bytes; /* > 0 */
};

/* A range for which the file has code. Its lines are consecutive. */
struct disassembly_part {
	uint64_t key, address; /* address: of key, as in the file */
	uint64_t first, nr;    /* index of the first line; number of lines */
};

struct disassembly {
	const struct disassembly_line *lines;
	size_t nr_lines;
	const struct disassembly_part *parts; /* by ascending key, not overlapping */
	size_t nr_parts;
	const char *strings; /* texts, without control characters except tabs */
	void *memory;	     /* internal: a mapping that holds all of these */
	size_t memory_bytes;
	/* SYMBOLS_FULL: the image could be opened and disassembled. */
	enum symbols_lack lack;
	char *note; /* why code is missing; NULL: no code is missing */
};

struct disassembly_request {
	const struct disassembly_range *ranges; /* ascending, not overlapping */
	size_t nr_ranges;
	const struct symbol_table *symbols; /* names of branch targets */
	enum demangle_mode demangle;	    /* for the names */
};

/* Always fills *disassembly. Returns -ENOMEM or -errno only if this process itself fails. */
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

/* Moves to the first instruction of the part that begins at key. Returns false if there is none. */
bool disassembly_first(const struct disassembly *disassembly, uint64_t key,
		       struct disassembly_cursor *cursor);
/* Moves to the part's next instruction. Returns false if there is none. */
bool disassembly_next(const struct disassembly *disassembly, struct disassembly_cursor *cursor);

#endif
