/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a session made to order to its profile, for tests of the stages behind. */
#ifndef TESTS_MAKE_PROFILE_H
#define TESTS_MAKE_PROFILE_H

#include "tests/unit/make_session.h"
#include "pp/profile.h"
#include "pp/selection.h"
#include "pp/spec.h"

#include <stdio.h>

struct make_profile {
	struct spec sides[SPEC_SIDES_MAX];
	size_t nr_sides;
	struct selection selection;
	struct profile profile;
	struct selection_options selection_options; /* set before */
	struct profile_options profile_options;
};

/* What is now to specifications with times. */
#define MAKE_PROFILE_NOW_NS INT64_C(1795183200000000000) /* 2026-11-20 14:00 UTC */

/*
 * words: comma-free words of a specification with a blank between; "" for none; "{ a } { b }"
 * of a differential profile.
 */
int make_profile_select(struct make_profile *made, const struct make_session *session,
			const char *words, struct diag *diag);
/* The same, and read it; fails the test on any error. */
void make_profile_init(struct make_profile *made, const struct make_session *session,
		       const char *words);
void make_profile_deinit(struct make_profile *made);

/* How many files were skipped since the last of these two, and the last one's path. */
unsigned int make_profile_nr_skipped(void);
const char *make_profile_skipped(void);

/* All that write puts out, malloc'ed. */
char *make_profile_text(void (*write)(FILE *out, void *context), void *context);

#endif
