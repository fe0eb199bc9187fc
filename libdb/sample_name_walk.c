// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks over the sample files of a session. */
#include "libdb/sample_name.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

struct name_walk {
	size_t nr_prefix; /* bytes of each path before the sample file's name */
	int (*visit)(const char *path, const struct sample_name *name, const struct diag *diag,
		     void *context);
	void *context;
	struct sample_name *name;
	struct diag diag;
};

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int visit_file(struct name_walk *walk, const FTSENT *entry)
{
	const char *name = entry->fts_path + walk->nr_prefix;
	int error = sample_name_parse(name, walk->name, &walk->diag);

	return walk->visit(entry->fts_path, error ? NULL : walk->name, error ? &walk->diag : NULL,
			   walk->context);
}

/*
 * Handles a file or folder that cannot be read. If the file or folder was removed during the walk,
 * it is ignored, except the session's folder itself. A folder that this user may not read is
 * reported to visit like a name that cannot be parsed, so that the other files can still be used.
 */
static int visit_unread(struct name_walk *walk, const FTSENT *entry)
{
	int error = entry->fts_errno;

	if (!entry->fts_level)
		return -error;
	if (error == ENOENT)
		return 0;
	if (error != EACCES)
		return -error;
	diag_set_at(&walk->diag, -error, entry->fts_path, 0, "cannot be read: %s", strerror(error));
	return walk->visit(entry->fts_path, NULL, &walk->diag, walk->context);
}

static int walk_entry(struct name_walk *walk, FTS *tree, FTSENT *entry)
{
	if (entry->fts_level == 1 && entry->fts_name[0] != '{') {
		(void)fts_set(tree, entry, FTS_SKIP);
		return 0;
	}
	switch (entry->fts_info) {
	case FTS_F:
		return entry->fts_level ? visit_file(walk, entry) : -ENOTDIR;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return visit_unread(walk, entry);
	default:
		return 0;
	}
}

int sample_name_walk(const char *session_path,
		     int (*visit)(const char *path, const struct sample_name *name,
				  const struct diag *diag, void *context),
		     void *context)
{
	struct name_walk walk = {.visit = visit, .context = context};
	char *const paths[] = {strdup(session_path), NULL};
	FTSENT *entry;
	FTS *tree = NULL;
	int error = -ENOMEM;

	walk.name = malloc(sizeof(*walk.name));
	if (!paths[0] || !walk.name)
		goto free_all;
	/*
	 * Strip trailing slashes, so that the sample file's name begins at the same byte of every
	 * path.
	 */
	walk.nr_prefix = strlen(paths[0]);
	while (walk.nr_prefix > 1 && paths[0][walk.nr_prefix - 1] == '/')
		paths[0][--walk.nr_prefix] = '\0';
	walk.nr_prefix++;
	tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
	if (!tree) {
		error = -errno;
		goto free_all;
	}
	error = 0;
	while (!error) {
		errno = 0;
		entry = fts_read(tree);
		if (!entry) {
			error = -errno;
			break;
		}
		error = walk_entry(&walk, tree, entry);
	}
	(void)fts_close(tree);

free_all:
	free(walk.name);
	free(paths[0]);
	return error;
}
