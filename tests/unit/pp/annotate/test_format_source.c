// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout of annotated source files, and that its columns add up. */
#include "pp/annotate/format_annotated.h"

#include "lib/file.h"
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct make_session session;
static struct make_profile made;
static struct annotation annotation;
static struct annotated_options options;
static struct spec_list include_files, exclude_files, search_dirs, base_dirs;
static char *out_text, *err_text;
static struct diag diag;

static const struct symbol symbols[] = {
	{.start = 100, .nr_bytes = 100, .address = 0x1100, .name = "main"},
	{.start = 200, .nr_bytes = 50, .address = 0x1200, .name = "_Z3foo"},
};
static const char *const files[] = {"", "/src/a.c", "/src/b.h"};
static const struct fake_range ranges[] = {
	{.start = 100, .end = 110, .file = 1, .line = 1},
	{.start = 110,
	 .end = 120,
	 .file = 2,
	 .line = 1,
	 .inlines = {{.function = "square", .call = {1, 2}}},
	 .nr_inlines = 1},
	{.start = 120, .end = 130, .file = 1, .line = 2},
	{.start = 200, .end = 220, .file = 1, .line = 3},
	{.start = 220, .end = 230, .file = 1, .line = 9},
};

static void setup(void)
{
	make_session_init(&session);
	fake_symbols_set("/bin/prog", symbols, 2, NULL);
	fake_lines_set("/bin/prog", ranges, sizeof(ranges) / sizeof(ranges[0]), files, 3);
	options = (struct annotated_options){
		.source = true,
		.demangle = DEMANGLE_NORMAL,
		.command_line = "opannotate --x='*/'",
		.include_files = &include_files,
		.exclude_files = &exclude_files,
		.sources = {.search_dirs = &search_dirs, .base_dirs = &base_dirs},
		.profile = &made.profile_options,
	};
}

static void forget(void)
{
	free(out_text);
	free(err_text);
	out_text = err_text = NULL;
}

static void teardown(void)
{
	forget();
	if (annotation.profile)
		annotation_deinit(&annotation);
	make_profile_deinit(&made);
	memset(&made, 0, sizeof(made));
	spec_list_deinit(&include_files);
	spec_list_deinit(&exclude_files);
	spec_list_deinit(&search_dirs);
	spec_list_deinit(&base_dirs);
	fake_symbols_clear();
	fake_lines_clear();
	make_session_deinit(&session);
}

static void put(const char *name, const char *text)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/src/%s", session.dir, name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
}

static void look_in_session(void)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/src", session.dir);
	ck_assert_int_eq(spec_list_parse(&search_dirs, path, NULL), 0);
	ck_assert_int_eq(spec_list_parse(&base_dirs, "/src", NULL), 0);
}

static void put_sources(void)
{
	put("a.c", "int main(void)\n{ square(2);\nint foo(void)");
	put("b.h", "static int square(int x) { return x * x; }\n");
	look_in_session();
}

static void add(uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, &(struct make_file){.app = "/bin/prog"}, key, nr_samples);
}

static void add_usual(void)
{
	add(100, 10);
	add(112, 30);
	add(125, 5);
	add(201, 50);
	add(190, 5); /* no known line */
}

static int format(void)
{
	size_t nr_out, nr_err;
	FILE *out = open_memstream(&out_text, &nr_out), *err = open_memstream(&err_text, &nr_err);
	int error;

	ck_assert_ptr_nonnull(out);
	ck_assert_ptr_nonnull(err);
	made.profile_options.symbols = true;
	made.profile_options.details = true;
	make_profile_init(&made, &session, "");
	ck_assert_int_eq(annotation_build(&annotation, &made.profile, &made.profile_options, true),
			 0);
	error = annotated_format_source(&annotation, &options, out, err, &diag);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_int_eq(fclose(err), 0);
	return error;
}

static void expect(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in:\n%s", part, text);
}

/* The sum over all lines with columns. */
static uint64_t sum_of_lines(const char *text)
{
	uint64_t sum = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strlen(line) > 15 && line[15] == ':')
			sum += strtoull(line, NULL, 10);
	}
	return sum;
}

