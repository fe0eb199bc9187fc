/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of making a selection: selection.c reads sessions, selection_share.c assigns each slice
 * common to both sides to one side, selection_walk.c visits each part, selection_order.c sorts the
 * result. Internal to selection*.c.
 */
#ifndef PP_SELECTION_INTERNAL_H
#define PP_SELECTION_INTERNAL_H

#include "lib/index_table.h"
#include "pp/selection/part_match.h"
#include "pp/selection/selection.h"

#define NR_SHOWN_BEFORE 256 /* a power of two */

/* A part that was selected, before classes, applications and images are sorted. */
struct selected_file {
	uint32_t image, app, key; /* each numbered from 0, in the order of first use */
	uint32_t session, slice, number;
	uint32_t side;
};

/* A text in the cache, and the path from which it was made. */
struct shown_before {
	struct slice_path path;
	const char *shown;
};

struct selection_walk {
	struct selection *selection;
	const struct spec *spec;
	const struct selection_options *options;
	void (*skip)(const char *path, const struct diag *diag);
	bool daemon_answers; /* the daemon has just stored its samples for this selection */
	/* How many current sessions were read from the daemon's memory, and how many from files. */
	size_t nr_from_memory, nr_from_files;
	uint32_t session, side;
	struct selected_file *found;
	size_t nr_found, room;

	struct class_key *keys; /* each key once */
	uint8_t *measures;	/* enum class_measure of each key */
	size_t nr_keys, keys_room;
	struct index_table key_table;
	size_t images_room, apps_room;
	struct index_table image_table, app_table;
	struct shown_before before[NR_SHOWN_BEFORE];

	/* State of visiting the current side. */
	size_t nr_seen;	     /* parts visited so far */
	size_t nr_dependent; /* parts refused by exclude_dependent */
	struct part_refusals refusals;
};

/* Visits a part of walk's session and side; slice may be SELECTED_LIVE. Returns 0 or -ENOMEM. */
int selection_walk_visit(struct selection_walk *walk, const struct slice_section *section,
			 uint32_t slice, uint32_t number);
void selection_walk_deinit(struct selection_walk *walk);

/*
 * If the time ranges of two sides do not overlap, the sides must not share samples. But one slice
 * may overlap both ranges. Gives each common slice, and the live files, to the side whose range
 * overlaps it for the longer time.
 */
void selection_share(struct selection *selection);

/*
 * Makes classes, applications, images and parts from the walk. Returns the same errors as
 * selection_make().
 */
int selection_order(struct selection *selection, const struct selection_walk *walk,
		    struct diag *diag);

#endif
