/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The addresses at which the samples of a call tree were taken, with source lines and inlined
 * functions, for formats that show lines. A call tree has functions but no addresses; the flat
 * profile has addresses but no call stacks. This module finds the addresses of each function;
 * pp/calls/call_spread.h divides the samples of these addresses among the call paths to the
 * function.
 */
#ifndef PP_CALL_PLACES_H
#define PP_CALL_PLACES_H

#include "pp/calls/call_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A source line of an address, and the function to which this line belongs in the source. */
struct call_frame {
	const char *function; /* name of an inlined function; NULL: not inlined */
	uint32_t file, line;  /* file: index in call_places.files; 0: unknown */
};

/*
 * Value of call_place.app if some samples of the function are stored under its image instead
 * of under the program: the place then counts the samples of all applications.
 */
#define CALL_PLACE_ANY UINT32_MAX

/* An address at which samples of an application were taken. */
struct call_place {
	uint32_t function; /* index in the tree's functions */
	uint32_t app;	   /* root node of the application, or CALL_PLACE_ANY */
	uint32_t code;	   /* index in codes */
};

/* An address of a function, independent of the application. */
struct call_code {
	uint32_t function;
	uint32_t nr_frames;
	size_t first_frame; /* index in `frames` of the innermost frame, if nr_frames > 0 */
	uint64_t key;
	uint64_t address; /* like call_function.address */
};

struct call_places {
	const struct call_tree *tree;
	struct call_place *places; /* sorted by function, application and key */
	uint64_t *counts, *shares; /* nr_places x nr_columns; columns as in the flat profile */
	size_t nr_places;
	size_t *first;	 /* index of each function's first place; nr_functions + 1 entries */
	bool *is_shared; /* for each function: whether `app` of its places is CALL_PLACE_ANY */
	struct call_code *codes;
	size_t nr_codes;
	struct call_frame *frames;
	size_t nr_frames;
	struct line_place *starts; /* for each function: its first line; line 0: unknown */
	const char **files;	   /* full paths as the compiler wrote them; files[0] is "" */
	size_t nr_files;
	struct call_place_image {
		bool has_lines, has_inlines;
	} * images; /* one for each of the tree's images */
	struct strings strings;
};

/*
 * Fills *places. tree->profile must have symbols and details. Returns 0, -ENOMEM, or an error of
 * line_table_load() or code_functions_load().
 */
int call_places_make(struct call_places *places, const struct call_tree *tree,
		     const struct profile_options *options);
void call_places_deinit(struct call_places *places);

#endif
