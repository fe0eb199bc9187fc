/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of parts of a binary image as text, by libopcodes, in the
 * confined child that reads binaries. Which machines it knows is libopcodes'
 * matter: distributions' knows the machine that they run on.
 *
 * Not for: the kernel and modules without their file (vmlinux, .ko): the
 * session keeps no code of theirs.
 */
#ifndef PP_DISASSEMBLY_H
#define PP_DISASSEMBLY_H

#include "pp/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys from start up to end. */
struct disassembly_range {
	uint64_t start, end;
};

struct disassembly_line {
	uint32_t text;	   /* offset in strings */
	uint32_t nr_bytes; /* > 0 */
};

/* A range that the file has code of: its lines follow each other from there on. */
struct disassembly_part {
	uint64_t key, address; /* address: as the file has it */
	uint64_t first, nr;    /* lines */
};

struct disassembly {
	const struct disassembly_line *lines;
	size_t nr_lines;
	const struct disassembly_part *parts; /* by ascending key, not overlapping */
	size_t nr_parts;
	const char *strings; /* texts: without control characters but tabs */
	void *memory;	     /* internal: a mapping that holds all of these */
	size_t memory_bytes;
	/* SYMBOLS_FULL: there is code for all ranges that the file has bytes for. */
	enum symbols_lack lack;
	char *note; /* why not; NULL */
};

struct disassembly_request {
	const struct disassembly_range *ranges; /* ascending, not overlapping */
	size_t nr_ranges;
	const struct symbol_table *symbols; /* names of branch targets */
	enum demangle_mode demangle;	    /* of them */
};

/* Always fills *disassembly; -ENOMEM or -errno only when this process itself fails. */
int disassembly_load(struct disassembly *disassembly, const char *path,
		     const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		     const struct symbol_search *search, const struct disassembly_request *request);
void disassembly_deinit(struct disassembly *disassembly);

/* An instruction, and where the next one is. */
struct disassembly_cursor {
	uint64_t key, address;
	uint32_t nr_bytes;
	const char *text;
	size_t line, nr_left; /* internal */
};

/* The first instruction of the part that begins at key. False: there is none. */
bool disassembly_first(const struct disassembly *disassembly, uint64_t key,
		       struct disassembly_cursor *cursor);
/* The next one of it. False: that was the last. */
bool disassembly_next(const struct disassembly *disassembly, struct disassembly_cursor *cursor);

#endif
