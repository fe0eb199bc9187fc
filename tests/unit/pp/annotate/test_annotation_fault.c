// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each allocation of an annotation fails once (as in test_report_fault.c): the
 * annotation fails with -ENOMEM and leaves nothing behind, or succeeds without
 * it; the text written then has all samples.
 */
#include "pp/annotate/format_annotated.h"
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long countdown; /* 0: nothing fails */

static bool fails(void)
{
	if (!countdown || --countdown)
		return false;
	errno = ENOMEM;
	return true;
}

void *__real_malloc(size_t nr_bytes);
void *__wrap_malloc(size_t nr_bytes);
void *__real_calloc(size_t nr, size_t nr_bytes);
void *__wrap_calloc(size_t nr, size_t nr_bytes);
void *__real_realloc(void *old, size_t nr_bytes);
void *__wrap_realloc(void *old, size_t nr_bytes);
void *__real_reallocarray(void *old, size_t nr, size_t nr_bytes);
void *__wrap_reallocarray(void *old, size_t nr, size_t nr_bytes);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t nr_bytes)
{
	return fails() ? NULL : __real_malloc(nr_bytes);
}

void *__wrap_calloc(size_t nr, size_t nr_bytes)
{
	return fails() ? NULL : __real_calloc(nr, nr_bytes);
}

void *__wrap_realloc(void *old, size_t nr_bytes)
{
	return fails() ? NULL : __real_realloc(old, nr_bytes);
}

void *__wrap_reallocarray(void *old, size_t nr, size_t nr_bytes)
{
	return fails() ? NULL : __real_reallocarray(old, nr, nr_bytes);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

static struct make_session session;
static struct make_profile made;
static char text[1 << 16];

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x1200, .name = "_Z3foo"},
};
static const char *const files[] = {"", "/nowhere/a.c", "/nowhere/b.h"};
static const struct fake_range ranges[] = {
	{.start = 0x100, .end = 0x110, .file = 1, .line = 1},
	{.start = 0x110,
	 .end = 0x120,
	 .file = 2,
	 .line = 1,
	 .inlines = {{.function = "square", .call = {2, 2}}, {.function = "cube", .call = {1, 2}}},
	 .nr_inlines = 2},
	{.start = 0x210, .end = 0x220, .file = 1, .line = 3},
};

static void setup(void)
{
	const struct make_sample samples[] = {{0x10, 1}, {0x100, 2}, {0x115, 4}, {0x210, 8}};

	make_session_init(&session);
	make_session_add(&session, &(struct make_file){.app = "/bin/a"}, samples, 4, NULL);
	make_session_add(&session, &(struct make_file){.app = "/bin/b", .image = "/bin/a"}, samples,
			 4, NULL);
	fake_symbols_set("/bin/a", symbols, 2, NULL);
	fake_lines_set("/bin/a", ranges, 3, files, 3);
	made.profile_options.symbols = made.profile_options.details = true;
	make_profile_init(&made, &session, "");
}

static void teardown(void)
{
	countdown = 0;
	make_profile_deinit(&made);
	fake_lines_clear();
	fake_symbols_clear();
	make_session_deinit(&session);
}

/* The sum of samples over all lines with columns. */
static uint64_t sum_of_lines(void)
{
	uint64_t sum = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strlen(line) > 15 && line[15] == ':')
			sum += strtoull(line, NULL, 10);
	}
	return sum;
}

static int annotate(FILE *out, FILE *err)
{
	const struct spec_list none = {.nr_patterns = 0};
	const struct annotated_options options = {.source = true,
						  .demangle = DEMANGLE_NORMAL,
						  .command_line = "opannotate",
						  .include_files = &none,
						  .exclude_files = &none,
						  .profile = &made.profile_options};
	struct annotation annotation;
	int error = annotation_build(&annotation, &made.profile, &made.profile_options, true);

	if (error)
		return error;
	error = annotated_format_source(&annotation, &options, out, err, NULL);
	annotation_deinit(&annotation);
	return error;
}

START_TEST(no_memory_is_an_error_and_never_a_wrong_annotation)
{
	unsigned long nth = 0;
	bool failed;

	do {
		FILE *out = fmemopen(text, sizeof(text), "w");
		FILE *err = fopen("/dev/null", "w");
		int error;

		ck_assert_ptr_nonnull(out);
		ck_assert_ptr_nonnull(err);
		countdown = ++nth;
		error = annotate(out, err);
		failed = !countdown;
		countdown = 0; /* Check also allocates */
		(void)fclose(out);
		(void)fclose(err);
		if (error)
			ck_assert_msg(failed && error == -ENOMEM, "allocation %lu: %s", nth,
				      strerror(-error));
		else
			ck_assert_uint_eq(sum_of_lines(), 28);
	} while (failed);
	ck_assert_uint_gt(nth, 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("annotation_fault");
	TCase *tests = tcase_create("annotation_fault");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, no_memory_is_an_error_and_never_a_wrong_annotation);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
