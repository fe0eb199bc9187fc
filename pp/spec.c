// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/spec.h"

#include "lib/number.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const tag_names[SPEC_NR_TAGS] = {
	[SPEC_SESSION] = "session:",
	[SPEC_SESSION_EXCLUDE] = "session-exclude:",
	[SPEC_IMAGE] = "image:",
	[SPEC_IMAGE_EXCLUDE] = "image-exclude:",
	[SPEC_LIB_IMAGE] = "lib-image:",
	[SPEC_LIB_IMAGE_EXCLUDE] = "lib-image-exclude:",
	[SPEC_EVENT] = "event:",
	[SPEC_COUNT] = "count:",
	[SPEC_UNIT_MASK] = "unit-mask:",
	[SPEC_CPU] = "cpu:",
	[SPEC_TID] = "tid:",
	[SPEC_TGID] = "tgid:",
	[SPEC_CGROUP] = "cgroup:",
	[SPEC_WORD] = "",
};

const char *spec_tag_name(enum spec_tag tag)
{
	return tag_names[tag];
}

void spec_list_deinit(struct spec_list *list)
{
	for (size_t i = 0; i < list->nr_patterns; i++)
		free(list->patterns[i]);
	free(list->patterns);
	*list = (struct spec_list){0};
}

void spec_deinit(struct spec *spec)
{
	for (size_t i = 0; i < SPEC_NR_TAGS; i++)
		spec_list_deinit(&spec->lists[i]);
}

/* Takes pattern over, also on failure. */
static int list_add(struct spec_list *list, char *pattern)
{
	char **bigger;

	if (!pattern)
		return -ENOMEM;
	bigger = realloc(list->patterns, (list->nr_patterns + 1) * sizeof(*bigger));
	if (!bigger) {
		free(pattern);
		return -ENOMEM;
	}
	list->patterns = bigger;
	list->patterns[list->nr_patterns++] = pattern;
	return 0;
}

/*
 * The item at *text, up to a comma that has no backslash before it; *text then
 * stands behind that comma, or is NULL at the end. "\," becomes ","; other
 * backslashes stay, for globs.
 */
static char *take_item(const char **text)
{
	const char *from = *text;
	char *item = malloc(strlen(from) + 1);
	size_t used = 0;

	if (!item)
		return NULL;
	for (; *from && *from != ','; from++) {
		if (from[0] == '\\' && from[1] == ',') {
			from++;
		} else if (from[0] == '\\' && from[1]) {
			item[used++] = *from++;
		}
		item[used++] = *from;
	}
	item[used] = '\0';
	*text = *from ? from + 1 : NULL;
	return item;
}

int spec_list_parse(struct spec_list *list, const char *text, struct diag *diag)
{
	const char *whole = text;
	int error;

	*list = (struct spec_list){0};
	while (text) {
		char *item = take_item(&text);

		if (item && !*item) {
			free(item);
			spec_list_deinit(list);
			return diag_set(diag, -EINVAL, "empty item in the list \"%s\"", whole);
		}
		error = list_add(list, item);
		if (error) {
			spec_list_deinit(list);
			return error;
		}
	}
	return 0;
}

/* Where sample files can't know path by this name, add the name they know it by. */
static int list_add_true_path(struct spec_list *list, size_t index)
{
	char *pattern = list->patterns[index];
	char *true_path;
	char *joined;
	char here[PATH_MAX];

	if (!strchr(pattern, '/'))
		return 0;
	true_path = realpath(pattern, NULL);
	if (true_path) {
		if (!strcmp(true_path, pattern)) {
			free(true_path);
			return 0;
		}
		return list_add(list, true_path);
	}
	if (*pattern == '/' || !getcwd(here, sizeof(here)))
		return 0;
	while (pattern[0] == '.' && pattern[1] == '/')
		pattern += 2;
	if (asprintf(&joined, "%s/%s", strcmp(here, "/") ? here : "", pattern) < 0)
		return -ENOMEM;
	return list_add(list, joined);
}

static int list_add_true_paths(struct spec_list *list)
{
	size_t nr = list->nr_patterns;
	int error = 0;

	for (size_t i = 0; i < nr && !error; i++)
		error = list_add_true_path(list, i);
	return error;
}

/* The tag that word begins with, SPEC_WORD, or -EINVAL, -EOPNOTSUPP. */
static int word_tag(const char *word, struct diag *diag)
{
	size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz-");

	if (!length || word[length] != ':')
		return SPEC_WORD;
	for (int tag = 0; tag < SPEC_WORD; tag++)
		if (!strncmp(word, tag_names[tag], length + 1))
			return tag;
	if (!strncmp(word, "archive:", length + 1))
		return diag_set(diag, -EOPNOTSUPP,
				"archive: is not there yet: archives can't be made yet either");
	if (!strncmp(word, "time:", length + 1))
		return diag_set(diag, -EOPNOTSUPP,
				"time: is not there yet: sessions are not kept in slices of time "
				"yet; use opcontrol --save and session:");
	return diag_set(diag, -EINVAL,
			"\"%.*s\" is no tag of a profile specification (for a file of that name "
			"write image:%s)",
			(int)length + 1, word, word);
}

