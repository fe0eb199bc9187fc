/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error messages for selections that cannot be made. They also list what is available. */
#ifndef PP_SELECTION_ERROR_H
#define PP_SELECTION_ERROR_H

#include "pp/selection/part_match.h"
#include "pp/selection/selection.h"

#include <stdbool.h>
#include <stddef.h>

/* A side for which the specification selected nothing. */
struct selection_error {
	const struct selection *selection;
	const struct selection_side *side;
	const struct spec *spec;
	size_t nr_seen, nr_idle; /* parts */
	size_t nr_dependent;	 /* refused by exclude_dependent */
	const struct part_refusals *refusals;
};

/* Reports that a side's specification selected nothing. Returns -ENOENT or -ENOMEM. */
int selection_refuse_nothing(const struct selection_error *what, struct diag *diag);

/*
 * Reports that a class exists only on one side: on the first if on_first is true, otherwise on the
 * second. Returns -EINVAL.
 */
int selection_refuse_sides(const struct selection *selection, size_t index, bool on_first,
			   struct diag *diag);

#endif
