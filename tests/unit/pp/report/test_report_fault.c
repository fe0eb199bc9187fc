// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each allocation of a report fails once: the linker's --wrap redirects the
 * calls to the functions here, of which the Nth fails. A stage then fails with
 * -ENOMEM and a text and leaves nothing behind (the sanitizers check that), or
 * does without it; the report of the next try is whole.
 */
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/coverage.h"
#include "pp/format/format_document.h"
#include "pp/format/format_terminal.h"
#include "pp/page/format_page.h"
#include "pp/format/format_text.h"
#include "pp/profile/profile.h"
#include "pp/selection/selection.h"
#include "pp/selection/spec.h"

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_SAMPLES (4 * 31)

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
static unsigned int nr_skipped;
static FILE *out;
static FILE *err;     /* may lack lines if memory is short */
static char *written; /* the text in out */
static size_t nr_written;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x1200, .name = "_Z3foo"},
};

static void skip(const char *path, const struct diag *diag)
{
	(void)path;
	(void)diag;
	nr_skipped++;
}

static const char *const files[] = {"", "/src/a.c"};
/* main also has a line of its own after the inlined code. */
static const struct fake_range lines[] = {
	{.end = 0x180,
	 .file = 1,
	 .line = 5,
	 .inlines = {{.function = "inlined", .call = {.file = 1, .line = 9}}},
	 .nr_inlines = 1},
	{.start = 0x180, .end = 0x190, .file = 1, .line = 11},
	{.start = 0x190,
	 .end = UINT64_MAX,
	 .file = 1,
	 .line = 5,
	 .inlines = {{.function = "inlined", .call = {.file = 1, .line = 9}}},
	 .nr_inlines = 1},
};

static void setup(void)
{
	static const char info[] = "host box\nevent 0 cpu-clock period 1000000 0 1 1 time\n";

	make_session_init(&session);
	make_session_meta(&session, "info", info, sizeof(info) - 1);
	for (int64_t cpu = 1; cpu <= 2; cpu++) {
		const struct make_sample samples[] = {
			{0x10, 1}, {0x110, 2}, {0x188, 8}, {0x198, 16}, {0x210, 4}};

		make_session_add(
			&session,
			&(struct make_file){.app = "/bin/a", .cpu_behind = cpu, .weight_each = 3},
			samples, 5, NULL);
		make_session_add(
			&session,
			&(struct make_file){.app = "/bin/a", .image = "/lib/b", .cpu_behind = cpu},
			samples, 5, NULL);
	}
	make_session_add_one(&session, &(struct make_file){.app = "{idle}"}, 1, 1);
	fake_symbols_set("/bin/a", symbols, 2, "a note");
	fake_lines_set("/bin/a", lines, 3, files, 2);
}

static void teardown(void)
{
	countdown = 0;
	fake_symbols_clear();
	fake_lines_clear();
	make_session_deinit(&session);
}

static int write_documents(const struct profile *profile)
{
	const struct document_options document = {.demangle = DEMANGLE_NORMAL};
	const struct page_options page = {.demangle = DEMANGLE_NORMAL};
	int error = document_format_xml(out, profile, &document);

	if (!error)
		error = document_format_json(out, profile, &document);
	return error ? error : page_format(out, profile, &page);
}

static int write_all(const struct profile *profile)
{
	const struct text_options options = {.header = true,
					     .demangle = DEMANGLE_NORMAL,
					     .show_details = profile->details != NULL};
	const struct display display = {.width = DISPLAY_WIDTH_DEFAULT};
	int error;

	text_format_header(out, profile, NULL);
	error = profile->with_symbols ? text_format_symbols(out, profile, &options)
				      : text_format_flat(out, profile, &options);
	if (!error)
		error = terminal_format(out, profile, &options, &display);
	if (!error)
		error = write_documents(profile);
	coverage_write_before(out, profile, "d");
	coverage_write_after(err, profile);
	return error;
}

/* what: 0 for images, 1 for symbols, 2 for symbols and inlined functions. */
static int report(int what, uint64_t *nr_samples)
{
	static const char *const words[] = {"a", "image-exclude:none"};
	const struct selection_options selection_options = {.session_dir = session.dir};
	struct profile_options options = {.symbols = what > 0,
					  .details = what == 1,
					  .by_time = what == 1,
					  .lines = what == 1,
					  .inlines = what == 2,
					  .skip = skip};
	struct selection selection;
	struct profile profile;
	struct spec spec;
	struct diag diag;
	int error = spec_parse(&spec, words, 2, 1, &diag);

	if (error)
		return error;
	error = selection_make(&selection, &spec, 1, &selection_options, skip, &diag);
	spec_deinit(&spec);
	if (error) {
		ck_assert_str_ne(diag.text, "");
		return error;
	}
	error = profile_build(&profile, &selection, &options, &diag);
	if (error) {
		ck_assert_str_ne(diag.text, "");
	} else {
		*nr_samples = profile.nr_samples;
		error = write_all(&profile);
		profile_deinit(&profile);
	}
	selection_deinit(&selection);
	return error;
}

static void open_out(void)
{
	out = open_memstream(&written, &nr_written);
	err = fopen("/dev/null", "w");
	ck_assert(out && err);
}

static void close_out(void)
{
	ck_assert(!fclose(out) && !fclose(err));
}

START_TEST(no_memory_is_an_error_and_never_a_wrong_report)
{
	unsigned long nth = 0;
	uint64_t nr_samples;
	size_t nr_whole;
	char *whole;
	bool failed;

	open_out();
	ck_assert_int_eq(report(_i, &nr_samples), 0);
	close_out();
	ck_assert_uint_eq(nr_samples, NR_SAMPLES);
	whole = written;
	nr_whole = nr_written;
	do {
		int error;

		open_out();
		countdown = ++nth;
		nr_skipped = 0;
		error = report(_i, &nr_samples);
		failed = !countdown;
		countdown = 0; /* Check also allocates */
		close_out();
		if (error)
			ck_assert_msg(failed && error == -ENOMEM, "allocation %lu: %s", nth,
				      strerror(-error));
		else if (!nr_skipped)
			ck_assert_msg(nr_written == nr_whole && !memcmp(written, whole, nr_whole),
				      "allocation %lu: another report", nth);
		free(written);
	} while (failed);
	free(whole);
	ck_assert_uint_gt(nth, 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_fault");
	TCase *tests = tcase_create("report_fault");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, no_memory_is_an_error_and_never_a_wrong_report, 0, 3);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
