// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of a profile by function and by source line: each sample belongs to the
 * right one, and none is lost.
 */
#include "pp/annotate/annotation.h"

#include "lib/file.h"
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct make_session session;
static struct make_profile made;
static struct annotation annotation;

/* main at 100, helper at 200; code inlined into main from a header. */
static const struct symbol symbols[] = {
	{.start = 100, .nr_bytes = 100, .address = 0x1100, .name = "main"},
	{.start = 200, .nr_bytes = 50, .address = 0x1200, .name = "helper"},
};
static const char *const files[] = {"", "/src/./a.c", "/src/x/../b.h"};
static const struct fake_range ranges[] = {
	{.start = 100, .end = 110, .file = 1, .line = 10},
	{.start = 110,
	 .end = 120,
	 .file = 2,
	 .line = 3,
	 .inlines = {{.function = "square", .call = {1, 12}}},
	 .nr_inlines = 1},
	{.start = 120, .end = 130, .file = 1, .line = 13},
	{.start = 130,
	 .end = 140,
	 .file = 2,
	 .line = 2,
	 .inlines = {{.function = "square", .call = {2, 9}}, {.function = "cube", .call = {1, 14}}},
	 .nr_inlines = 2},
	{.start = 140, .end = 150, .file = 0, .line = 0},
	{.start = 200, .end = 220, .file = 1, .line = 30},
};

static void setup(void)
{
	make_session_init(&session);
	fake_symbols_set("/bin/prog", symbols, 2, NULL);
	fake_lines_set("/bin/prog", ranges, sizeof(ranges) / sizeof(ranges[0]), files, 3);
}

static void teardown(void)
{
	if (annotation.profile)
		annotation_deinit(&annotation);
	make_profile_deinit(&made);
	memset(&made, 0, sizeof(made));
	fake_symbols_clear();
	fake_lines_clear();
	make_session_deinit(&session);
}

static void add(const char *app, const char *image, uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, &(struct make_file){.app = app, .image = image}, key,
			     nr_samples);
}

static void add_program(void)
{
	add("/bin/prog", NULL, 100, 1);
	add("/bin/prog", NULL, 105, 2);
	add("/bin/prog", NULL, 112, 4);
	add("/bin/prog", NULL, 125, 8);
	add("/bin/prog", NULL, 131, 16);
	add("/bin/prog", NULL, 145, 32); /* a line that is unknown */
	add("/bin/prog", NULL, 190, 64); /* in main, in no range */
	add("/bin/prog", NULL, 210, 128);
	add("/bin/prog", NULL, 900, 256); /* in no symbol */
}

static void build(const char *words)
{
	made.profile_options.symbols = true;
	made.profile_options.details = true;
	make_profile_init(&made, &session, words);
	ck_assert_int_eq(annotation_build(&annotation, &made.profile, &made.profile_options, true),
			 0);
}

static uint64_t sum(const struct annotation_sums *sums)
{
	uint64_t total = 0;

	for (size_t i = 0; i < sums->nr * made.profile.nr_columns; i++)
		total += sums->counts[i];
	return total;
}

static uint64_t count_of_line(const char *path, uint32_t line)
{
	for (size_t i = 0; i < annotation.line_sums.nr; i++)
		if (annotation.lines[i].line == line &&
		    !strcmp(annotation.files[annotation.lines[i].file].path, path))
			return *annotation_counts(&annotation, &annotation.line_sums, i);
	return 0;
}

START_TEST(samples_go_to_the_line_of_the_innermost_code)
{
	add_program();
	build("");
	ck_assert_uint_eq(count_of_line("/src/a.c", 10), 3);
	ck_assert_uint_eq(count_of_line("/src/b.h", 3), 4);
	ck_assert_uint_eq(count_of_line("/src/a.c", 13), 8);
	ck_assert_uint_eq(count_of_line("/src/b.h", 2), 16);
	ck_assert_uint_eq(count_of_line("/src/a.c", 30), 128);
	ck_assert_uint_eq(annotation.nr_files, 2);
}
END_TEST

