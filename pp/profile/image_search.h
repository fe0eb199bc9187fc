/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where to look for the binary of an image; passed to the functions that read symbols and lines. */
#ifndef PP_IMAGE_SEARCH_H
#define PP_IMAGE_SEARCH_H

#include "pp/profile/profile.h"

#include <limits.h>

/* Contains pointers into itself: must not be copied. */
struct image_search {
	struct symbol_search search;
	char meta[PATH_MAX], code[PATH_MAX];
};

void image_search_init(struct image_search *search, const struct selection *selection,
		       uint32_t image, const struct profile_options *options);

/* As image_search_init(), for any image of a session. */
void image_search_init_session(struct image_search *search, const struct selection_session *session,
			       const struct profile_options *options);

/* Returns the complete path that the image had when it was sampled. */
const char *image_search_path(const struct selection *selection, uint32_t image);

#endif
