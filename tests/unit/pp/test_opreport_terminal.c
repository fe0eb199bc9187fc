// SPDX-License-Identifier: GPL-2.0-or-later
/* oprof report on a terminal, and into a pipe as scripts read it. */
#include "lib/file.h"
#include "pp/base/cells.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/terminal.h"

#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define WORDS_MAX 24

static struct make_session session;
static char folder[PATH_MAX + 16]; /* --session-dir=... */
static const char *built;

static void setup(void)
{
	built = getenv("OPROF_TOP_BUILDDIR");
	if (!built)
		built = ".";
	make_session_init(&session);
	(void)snprintf(folder, sizeof(folder), "--session-dir=%s", session.dir);
}

static void teardown(void)
{
	make_session_deinit(&session);
}

static void add(const struct make_file *file, uint64_t nr_samples)
{
	make_session_add_one(&session, file, 1, nr_samples);
}

/* No image has symbols here: each is a row, by its path. */
static void add_usual(void)
{
	add(&(struct make_file){.app = "/nowhere/warm"}, 250);
	add(&(struct make_file){.app = "/nowhere/hot"}, 700);
	add(
		&(struct make_file){
			.app = "/nowhere/hot",
			.image = "/nowhere/of/a/path/that/is/long/enough/to/be/cut/in/front/of/"
				 "its/name/on/terminals/of/every/width/up/to/a/hundred/and/on/"
				 "wide/ones/as/well/if/it/only/goes/on/for/long/enough/lib.so"},
		46);
	add(&(struct make_file){.app = "/nowhere/rare"}, 3);
	add(&(struct make_file){.app = "/nowhere/rarer"}, 1);
}

/* Removes lines of progress, which come if the machine is slow: each is cleared by "\033[K". */
static void remove_progress(char *text)
{
	char *end;

	while ((end = strstr(text, "\033[K"))) {
		char *begin = end;

		while (begin > text && begin[-1] != '\n')
			begin--;
		end += strlen("\033[K");
		memmove(begin, end, strlen(end) + 1);
	}
}

/*
 * Runs a command in the environment words, on a terminal; returns what it shows. Both are words
 * separated by blanks; oprof and opreport are those that were built.
 */
static char *on_terminal(int columns, const char *environment, const char *command)
{
	const char *argv[WORDS_MAX + 4] = {"/usr/bin/env", "-u", "NO_COLOR"};
	char program[PATH_MAX];
	char words[512];
	char *next = words;
	char *text;
	int argc = 3;
	int status;

	ck_assert_int_lt(snprintf(words, sizeof(words), "%s %s", environment, command),
			 (int)sizeof(words));
	for (char *word; (word = strtok_r(next, " ", &next));) {
		ck_assert_int_lt(argc, WORDS_MAX);
		if (!strcmp(word, "oprof") || !strcmp(word, "opreport")) {
			(void)snprintf(program, sizeof(program), "%s/%s", built, word);
			word = program;
		}
		argv[argc++] = word;
	}
	argv[argc++] = folder;
	argv[argc] = NULL;
	text = terminal_output(columns, argv, &status);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "%s: %s", command, text);
	remove_progress(text);
	return text;
}

/* Runs a shell command in the session's folder, with $O for the built programs. */
static char *into_pipe(const char *command)
{
	char line[2 * PATH_MAX];
	char path[PATH_MAX];
	char *text;

	(void)snprintf(line, sizeof(line), "cd %s && O=%s && S=%s && { %s; } | cat >out",
		       session.dir, built, folder, command);
	ck_assert_int_eq(system(line), 0);
	(void)snprintf(path, sizeof(path), "%s/out", session.dir);
	ck_assert_int_eq(file_read_text(path, 1 << 20, &text, NULL), 0);
	return text;
}

/* Removes colours. */
static void make_plain(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\033')
			from = strchr(from, 'm');
		else
			*to++ = *from;
	}
	*to = '\0';
}

/* Returns the first line from text on that holds word; fails without one. */
static const char *find(const char *text, const char *word)
{
	const char *found = strstr(text, word);

	ck_assert_msg(found != NULL, "no \"%s\" in: %s", word, text);
	return found;
}

static void expect_none(const char *text, const char *word)
{
	ck_assert_msg(!strstr(text, word), "\"%s\" in: %s", word, text);
}

/* Fails if a line needs more cells than columns, but for words that never wrap. */
static void expect_fits(const char *text, int columns)
{
	char *copy = strdup(text);
	char *line;
	char *next = copy;

	ck_assert_ptr_nonnull(copy);
	while ((line = strsep(&next, "\n")))
		if (strchr(line + strspn(line, " "), ' '))
			ck_assert_msg(cells_count(line) <= columns, "%d of %d cells: %s",
				      cells_count(line), columns, line);
	free(copy);
}

