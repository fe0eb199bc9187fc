// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_profile.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 16

static unsigned int nr_skipped;
static char skipped[PATH_MAX];

static void skip(const char *path, const struct diag *diag)
{
	ck_assert_str_ne(diag->text, "");
	nr_skipped++;
	(void)snprintf(skipped, sizeof(skipped), "%s", path);
}

unsigned int make_profile_nr_skipped(void)
{
	return nr_skipped;
}

const char *make_profile_skipped(void)
{
	return skipped;
}

static void parse_words(struct make_profile *made, const char *text)
{
	const char *words[WORDS_MAX];
	size_t nr_words = 0;
	char copy[1024];
	char *next = copy;
	struct diag diag;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	for (char *word; (word = strtok_r(next, " ", &next));)
		words[nr_words++] = word;
	ck_assert_msg(!spec_parse_sides(made->sides, &made->nr_sides, words, nr_words,
					MAKE_PROFILE_NOW_NS, &diag),
		      "%s", diag_show(&diag));
}

static void deinit_sides(struct make_profile *made)
{
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++)
		spec_deinit(&made->sides[i]);
}

int make_profile_select(struct make_profile *made, const struct make_session *session,
			const char *words, struct diag *diag)
{
	int error;

	nr_skipped = 0;
	parse_words(made, words);
	made->selection_options.session_dir = session->dir;
	error = selection_make(&made->selection, made->sides, made->nr_sides,
			       &made->selection_options, skip, diag);
	if (error)
		deinit_sides(made);
	return error;
}

void make_profile_init(struct make_profile *made, const struct make_session *session,
		       const char *words)
{
	struct diag diag;
	int error = make_profile_select(made, session, words, &diag);

	ck_assert_msg(!error, "%s", diag_show(&diag));
	made->profile_options.skip = skip;
	error = profile_build(&made->profile, &made->selection, &made->profile_options, &diag);
	ck_assert_msg(!error, "%s", diag_show(&diag));
}

void make_profile_deinit(struct make_profile *made)
{
	if (made->profile.selection)
		profile_deinit(&made->profile);
	selection_deinit(&made->selection);
	deinit_sides(made);
}

char *make_profile_text(void (*write)(FILE *out, void *context), void *context)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *out = open_memstream(&text, &nr_bytes);

	ck_assert_ptr_nonnull(out);
	write(out, context);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}
