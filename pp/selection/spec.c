// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/spec.h"

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
	[SPEC_TIME] = "time:",
	[SPEC_ARCHIVE] = "archive:",
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
	spec->timed = false;
}

/* Adds pattern to list. Takes ownership of pattern, also on failure. */
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
 * Returns a copy of the item at *text, which ends at an unescaped comma. *text then points after
 * the comma, or is NULL at the end. "\," becomes ","; other backslashes are kept, because globs use
 * them.
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

/*
 * Sample files are named by absolute paths without symbolic links. If the pattern is a relative
 * path or leads through symbolic links, adds the absolute path, with the links resolved, as another
 * pattern.
 */
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

/*
 * Returns the tag at the beginning of word; SPEC_WORD if word has no tag; -EINVAL if the tag is
 * unknown.
 */
static int word_tag(const char *word, struct diag *diag)
{
	size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz-");

	if (!length || word[length] != ':')
		return SPEC_WORD;
	for (int tag = 0; tag < SPEC_WORD; tag++)
		if (!strncmp(word, tag_names[tag], length + 1))
			return tag;
	return diag_set(diag, -EINVAL,
			"\"%.*s\" is not a tag of a profile specification (for a file "
			"of that name, write image:%s)",
			(int)length + 1, word, word);
}

static int parse_time(struct spec *spec, const char *text, int64_t now_ns, struct diag *diag)
{
	int error = time_range_parse(text, now_ns, &spec->range, diag);

	if (error)
		return error;
	spec->timed = true;
	return list_add(&spec->lists[SPEC_TIME], strdup(text));
}

static int parse_tagged(struct spec *spec, int tag, const char *word, int64_t now_ns,
			struct diag *diag)
{
	const char *value = word + strlen(tag_names[tag]);

	if (spec->lists[tag].nr_patterns)
		return diag_set(diag, -EINVAL,
				"%s is given twice; write one list with commas: %sA,B",
				tag_names[tag], tag_names[tag]);
	if (!*value)
		return diag_set(diag, -EINVAL, "%s needs a value", tag_names[tag]);
	if (tag == SPEC_TIME)
		return parse_time(spec, value, now_ns, diag);
	if (tag == SPEC_ARCHIVE) /* a path may contain a comma */
		return list_add(&spec->lists[tag], strdup(value));
	return spec_list_parse(&spec->lists[tag], value, diag);
}

