/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the sessions of each side are: in the session folder of this machine, or in an archive. */
#ifndef PP_SELECT_PLACE_H
#define PP_SELECT_PLACE_H

#include "lib/diag.h"
#include "pp/session/archive_reader.h"
#include "pp/selection/selection.h"
#include "pp/selection/spec.h"

struct select_place {
	struct archive_place archives[SPEC_SIDES_MAX];
};

/*
 * By archive: of each of sides, else by wanted (--session-dir; NULL: not
 * given), as session_dir_find: fills session_dir and archives of *options, which
 * borrows them from place. Errors of archive_place_open, and of session_dir_find. place is to be
 * deinited in any case.
 */
int select_place_find(struct select_place *place, const struct spec *sides, size_t nr_sides,
		      const char *wanted, struct selection_options *options, struct diag *diag);
void select_place_deinit(struct select_place *place);

#endif
