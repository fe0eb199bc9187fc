/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format in which the helper writes a line table and the cache stores it. The parent process
 * uses the bytes without a copy, after checking every number in them.
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

#define LINE_NO_FILE UINT32_MAX /* file of a range whose line is unknown */

struct line_wire_header {
	uint32_t magic;
	uint32_t lack; /* enum symbols_lack */
	uint64_t nr_ranges;
	uint32_t nr_nodes;
	uint32_t nr_files;
	uint32_t strings_bytes;
	uint32_t debug_path; /* offset of the text in the strings; 0: none */
	uint32_t note;	     /* offset of the text in the strings; 0: none */
	uint32_t flags;	     /* LINE_WIRE_* */
};

#define LINE_WIRE_KEPT 1u /* the table was read from the session's copy of the binary */

/* A range ends where the next one starts. The file of the last range is LINE_NO_FILE. */
struct line_wire_range {
	uint64_t start;
	uint32_t file;
	uint32_t line;
	uint32_t node; /* index of the node of the innermost function inlined here; 0: none */
	uint32_t reserved;
};

struct line_wire_node {
	uint32_t function; /* offset of the name in the strings */
	uint32_t call_file, call_line;
	/*
	 * index of the node into which the function was inlined, always lower than the index of
	 * this node; 0: none
	 */
	uint32_t parent;
};

/* The parts of a table in memory. */
struct line_wire {
	struct line_wire_header header;
	const struct line_wire_range *ranges;
	const struct line_wire_node *nodes;
	const uint32_t *files;
	const char *strings;
};

/*
 * Finds the parts of a table that has nr_bytes bytes at `bytes`, aligned to 8 bytes. Checks every
 * number in them. Replaces control characters in the strings by '?', in place. Returns 0 or
 * -EILSEQ.
 */
int line_wire_open(struct line_wire *wire, void *bytes, size_t nr_bytes);

#endif
