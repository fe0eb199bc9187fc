// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/array.h"
#include "lib/file.h"
#include "lib/utf8.h"
#include "pp/calls/call_names.h"
#include "pp/format/format_calls.h"
#include "pp/format/format_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct folded {
	const struct call_tree *tree;
	struct call_names names; /* already escaped for the output */
	char **apps;
	uint32_t *path; /* nodes from the leaf to the root */
	size_t room;
	FILE *out;
};

static void write_hex(FILE *out, const char *bytes, size_t nr_bytes)
{
	for (size_t i = 0; i < nr_bytes; i++)
		(void)fprintf(out, "\\x%02x", (unsigned char)bytes[i]);
}

/*
 * Returns `before`, the escaped name and `behind` as one malloc'ed text; NULL: out of memory. A ';'
 * would end the frame, and a newline would end the stack. These two characters, and characters that
 * affect a terminal, are replaced by "\xHH" for each of their bytes. A backslash becomes "\\".
 */
static char *escape(const char *before, const char *name, const char *behind)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *out = open_memstream(&text, &nr_bytes);

	if (!out)
		return NULL;
	(void)fputs(before, out);
	while (*name) {
		bool masked;
		size_t nr = utf8_next(name, &masked);

		if (*name == '\\')
			(void)fputc('\\', out);
		if (masked || *name == ';')
			write_hex(out, name, nr);
		else
			(void)fwrite(name, 1, nr, out);
		name += nr;
	}
	(void)fputs(behind, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * Replaces all names by escaped ones. Code outside all symbols gets its image's name in brackets.
 */
static int escape_names(struct folded *folded)
{
	const struct call_tree *tree = folded->tree;

	for (uint32_t i = 0; i < tree->nr_functions; i++) {
		const char *path = call_image_path(tree, i);
		char *escaped = tree->functions[i].name ? escape("", folded->names.names[i], "")
							: escape("[", short_name(path), "]");

		if (!escaped)
			return -ENOMEM;
		free(folded->names.names[i]);
		folded->names.names[i] = escaped;
	}
	folded->apps = calloc(tree->nr_apps + 1, sizeof(*folded->apps));
	if (!folded->apps)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nr_apps; i++) {
		folded->apps[i] = escape("", short_name(tree->apps[i]), "");
		if (!folded->apps[i])
			return -ENOMEM;
	}
	return 0;
}

static int note_path(struct folded *folded, uint32_t node, size_t *nr)
{
	for (*nr = 0; node != CALL_NODE_NONE; node = folded->tree->nodes[node].parent) {
		if (array_reserve(&folded->path, &folded->room, *nr, 1))
			return -ENOMEM;
		folded->path[(*nr)++] = node;
	}
	return 0;
}

static int write_stack(struct folded *folded, uint32_t node, const uint64_t *numbers)
{
	const struct call_tree *tree = folded->tree;
	size_t nr;
	int error = note_path(folded, node, &nr);

	if (error)
		return error;
	(void)fputs(folded->apps[tree->nodes[folded->path[nr - 1]].function], folded->out);
	while (--nr > 0) {
		(void)putc_unlocked(';', folded->out);
		(void)fputs(folded->names.names[tree->nodes[folded->path[nr - 1]].function],
			    folded->out);
	}
	for (size_t i = 0; i < tree->nr_columns; i++)
		(void)fprintf(folded->out, " %" PRIu64, numbers[i]);
	(void)putc_unlocked('\n', folded->out);
	return ferror(folded->out) ? file_flush(folded->out) : 0;
}

static int write_stacks(struct folded *folded)
{
	const struct call_tree *tree = folded->tree;
	const struct classes *classes = &tree->profile->selection->classes;
	bool time = classes->nr_classes && classes->classes[0].measure == MEASURE_TIME;
	int error = 0;

	for (uint32_t i = 0; i < tree->nr_nodes && !error; i++) {
		const uint64_t *numbers =
			time ? call_tree_self_shares(tree, i) : call_tree_self(tree, i);
		bool any = false;

		for (size_t j = 0; j < tree->nr_columns; j++)
			any |= numbers[j] != 0;
		if (any)
			error = write_stack(folded, i, numbers);
	}
	return error;
}

static int check_columns(const struct call_tree *tree, struct diag *diag)
{
	static const char *const remedies[] = {
		[AXIS_NONE] = "one class",
		[AXIS_EVENT] = "one event: choose it with event: (and count:, unit-mask:)",
		[AXIS_TGID] = "one process: choose it with tgid:, or merge with --merge=tgid",
		[AXIS_TID] = "one thread: choose it with tid:, or merge with --merge=tid",
		[AXIS_CPU] = "one CPU: choose it with cpu:, or merge with --merge=cpu",
		[AXIS_CGROUP] = "one cgroup: choose it with cgroup:, or merge with --merge=cgroup",
	};
	const struct classes *classes = &tree->profile->selection->classes;

	if (classes->nr_classes <= 1)
		return 0;
	return diag_set(diag, -EINVAL, "folded stacks can show only %s", remedies[classes->axis]);
}

int folded_format(FILE *out, const struct call_tree *tree, const struct calls_options *options,
		  struct diag *diag)
{
	struct folded folded = {.tree = tree, .out = out};
	int error = check_columns(tree, diag);

	if (error)
		return error;
	error = call_names_make(&folded.names, tree, options->text->demangle);
	if (!error)
		error = escape_names(&folded);
	if (!error)
		error = write_stacks(&folded);
	for (size_t i = 0; folded.apps && i < tree->nr_apps; i++)
		free(folded.apps[i]);
	free(folded.apps);
	free(folded.path);
	call_names_deinit(&folded.names);
	return error;
}