START_TEST(each_line_has_its_samples_or_blanks)
{
	add_usual();
	put_sources();
	ck_assert_int_eq(format(), 0);
	ck_assert_str_eq(strstr(out_text, " */\n\n") + 5,
			 "/*\n"
			 " * Total samples for file : \"/src/a.c\"\n"
			 " *\n"
			 " *     65 65.0000 \n"
			 " */\n"
			 "\n"
			 "    10 10.0000 :int main(void) /* main total:     50 50.0000 */\n"
			 "     5  5.0000 :{ square(2);\n"
			 "    50 50.0000 :int foo(void) /* foo() total:     50 50.0000 */\n"
			 "\n"
			 "\n"
			 "/*\n"
			 " * Total samples for file : \"/src/b.h\"\n"
			 " *\n"
			 " *     30 30.0000 \n"
			 " */\n"
			 "\n"
			 "    30 30.0000 :static int square(int x) { return x * x; }"
			 " /* square inlined:     30 30.0000  into main     30 30.0000 */\n"
			 "\n"
			 "\n");
	expect(err_text, "no source line: 5 samples (5.00 %)\n");
}
END_TEST

START_TEST(a_comment_with_the_command_line_leads)
{
	add_usual();
	put_sources();
	ck_assert_int_eq(format(), 0);
	ck_assert_int_eq(strncmp(out_text, "/*\n * Command line: opannotate --x='*|'\n *\n", 40),
			 0);
	expect(out_text, "\n * Shown: source files, ");
	expect(out_text, "\n * CPU: ");
	expect(out_text, "\n * Counted cpu-clock events ");
}
END_TEST

START_TEST(a_missing_source_is_said_once_and_loses_no_sample)
{
	add_usual();
	put("b.h", "square\n");
	look_in_session();
	ck_assert_int_eq(format(), 0);
	expect(err_text, "source file /src/a.c is missing: 65 samples (65.00 %); give the folder");
	expect(err_text, "source of 1 file is missing: 65 samples (65.00 %), shown by line");
	expect(out_text, "    50 50.0000 :/* line 3: the file is missing */ /* foo() total: ");
	ck_assert_uint_eq(sum_of_lines(out_text), 95);
	ck_assert_ptr_null(strstr(strstr(err_text, "a.c") + 1, "a.c"));
}
END_TEST

START_TEST(lines_behind_the_end_keep_their_samples)
{
	add_usual();
	add(225, 7);
	put_sources();
	ck_assert_int_eq(format(), 0);
	expect(out_text, ":/* line 9: past the end of the file */\n");
	ck_assert_uint_eq(sum_of_lines(out_text), 102);
}
END_TEST

START_TEST(a_source_newer_than_the_binary_is_said)
{
	const struct oprof_image_identity old = {.inode = 1, .size_bytes = 1, .mtime_ns = 1000};

	make_session_add_one(&session, &(struct make_file){.app = "/bin/prog", .identity = &old},
			     100, 1);
	put_sources();
	ck_assert_int_eq(format(), 0);
	expect(err_text, "/src/a.c is newer than /bin/prog: line numbers may be wrong\n");
}
END_TEST

START_TEST(files_are_chosen_by_pattern_and_threshold)
{
	add_usual();
	put_sources();
	ck_assert_int_eq(spec_list_parse(&include_files, "*.h", NULL), 0);
	ck_assert_int_eq(format(), 0);
	ck_assert_uint_eq(sum_of_lines(out_text), 30);
	expect(err_text, "source files that were not requested: 65 samples (65.00 %)\n");
}
END_TEST

START_TEST(files_below_the_threshold_are_left_out)
{
	add_usual();
	put_sources();
	options.threshold = 50;
	ck_assert_int_eq(format(), 0);
	ck_assert_uint_eq(sum_of_lines(out_text), 65);
	expect(err_text, "source files that were not requested: 30 samples");
}
END_TEST

START_TEST(excluded_files_are_left_out)
{
	add_usual();
	put_sources();
	ck_assert_int_eq(spec_list_parse(&exclude_files, "b.h", NULL), 0);
	ck_assert_int_eq(format(), 0);
	ck_assert_uint_eq(sum_of_lines(out_text), 65);
}
END_TEST

