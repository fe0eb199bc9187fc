// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/report/report_calls.h"

#include "lib/log.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- coverage, of trees made by hand ---- */

static struct profile without_symbols, with_symbols = {.with_symbols = true};

static void write_coverage(FILE *err, void *context)
{
	report_calls_write_coverage(err, context);
}

static void assert_coverage(struct report_calls *calls, const char *expected)
{
	char *text = make_profile_text(write_coverage, calls);

	ck_assert_str_eq(text, expected);
	free(text);
}

#define TRUNCATED_TEXT                                                                             \
	"  truncated: the stack was deeper than the recording limit (operf --stack-bytes, "        \
	"--callgraph); its outermost functions are missing\n"
#define BROKEN_TEXT                                                                                \
	"  broken: callers could not be found up to the outermost function, because code has no "  \
	"unwind information or frame pointers, or because the program had just begun and the "     \
	"tables of its binaries were not built yet\n"

START_TEST(each_end_of_stacks_is_told_by_its_own_number)
{
	static const struct {
		struct call_tree tree;
		const char *expected;
	} cases[] = {
		{{.nr_samples = 200}, "stacks of 200 samples\n"},
		{{.nr_samples = 200, .nr_truncated = 1},
		 "stacks of 200 samples, 1 (0.50 %) truncated\n" TRUNCATED_TEXT},
		{{.nr_samples = 200, .nr_broken = 2},
		 "stacks of 200 samples, 2 (1.00 %) broken\n" BROKEN_TEXT},
		{{.nr_samples = 200, .nr_folded = 3},
		 "stacks of 200 samples, 3 (1.50 %) folded into [other]\n"},
		{{.nr_samples = 200, .nr_filtered = 4},
		 "stacks of 200 samples, 4 excluded by symbol\n"},
		{{.nr_missing = 5},
		 "stacks of 0 samples; 5 samples have no stack and are not in the report\n"},
		{{.nr_samples = 200, .nr_damaged = 6},
		 "stacks of 200 samples\n6 call trees could not be read\n"},
		{{.nr_samples = 200,
		  .nr_truncated = 200,
		  .nr_broken = 1,
		  .nr_folded = 2,
		  .nr_filtered = 3,
		  .nr_missing = 4,
		  .nr_damaged = 5},
		 "stacks of 200 samples, 200 (100.00 %) truncated, 1 (0.50 %) broken, "
		 "2 (1.00 %) folded into [other], 3 excluded by symbol; 4 samples have no stack "
		 "and are not in the report\n" TRUNCATED_TEXT BROKEN_TEXT
		 "5 call trees could not be read\n"},
		{{.nr_samples = 200, .nr_missing = 1, .is_flat = true}, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report_calls calls = {.tree = cases[i].tree};

		calls.tree.profile = &with_symbols;
		assert_coverage(&calls, cases[i].expected);
	}
}
END_TEST

#define NR_IMAGES 8

/* A root, and a node for each function, in two columns. */
static char note[] = "stripped";
static struct call_image images[NR_IMAGES] = {
	{.path = "/lib/0"}, {.path = "/lib/1"}, {.path = "/lib/2", .note = note},
	{.path = "/lib/3"}, {.path = "/lib/4"}, {.path = "/lib/5"},
	{.path = "/lib/6"}, {.path = "/lib/7"},
};
static struct call_function functions[] = {
	{.image = 7},
	{.image = 0, .name = "known"},
	{.image = 1},
	{.image = 2},
	{.image = 3},
	{.image = 4},
	{.image = 4, .name = "4+0x10", .is_nameless = true},
	{.image = 5},
	{.image = CALL_IMAGE_NONE, .name = "[broken]"},
	{.image = 4, .name = "known"},
};
static struct call_node nodes[] = {
	{.parent = CALL_NODE_NONE}, /* the root has no function */
	{.function = 1},
	{.function = 0},
	{.function = 2},
	{.function = 3},
	{.function = 4},
	{.function = 5},
	{.function = 6},
	{.function = 7},
	{.function = 8},
	{.function = 9},
};
static uint64_t self[][2] = {
	{1000, 0}, {900, 0}, {0, 60}, {20, 20}, {30, 0},  {40, 0},
	{10, 0},   {0, 41},  {1, 0},  {800, 0}, {700, 0},
};

static struct report_calls lacking(size_t nr_nodes)
{
	return (struct report_calls){.tree = {.profile = &without_symbols,
					      .images = images,
					      .functions = functions,
					      .nodes = nodes,
					      .self = self[0],
					      .nr_apps = 1,
					      .nr_images = NR_IMAGES,
					      .nr_functions = 10,
					      .nr_nodes = nr_nodes,
					      .nr_columns = 2,
					      .nr_samples = 1}};
}

#define ENDS "stacks of 1 samples\n"

START_TEST(images_without_symbols_come_by_samples_then_in_order)
{
	struct report_calls calls = lacking(11);

	assert_coverage(&calls, ENDS "60 samples without symbol in /lib/7\n"
				     "51 samples without symbol in /lib/4\n"
				     "40 samples without symbol in /lib/1\n"
				     "40 samples without symbol in /lib/3\n"
				     "30 samples without symbol in /lib/2: stripped\n");
	calls = lacking(5);
	assert_coverage(&calls, ENDS "60 samples without symbol in /lib/7\n"
				     "40 samples without symbol in /lib/1\n"
				     "30 samples without symbol in /lib/2: stripped\n");
	calls = lacking(2);
	assert_coverage(&calls, ENDS);
	calls = lacking(11);
	failing_begin(FAILING_MEMORY, 1, 0);
	assert_coverage(&calls, ENDS);
	ck_assert(failing_end());
	calls.tree.profile = &with_symbols; /* the flat profile has already reported it */
	assert_coverage(&calls, ENDS);
}
END_TEST

/* ---- reports of sessions ---- */

static struct make_session session;
static struct make_chains chains;
static struct make_profile made;
static struct report_options options;
static struct report_calls calls;
static struct diag diag;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x1200, .name = "foo"},
};

