/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile specification: the words with which a user selects sample files (doc/man/opreport.1,
 * PROFILE SPECIFICATION). It has a list of patterns for each tag; a tag without patterns accepts
 * everything.
 *
 * This module handles only text. selection.h handles folders, sample files and classes.
 */
#ifndef PP_SPEC_H
#define PP_SPEC_H

#include "lib/diag.h"
#include "lib/time_range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spec_tag {
	SPEC_SESSION,
	SPEC_SESSION_EXCLUDE,
	SPEC_IMAGE,	    /* application image */
	SPEC_IMAGE_EXCLUDE, /* application or dependent image */
	SPEC_LIB_IMAGE,	    /* dependent image */
	SPEC_LIB_IMAGE_EXCLUDE,
	SPEC_EVENT,
	SPEC_COUNT,
	SPEC_UNIT_MASK,
	SPEC_CPU,
	SPEC_TID,
	SPEC_TGID,
	SPEC_CGROUP,
	SPEC_TIME,    /* one pattern, as typed; the parsed time is in spec.range */
	SPEC_ARCHIVE, /* one pattern: the archive's path */
	SPEC_WORD,    /* a word without a tag: matches as image or lib-image */
	SPEC_NR_TAGS,
};

struct spec_list {
	char **patterns;
	size_t nr_patterns;
};

struct spec {
	struct spec_list lists[SPEC_NR_TAGS];
	bool timed; /* range is set; otherwise no limit */
	struct time_range range;
};

#define SPEC_SIDES_MAX 2 /* sides of a differential profile: before, after */

/*
 * Parses words of a command line. Relative image patterns with a '/' become absolute;
 * patterns that name a file through symbolic links also match its real path. now_ns
 * (CLOCK_REALTIME) is the reference for times. Returns 0, -EINVAL (unknown or repeated tag,
 * empty item, invalid time) or -ENOMEM; *spec is empty after errors.
 */
int spec_parse(struct spec *spec, const char *const *words, size_t nr_words, int64_t now_ns,
	       struct diag *diag);

/*
 * Like spec_parse(), and sets *nr_sides to 1. Also parses a differential profile, "{ words } {
 * words }", and then sets *nr_sides to 2. "{}" is a side without words.
 */
int spec_parse_sides(struct spec sides[SPEC_SIDES_MAX], size_t *nr_sides, const char *const *words,
		     size_t nr_words, int64_t now_ns, struct diag *diag);

/*
 * Parses both sides of a differential profile. The words are either "{ words } { words }", or words
 * without braces: a tag given twice then has one value for each side, and a tag given once applies
 * to both sides. last_ns > 0: the second side is the last time range of this length, the first side
 * is the time range before it. Returns the same values as spec_parse(), and also -EINVAL if the
 * sides do not differ.
 */
int spec_parse_diff(struct spec sides[SPEC_SIDES_MAX], const char *const *words, size_t nr_words,
		    int64_t last_ns, int64_t now_ns, struct diag *diag);
void spec_deinit(struct spec *spec);

/* Returns the tag as users write it, with its colon; "" for SPEC_WORD. */
const char *spec_tag_name(enum spec_tag tag);

/* Splits a comma-separated list; "\," is a comma. Returns 0, -EINVAL (an empty item) or -ENOMEM. */
int spec_list_parse(struct spec_list *list, const char *text, struct diag *diag);
void spec_list_deinit(struct spec_list *list);

/*
 * Returns whether `text` equals one of the list's patterns or matches it as a glob. An empty list
 * matches nothing: check nr_patterns first.
 */
bool spec_list_match(const struct spec_list *list, const char *text);
/*
 * As spec_list_match(), for images: a pattern without '/' is also compared with the last part of
 * path.
 */
bool spec_list_match_image(const struct spec_list *list, const char *path);
/*
 * Returns whether a pattern matches `number`. A pattern is a decimal number, a hexadecimal number
 * (0x...), or a glob for the decimal number. If `number` is negative, the pattern "all" matches.
 */
bool spec_list_match_number(const struct spec_list *list, int64_t number);

/* Writes the specification to `text` as the user typed it: "tag:a,b word"; "{}" if it is empty. */
void spec_show(const struct spec *spec, char *text, size_t nr_bytes);

#endif
