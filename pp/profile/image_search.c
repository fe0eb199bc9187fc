// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/image_search.h"

#include "oprof/session.h"

#include <stdio.h>
#include <string.h>

static const char *find_note(const struct session_info *info, const char *name)
{
	for (size_t i = 0; i < info->nr_notes; i++)
		if (!strcmp(info->notes[i].name, name))
			return info->notes[i].text;
	return NULL;
}

/*
 * Makes the path of the folder of code tables, which is next to the folder "samples". Returns false
 * if the path is too long.
 */
static bool code_path(struct image_search *search, const struct selection_session *session)
{
	size_t nr_behind = strlen(session->name) + sizeof(OPROF_SAMPLES_NAME "/") - 1;
	size_t nr = strlen(session->path);

	return nr > nr_behind &&
	       snprintf(search->code, sizeof(search->code), "%.*s" OPROF_CODE_NAME,
			(int)(nr - nr_behind), session->path) < (int)sizeof(search->code);
}

void image_search_init_session(struct image_search *search, const struct selection_session *session,
			       const struct profile_options *options)
{
	search->search = (struct symbol_search){
		.root = session->archive ? session->archive->root : options->root,
		.image_path = options->image_path,
		.no_kernel = find_note(&session->info, OPROF_NOTE_NO_KERNEL_SYMBOLS),
		.cache_path = options->cache_path};
	if (snprintf(search->meta, sizeof(search->meta), "%s/" OPROF_META_NAME, session->path) <
	    (int)sizeof(search->meta))
		search->search.meta_path = search->meta;
	if (code_path(search, session))
		search->search.code_path = search->code;
}

void image_search_init(struct image_search *search, const struct selection *selection,
		       uint32_t image, const struct profile_options *options)
{
	image_search_init_session(search, &selection->sessions[selection->images[image].session],
				  options);
}

const char *image_search_path(const struct selection *selection, uint32_t image)
{
	const struct selection_image *selected = &selection->images[image];
	const char *path = selected->section->image.path;

	return path && *path ? path : selected->path;
}
