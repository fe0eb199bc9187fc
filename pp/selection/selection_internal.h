/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a selection is made: sessions are read (selection.c), slices that two
 * sides have in common shared out (selection_share.c), parts visited one by
 * one (selection_walk.c), and what was found put in order
 * (selection_order.c). Internal to selection*.c.
 */
#ifndef PP_SELECTION_INTERNAL_H
#define PP_SELECTION_INTERNAL_H

#include "lib/index_table.h"
#include "pp/selection/part_match.h"
#include "pp/selection/selection.h"

#define NR_SHOWN_BEFORE 256 /* a power of two */

/* A part that was selected, before classes, applications and images are in order. */
struct selected_file {
	uint32_t image, app, key; /* as they came */
	uint32_t session, slice, number;
	uint32_t side;
};

/* Texts that were asked for a moment ago, by the strings they were made of. */
struct shown_before {
	struct slice_path path;
	const char *shown;
};

struct selection_walk {
	struct selection *selection;
	const struct spec *spec;
	const struct selection_options *options;
	void (*skip)(const char *path, const struct diag *diag);
	uint32_t session, side;
	struct selected_file *found;
	size_t nr_found, room;

	struct class_key *keys; /* distinct ones */
	uint8_t *measures;	/* by key: enum class_measure */
	size_t nr_keys, keys_room;
	struct index_table key_table;
	size_t images_room, apps_room;
	struct index_table image_table, app_table;
	struct shown_before before[NR_SHOWN_BEFORE];

	/* Of the side in hand. */
	size_t nr_seen;	     /* parts */
	size_t nr_dependent; /* kept out by exclude_dependent */
	struct part_refusals refusals;
};

/* A part of walk's session and side, of slice (or SELECTED_LIVE) and number. 0 or -ENOMEM. */
int selection_walk_visit(struct selection_walk *walk, const struct slice_section *section,
			 uint32_t slice, uint32_t number);
void selection_walk_deinit(struct selection_walk *walk);

/*
 * Stretches that do not overlap are not to have samples in common because a
 * slice is coarse: slices (and live files) of both sides go to the side that
 * has more of their time.
 */
void selection_share(struct selection *selection);

/* Classes, applications, images and parts of what was found. As selection_make. */
int selection_order(struct selection *selection, const struct selection_walk *walk,
		    struct diag *diag);

#endif