static void skip(const char *path, const struct diag *why)
{
	(void)why;
	ck_abort_msg("%s", path);
}

static void setup(void)
{
	log_init("test", LOG_LEVEL_WARNING);
	make_session_init(&session);
	make_chains_init(&chains);
	fake_symbols_set("/bin/a", symbols, 2, NULL);
	options =
		(struct report_options){.text = {.demangle = DEMANGLE_NONE}, .profile.skip = skip};
	made = (struct make_profile){.selection_options.stacks = true};
}

static void teardown(void)
{
	fake_symbols_clear();
	make_chains_deinit(&chains);
	make_session_deinit(&session);
}

static void make_stacks(void)
{
	const struct make_file a = {.app = "/bin/a"};

	make_chains_add(&chains, &a, "+110 +210", 3);
	make_chains_add(&chains, &a, "+120", 4);
	make_chains_live(&chains, &session, 1);
}

static void set_format(enum report_format format, bool callgraph)
{
	options.format = format;
	options.callgraph = callgraph;
	options.profile.symbols = options.profile.details = report_calls_has_lines(&options);
}

static void make_flat(void)
{
	made.profile_options = options.profile;
	make_profile_init(&made, &session, "");
}

static void write_report(FILE *out, void *context)
{
	(void)context;
	ck_assert_int_eq(report_calls_write(out, &calls, &options, NULL, &diag), 0);
}

static const struct {
	enum report_format format;
	bool callgraph;
	bool has_graph, has_places;
	const char *begin; /* the beginning of the text written */
} formats[] = {
	{REPORT_TEXT, true, true, false, "-----"},
	{REPORT_STACKS, false, false, false, "7"},
	{REPORT_FOLDED, false, false, false, "a;main 4\na;main;foo 3\n"},
	{REPORT_PPROF, false, false, true, ""},
	{REPORT_CALLGRIND, false, true, true, "# callgrind format\n"},
};

