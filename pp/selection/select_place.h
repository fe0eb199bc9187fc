/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the sessions of each side: in the session folder of this machine or in an archive. */
#ifndef PP_SELECT_PLACE_H
#define PP_SELECT_PLACE_H

#include "lib/diag.h"
#include "pp/base/read_folder.h"
#include "pp/session/archive_reader.h"
#include "pp/selection/selection.h"
#include "pp/selection/spec.h"

struct select_place {
	char session_at[READ_FOLDER_BYTES];
	struct archive_place archives[SPEC_SIDES_MAX];
};

/*
 * Fills session_dir, session_at and archives of *options. place must outlive *options. A side with
 * "archive:" uses that archive; other sides use the folder that session_dir_find() finds for
 * `wanted`, the value of --session-dir (NULL: not given). Returns 0, -EINVAL if `wanted` is given
 * but all sides have archives, or an error of archive_place_open() or session_dir_find(). Call
 * select_place_deinit() also after an error.
 */
int select_place_find(struct select_place *place, const struct spec *sides, size_t nr_sides,
		      const char *wanted, struct selection_options *options, struct diag *diag);
void select_place_deinit(struct select_place *place);

#endif
