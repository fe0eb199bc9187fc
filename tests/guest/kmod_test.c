// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/guest/kmod_test.h"

#define NR_FAULTS_SHOWN 20

static unsigned int nr_faults;
static const char *skipped;

void kmod_test_skip(const char *reason)
{
	skipped = reason;
}

int kmod_test_check(int holds, const char *text, const char *of, int line)
{
	if (!holds && nr_faults++ < NR_FAULTS_SHOWN)
		printf("# line %d: %s%sdoes not hold: %s\n", line, of ? of : "", of ? ": " : "",
		       text);
	return holds;
}

int kmod_test_is(int64_t got, int64_t expected, const char *text, const char *of, int line)
{
	if (got != expected && nr_faults++ < NR_FAULTS_SHOWN)
		printf("# line %d: %s%s%s is %" PRId64 ", not %" PRId64 "\n", line, of ? of : "",
		       of ? ": " : "", text, got, expected);
	return got == expected;
}

static int is_wanted(const char *name, char **names)
{
	if (!*names)
		return 1;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return 1;
	return 0;
}

int kmod_test_main(const struct kmod_test *tests, unsigned int nr_tests, char **names)
{
	unsigned int i, nr_failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < nr_tests; i++) {
		if (!is_wanted(tests[i].name, names))
			continue;
		nr_faults = 0;
		skipped = NULL;
		tests[i].run();
		printf("%s - %s%s%s\n", nr_faults ? "not ok" : "ok", tests[i].name,
		       skipped ? " # SKIP " : "", skipped ? skipped : "");
		nr_failed += nr_faults != 0;
	}
	return nr_failed != 0;
}
