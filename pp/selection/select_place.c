// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/select_place.h"

#include "pp/selection/session_dir.h"

#include <errno.h>

int select_place_find(struct select_place *place, const struct spec *sides, size_t nr_sides,
		      const char *wanted, struct selection_options *options, struct diag *diag)
{
	bool all = true;

	*place = (struct select_place){0};
	for (size_t i = 0; i < nr_sides; i++) {
		const struct spec_list *archive = &sides[i].lists[SPEC_ARCHIVE];
		int error;

		all &= archive->nr_patterns > 0;
		if (!archive->nr_patterns)
			continue;
		error = archive_place_open(&place->archives[i], archive->patterns[0], diag);
		if (error)
			return error;
		options->archives[i] = &place->archives[i];
		options->session_dir = options->session_at = place->archives[i].session_dir;
	}
	if (!all) {
		options->session_at = place->session_at;
		return session_dir_find(wanted, &options->session_dir, place->session_at, diag);
	}
	if (wanted)
		return diag_set(diag, -EINVAL,
				"--session-dir and archive:PATH both name the folder of sessions; "
				"give only one");
	return 0;
}

void select_place_deinit(struct select_place *place)
{
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++)
		archive_place_deinit(&place->archives[i]);
}
