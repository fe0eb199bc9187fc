/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which parts of a session match a specification. Compares the names that reports show.
 * Records the refused parts for the error message if no part matches.
 */
#ifndef PP_PART_MATCH_H
#define PP_PART_MATCH_H

#include "libdb/slice/slice.h"
#include "pp/selection/spec.h"
#include "pp/base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A part's names, as reports show them and patterns match them. Stored in a string pool. */
struct part_shown {
	const char *app, *image; /* a path, a name, or "NAME (tgid:1 range:0x0-0x1)" */
	const char *cgroup;	 /* path that begins with a slash; "": all groups */
};

/* Return the text for path or cgroup, stored in strings; NULL if out of memory. */
const char *part_show_path(const struct slice_path *path, struct strings *strings);
const char *part_show_cgroup(const char *cgroup, struct strings *strings);
/* Fills all names of section. Returns 0 or -ENOMEM. */
int part_show(const struct slice_section *section, struct strings *strings,
	      struct part_shown *shown);

/* Returns the first tag that refuses the part, or SPEC_NR_TAGS. */
enum spec_tag part_match(const struct spec *spec, const struct slice_section *section,
			 const struct part_shown *shown);

#define PART_VALUES_SHOWN 8

/* For each tag: the number of parts that it refused, and some refused values for the message. */
struct part_refusals {
	struct part_refusal {
		size_t nr_parts;
		const char *values[PART_VALUES_SHOWN]; /* refused values, in the string pool */
		size_t nr_values;
	} tags[SPEC_NR_TAGS];
};

/* Records that tag refused the part. Returns 0 or -ENOMEM. */
int part_refusals_note(struct part_refusals *refusals, enum spec_tag tag,
		       const struct slice_section *section, const struct part_shown *shown,
		       struct strings *strings);
/* Writes "; TAG excluded N (values: ...)" for each tag that refused parts. */
void part_refusals_write(FILE *out, const struct part_refusals *refusals);

#endif