START_TEST(each_format_has_what_it_is_made_of)
{
	char *text;

	make_stacks();
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		set_format(formats[i].format, formats[i].callgraph);
		make_flat();
		ck_assert_int_eq(report_calls_build(&calls, &made.profile, &options, &diag), 0);
		ck_assert_uint_eq(calls.tree.nr_samples, 7);
		ck_assert_int_eq(calls.graph.tree != NULL, formats[i].has_graph);
		ck_assert_int_eq(calls.places.tree != NULL, formats[i].has_places);
		text = make_profile_text(write_report, NULL);
		ck_assert_msg(*text && !strncmp(text, formats[i].begin, strlen(formats[i].begin)),
			      "%s", text);
		free(text);
		report_calls_deinit(&calls);
		make_profile_deinit(&made);
	}
}
END_TEST

/* Formats for other programs then have each function by itself; the others have nothing to show. */
START_TEST(without_stacks_only_formats_of_other_programs_are_made)
{
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x110, 4);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x210, 3);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		bool is_made = formats[i].format >= REPORT_FOLDED;

		set_format(formats[i].format, formats[i].callgraph);
		make_flat();
		ck_assert_int_eq(report_calls_build(&calls, &made.profile, &options, &diag),
				 is_made ? 0 : -ENODATA);
		if (is_made) {
			ck_assert(calls.tree.is_flat && made.profile.with_symbols);
			ck_assert_uint_eq(calls.tree.nr_samples, 7);
			assert_coverage(&calls, "");
			report_calls_deinit(&calls);
		}
		make_profile_deinit(&made);
	}
}
END_TEST

/* Returns the report, malloc'ed, or NULL if it could not be built. Only allocations in building
 * it count. */
static char *built_report(int *error)
{
	char *text = NULL;

	failing_pause();
	make_flat();
	diag_clear(&diag);
	failing_go_on();
	*error = report_calls_build(&calls, &made.profile, &options, &diag);
	failing_pause();
	if (!*error) {
		text = make_profile_text(write_report, NULL);
		report_calls_deinit(&calls);
	}
	make_profile_deinit(&made);
	failing_go_on();
	return text;
}

START_TEST(no_memory_is_an_error_and_never_a_wrong_report)
{
	bool failed = true;
	char *whole, *text;
	int error;

	if (_i & 1)
		make_stacks();
	else
		make_session_add_one(&session, &(struct make_file){.app = "/bin/a"}, 0x110, 7);
	set_format(_i & 2 ? REPORT_CALLGRIND : REPORT_FOLDED, false);
	whole = built_report(&error);
	ck_assert_int_eq(error, 0);
	for (unsigned long nth = 1; failed; nth++) {
		failing_begin(FAILING_MEMORY, nth, 0);
		text = built_report(&error);
		failed = failing_end();
		if (error)
			ck_assert_msg(failed && error == -ENOMEM && *diag.text,
				      "allocation %lu: %d, %s", nth, error, diag.text);
		else
			ck_assert_msg(!strcmp(text, whole), "allocation %lu: %s", nth, text);
		ck_assert(failed || nth > 5);
		free(text);
	}
	free(whole);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_calls");
	TCase *coverage = tcase_create("coverage"), *reports = tcase_create("reports");

	tcase_add_test(coverage, each_end_of_stacks_is_told_by_its_own_number);
	tcase_add_test(coverage, images_without_symbols_come_by_samples_then_in_order);
	suite_add_tcase(suite, coverage);
	tcase_add_checked_fixture(reports, setup, teardown);
	tcase_add_test(reports, each_format_has_what_it_is_made_of);
	tcase_add_test(reports, without_stacks_only_formats_of_other_programs_are_made);
	tcase_add_loop_test(reports, no_memory_is_an_error_and_never_a_wrong_report, 0, 4);
	suite_add_tcase(suite, reports);
	return run_suite(suite);
}
