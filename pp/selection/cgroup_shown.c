// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/cgroup_shown.h"

#include "lib/cgroup_name.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* First compares the texts, because a path may itself contain glob characters. */
static bool word_match(const char *pattern, const char *text)
{
	return !strcmp(pattern, text) || !fnmatch(pattern, text, 0);
}

bool cgroup_list_match(const struct spec_list *list, const char *path)
{
	for (size_t i = 0; i < list->nr_patterns; i++)
		if (*path ? cgroup_name_is_meant(path, list->patterns[i], word_match)
			  : word_match(list->patterns[i], "all"))
			return true;
	return false;
}

/* State of finding a unique name for a path. */
struct shown_name {
	const char *path;
	char *name;
	size_t index;
	unsigned int nr_parts; /* number of path parts in name; 0: short name */
	bool whole;	       /* name has all parts of the path and cannot be extended */
	bool ambiguous;
};

/* Makes the name from the last nr_parts parts of the path. */
static int shown_name(struct shown_name *shown)
{
	struct cgroup_name name;
	char tail[PATH_MAX];
	char *copy;

	if (!*shown->path) {
		shown->whole = true;
		copy = strdup("all");
	} else if (!shown->nr_parts) {
		cgroup_name_parse(shown->path, &name);
		copy = strdup(name.text);
	} else {
		shown->whole = cgroup_name_tail(shown->path, shown->nr_parts, tail, sizeof(tail));
		copy = strdup(shown->whole ? shown->path : tail + 1);
	}
	if (!copy)
		return -ENOMEM;
	free(shown->name);
	shown->name = copy;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct shown_name *left = a;
	const struct shown_name *right = b;

	return strcmp(left->name, right->name);
}

/* Marks names that are not unique and can be extended. Returns whether it marked any name. */
static bool shown_mark(struct shown_name *all, size_t nr)
{
	bool same_as_last = false;
	bool found = false;

	qsort(all, nr, sizeof(*all), compare_names);
	for (size_t i = 0; i < nr; i++) {
		bool same_as_next = i + 1 < nr && !strcmp(all[i].name, all[i + 1].name);

		all[i].ambiguous = (same_as_last || same_as_next) && !all[i].whole;
		found = found || all[i].ambiguous;
		same_as_last = same_as_next;
	}
	return found;
}

static int shown_make(struct shown_name *all, size_t nr)
{
	int error = 0;

	for (size_t i = 0; i < nr && !error; i++)
		error = shown_name(&all[i]);
	while (!error && shown_mark(all, nr)) {
		for (size_t i = 0; i < nr && !error; i++) {
			if (!all[i].ambiguous)
				continue;
			all[i].nr_parts++;
			error = shown_name(&all[i]);
		}
	}
	return error;
}

int cgroup_shown_make(const char *const *paths, size_t nr, char **names)
{
	struct shown_name *all = calloc(nr + 1, sizeof(*all));
	int error = all ? 0 : -ENOMEM;

	memset(names, 0, nr * sizeof(*names));
	for (size_t i = 0; i < nr && !error; i++)
		all[i] = (struct shown_name){.path = paths[i], .index = i};
	if (!error)
		error = shown_make(all, nr);
	for (size_t i = 0; i < nr && all; i++) {
		if (error)
			free(all[i].name);
		else
			names[all[i].index] = all[i].name;
	}
	free(all);
	return error;
}
