/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where to look for the binary of an image of a selection, as symbols and lines ask it. */
#ifndef PP_IMAGE_SEARCH_H
#define PP_IMAGE_SEARCH_H

#include "pp/profile/profile.h"

#include <limits.h>

/* Points into itself: not to be copied. */
struct image_search {
	struct symbol_search search;
	char meta[PATH_MAX], code[PATH_MAX];
};

void image_search_init(struct image_search *search, const struct selection *selection,
		       uint32_t image, const struct profile_options *options);

/* The same for any image of a session. */
void image_search_init_session(struct image_search *search, const struct selection_session *session,
			       const struct profile_options *options);

/* The path that its samples were taken at, never cut. */
const char *image_search_path(const struct selection *selection, uint32_t image);

#endif
