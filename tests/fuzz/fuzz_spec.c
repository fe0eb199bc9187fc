// SPDX-License-Identifier: GPL-2.0-or-later
/* Profile specifications: the input is words separated by newlines. */
#include "pp/selection/spec.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 32
#define NOW_NS	  INT64_C(1795183200000000000) /* 2026-11-20 14:00 UTC */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A specification that was parsed must match, print and be freed without faults. */
static void use(const struct spec *spec)
{
	static const char *const texts[] = {"", "/bin/bash", "[vdso]", "all", "x (tgid:1)"};
	char shown[64];

	for (size_t tag = 0; tag < SPEC_NR_TAGS; tag++) {
		const struct spec_list *list = &spec->lists[tag];

		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
			(void)spec_list_match(list, texts[i]);
			(void)spec_list_match_image(list, texts[i]);
		}
		(void)spec_list_match_number(list, 17);
		for (size_t i = 0; i < list->nr_patterns; i++)
			if (!*list->patterns[i] || !spec_list_match(list, list->patterns[i]))
				abort();
	}
	spec_show(spec, shown, sizeof(shown));
	if (!memchr(shown, '\0', sizeof(shown)))
		abort();
}

static void use_sides(const char *const *words, size_t nr_words)
{
	struct spec sides[SPEC_SIDES_MAX];
	struct diag diag;
	size_t nr_sides = 0;

	if (spec_parse_sides(sides, &nr_sides, words, nr_words, NOW_NS, &diag) && !diag.text[0])
		abort();
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++) {
		use(&sides[i]);
		spec_deinit(&sides[i]);
	}
	if (spec_parse_diff(sides, words, nr_words, nr_words * 1000000000, NOW_NS, &diag) &&
	    !diag.text[0])
		abort();
	for (size_t i = 0; i < SPEC_SIDES_MAX; i++) {
		use(&sides[i]);
		spec_deinit(&sides[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *words[WORDS_MAX];
	size_t nr_words = 0;
	char *text = malloc(size + 1);
	struct spec spec;
	struct diag diag;
	int error;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *next = text; next && nr_words < WORDS_MAX;) {
		words[nr_words++] = next;
		next = strchr(next, '\n');
		if (next)
			*next++ = '\0';
	}
	error = spec_parse(&spec, words, nr_words, NOW_NS, &diag);
	if (error && !diag.text[0])
		abort();
	use(&spec);
	spec_deinit(&spec);
	use_sides(words, nr_words);
	free(text);
	return 0;
}
