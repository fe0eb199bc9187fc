// SPDX-License-Identifier: GPL-2.0-or-later
/* The program as its users run it: its output, its errors and its exit status. */
#include "lib/file.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct make_session session;
static char *out_text;
static char *err_text;

static void setup(void)
{
	make_session_init(&session);
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
	make_session_deinit(&session);
}

static char *read_beside(const char *name)
{
	char path[PATH_MAX];
	char *text;

	(void)snprintf(path, sizeof(path), "%s/%s", session.dir, name);
	ck_assert_int_eq(file_read_text(path, 1 << 20, &text, NULL), 0);
	return text;
}

/* Returns the exit status; the output is in out_text and err_text. */
static int run(const char *arguments)
{
	const char *top = getenv("OPROF_TOP_BUILDDIR");
	char line[2 * PATH_MAX];
	int status;

	forget();
	(void)snprintf(line, sizeof(line),
		       "cd %s && %s/opreport --session-dir=%s %s >out.txt 2>err.txt", session.dir,
		       top ? top : ".", session.dir, arguments);
	status = system(line);
	ck_assert(WIFEXITED(status));
	out_text = read_beside("out.txt");
	err_text = read_beside("err.txt");
	return WEXITSTATUS(status);
}

static void add(const struct make_file *file, uint64_t nr_samples)
{
	make_session_add_one(&session, file, 1, nr_samples);
}

static void add_usual(void)
{
	add(&(struct make_file){.app = "/nowhere/big"}, 70);
	add(&(struct make_file){.app = "/nowhere/big", .image = "/nowhere/lib.so"}, 20);
	add(&(struct make_file){.app = "/nowhere/small"}, 10);
}

START_TEST(standard_output_holds_the_layout_only)
{
	add_usual();
	ck_assert_int_eq(run("-n"), 0);
	ck_assert_str_eq(out_text, "       90 90.0000 big\n"
				   "\t       70 77.7778 big\n"
				   "\t       20 22.2222 lib.so\n"
				   "       10 10.0000 small\n");
	ck_assert_int_eq(strncmp(err_text, "session current of ", 19), 0);
	ck_assert_ptr_nonnull(strstr(err_text, "\nsamples 100\n"));
}
END_TEST

static uint64_t sum_of_column(const char *text)
{
	uint64_t sum = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line && *line != '\t')
			sum += strtoull(line, NULL, 10);
	}
	return sum;
}

static uint64_t sum_of_last_column(const char *text)
{
	uint64_t sum = 0;

	for (const char *end = strchr(text, '\n'); end; end = strchr(end + 1, '\n')) {
		const char *number = end;

		while (number > text && number[-1] != ' ')
			number--;
		sum += strtoull(number, NULL, 10);
	}
	return sum;
}

START_TEST(images_and_symbols_have_the_same_sum)
{
	add_usual();
	ck_assert_int_eq(run("-n"), 0);
	ck_assert_uint_eq(sum_of_column(out_text), 100);
	ck_assert_int_eq(run("-n -l"), 0);
	ck_assert_uint_eq(sum_of_column(out_text), 100);
	ck_assert_ptr_nonnull(strstr(err_text, "70 samples (70.00 %) without a symbol"));
}
END_TEST

START_TEST(the_header_comes_before_the_columns)
{
	add_usual();
	ck_assert_int_eq(run(""), 0);
	ck_assert_int_eq(
		strncmp(out_text, "CPU: Test CPU, speed 2400 MHz (estimated)\nCounted ", 50), 0);
}
END_TEST

START_TEST(nothing_chosen_is_an_error)
{
	add_usual();
	ck_assert_int_eq(run("event:other"), 1);
	ck_assert_str_eq(out_text, "");
	ck_assert_ptr_nonnull(strstr(err_text, "opreport: error: no sample file matches"));
}
END_TEST

START_TEST(a_call_graph_without_stacks_says_how_to_get_them)
{
	add_usual();
	ck_assert_int_eq(run("-c"), 1);
	ck_assert_str_eq(out_text, "");
	ck_assert_ptr_nonnull(strstr(err_text, "operf -g"));
}
END_TEST

START_TEST(what_programs_read_is_flat_without_stacks)
{
	add_usual();
	ck_assert_int_eq(run("--folded"), 0);
	ck_assert_ptr_nonnull(strstr(err_text, "no call stacks"));
	ck_assert_uint_eq(sum_of_last_column(out_text), 100);
	ck_assert_int_eq(run("--callgrind"), 0);
	ck_assert_ptr_nonnull(strstr(out_text, "\ntotals: 100\n"));
}
END_TEST