START_TEST(a_folder_gets_a_file_for_each_source)
{
	char dir[PATH_MAX], path[2 * PATH_MAX];
	char *text;

	add_usual();
	put_sources();
	(void)snprintf(dir, sizeof(dir), "%s/out", session.dir);
	options.output_dir = dir;
	spec_list_deinit(&base_dirs);
	ck_assert_int_eq(format(), 0);
	ck_assert_str_eq(out_text, "");
	(void)snprintf(path, sizeof(path), "%s/src/b.h", dir);
	ck_assert_int_eq(file_read_text(path, 1 << 20, &text, NULL), 0);
	ck_assert_int_eq(strncmp(text, "/*\n * Command line: ", 20), 0);
	ck_assert_uint_eq(sum_of_lines(text), 30);
	free(text);
	(void)snprintf(path, sizeof(path), "%s/src/a.c", dir);
	ck_assert_int_eq(file_read_text(path, 1 << 20, &text, NULL), 0);
	ck_assert_uint_eq(sum_of_lines(text), 65);
	free(text);
	expect(err_text, "2 files written below ");
}
END_TEST

START_TEST(a_path_that_leads_out_of_the_folder_stays_in_it)
{
	static const char *const evil[] = {"", "../../../../../../../../evil.c", "/src/b.h"};
	char dir[PATH_MAX], path[2 * PATH_MAX];
	struct stat status;

	fake_lines_clear();
	fake_lines_set("/bin/prog", ranges, sizeof(ranges) / sizeof(ranges[0]), evil, 3);
	add(100, 1);
	(void)snprintf(dir, sizeof(dir), "%s/deep/er/out", session.dir);
	options.output_dir = dir;
	ck_assert_int_eq(format(), 0);
	(void)snprintf(path, sizeof(path), "%s/evil.c", dir);
	ck_assert_int_eq(stat(path, &status), 0);
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_an_error)
{
	char dir[PATH_MAX];

	add_usual();
	put("file", "");
	put_sources();
	(void)snprintf(dir, sizeof(dir), "%s/src/file", session.dir);
	options.output_dir = dir;
	ck_assert_int_lt(format(), 0);
	expect(diag.text, "cannot write ");
}
END_TEST

START_TEST(hostile_paths_and_texts_move_no_terminal)
{
	static const char *const evil[] = {"", "/src/a\x1b[2J*/.c", "/src/b.h"};

	fake_lines_clear();
	fake_lines_set("/bin/prog", ranges, sizeof(ranges) / sizeof(ranges[0]), evil, 3);
	add_usual();
	put("b.h", "x\x1b]0;title\x07y");
	look_in_session();
	ck_assert_int_eq(format(), 0);
	ck_assert_ptr_null(strchr(out_text, '\x1b'));
	ck_assert_ptr_null(strchr(err_text, '\x1b'));
	expect(out_text, "\"/src/a?[2J*|.c\"");
	expect(out_text, ":x?]0;title?y /* square");
}
END_TEST

START_TEST(classes_are_columns_side_by_side)
{
	make_session_add_one(&session, &(struct make_file){.app = "/bin/prog", .cpu_behind = 1},
			     100, 3);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/prog", .cpu_behind = 2},
			     125, 5);
	put_sources();
	ck_assert_int_eq(format(), 0);
	expect(out_text, "     3 100.000      0       0 :int main(void)");
	expect(out_text, "     0       0      5 100.000 :{ square(2);\n");
	expect(out_text, "                              :int foo(void)\n");
}
END_TEST

static Suite *format_source_suite(void)
{
	Suite *suite = suite_create("format_source");
	TCase *tcase = tcase_create("format_source");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, each_line_has_its_samples_or_blanks);
	tcase_add_test(tcase, a_comment_with_the_command_line_leads);
	tcase_add_test(tcase, a_missing_source_is_said_once_and_loses_no_sample);
	tcase_add_test(tcase, lines_behind_the_end_keep_their_samples);
	tcase_add_test(tcase, a_source_newer_than_the_binary_is_said);
	tcase_add_test(tcase, files_are_chosen_by_pattern_and_threshold);
	tcase_add_test(tcase, files_below_the_threshold_are_left_out);
	tcase_add_test(tcase, excluded_files_are_left_out);
	tcase_add_test(tcase, a_folder_gets_a_file_for_each_source);
	tcase_add_test(tcase, a_path_that_leads_out_of_the_folder_stays_in_it);
	tcase_add_test(tcase, a_folder_that_cannot_be_written_is_an_error);
	tcase_add_test(tcase, hostile_paths_and_texts_move_no_terminal);
	tcase_add_test(tcase, classes_are_columns_side_by_side);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(format_source_suite());
}