/* Returns the sum of the lines' shares, in hundredths of a percent. */
static int sum_of_shares(const char *text)
{
	double sum = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		double share;
		char sign;

		line += *line == '\n';
		if (sscanf(line, "%lf%c", &share, &sign) == 2 && sign == '%')
			sum += share;
	}
	return (int)(sum * 100 + 0.5);
}

START_TEST(a_report_fits_every_width_with_hot_rows_first_and_nothing_left_out)
{
	static const int widths[] = {60, 80, 100, 200};

	add_usual();
	(void)setlocale(LC_ALL, "C.UTF-8");
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char *text = on_terminal(widths[i], "TERM=xterm", "oprof report -l");
		const char *row;

		find(text, "\033[1;31m");
		make_plain(text);
		expect_fits(text, widths[i]);
		row = find(text, "  SHARE ");
		ck_assert_int_eq(sum_of_shares(row), 10000);
		row = find(row, " 70.00% \u2588\u2588\u2588");
		row = find(row, " 25.00% \u2588\u2588");
		row = find(row, "  4.60% ");
		find(row, "\u2026");
		row = find(row, "  0.40% ");
		row = find(row, "2 symbols below 0.5 % (-t 0: all)\n");
		find(row, "no symbols for 100.00 %, in 5 images, most in");
		expect_none(text, "without a symbol in");
		free(text);
	}
}
END_TEST

START_TEST(applications_are_shown_in_the_same_way)
{
	char *text;

	add_usual();
	text = on_terminal(100, "TERM=xterm", "oprof report --color=never");
	find(text,
	     "\n  SHARE            SAMPLES  PROGRAM\n"
	     " 74.60% \u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588     746  hot\n"
	     " 70.00% ");
	find(text, "     700    hot\n");
	find(text, "      46    lib.so\n");
	find(text, "       4  2 programs below 0.5 % (-t 0: all)\n");
	free(text);
	text = on_terminal(100, "TERM=xterm", "oprof report -t 0");
	find(text, "  rarer\n");
	expect_none(text, "below");
	free(text);
}
END_TEST

START_TEST(colours_are_left_out_where_they_are_not_wanted)
{
	static const struct {
		const char *environment, *options;
		bool colors;
	} cases[] = {{"TERM=xterm", "", true},
		     {"TERM=dumb", "", false},
		     {"-u TERM", "", false},
		     {"TERM=xterm NO_COLOR=1", "", false},
		     {"TERM=xterm NO_COLOR=", "", true},
		     {"TERM=xterm", "--color=never", false},
		     {"TERM=dumb NO_COLOR=1", "--color=always", true},
		     {"TERM=dumb", "--color", true}};
	char command[128];

	add_usual();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text;

		(void)snprintf(command, sizeof(command), "oprof report -l %s", cases[i].options);
		text = on_terminal(80, cases[i].environment, command);
		ck_assert_msg((strchr(text, '\033') != NULL) == cases[i].colors, "%s %s: %s",
			      cases[i].environment, cases[i].options, text);
		find(text, "SHARE");
		free(text);
	}
}
END_TEST

START_TEST(the_C_locale_has_ASCII_only)
{
	char *text;

	add_usual();
	text = on_terminal(60, "TERM=xterm LC_ALL=C", "oprof report -l");
	find(text, " 70.00% ######");
	find(text, "...");
	for (const char *byte = text; *byte; byte++)
		ck_assert_int_gt(*byte, 0);
	free(text);
}
END_TEST

START_TEST(COLUMNS_is_respected)
{
	char *text;

	add_usual();
	text = on_terminal(200, "TERM=dumb LC_ALL=C COLUMNS=60", "oprof report -l");
	expect_fits(text, 60);
	find(text, " 70.00% ######    ");
	free(text);
}
END_TEST

START_TEST(scripts_read_what_opreport_always_wrote)
{
	static const char *const options[] = {"", "-l", "-l -n", "-l -w -a --error -t 1"};
	char command[256];
	char *text;

	add_usual();
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char *oprof;
		char *opreport;

		(void)snprintf(command, sizeof(command), "$O/oprof report %s $S 2>&1", options[i]);
		oprof = into_pipe(command);
		(void)snprintf(command, sizeof(command), "$O/opreport %s $S 2>&1", options[i]);
		opreport = into_pipe(command);
		ck_assert_str_eq(oprof, opreport);
		expect_none(oprof, "SHARE");
		free(oprof);
		free(opreport);
	}
	text = into_pipe("$O/oprof report -l -n $S 2>/dev/null | head -2");
	ck_assert_str_eq(text,
			 "700      70.0000  hot                      hot                      "
			 "/nowhere/hot\n"
			 "250      25.0000  warm                     warm                     "
			 "/nowhere/warm\n");
	free(text);
}
END_TEST