static int parse_tagged(struct spec *spec, int tag, const char *word, struct diag *diag)
{
	const char *value = word + strlen(tag_names[tag]);

	if (spec->lists[tag].nr_patterns)
		return diag_set(diag, -EINVAL, "%s is given twice; write a comma list: %sA,B",
				tag_names[tag], tag_names[tag]);
	if (!*value)
		return diag_set(diag, -EINVAL, "%s needs a value", tag_names[tag]);
	return spec_list_parse(&spec->lists[tag], value, diag);
}

static int parse_word(struct spec *spec, const char *word, struct diag *diag)
{
	int tag = word_tag(word, diag);
	struct spec_list items;
	int error;

	if (tag < 0)
		return tag;
	if (tag != SPEC_WORD)
		return parse_tagged(spec, tag, word, diag);
	error = spec_list_parse(&items, word, diag);
	for (size_t i = 0; i < items.nr_patterns; i++) {
		if (!error)
			error = list_add(&spec->lists[SPEC_WORD], items.patterns[i]);
		else
			free(items.patterns[i]);
	}
	free(items.patterns);
	return error;
}

/* "{}", or "{" "}": 1; braces otherwise: -EOPNOTSUPP; none: 0. */
static int check_braces(const char *const *words, size_t nr_words, struct diag *diag)
{
	if (nr_words == 1 && !strcmp(words[0], "{}"))
		return 1;
	if (nr_words == 2 && !strcmp(words[0], "{") && !strcmp(words[1], "}"))
		return 1;
	for (size_t i = 0; i < nr_words; i++)
		if (*words[i] == '{' || !strcmp(words[i], "}"))
			return diag_set(diag, -EOPNOTSUPP,
					"differential profiles { ... } { ... } are not there yet; "
					"{} alone is all of the current session");
	return 0;
}

int spec_parse(struct spec *spec, const char *const *words, size_t nr_words, struct diag *diag)
{
	int error;

	*spec = (struct spec){0};
	diag_clear(diag);
	error = check_braces(words, nr_words, diag);
	if (error)
		return error < 0 ? error : 0;
	for (size_t i = 0; i < nr_words && !error; i++)
		error = parse_word(spec, words[i], diag);
	for (int tag = SPEC_IMAGE; tag <= SPEC_LIB_IMAGE_EXCLUDE && !error; tag++)
		error = list_add_true_paths(&spec->lists[tag]);
	if (!error)
		error = list_add_true_paths(&spec->lists[SPEC_WORD]);
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	if (error)
		spec_deinit(spec);
	return error;
}

/* Names may hold what globs give a meaning ("[vdso]"): equality comes first. */
static bool pattern_match(const char *pattern, const char *text)
{
	return !strcmp(pattern, text) || !fnmatch(pattern, text, 0);
}

bool spec_list_match(const struct spec_list *list, const char *text)
{
	for (size_t i = 0; i < list->nr_patterns; i++)
		if (pattern_match(list->patterns[i], text))
			return true;
	return false;
}

static bool image_match(const char *pattern, const char *path)
{
	const char *base = strrchr(path, '/');

	if (pattern_match(pattern, path))
		return true;
	return base && !strchr(pattern, '/') && pattern_match(pattern, base + 1);
}

bool spec_list_match_image(const struct spec_list *list, const char *path)
{
	for (size_t i = 0; i < list->nr_patterns; i++)
		if (image_match(list->patterns[i], path))
			return true;
	return false;
}

static bool number_match(const char *pattern, int64_t number, const char *text)
{
	uint64_t value;

	if (pattern_match(pattern, text))
		return true;
	return number >= 0 && !number_parse(pattern, INT64_MAX, &value) &&
	       value == (uint64_t)number;
}

bool spec_list_match_number(const struct spec_list *list, int64_t number)
{
	char text[24] = "all";

	if (number >= 0)
		(void)snprintf(text, sizeof(text), "%" PRId64, number);
	for (size_t i = 0; i < list->nr_patterns; i++)
		if (number_match(list->patterns[i], number, text))
			return true;
	return false;
}

void spec_show(const struct spec *spec, char *text, size_t nr_bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t tag = 0; tag < SPEC_NR_TAGS; tag++) {
		const struct spec_list *list = &spec->lists[tag];

		for (size_t i = 0; i < list->nr_patterns && used < nr_bytes; i++) {
			const char *before = i ? "," : used ? " " : "";
			int nr = snprintf(text + used, nr_bytes - used, "%s%s%s", before,
					  i ? "" : tag_names[tag], list->patterns[i]);

			used += nr > 0 ? (size_t)nr : 0;
		}
	}
	if (!used)
		(void)snprintf(text, nr_bytes, "{}");
}