static int parse_word(struct spec *spec, const char *word, int64_t now_ns, struct diag *diag)
{
	int tag = word_tag(word, diag);
	struct spec_list items;
	int error;

	if (tag < 0)
		return tag;
	if (tag != SPEC_WORD)
		return parse_tagged(spec, tag, word, now_ns, diag);
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

/* Completes a side after all its words were parsed. */
static int finish_side(struct spec *spec)
{
	int error = 0;

	for (int tag = SPEC_IMAGE; tag <= SPEC_LIB_IMAGE_EXCLUDE && !error; tag++)
		error = list_add_true_paths(&spec->lists[tag]);
	return error ? error : list_add_true_paths(&spec->lists[SPEC_WORD]);
}

/* Parses the words of one side, without braces. */
static int parse_side(struct spec *spec, const char *const *words, size_t nr_words, int64_t now_ns,
		      struct diag *diag)
{
	int error = 0;

	*spec = (struct spec){0};
	for (size_t i = 0; i < nr_words && !error; i++)
		error = parse_word(spec, words[i], now_ns, diag);
	if (!error)
		error = finish_side(spec);
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	if (error)
		spec_deinit(spec);
	return error;
}

/* ---- sides ---- */

/* The words of one side. */
struct side_words {
	const char *const *words;
	size_t nr_words;
};

static bool is_brace(const char *word)
{
	return !strcmp(word, "{") || !strcmp(word, "}") || !strcmp(word, "{}");
}

static int refuse_braces(struct diag *diag)
{
	return diag_set(diag, -EINVAL,
			"braces enclose the words of a side: { WORD... }, or { WORD... "
			"} { WORD... } for a differential profile; each brace is a "
			"word of its own");
}

/* Reads the side that begins at *at, and advances *at past it. */
static int take_side(const char *const **at, const char *const *end, struct side_words *side,
		     struct diag *diag)
{
	if (!strcmp(**at, "{}")) {
		*side = (struct side_words){*at, 0};
		(*at)++;
		return 0;
	}
	if (strcmp(**at, "{") != 0)
		return refuse_braces(diag);
	(*at)++;
	side->words = *at;
	while (*at < end && !is_brace(**at))
		(*at)++;
	if (*at == end || strcmp(**at, "}") != 0)
		return refuse_braces(diag);
	side->nr_words = (size_t)(*at - side->words);
	(*at)++;
	return 0;
}

/* Splits words in braces into sides. Sets *nr_sides to 0 if there are no braces. */
static int split_sides(const char *const *words, size_t nr_words,
		       struct side_words sides[SPEC_SIDES_MAX], size_t *nr_sides, struct diag *diag)
{
	const char *const *at = words;
	const char *const *end = words + nr_words;
	bool braces = false;

	*nr_sides = 0;
	for (size_t i = 0; i < nr_words; i++) {
		braces |= is_brace(words[i]);
		if (*words[i] == '{' && !is_brace(words[i]))
			return refuse_braces(diag);
	}
	while (braces && at < end) {
		int error;

		if (*nr_sides == SPEC_SIDES_MAX)
			return refuse_braces(diag);
		error = take_side(&at, end, &sides[*nr_sides], diag);
		if (error)
			return error;
		(*nr_sides)++;
	}
	return 0;
}

static int parse_split(struct spec sides[SPEC_SIDES_MAX], const struct side_words *split,
		       size_t nr_sides, int64_t now_ns, struct diag *diag)
{
	for (size_t i = 0; i < nr_sides; i++) {
		int error = parse_side(&sides[i], split[i].words, split[i].nr_words, now_ns, diag);

		if (!error)
			continue;
		while (i > 0)
			spec_deinit(&sides[--i]);
		return error;
	}
	return 0;
}

int spec_parse_sides(struct spec sides[SPEC_SIDES_MAX], size_t *nr_sides, const char *const *words,
		     size_t nr_words, int64_t now_ns, struct diag *diag)
{
	struct side_words split[SPEC_SIDES_MAX] = {{words, nr_words}};
	int error;

	for (size_t i = 0; i < SPEC_SIDES_MAX; i++)
		sides[i] = (struct spec){0};
	diag_clear(diag);
	error = split_sides(words, nr_words, split, nr_sides, diag);
	if (error)
		return error;
	if (!*nr_sides)
		*nr_sides = 1;
	return parse_split(sides, split, *nr_sides, now_ns, diag);
}

int spec_parse(struct spec *spec, const char *const *words, size_t nr_words, int64_t now_ns,
	       struct diag *diag)
{
	struct spec sides[SPEC_SIDES_MAX];
	size_t nr_sides;
	int error = spec_parse_sides(sides, &nr_sides, words, nr_words, now_ns, diag);

	*spec = (struct spec){0};
	if (error)
		return error;
	if (nr_sides > 1) {
		spec_deinit(&sides[0]);
		spec_deinit(&sides[1]);
		return diag_set(diag, -EINVAL, "a differential profile is not possible here");
	}
	*spec = sides[0];
	return 0;
}

/* Returns the tag of a word in a differential profile, or -EINVAL. A time range needs no tag. */
static int diff_tag(const char *word, int64_t now_ns, struct diag *diag)
{
	struct time_range range;
	int tag = word_tag(word, diag);

	if (tag == SPEC_WORD && strstr(word, "..") && !strchr(word, '/') &&
	    !time_range_parse(word, now_ns, &range, NULL))
		return SPEC_TIME;
	return tag;
}

/* Counts the words with this tag. */
static int count_tag(const char *const *words, size_t nr_words, int tag, int64_t now_ns)
{
	int nr = 0;

	for (size_t i = 0; i < nr_words; i++)
		nr += diff_tag(words[i], now_ns, NULL) == tag;
	return nr;
}

static int parse_diff_word(struct spec *spec, const char *word, int tag, int64_t now_ns,
			   struct diag *diag)
{
	if (tag != SPEC_TIME || !strncmp(word, tag_names[SPEC_TIME], strlen(tag_names[SPEC_TIME])))
		return parse_word(spec, word, now_ns, diag);
	return parse_time(spec, word, now_ns, diag);
}

/*
 * Adds a word to one side or to both. If only one word has this tag, it applies to both sides. If
 * two words have this tag, the first applies to the first side, and the second to the second side.
 */
static int share_word(struct spec sides[SPEC_SIDES_MAX], const char *const *words, size_t nr_words,
		      size_t index, int64_t now_ns, struct diag *diag)
{
	const char *word = words[index];
	int tag = diff_tag(word, now_ns, diag);
	int nr = tag < 0 ? 0 : count_tag(words, nr_words, tag, now_ns);
	int error;

	if (tag < 0)
		return tag;
	if (nr > SPEC_SIDES_MAX)
		return diag_set(diag, -EINVAL,
				"%s is given %d times, but there are two sides; write several "
				"items as one list with commas",
				tag == SPEC_WORD ? "an image" : tag_names[tag], nr);
	if (nr == SPEC_SIDES_MAX)
		return parse_diff_word(&sides[count_tag(words, index, tag, now_ns)], word, tag,
				       now_ns, diag);
	error = parse_diff_word(&sides[0], word, tag, now_ns, diag);
	return error ? error : parse_diff_word(&sides[1], word, tag, now_ns, diag);
}

static int set_last(struct spec sides[SPEC_SIDES_MAX], int64_t last_ns, int64_t now_ns,
		    struct diag *diag)
{
	if (last_ns >= now_ns / 2)
		return diag_set(diag, -EINVAL,
				"--last is too long: the first side, which is as long, would "
				"begin before 1970");
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++) {
		if (sides[i].timed)
			return diag_set(
				diag, -EINVAL,
				"--last already sets the time of both sides; leave out time:");
		sides[i].timed = true;
		sides[i].range = (struct time_range){now_ns - (i ? 1 : 2) * last_ns,
						     now_ns - (i ? 0 : 1) * last_ns, false};
	}
	return 0;
}