START_TEST(a_call_graph_has_the_same_layout)
{
	const struct make_file hot = {.app = "/nowhere/hot"};
	struct make_chains chains;
	char *text;
	char *report;

	make_chains_init(&chains);
	make_chains_add(&chains, &hot, "+110 /nowhere/of/a/long/path/to/a/library.so+210", 700);
	make_chains_add(&chains, &hot, "+110", 300);
	make_chains_live(&chains, &session, 1);
	make_chains_deinit(&chains);
	(void)setlocale(LC_ALL, "C.UTF-8");
	text = on_terminal(60, "TERM=dumb LC_ALL=C.UTF-8", "oprof report -c");
	expect_fits(text, 60);
	find(text, "\n  SHARE ");
	find(text, "-> ");
	find(text, "\nstacks of 1000 samples");
	expect_none(text, "-----");
	expect_none(text, "CPU: ");
	free(text);
	report = into_pipe("$O/oprof report -c $S 2>&1");
	text = into_pipe("$O/opreport -c $S 2>&1");
	ck_assert_str_eq(report, text);
	find(text, "-----");
	free(report);
	report = on_terminal(60, "TERM=xterm", "opreport -c");
	ck_assert_str_eq(report, text);
	free(report);
	free(text);
}
END_TEST

START_TEST(a_comparison_has_the_same_layout)
{
	static const int widths[] = {60, 100};
	char *text;
	char *diff;

	session.name = "before";
	add(&(struct make_file){.app = "/nowhere/warm"}, 750);
	add(&(struct make_file){.app = "/nowhere/hot"}, 250);
	session.name = "current";
	add_usual();
	(void)setlocale(LC_ALL, "C.UTF-8");
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		const char *row;

		text = on_terminal(widths[i], "TERM=xterm LC_ALL=C.UTF-8",
				   "oprof diff -l session:before session:current");
		make_plain(text);
		expect_fits(text, widths[i]);
		row = find(text, " BEFORE     NOW  CHANGE ");
		row = find(row, " 75.00%  25.00%  -50.00  ");
		ck_assert_int_eq(strstr(row, "\u2588\u2588\u2588") != NULL, widths[i] == 100);
		row = find(row, " 25.00%  70.00%  +45.00  ");
		row = find(row, "      -   4.60%   +4.60 ");
		row = find(row, "      -   0.40%   +0.40 ");
		find(row, "CHANGE: the difference of the shares");
		free(text);
	}
	text = into_pipe("$O/opreport --diff -l session:before session:current $S 2>&1");
	diff = into_pipe("$O/oprof diff -l session:before session:current $S 2>&1");
	ck_assert_str_eq(text, diff);
	find(text, "diff %");
	free(diff);
	diff = on_terminal(60, "TERM=xterm", "opreport --diff -l session:before session:current");
	ck_assert_str_eq(text, diff);
	free(diff);
	free(text);
}
END_TEST

/* A script may run on a terminal, too. */
START_TEST(opreport_writes_the_same_on_a_terminal)
{
	char *on;
	char *in;

	add_usual();
	on = on_terminal(60, "TERM=xterm", "opreport -l");
	in = into_pipe("$O/opreport -l $S 2>&1");
	ck_assert_str_eq(on, in);
	free(on);
	free(in);
}
END_TEST

START_TEST(colours_into_a_pipe_are_those_of_the_terminal_layout)
{
	char *text;

	add_usual();
	text = into_pipe("LC_ALL=C COLUMNS=80 TERM=dumb $O/oprof report -l --color $S 2>err");
	find(text, "\033[1;31m 70.00% ");
	make_plain(text);
	expect_fits(text, 80);
	ck_assert_int_eq(sum_of_shares(text), 10000);
	free(text);
}
END_TEST

START_TEST(verbose_names_each_image_without_symbols)
{
	char *text;

	add_usual();
	text = on_terminal(100, "TERM=dumb LC_ALL=C.UTF-8", "oprof report -l -V");
	(void)setlocale(LC_ALL, "C.UTF-8");
	expect_fits(text, 100);
	find(text, "read\n  /");
	find(text, "samples (70.00 %) without a symbol in /nowhere/hot");
	find(text, "samples (25.00 %) without a symbol in /nowhere/warm");
	expect_none(text, "no symbols for");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opreport_terminal");
	TCase *tests = tcase_create("opreport_terminal");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 120);
	if (terminal_works()) {
		tcase_add_test(tests,
			       a_report_fits_every_width_with_hot_rows_first_and_nothing_left_out);
		tcase_add_test(tests, applications_are_shown_in_the_same_way);
		tcase_add_test(tests, colours_are_left_out_where_they_are_not_wanted);
		tcase_add_test(tests, the_C_locale_has_ASCII_only);
		tcase_add_test(tests, COLUMNS_is_respected);
		tcase_add_test(tests, opreport_writes_the_same_on_a_terminal);
		tcase_add_test(tests, a_call_graph_has_the_same_layout);
		tcase_add_test(tests, a_comparison_has_the_same_layout);
		tcase_add_test(tests, verbose_names_each_image_without_symbols);
	}
	tcase_add_test(tests, scripts_read_what_opreport_always_wrote);
	tcase_add_test(tests, colours_into_a_pipe_are_those_of_the_terminal_layout);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
