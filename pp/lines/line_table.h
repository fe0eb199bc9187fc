/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls of one binary image: a table sorted by key
 * (offset in the file; for the kernel relative to its start). The helper makes
 * the table in one walk of the debug information; the table is cached on disk
 * by build-id.
 *
 * Not for names of functions that were not inlined: symbols.h.
 */
#ifndef PP_LINE_TABLE_H
#define PP_LINE_TABLE_H

#include "pp/symbols/symbols.h"

#include <stddef.h>
#include <stdint.h>

#define LINE_FRAMES_MAX 64

struct line_wire_range;
struct line_table_memory;

/* A source position. file: index in files; files[0] is "" and means unknown. line 0: unknown. */
struct line_place {
	uint32_t file, line;
};

/* An inlined function. call: the position where it was called. */
struct line_inline {
	const char *function; /* not demangled, the linkage name if there is one; or "[unknown]" */
	struct line_place call;
};

struct line_table {
	const struct line_wire_range *ranges; /* internal: line_wire.h */
	size_t nr_ranges;		      /* includes the last range, which has no lines */
	const char **files;		      /* full paths as the compiler recorded them */
	size_t nr_files;
	struct line_table_memory *memory;
	enum symbols_lack lack; /* SYMBOLS_FULL: there is line information */
	char *debug_path;	/* the separate file with the line information, or NULL */
	/*
	 * A clause to be printed after "PATH: ", which states the missing
	 * information and its remedy; NULL if nothing is missing. With
	 * SYMBOLS_FULL: some inlined functions or their names are missing.
	 */
	char *note;
};

/*
 * Always fills *table (lack gives the reason if lines are missing). Returns -ENOMEM or -errno
 * only if this process itself fails. Arguments: see symbol_table_load.
 */
int line_table_load(struct line_table *table, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search);
void line_table_deinit(struct line_table *table);

/*
 * Finds the source position of key and the functions inlined there, innermost
 * first, at most LINE_FRAMES_MAX. found->place is in the innermost inlined
 * function, if there is one. *hint must be 0 before the first call; calls
 * update it, so that a series of ascending keys needs no search. Returns 0, or
 * -ENOENT if no line is known for key.
 */
struct line_found {
	struct line_place place;
	struct line_inline inlines[LINE_FRAMES_MAX];
	size_t nr_inlines;
	uint64_t end; /* the result holds for all keys below this one */
};

int line_table_find(const struct line_table *table, uint64_t key, size_t *hint,
		    struct line_found *found);

/*
 * Calls visit for each range with a known line, by ascending key: for reports
 * of source files. Ends when visit returns nonzero, and returns this value.
 */
int line_table_walk(const struct line_table *table,
		    int (*visit)(void *context, uint64_t start, uint64_t end,
				 const struct line_found *found),
		    void *context);

#endif