START_TEST(lines_and_what_has_none_add_up_to_all)
{
	add_program();
	add("/bin/prog", "/lib/other.so", 7, 1000);
	fake_lines_set_note("no debug information");
	build("");
	ck_assert_uint_eq(sum(&annotation.line_sums) + sum(&annotation.no_line),
			  made.profile.nr_samples);
	ck_assert_uint_eq(sum(&annotation.no_line), 32 + 64 + 256 + 1000);
	ck_assert_uint_eq(sum(&annotation.file_sums), sum(&annotation.line_sums));
	ck_assert_uint_eq(sum(&annotation.function_sums), made.profile.nr_samples);
	ck_assert_uint_eq(sum(&annotation.image_sums), made.profile.nr_samples);
	ck_assert_str_eq(annotation.images[1].note, "no debug information");
	ck_assert_int_eq(annotation.images[1].lines, SYMBOLS_STRIPPED);
}
END_TEST

START_TEST(functions_know_where_they_are_defined)
{
	add_program();
	build("");
	ck_assert_uint_eq(annotation.function_sums.nr, 3);
	ck_assert_str_eq(annotation.functions[0].name, "main");
	ck_assert_str_eq(annotation.files[annotation.functions[0].file].path, "/src/a.c");
	ck_assert_uint_eq(annotation.functions[0].line, 10);
	ck_assert_uint_eq(*annotation_counts(&annotation, &annotation.function_sums, 0), 127);
	ck_assert_uint_eq(annotation.functions[1].line, 30);
	ck_assert_ptr_null(annotation.functions[2].name);
	ck_assert_uint_eq(annotation.functions[2].file, ANNOTATION_NO_FILE);
}
END_TEST

START_TEST(inlined_functions_know_their_callers)
{
	const struct annotation_inlined *inlined;

	add_program();
	build("");
	ck_assert_uint_eq(annotation.inlined_sums.nr, 1);
	inlined = annotation.inlined;
	ck_assert_str_eq(inlined->function, "square");
	ck_assert_uint_eq(inlined->line, 2);
	ck_assert_uint_eq(*annotation_counts(&annotation, &annotation.inlined_sums, 0), 20);
	ck_assert_uint_eq(inlined->nr_callers, 2);
	ck_assert_str_eq(annotation.callers[0].function, "cube");
	ck_assert_uint_eq(*annotation_counts(&annotation, &annotation.caller_sums, 0), 16);
	ck_assert_str_eq(annotation.callers[1].function, "main");
	ck_assert_uint_eq(*annotation_counts(&annotation, &annotation.caller_sums, 1), 4);
}
END_TEST

START_TEST(applications_of_one_image_are_summed)
{
	add("/bin/one", "/bin/prog", 105, 1);
	add("/bin/one", "/bin/prog", 210, 10);
	add("/bin/two", "/bin/prog", 100, 2);
	add("/bin/two", "/bin/prog", 105, 4);
	add("/bin/two", "/bin/prog", 211, 20);
	build("");
	ck_assert_uint_eq(annotation.nr_images, 1);
	ck_assert_uint_eq(annotation.function_sums.nr, 2);
	ck_assert_uint_eq(*annotation_counts(&annotation, &annotation.function_sums, 0), 7);
	ck_assert_uint_eq(count_of_line("/src/a.c", 10), 7);
	ck_assert_uint_eq(count_of_line("/src/a.c", 30), 30);
}
END_TEST

/* Replaces the library's function: it only asks whether the result is less than 0. */
void qsort_r(void *base, size_t nr, size_t nr_bytes,
	     int (*compare)(const void *a, const void *b, void *context), void *context)
{
	unsigned char *at = base;

	for (size_t i = 1; i < nr; i++)
		for (size_t j = i;
		     j && compare(at + j * nr_bytes, at + (j - 1) * nr_bytes, context) < 0; j--)
			for (size_t byte = 0; byte < nr_bytes; byte++) {
				unsigned char *left = at + (j - 1) * nr_bytes + byte;
				const unsigned char swapped = *left;

				*left = left[nr_bytes];
				left[nr_bytes] = swapped;
			}
}

