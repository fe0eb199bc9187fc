/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why there is no selection, and what there is instead. */
#ifndef PP_SELECTION_ERROR_H
#define PP_SELECTION_ERROR_H

#include "pp/selection/part_match.h"
#include "pp/selection/selection.h"

#include <stdbool.h>
#include <stddef.h>

/* A side on which nothing was left. */
struct selection_error {
	const struct selection *selection;
	const struct selection_side *side;
	const struct spec *spec;
	size_t nr_seen, nr_idle; /* parts */
	size_t nr_dependent;	 /* kept out by exclude_dependent */
	const struct part_refusals *refusals;
};

/* -ENOENT or -ENOMEM. */
int selection_refuse_nothing(const struct selection_error *what, struct diag *diag);

/* The class at index is on one side only, on_first or the other. -EINVAL. */
int selection_refuse_sides(const struct selection *selection, size_t index, bool on_first,
			   struct diag *diag);

#endif
