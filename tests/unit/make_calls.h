/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a session made to order to its call tree and graph, and what they hold. */
#ifndef TESTS_UNIT_MAKE_CALLS_H
#define TESTS_UNIT_MAKE_CALLS_H

#include "tests/unit/make_profile.h"
#include "pp/call_tree.h"

#include <stdint.h>

struct make_calls {
	struct make_profile made; /* its options are set before */
	struct call_tree tree;
	struct call_graph graph;
};

/* Fails the test on any error. words: as of make_profile_init. */
void make_calls_init(struct make_calls *calls, const struct make_session *session,
		     const char *words);
/* The same without the graph; the error of call_tree_build. */
int make_calls_try(struct make_calls *calls, const struct make_session *session, const char *words,
		   struct diag *diag);
void make_calls_deinit(struct make_calls *calls);

/* Index of the function of a name ("" outside symbols); fails the test if there is not one. */
uint32_t make_calls_function(const struct make_calls *calls, const char *name);

/*
 * Samples that ended at path, "APP;outer;...;leaf", in a column; UINT64_MAX:
 * there is no such node. below: with all below it.
 */
uint64_t make_calls_self(const struct make_calls *calls, const char *path, size_t column);
uint64_t make_calls_below(const struct make_calls *calls, const char *path, size_t column);

/* Samples of an arc; UINT64_MAX: it is not there. */
uint64_t make_calls_arc(const struct make_calls *calls, const char *caller, const char *callee,
			size_t column);

/* Assert that all sums agree: nodes, functions, arcs, totals, the flat profile. */
void make_calls_check_sums(const struct make_calls *calls);

#endif
