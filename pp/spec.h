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
	SPEC_WORD, /* a word without a tag: image or lib-image */
	SPEC_NR_TAGS,
};

struct spec_list {
	char **patterns;
	size_t nr_patterns;
};

struct spec {
	struct spec_list lists[SPEC_NR_TAGS];
};

/*
 * Words as on a command line. Relative image patterns with a '/' become
 * absolute, and those that name a file through links match its true path too.
 * 0, -EINVAL (unknown or repeated tag, empty item), -EOPNOTSUPP (archive:,
 * time:, differential profiles), -ENOMEM; *spec is empty then.
 */
int spec_parse(struct spec *spec, const char *const *words, size_t nr_words, struct diag *diag);
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
