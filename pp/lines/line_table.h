/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined calls of one binary image: a sorted table by key
 * (file offset; relative to the start for the kernel and modules), made by one
 * walk of the debug info in the forked helper, cached on disk by build-id. Joined to
 * sorted keys by merging.
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

/* One source place; file: index in files, line 0: not known. files[0] is "": not known. */
struct line_place {
	uint32_t file, line;
};

/* A function that was inlined at key, innermost first; call: where it was called from. */
struct line_inline {
	const char *function; /* linkage name where there is one, not demangled; "[unknown]" */
	struct line_place call;
};

struct line_table {
	const struct line_wire_range *ranges; /* internal: line_wire.h */
	size_t nr_ranges;		      /* with the last one, which is empty */
	const char **files;		      /* whole paths as the compiler had them */
	size_t nr_files;
	struct line_table_memory *memory;
	enum symbols_lack lack; /* SYMBOLS_FULL: there is debug info */
	char *debug_path;	/* the separate file that has it, or NULL */
	/*
	 * Why it lacks, and what to install, a clause to stand behind "PATH: "; NULL. Also where
	 * lines are known, but part of what was inlined is not (lack is then SYMBOLS_FULL).
	 */
	char *note;
};

/*
 * Always fills *table (lack says what is missing); -ENOMEM or -errno only
 * when this process itself fails. Arguments as of symbol_table_load.
 */
int line_table_load(struct line_table *table, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search);
void line_table_deinit(struct line_table *table);

/*
 * Of key: its place, and the functions inlined there (as many as room, the
 * innermost first) with *nr_inlines of them. The place is in the innermost of
 * them, or in the function itself. hint: where the key before was found, 0 at
 * first: keys that ascend cost no search. 0, -ENOENT: no line is known for key.
 */
struct line_found {
	struct line_place place;
	struct line_inline inlines[LINE_FRAMES_MAX];
	size_t nr_inlines;
	uint64_t end; /* all of this is so up to here */
};

int line_table_find(const struct line_table *table, uint64_t key, size_t *hint,
		    struct line_found *found);

/*
 * The ranges of code that came from lines of a file, for readers that begin
 * at the source: called for each range in ascending order of keys. Stops where visit returns
 * other than 0, and returns that.
 */
int line_table_walk(const struct line_table *table,
		    int (*visit)(void *context, uint64_t start, uint64_t end,
				 const struct line_found *found),
		    void *context);

#endif
