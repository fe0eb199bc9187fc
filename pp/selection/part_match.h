/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a specification's tags let a part of a session through, by the
 * names that reports show; and what there was, when none is left.
 */
#ifndef PP_PART_MATCH_H
#define PP_PART_MATCH_H

#include "libdb/slice/slice.h"
#include "pp/selection/spec.h"
#include "pp/base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A part's names as reports show and match them, in a pool of strings. */
struct part_shown {
	const char *app, *image; /* a path, a name, or "NAME (tgid:1 range:0x0-0x1)" */
	const char *cgroup;	 /* path with its first '/'; "" for all */
};

/* The text of path, in strings. NULL: no memory. */
const char *part_show_path(const struct slice_path *path, struct strings *strings);
const char *part_show_cgroup(const char *cgroup, struct strings *strings);
/* All of section's. 0 or -ENOMEM. */
int part_show(const struct slice_section *section, struct strings *strings,
	      struct part_shown *shown);

/* The first tag that keeps the part out; SPEC_NR_TAGS: none does. */
enum spec_tag part_match(const struct spec *spec, const struct slice_section *section,
			 const struct part_shown *shown);

#define PART_VALUES_SHOWN 8

/* What tags kept out: all there is to tell when nothing is left. */
struct part_refusals {
	struct part_refusal {
		size_t nr_parts;
		const char *values[PART_VALUES_SHOWN]; /* in the pool */
		size_t nr_values;
	} tags[SPEC_NR_TAGS];
};

/* Note that tag kept the part out. 0 or -ENOMEM. */
int part_refusals_note(struct part_refusals *refusals, enum spec_tag tag,
		       const struct slice_section *section, const struct part_shown *shown,
		       struct strings *strings);
/* "; TAG kept out N (theirs: ...)" for each. */
void part_refusals_write(FILE *out, const struct part_refusals *refusals);

#endif