/* Two versions of a program in a differential profile; each function is one row with mixed keys. */
START_TEST(versions_that_are_compared_are_images_of_their_own)
{
	static const struct make_sample before[] = {{105, 1}, {125, 2}, {210, 4}};
	static const struct make_sample after[] = {{101, 8}, {112, 16}, {145, 32}, {205, 64}};
	const struct make_file program = {.app = "/bin/prog"};
	const struct make_file other = {.app = "/bin/prog", .version = 1};
	uint64_t sums[2];

	session.name = "before";
	make_session_add(&session, &program, before, 3, NULL);
	session.name = "after";
	make_session_add(&session, &other, after, 4, NULL);
	build("{ session:before } { session:after }");
	ck_assert_uint_eq(annotation.nr_images, 2);
	ck_assert_uint_eq(annotation.function_sums.nr, 4);
	for (size_t i = 0; i < 2; i++) {
		const uint64_t *counts = annotation_counts(&annotation, &annotation.image_sums, i);

		ck_assert(!counts[0] || !counts[1]);
		sums[i] = counts[0] + counts[1];
	}
	ck_assert_uint_eq(sums[0] < sums[1] ? sums[0] : sums[1], 1 + 2 + 4);
	ck_assert_uint_eq(sums[0] + sums[1], 1 + 2 + 4 + 8 + 16 + 32 + 64);
}
END_TEST

START_TEST(images_that_share_a_source_file_are_summed)
{
	fake_symbols_set("/bin/copy", symbols, 2, NULL);
	fake_lines_set("/bin/copy", ranges, sizeof(ranges) / sizeof(ranges[0]), files, 3);
	add("/bin/prog", NULL, 105, 1);
	add("/bin/copy", NULL, 106, 2);
	build("");
	ck_assert_uint_eq(annotation.nr_images, 2);
	ck_assert_uint_eq(annotation.nr_files, 1);
	ck_assert_uint_eq(count_of_line("/src/a.c", 10), 3);
}
END_TEST

/* The time at which an image was built: the session's, else its file's. */
static const struct built_case {
	const char *root;  /* the report's root folder */
	int64_t noted_ns;  /* from the session */
	bool is_there;	   /* the image's file exists */
	int64_t expect_ns; /* 0: unknown */
} built_cases[] = {
	{NULL, 0, true, INT64_C(1700000000123456789)},
	{NULL, 0, false, 0},
	{"/elsewhere", 0, true, 0},
	{NULL, 1000, true, 1000},
	{"/elsewhere", 1000, false, 1000},
};

START_TEST(source_files_know_when_their_image_was_built)
{
	const struct built_case *built = &built_cases[_i];
	const struct timespec times[2] = {{.tv_sec = 1}, {1700000000, 123456789}};
	const struct oprof_image_identity identity = {
		.inode = 1, .size_bytes = 1, .mtime_ns = built->noted_ns};
	char path[sizeof(session.dir) + 8];

	(void)snprintf(path, sizeof(path), "%s/prog", session.dir);
	if (built->is_there) {
		ck_assert_int_eq(file_replace(path, "", 0, 0600), 0);
		ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	fake_symbols_set(path, symbols, 2, NULL);
	fake_lines_set(path, ranges, sizeof(ranges) / sizeof(ranges[0]), files, 3);
	make_session_add_one(&session, &(struct make_file){.app = path, .identity = &identity}, 105,
			     1);
	made.profile_options.root = built->root;
	build("");
	ck_assert_uint_eq(count_of_line("/src/a.c", 10), 1);
	ck_assert_int_eq(annotation.files[0].built_ns, built->expect_ns);
}
END_TEST

START_TEST(of_several_images_the_oldest_dates_a_source_file)
{
	static const char *const paths[] = {"/bin/one", "/bin/two", "/bin/three", "/bin/four"};
	static const int64_t built_ns[] = {3000, 2000, 0, 4000}; /* one is unknown */

	for (unsigned int i = 0; i < 4; i++) {
		const struct oprof_image_identity identity = {
			.inode = i + 1, .size_bytes = 1, .mtime_ns = built_ns[i]};

		fake_symbols_set(paths[i], symbols, 2, NULL);
		fake_lines_set(paths[i], ranges, sizeof(ranges) / sizeof(ranges[0]), files, 3);
		make_session_add_one(&session,
				     &(struct make_file){.app = paths[i], .identity = &identity},
				     105, 1);
	}
	build("");
	ck_assert_uint_eq(annotation.nr_files, 1);
	ck_assert_uint_eq(count_of_line("/src/a.c", 10), 4);
	ck_assert_int_eq(annotation.files[0].built_ns, 2000);
}
END_TEST

START_TEST(classes_are_columns)
{
	const uint64_t *counts;

	make_session_add_one(&session, &(struct make_file){.app = "/bin/prog", .cpu_behind = 1},
			     105, 3);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/prog", .cpu_behind = 2},
			     106, 5);
	build("");
	ck_assert_uint_eq(made.profile.nr_columns, 2);
	ck_assert_uint_eq(annotation.line_sums.nr, 1);
	counts = annotation_counts(&annotation, &annotation.line_sums, 0);
	ck_assert_uint_eq(counts[0], 3);
	ck_assert_uint_eq(counts[1], 5);
}
END_TEST

