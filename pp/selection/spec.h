/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile specification: the words by which a user says which sample files
 * a report takes (doc/man/opreport.1, PROFILE SPECIFICATION). A list of
 * patterns per tag; a tag with no pattern takes everything.
 *
 * Knows text only: not for folders, sample files or classes (selection.h).
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
	SPEC_TIME,    /* one pattern, as typed; what it means is in range */
	SPEC_ARCHIVE, /* one pattern: the archive's path */
	SPEC_WORD,    /* a word without a tag: image or lib-image */
	SPEC_NR_TAGS,
};

struct spec_list {
	char **patterns;
	size_t nr_patterns;
};

struct spec {
	struct spec_list lists[SPEC_NR_TAGS];
	bool timed; /* range says which stretch; else all */
	struct time_range range;
};

#define SPEC_SIDES_MAX 2 /* of a differential profile: before, after */

/*
 * Words as on a command line. Relative image patterns with a '/' become
 * absolute, and those that name a file through links match its true path too.
 * Times are seen from now_ns (CLOCK_REALTIME).
 * 0, -EINVAL (unknown or repeated tag, empty item, no time), -ENOMEM; *spec
 * is empty then.
 */
int spec_parse(struct spec *spec, const char *const *words, size_t nr_words, int64_t now_ns,
	       struct diag *diag);

/*
 * The same, or "{ words } { words }", a differential profile; *nr_sides: 1 or
 * 2. "{}" is a side without words.
 */
int spec_parse_sides(struct spec sides[SPEC_SIDES_MAX], size_t *nr_sides, const char *const *words,
		     size_t nr_words, int64_t now_ns, struct diag *diag);

/*
 * Both sides of a differential profile: "{ words } { words }", or words in
 * which each tag that is given twice says how the sides differ; what is given
 * once holds for both. last_ns > 0: the sides are the last stretch of this
 * length and the one before it. -EINVAL also when the sides do not differ.
 */
int spec_parse_diff(struct spec sides[SPEC_SIDES_MAX], const char *const *words, size_t nr_words,
		    int64_t last_ns, int64_t now_ns, struct diag *diag);
void spec_deinit(struct spec *spec);

/* The tag as users write it, with its colon; "" for SPEC_WORD. */
const char *spec_tag_name(enum spec_tag tag);

/* Split a comma list; "\," is a comma. 0, -EINVAL (an empty item), -ENOMEM. */
int spec_list_parse(struct spec_list *list, const char *text, struct diag *diag);
void spec_list_deinit(struct spec_list *list);

/* Whether text is one of the list's names or matches one of its globs. Lists that are empty
 * match nothing here: ask nr_patterns first. */
bool spec_list_match(const struct spec_list *list, const char *text);
/* The same for images: a pattern without '/' may match the last part of a path alone. */
bool spec_list_match_image(const struct spec_list *list, const char *path);
/* Numbers match in any base; negative: the field reads "all". */
bool spec_list_match_number(const struct spec_list *list, int64_t number);

/* As typed, for messages: "tag:a,b word" into text; "{}" when empty. */
void spec_show(const struct spec *spec, char *text, size_t nr_bytes);

#endif
