// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/calls/call_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_SYMBOLS "(no symbols)"

const char *call_image_path(const struct call_tree *tree, uint32_t function)
{
	uint32_t image = tree->functions[function].image;

	return image == CALL_IMAGE_NONE ? "" : tree->images[image].path;
}

/*
 * Returns the name that reports show, malloc'ed. If an image has no symbols at all, the name is the
 * image's path.
 */
static char *make_name(const struct call_tree *tree, uint32_t number, enum demangle_mode demangle)
{
	const struct call_function *function = &tree->functions[number];

	if (function->mark != OPROF_STACK_MARKS)
		return strdup(function->name);
	if (function->is_nameless)
		return strdup(function->name);
	if (function->name)
		return symbol_demangle(function->name, demangle);
	return strdup(tree->images[function->image].has_symbols ? NO_SYMBOLS
								: call_image_path(tree, number));
}

int call_names_make(struct call_names *names, const struct call_tree *tree,
		    enum demangle_mode demangle)
{
	*names = (struct call_names){.nr_names = tree->nr_functions};
	names->names = calloc(tree->nr_functions + 1, sizeof(*names->names));
	if (!names->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->nr_functions; i++) {
		names->names[i] = make_name(tree, i, demangle);
		if (!names->names[i])
			return -ENOMEM;
	}
	return 0;
}

void call_names_deinit(struct call_names *names)
{
	for (size_t i = 0; names->names && i < names->nr_names; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct call_names){0};
}