static void expect_clean(const char *path, const char *clean)
{
	char *text = annotation_clean_path(path);

	ck_assert_str_eq(text, clean);
	free(text);
}

START_TEST(paths_are_made_clean_and_lead_nowhere_else)
{
	expect_clean("/a/b.c", "/a/b.c");
	expect_clean("/a//./b.c", "/a/b.c");
	expect_clean("/a/x/../b.c", "/a/b.c");
	expect_clean("/../../etc/x", "/etc/x");
	expect_clean("../../etc/x", "etc/x");
	expect_clean("a/../..", "");
	expect_clean("/a/..", "/");
	expect_clean("/a/...", "/a/...");
	expect_clean("", "");
}
END_TEST

START_TEST(a_thousand_lines_stay_apart)
{
	static struct fake_range many[1000];
	static const struct symbol one = {.start = 0, .nr_bytes = 100000, .name = "f"};

	for (size_t i = 0; i < 1000; i++) {
		many[i] = (struct fake_range){.start = i * 10,
					      .end = i * 10 + 10,
					      .file = 1,
					      .line = (uint32_t)(1000 - i)};
		add("/bin/many", NULL, i * 10 + 5, i + 1);
	}
	fake_symbols_set("/bin/many", &one, 1, NULL);
	fake_lines_set("/bin/many", many, 1000, files, 3);
	build("");
	ck_assert_uint_eq(annotation.line_sums.nr, 1000);
	for (uint32_t line = 1; line <= 1000; line++)
		ck_assert_uint_eq(count_of_line("/src/a.c", line), 1001 - line);
}
END_TEST

static Suite *annotation_suite(void)
{
	Suite *suite = suite_create("annotation");
	TCase *tcase = tcase_create("annotation");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, samples_go_to_the_line_of_the_innermost_code);
	tcase_add_test(tcase, lines_and_what_has_none_add_up_to_all);
	tcase_add_test(tcase, functions_know_where_they_are_defined);
	tcase_add_test(tcase, inlined_functions_know_their_callers);
	tcase_add_test(tcase, applications_of_one_image_are_summed);
	tcase_add_test(tcase, versions_that_are_compared_are_images_of_their_own);
	tcase_add_test(tcase, images_that_share_a_source_file_are_summed);
	tcase_add_loop_test(tcase, source_files_know_when_their_image_was_built, 0,
			    sizeof(built_cases) / sizeof(built_cases[0]));
	tcase_add_test(tcase, of_several_images_the_oldest_dates_a_source_file);
	tcase_add_test(tcase, classes_are_columns);
	tcase_add_test(tcase, paths_are_made_clean_and_lead_nowhere_else);
	tcase_add_test(tcase, a_thousand_lines_stay_apart);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(annotation_suite());
}
