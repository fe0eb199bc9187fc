/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table as the helper writes it and the cache stores it. The parent
 * uses the bytes in place, after it has checked every number in them.
 *
 *   struct line_wire_header
 *   struct line_wire_range [nr_ranges]
 *   struct line_wire_node [nr_nodes]
 *   uint32_t [nr_files]: offsets of their paths in the strings
 *   strings_bytes of strings, each with its NUL
 */
#ifndef PP_LINE_WIRE_H
#define PP_LINE_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define LINE_WIRE_MAGIC	    0x4c494e31u
#define LINE_WIRE_MAX_BYTES (1u << 30)

#define LINE_NO_FILE UINT32_MAX /* a range without a known line */

struct line_wire_header {
	uint32_t magic;
	uint32_t lack; /* enum symbols_lack */
	uint64_t nr_ranges;
	uint32_t nr_nodes;
	uint32_t nr_files;
	uint32_t strings_bytes;
	uint32_t debug_path; /* offset in the strings; 0: none */
	uint32_t note;	     /* offset in the strings; 0: none */
	uint32_t flags;	     /* LINE_WIRE_* */
};

#define LINE_WIRE_KEPT 1u /* read from the session's copy of the binary */

/* A range ends where the next one starts. The file of the last range is LINE_NO_FILE. */
struct line_wire_range {
	uint64_t start;
	uint32_t file;
	uint32_t line;
	uint32_t node; /* the innermost function inlined here; 0: none */
	uint32_t reserved;
};

struct line_wire_node {
	uint32_t function; /* offset in the strings */
	uint32_t call_file, call_line;
	uint32_t parent; /* the node into which it was inlined, a lower number; 0: none */
};

/* Pointers to the parts in memory. */
struct line_wire {
	struct line_wire_header header;
	const struct line_wire_range *ranges;
	const struct line_wire_node *nodes;
	const uint32_t *files;
	const char *strings;
};

/*
 * Finds the parts of a table in nr_bytes bytes, which must be aligned to 8
 * bytes, and checks every number in them. Replaces control characters in
 * strings by '?', in place. Returns 0 or -EILSEQ.
 */
int line_wire_open(struct line_wire *wire, void *bytes, size_t nr_bytes);

#endif