/* Reports of call stacks need the stacks. JSON contains them if there are any. */
START_TEST(call_stacks_are_read_where_they_are_shown)
{
	const struct make_file big = {.app = "/nowhere/big"};
	struct make_chains chains;

	make_chains_init(&chains);
	make_chains_add(&chains, &big, "+1 /nowhere/lib.so+1", 5);
	make_chains_live(&chains, &session, 1);
	make_chains_deinit(&chains);
	ck_assert_int_eq(run("-c"), 0);
	ck_assert_int_eq(run("--folded"), 0);
	ck_assert_uint_eq(sum_of_last_column(out_text), 5);
	ck_assert_int_eq(run("-l --json"), 0);
	ck_assert_ptr_nonnull(strstr(out_text, "\n \"stacks\":{\n  \"samples\":5,\n"));
}
END_TEST

START_TEST(a_damaged_file_is_named_and_left_out)
{
	const struct make_sample sample = {1, 5};
	char path[PATH_MAX];

	add_usual();
	make_session_add(&session, &(struct make_file){.app = "/nowhere/bad"}, &sample, 1, path);
	ck_assert_int_eq(file_replace(path, "rubbish", 7, 0600), 0);
	ck_assert_int_eq(run("-n"), 0);
	ck_assert_uint_eq(sum_of_column(out_text), 100);
	ck_assert_ptr_nonnull(strstr(err_text, path));
	ck_assert_ptr_nonnull(strstr(err_text, "1 sample file could not be read and is left out"));
}
END_TEST

START_TEST(only_damaged_files_make_an_empty_report)
{
	const struct make_sample sample = {1, 5};
	char path[PATH_MAX];

	make_session_add(&session, &(struct make_file){.app = "/nowhere/bad"}, &sample, 1, path);
	ck_assert_int_eq(file_replace(path, "", 0, 0600), 0);
	ck_assert_int_eq(run("-n"), 0);
	ck_assert_str_eq(out_text, "");
	ck_assert_int_eq(run("-n -l"), 0);
	ck_assert_str_eq(out_text, "");
	ck_assert_ptr_nonnull(strstr(err_text, "1 sample file could not be read and is left out"));
}
END_TEST

START_TEST(an_output_file_is_replaced_and_a_link_to_it_stays)
{
	struct stat st;
	char path[PATH_MAX];
	char *text;

	add_usual();
	(void)snprintf(path, sizeof(path), "%s/link", session.dir);
	ck_assert_int_eq(symlink("report", path), 0);
	ck_assert_int_eq(run("-n -o report"), 0);
	ck_assert_str_eq(out_text, "");
	ck_assert_int_eq(run("-n -t 50 -o link"), 0);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	text = read_beside("report");
	ck_assert_uint_eq(sum_of_column(text), 90);
	free(text);
}
END_TEST

START_TEST(an_output_that_cannot_be_written_is_an_error)
{
	add_usual();
	ck_assert_int_eq(run("-n -o /dev/full"), 1);
	ck_assert_ptr_nonnull(strstr(err_text, "cannot write the report"));
	ck_assert_int_eq(run("-n -o nowhere/report"), 1);
	ck_assert_ptr_nonnull(strstr(err_text, "cannot write the report"));
	ck_assert_int_eq(run("-n -o /dev/null"), 0);
}
END_TEST

START_TEST(verbose_names_the_files_that_are_read)
{
	add_usual();
	ck_assert_int_eq(run("-V small"), 0);
	ck_assert_ptr_nonnull(strstr(err_text, "read "));
	ck_assert_ptr_nonnull(strstr(err_text, "{root}/nowhere/small/cpu-clock.1000000."));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opreport");
	TCase *tests = tcase_create("opreport");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, standard_output_holds_the_layout_only);
	tcase_add_test(tests, images_and_symbols_have_the_same_sum);
	tcase_add_test(tests, the_header_comes_before_the_columns);
	tcase_add_test(tests, nothing_chosen_is_an_error);
	tcase_add_test(tests, a_call_graph_without_stacks_says_how_to_get_them);
	tcase_add_test(tests, what_programs_read_is_flat_without_stacks);
	tcase_add_test(tests, call_stacks_are_read_where_they_are_shown);
	tcase_add_test(tests, a_damaged_file_is_named_and_left_out);
	tcase_add_test(tests, only_damaged_files_make_an_empty_report);
	tcase_add_test(tests, an_output_file_is_replaced_and_a_link_to_it_stays);
	tcase_add_test(tests, an_output_that_cannot_be_written_is_an_error);
	tcase_add_test(tests, verbose_names_the_files_that_are_read);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