static bool same_lists(const struct spec_list *a, const struct spec_list *b)
{
	if (a->nr_patterns != b->nr_patterns)
		return false;
	for (size_t i = 0; i < a->nr_patterns; i++)
		if (strcmp(a->patterns[i], b->patterns[i]) != 0)
			return false;
	return true;
}

/*
 * Refuses a comparison whose two sides select the same samples, even if the sides are written
 * differently.
 */
static int check_differ(const struct spec sides[SPEC_SIDES_MAX], struct diag *diag)
{
	for (size_t i = 0; i < SPEC_NR_TAGS; i++)
		if (i != SPEC_TIME && !same_lists(&sides[0].lists[i], &sides[1].lists[i]))
			return 0;
	if (sides[0].timed != sides[1].timed)
		return 0;
	if (sides[0].timed && (sides[0].range.begin_ns != sides[1].range.begin_ns ||
			       sides[0].range.end_ns != sides[1].range.end_ns))
		return 0;
	return diag_set(diag, -EINVAL,
			"both sides are the same; let them differ, for example by "
			"--last 5m, or time:14:00..14:05 time:14:10..14:15, or "
			"session:A session:B");
}

int spec_parse_diff(struct spec sides[SPEC_SIDES_MAX], const char *const *words, size_t nr_words,
		    int64_t last_ns, int64_t now_ns, struct diag *diag)
{
	struct side_words split[SPEC_SIDES_MAX];
	size_t nr_sides;
	int error;

	for (size_t i = 0; i < SPEC_SIDES_MAX; i++)
		sides[i] = (struct spec){0};
	diag_clear(diag);
	error = split_sides(words, nr_words, split, &nr_sides, diag);
	if (!error && nr_sides == 1)
		error = refuse_braces(diag);
	if (!error && nr_sides)
		error = parse_split(sides, split, nr_sides, now_ns, diag);
	for (size_t i = 0; i < nr_words && !error && !nr_sides; i++)
		error = share_word(sides, words, nr_words, i, now_ns, diag);
	for (size_t i = 0; i < SPEC_SIDES_MAX && !error && !nr_sides; i++)
		error = finish_side(&sides[i]);
	if (!error && last_ns > 0)
		error = set_last(sides, last_ns, now_ns, diag);
	if (!error)
		error = check_differ(sides, diag);
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	for (size_t i = 0; i < SPEC_SIDES_MAX && error; i++)
		spec_deinit(&sides[i]);
	return error;
}

/* ---- matching ---- */

/* First compares the texts, because a name may contain glob characters ("[vdso]"). */
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
