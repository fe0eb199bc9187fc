/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in its functions the samples of a call tree ended, with the lines and
 * what was inlined there, for formats that have lines. Call trees know
 * functions; addresses are the flat profile's, which does not know by which
 * stacks they were reached: pp/calls/call_spread.h joins both.
 */
#ifndef PP_CALL_PLACES_H
#define PP_CALL_PLACES_H

#include "pp/calls/call_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of code at an address, and the function that the source has it in. */
struct call_frame {
	const char *function; /* inlined, as in the file; NULL: the function itself */
	uint32_t file, line;  /* index in files; 0: not known */
};

/*
 * Of a function whose samples are filed under its image, whatever ran it: its
 * places are those of all applications together.
 */
#define CALL_PLACE_ANY UINT32_MAX

/* An address that samples of an application ended at. */
struct call_place {
	uint32_t function; /* index in the tree's */
	uint32_t app;	   /* node of its root; CALL_PLACE_ANY */
	uint32_t code;	   /* index in codes */
};

/* An address of a function, whoever ran it. */
struct call_code {
	uint32_t function;
	uint32_t nr_frames;
	size_t first_frame; /* in frames, the innermost first; none: no line is known */
	uint64_t key;
	uint64_t address; /* as the function's */
};

struct call_places {
	const struct call_tree *tree;
	struct call_place *places; /* by function, application, address */
	uint64_t *counts, *shares; /* nr_places x nr_columns of the flat profile */
	size_t nr_places;
	size_t *first;	 /* of each function: its first place; nr_functions + 1 */
	bool *is_shared; /* of each function: its places are of CALL_PLACE_ANY */
	struct call_code *codes;
	size_t nr_codes;
	struct call_frame *frames;
	size_t nr_frames;
	struct line_place *starts; /* of each function: its first line; line 0: not known */
	const char **files;	   /* whole paths as the compiler had them; files[0] is "" */
	size_t nr_files;
	struct call_place_image {
		bool has_lines, has_inlines;
	} * images; /* of each of the tree's */
	struct strings strings;
};

/* tree: of a profile with symbols and details. 0, -ENOMEM, or what line_table_load fails with. */
int call_places_make(struct call_places *places, const struct call_tree *tree,
		     const struct profile_options *options);
void call_places_deinit(struct call_places *places);

#endif
