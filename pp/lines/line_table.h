/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source lines and inlined calls of one binary image, in a table sorted by key. A key is an
 * offset in the file or, for the kernel, an offset from the kernel's start. The helper makes the
 * table in one walk through the debug information. Tables are cached on disk by build-id.
 *
 * Not for names of functions that were not inlined (symbols.h).
 */
#ifndef PP_LINE_TABLE_H
#define PP_LINE_TABLE_H

#include "pp/symbols/symbols.h"

#include <stddef.h>
#include <stdint.h>

#define LINE_FRAMES_MAX 64

struct line_wire_range;
struct line_table_memory;

/*
 * A source position. file: index in line_table.files; files[0] is "", and stands for an unknown
 * file. line: 0 if unknown.
 */
struct line_place {
	uint32_t file, line;
};

/* An inlined function. call: the source position of the inlined call. */
struct line_inline {
	/* the linkage name, not demangled; if there is none, the plain name or "[unknown]" */
	const char *function;
	struct line_place call;
};

struct line_table {
	const struct line_wire_range *ranges; /* internal: line_wire.h */
	size_t nr_ranges;		      /* including the last range, which has no lines */
	const char **files;		      /* full paths as the compiler recorded them */
	size_t nr_files;
	struct line_table_memory *memory;
	enum symbols_lack lack; /* SYMBOLS_FULL if there is line information */
	char *debug_path;	/* path of the separate file with the line information, or NULL */
	/*
	 * A clause to be printed after "PATH: ". It states what is missing and the remedy; NULL if
	 * nothing is missing. If `lack` is SYMBOLS_FULL, only some inlined functions or their names
	 * are missing.
	 */
	char *note;
};

/*
 * Always fills *table; table->lack gives the reason if lines are missing. Returns 0, or -ENOMEM or
 * -errno if an error occurs in this process (not in the helper). The arguments are those of
 * symbol_table_load().
 */
int line_table_load(struct line_table *table, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search);
void line_table_deinit(struct line_table *table);

/*
 * The result of line_table_find(): the source position of a key, and at most LINE_FRAMES_MAX
 * functions inlined there, innermost first. `place` is in the innermost inlined function, if there
 * is one.
 */
struct line_found {
	struct line_place place;
	struct line_inline inlines[LINE_FRAMES_MAX];
	size_t nr_inlines;
	uint64_t end; /* the result is valid for all keys from `key` to `end` - 1 */
};

/*
 * Finds the source position of `key`. *hint must be 0 before the first call. Each call updates
 * *hint, so that a series of ascending keys needs no search. Returns 0, or -ENOENT if no line is
 * known for `key`.
 */
int line_table_find(const struct line_table *table, uint64_t key, size_t *hint,
		    struct line_found *found);

/*
 * Calls visit() for each range with a known line, in the order of keys. Stops when visit() returns
 * a nonzero value, and returns this value.
 */
int line_table_walk(const struct line_table *table,
		    int (*visit)(void *context, uint64_t start, uint64_t end,
				 const struct line_found *found),
		    void *context);

#endif
