// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/cells.h"
#include "pp/report/report_notes.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOTE                                                                                       \
	"no line information: compile it with -g, or install the package with its debug symbols"

static const char *const paths[] = {"/bin/prog 1\n", "/bin/prog 2\n", "/bin/prog 3\n",
				    "/bin/prog 4\n", "/bin/prog 5\n"};
static struct make_session session;
static struct make_profile made;
static struct report_options options;
static bool memory_is_short;

FILE *__real_open_memstream(char **text, size_t *nr_bytes);
FILE *__wrap_open_memstream(char **text, size_t *nr_bytes);

FILE *__wrap_open_memstream(char **text, size_t *nr_bytes)
{
	if (!memory_is_short)
		return __real_open_memstream(text, nr_bytes);
	errno = ENOMEM;
	return NULL;
}

static void setup(void)
{
	make_session_init(&session);
	session.name = "run";
	made = (struct make_profile){.profile_options.symbols = true};
	options = (struct report_options){.layout = LAYOUT_TERMINAL, .text.show_lines = true};
	options.selection.session_dir = session.dir;
	for (size_t i = 0; i < 5; i++) {
		fake_symbols_set(paths[i], NULL, 0, NOTE);
		make_session_add_one(&session, &(struct make_file){.app = paths[i]}, 1, i + 1);
	}
	make_profile_init(&made, &session, "session:run");
	for (size_t i = 0; i < made.selection.nr_images; i++)
		made.profile.images[i].line_note = strdup(NOTE);
}

static void teardown(void)
{
	make_profile_deinit(&made);
	fake_symbols_clear();
	make_session_deinit(&session);
}

/* Returns the notes before and after the report. */
static char *write_notes(void)
{
	const struct report_notes notes = {
		.profile = &made.profile, .options = &options, .width = 60};
	char *text;
	size_t nr_bytes;
	FILE *out = __real_open_memstream(&text, &nr_bytes);

	ck_assert_ptr_nonnull(out);
	report_notes_before(out, &notes);
	report_notes_after(out, &notes);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

/* Returns the cells of the widest line with blanks between words: longer words stay whole. */
static int widest(const char *text)
{
	char *copy = strdup(text);
	char *next = copy;
	int most = 0;

	ck_assert_ptr_nonnull(copy);
	for (char *line; (line = strsep(&next, "\n"));)
		if (strchr(line + strspn(line, " "), ' ') && cells_count(line) > most)
			most = cells_count(line);
	free(copy);
	return most;
}

static void expect(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, part)); text++)
		nr++;
	return nr;
}

START_TEST(all_notes_fit_a_terminal)
{
	char *text = write_notes();

	ck_assert_int_le(widest(text), 60);
	expect(text, "\nsource lines of /bin/prog 1?: no line information: compile");
	ck_assert_uint_eq(count(text, "\nsource lines of "), 1);
	expect(text, "\nand 4 more images without source lines (-V lists them)\n");
	free(text);
	options.tool.verbose = true;
	text = write_notes();
	ck_assert_int_le(widest(text), 60);
	/* The session's path may be too long to stand beside it. */
	ck_assert_uint_eq(count(text, "\nread ") + count(text, "\nread\n"), 4);
	ck_assert_uint_eq(count(text, "source lines of "), 5);
	ck_assert_ptr_null(strstr(text, "opreport"));
	free(text);
}
END_TEST

START_TEST(scripts_get_messages_that_are_lines)
{
	char *text;

	options.layout = LAYOUT_SCRIPT;
	options.tool.verbose = true;
	text = write_notes();
	ck_assert_uint_eq(count(text, "opreport: read "), 5);
	ck_assert_uint_eq(count(text, "?: " NOTE "\n"), 15);
	expect(text, "opreport: /bin/prog 3?: " NOTE "\n");
	expect(text, "\nopreport: source lines of /bin/prog 3?: " NOTE "\n");
	free(text);
	options.tool.verbose = false;
	text = write_notes();
	ck_assert_uint_eq(count(text, "opreport: source lines of "), 3);
	expect(text, "\nopreport: and 2 more images without source lines (-V lists them)\n");
	free(text);
}
END_TEST

START_TEST(without_memory_for_lines_of_the_width_nothing_is_left_out)
{
	char *wrapped = write_notes();
	char *text;

	memory_is_short = true;
	text = write_notes();
	memory_is_short = false;
	expect(text, "\nsource lines of /bin/prog 1?: " NOTE "\n");
	ck_assert_int_gt(widest(text), 60);
	/* They differ in blanks and line feeds only. */
	for (const char *a = text, *b = wrapped; *a || *b; a += *a != 0, b += *b != 0) {
		a += strspn(a, " \n");
		b += strspn(b, " \n");
		ck_assert_msg(*a == *b, "%s against %s", a, b);
	}
	free(wrapped);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_notes");
	TCase *tests = tcase_create("report_notes");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, all_notes_fit_a_terminal);
	tcase_add_test(tests, scripts_get_messages_that_are_lines);
	tcase_add_test(tests, without_memory_for_lines_of_the_width_nothing_is_left_out);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
