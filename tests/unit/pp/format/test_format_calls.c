// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_calls.h"
#include "pp/format/format_document.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DASHES "-------------------------------------------------------------------------------\n"

static struct make_session session;
static struct make_chains chains;
static struct make_calls calls;
static struct text_options text_options;
static struct calls_options options;

static const struct symbol program_symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x400100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x400200, .name = "_Z3foo"},
	{.start = 0x300, .nr_bytes = 0x100, .address = 0x400300, .name = "g;h\\\n\u202e"},
};
static const struct symbol library_symbols[] = {
	{.start = 0x10, .nr_bytes = 0x10, .address = 0x10, .name = "memcpy"},
};
static const struct make_file a = {.app = "/bin/a"};

static void setup(void)
{
	make_session_init(&session);
	make_chains_init(&chains);
	calls = (struct make_calls){0};
	text_options = (struct text_options){.header = true, .demangle = DEMANGLE_NORMAL};
	options = (struct calls_options){.text = &text_options};
	fake_symbols_set("/bin/a", program_symbols, 3, NULL);
	fake_symbols_set("/lib/c", library_symbols, 1, NULL);
}

static void teardown(void)
{
	fake_symbols_clear();
	make_chains_deinit(&chains);
	make_session_deinit(&session);
}

static void write_callgraph(FILE *out, void *context)
{
	(void)context;
	ck_assert_int_eq(text_format_callgraph(out, &calls.graph, &options), 0);
}

static void write_stacks(FILE *out, void *context)
{
	(void)context;
	ck_assert_int_eq(text_format_stacks(out, &calls.tree, &options), 0);
}

static void write_folded(FILE *out, void *context)
{
	struct diag diag;

	(void)context;
	ck_assert_int_eq(folded_format(out, &calls.tree, &options, &diag), 0);
}

static void write_callgrind(FILE *out, void *context)
{
	struct diag diag;

	(void)context;
	ck_assert_int_eq(callgrind_format(out, &calls.graph, &options, &diag), 0);
}

static void write_xml(FILE *out, void *context)
{
	const struct document_options document = {.demangle = DEMANGLE_NORMAL,
						  .graph = &calls.graph};

	(void)context;
	ck_assert_int_eq(document_format_xml(out, &calls.made.profile, &document), 0);
}

static void assert_text(void (*write)(FILE *out, void *context), const char *expected)
{
	char *text = make_profile_text(write, NULL);

	ck_assert_str_eq(text, expected);
	free(text);
}

static void read_session(const char *words)
{
	make_chains_live(&chains, &session, 1);
	make_calls_init(&calls, &session, words);
}

static void make_usual(void)
{
	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_add(&chains, &a, "+110 +210 /lib/c+12", 3);
	make_chains_add(&chains, &a, "+110 /lib/c+12", 2);
	read_session("");
}

START_TEST(a_block_has_callers_the_function_and_callees_with_itself_among_them)
{
	make_usual();
	assert_text(write_callgraph,
		    "samples  %        image name               symbol name\n" DASHES
		    "  8        100.000  a                        main\n"
		    "5        50.0000  a                        foo()\n"
		    "  5        62.5000  a                        foo() [self]\n"
		    "  3        37.5000  c                        memcpy\n" DASHES
		    "  2        40.0000  a                        main\n"
		    "  3        60.0000  a                        foo()\n"
		    "5        50.0000  c                        memcpy\n"
		    "  5        100.000  c                        memcpy [self]\n" DASHES
		    "0              0  a                        main\n"
		    "  8        80.0000  a                        foo()\n"
		    "  2        20.0000  c                        memcpy\n"
		    "  0              0  a                        main [self]\n" DASHES);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(percentages_of_callers_and_callees_are_of_all_samples_where_that_is_asked)
{
	text_options.global_percent = true;
	make_usual();
	assert_text(write_callgraph,
		    "samples  %        image name               symbol name\n" DASHES
		    "  8        80.0000  a                        main\n"
		    "5        50.0000  a                        foo()\n"
		    "  5        50.0000  a                        foo() [self]\n"
		    "  3        30.0000  c                        memcpy\n" DASHES
		    "  2        20.0000  a                        main\n"
		    "  3        30.0000  a                        foo()\n"
		    "5        50.0000  c                        memcpy\n"
		    "  5        50.0000  c                        memcpy [self]\n" DASHES
		    "0              0  a                        main\n"
		    "  8        80.0000  a                        foo()\n"
		    "  2        20.0000  c                        memcpy\n"
		    "  0              0  a                        main [self]\n" DASHES);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(blocks_are_chosen_by_threshold_and_name_and_show_addresses)
{
	static char pattern[] = "foo()";
	char *patterns[] = {pattern};
	const struct spec_list list = {.patterns = patterns, .nr_patterns = 1};

	make_usual();
	options.include = &list;
	text_options.show_vma = true;
	text_options.long_names = true;
	text_options.header = false;
	assert_text(write_callgraph,
		    DASHES "  00400100 8        100.000  /bin/a                   main\n"
			   "00400200 5        50.0000  /bin/a                   foo()\n"
			   "  00400200 5        62.5000  /bin/a                   foo() [self]\n"
			   "  00000010 3        37.5000  /lib/c                   memcpy\n" DASHES);
	options.include = NULL;
	text_options.threshold = 80;
	text_options.show_vma = text_options.long_names = false;
	text_options.sort[0] = TEXT_SORT_SYMBOL;
	text_options.nr_sort = 1;
	assert_text(write_callgraph,
		    DASHES "  8        100.000  a                        main\n"
			   "5        50.0000  a                        foo()\n"
			   "  5        62.5000  a                        foo() [self]\n" DASHES
			   "0              0  a                        main\n"
			   "  8        80.0000  a                        foo()\n"
			   "  0              0  a                        main [self]\n" DASHES);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(a_call_graph_has_a_column_pair_for_each_class)
{
	const struct make_file misses = {.app = "/bin/a", .event = "misses"};

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_add(&chains, &misses, "+110", 3);
	read_session("");
	assert_text(write_callgraph, "samples  %        samples  %        symbol name\n" DASHES
				     "  5        100.000  0              0  main\n"
				     "5        100.000  0              0  foo()\n"
				     "  5        100.000  0              0  foo() [self]\n" DASHES
				     "0              0  3        100.000  main\n"
				     "  5        100.000  0              0  foo()\n"
				     "  0              0  3        100.000  main [self]\n" DASHES);
	make_calls_deinit(&calls);
}
END_TEST

/* Returns whether the call graph's text contains part. */
static bool graph_has(const char *part)
{
	char *text = make_profile_text(write_callgraph, NULL);
	bool found = strstr(text, part);

	free(text);
	return found;
}

START_TEST(a_function_that_only_the_second_event_saw_has_its_block_on_a_terminal)
{
	const struct make_file misses = {.app = "/bin/a", .event = "misses"};

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_add(&chains, &misses, "+310", 3);
	read_session("");
	text_options.threshold = 1;
	ck_assert(!graph_has("g;h"));
	text_options.any_class = true;
	ck_assert(graph_has("g;h"));
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(images_have_the_room_of_the_longest_one_and_no_more)
{
	struct display display = {.width = 80};

	options.display = &display;
	fake_symbols_set("/lib/long-name", library_symbols, 1, NULL);
	make_chains_add(&chains, &a, "+110 /lib/long-name+12", 2);
	read_session("");
	ck_assert(graph_has("  IMAGE      SYMBOL\n"));
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(a_call_graph_fits_a_terminal_with_shares_of_all_samples)
{
	static const int widths[] = {60, 80, 200};
	struct display display = {.width = 80};

	options.display = &display;
	text_options.threshold = 1;
	make_usual();
	assert_text(write_callgraph, "  SHARE          SAMPLES  IMAGE  SYMBOL\n"
				     " 80.00% ########       8  a        <- main\n"
				     " 50.00% #####          5  a      foo()\n"
				     " 30.00% ###            3  c        -> memcpy\n"
				     "\n"
				     " 20.00% ##             2  a        <- main\n"
				     " 30.00% ###            3  a        <- foo()\n"
				     " 50.00% #####          5  c      memcpy\n"
				     "\n"
				     "  0.00%                0  a      main\n"
				     " 80.00% ########       8  a        -> foo()\n"
				     " 20.00% ##             2  c        -> memcpy\n"
				     "\n");
	text_options.threshold = 60;
	assert_text(write_callgraph, "  SHARE          SAMPLES  IMAGE  SYMBOL\n"
				     " 80.00% ########       8  a        <- main\n"
				     " 50.00% #####          5  a      foo()\n"
				     "\n"
				     "  0.00%                0  a      main\n"
				     " 80.00% ########       8  a        -> foo()\n"
				     "\n"
				     "1 function below 60 % (-t 0: all)\n");
	display.colors = true;
	text_options.header = false;
	assert_text(write_callgraph, " 80.00% ########       8  \033[2ma        <- main\033[0m\n"
				     "\033[1;31m 50.00% #####   \033[0m       5  a      foo()\n"
				     "\n"
				     "  0.00%                0  a      main\n"
				     " 80.00% ########       8  \033[2ma        -> foo()\033[0m\n"
				     "\n"
				     "1 function below 60 % (-t 0: all)\n");
	display.colors = false;
	text_options.header = true;
	text_options.show_vma = text_options.show_error = true;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char *text;
		char *rest;

		display.width = widths[i];
		text = make_profile_text(write_callgraph, NULL);
		ck_assert_ptr_nonnull(strstr(text, "ADDRESS"));
		for (char *line = strtok_r(text, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			ck_assert_uint_le(strlen(line), (size_t)widths[i]);
		free(text);
	}
	make_calls_deinit(&calls);
}
END_TEST

/* Returns the number of blocks, each of which ends with an empty line. */
static unsigned int nr_blocks(void)
{
	char *text = make_profile_text(write_callgraph, NULL);
	unsigned int nr = 0;

	for (const char *at = text; (at = strstr(at, "\n\n")); at++)
		nr++;
	free(text);
	return nr;
}

/*
 * A binary that was replaced during the session has two identities, whose functions have a block
 * each: the hidden ones are as many as the blocks that are missing.
 */
START_TEST(functions_below_the_threshold_are_counted_for_each_identity_of_a_binary)
{
	const struct make_file rebuilt = {.app = "/bin/a", .version = 1};
	struct display display = {.width = 80};

	options.display = &display;
	make_chains_add(&chains, &a, "+110 +210", 10);
	make_chains_add(&chains, &rebuilt, "+110 +210", 3);
	make_chains_add(&chains, &rebuilt, "+110 +310", 1);
	read_session("");
	ck_assert_uint_eq(nr_blocks(), 5);
	ck_assert(!graph_has(" below "));
	text_options.threshold = 50;
	ck_assert_uint_eq(nr_blocks(), 2);
	ck_assert(graph_has("\n\n3 functions below 50 % (-t 0: all)\n"));
	text_options.threshold = 10;
	ck_assert_uint_eq(nr_blocks(), 4);
	ck_assert(graph_has("\n\n1 function below 10 % (-t 0: all)\n"));
	make_calls_deinit(&calls);
}
END_TEST

/* Two sides show a function of two identities as one, which is then hidden as one. */
START_TEST(a_function_of_a_rebuilt_binary_is_hidden_once_over_two_sides)
{
	const struct make_file rebuilt = {.app = "/bin/a", .version = 1};
	struct display display = {.width = 80};
	struct make_session after = session;

	options.display = &display;
	make_chains_add(&chains, &a, "+110 +210", 1);
	make_chains_add(&chains, &a, "+110 +310", 9);
	make_chains_live(&chains, &session, 1);
	make_chains_deinit(&chains);
	make_chains_init(&chains);
	after.name = "after";
	make_chains_add(&chains, &rebuilt, "+110 +210", 1);
	make_chains_add(&chains, &rebuilt, "+110 +310", 9);
	make_chains_live(&chains, &after, 1);
	make_calls_init(&calls, &session, "{ session:current } { session:after }");
	text_options.any_class = true;
	ck_assert_uint_eq(nr_blocks(), 3);
	text_options.threshold = 50;
	ck_assert_uint_eq(nr_blocks(), 2);
	ck_assert(graph_has("\n\n1 function below 50 % (-t 0: all)\n"));
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(a_tree_is_indented_from_the_outermost_functions_down)
{
	make_usual();
	assert_text(write_stacks,
		    "samples  %        self %   image name               symbol name\n"
		    "10       100.000        0  a\n"
		    "10       100.000        0  a                        main\n"
		    "8        80.0000  50.0000  a                          foo()\n"
		    "3        30.0000  30.0000  c                            memcpy\n"
		    "2        20.0000  20.0000  c                          memcpy\n");
	text_options.threshold = 25;
	text_options.header = false;
	assert_text(write_stacks,
		    "10       100.000        0  a\n"
		    "10       100.000        0  a                        main\n"
		    "8        80.0000  50.0000  a                          foo()\n"
		    "3        30.0000  30.0000  c                            memcpy\n");
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(folded_stacks_are_a_line_each_and_names_are_escaped)
{
	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_add(&chains, &a, "+110 +310", 4);
	make_chains_add(&chains, &a, "+110 +310 /lib/c+99", 3);
	make_chains_add(&chains, &a, "[truncated] +210", 2);
	read_session("");
	assert_text(write_folded, "a;main;foo() 5\n"
				  "a;main;g\\x3bh\\\\\\x0a\\xe2\\x80\\xae 4\n"
				  "a;main;g\\x3bh\\\\\\x0a\\xe2\\x80\\xae;[c] 3\n"
				  "a;[truncated];foo() 2\n");
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(folded_stacks_of_two_sides_have_both_numbers)
{
	struct make_session after = session;

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_live(&chains, &session, 1);
	after.name = "after";
	make_chains_add(&chains, &a, "+110", 2);
	make_chains_live(&chains, &after, 1);
	make_calls_init(&calls, &session, "{ session:current } { session:after }");
	assert_text(write_folded, "a;main 0 2\na;main;foo() 5 5\n");
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(formats_with_one_number_name_the_tag_that_chooses_it)
{
	const struct make_file misses = {.app = "/bin/a", .event = "misses"};
	struct diag diag;

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_add(&chains, &misses, "+110", 3);
	read_session("");
	ck_assert_int_eq(folded_format(stdout, &calls.tree, &options, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "event:"));
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(formats_of_one_side_refuse_two)
{
	struct diag diag;

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_live(&chains, &session, 1);
	make_calls_init(&calls, &session, "{ } { }");
	ck_assert_int_eq(pprof_format(stdout, &calls.tree, &options, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "one side at a time"));
	ck_assert_int_eq(callgrind_format(stdout, &calls.graph, &options, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "one side at a time"));
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(callgrind_has_costs_calls_and_totals)
{
	make_usual();
	assert_text(write_callgrind,
		    "# callgrind format\nversion: 1\ncreator: oprof " OPROF_VERSION "\ncmd: a\n"
		    "event: cpu_clock_1000000 : cpu-clock:1000000 (samples)\n"
		    "positions: line\nevents: cpu_clock_1000000\nsummary: 10\n"
		    "\nob=(4) /bin/a\nfl=(1) ???\nfn=(4) [a]\n0 0\n"
		    "cob=(1) /bin/a\ncfn=(1) main\ncalls=10 0\n0 10\n"
		    "\nob=(1)\nfl=(1)\nfn=(1)\n0 0\n"
		    "cob=(1)\ncfn=(2) foo()\ncalls=8 0\n0 8\n"
		    "cob=(2) /lib/c\ncfn=(3) memcpy\ncalls=2 0\n0 2\n"
		    "\nob=(1)\nfl=(1)\nfn=(2)\n0 5\n"
		    "cob=(2)\ncfn=(3)\ncalls=3 0\n0 3\n"
		    "\nob=(2)\nfl=(1)\nfn=(3)\n0 5\n"
		    "\ntotals: 10\n");
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(xml_has_each_function_in_its_image_with_callers_and_callees)
{
	static const char expected[] = " </classes>\n"
				       " <binary name=\"/bin/a\">\n"
				       "  <symbol idref=\"0\">\n"
				       "   <callers>\n"
				       "    <symbol idref=\"3\">\n"
				       "     <count class=\"c0\">4</count>\n"
				       "    </symbol>\n"
				       "   </callers>\n"
				       "   <callees>\n"
				       "    <symbol idref=\"1\">\n"
				       "     <count class=\"c0\">12</count>\n"
				       "    </symbol>\n"
				       "    <symbol idref=\"2\">\n"
				       "     <count class=\"c0\">2</count>\n"
				       "    </symbol>\n"
				       "   </callees>\n"
				       "  </symbol>\n"
				       "  <symbol idref=\"1\" self=\"true\">\n"
				       "   <count class=\"c0\">9</count>\n"
				       "   <callers>\n"
				       "    <symbol idref=\"0\">\n"
				       "     <count class=\"c0\">12</count>\n"
				       "    </symbol>\n"
				       "    <symbol idref=\"1\">\n"
				       "     <count class=\"c0\">4</count>\n"
				       "    </symbol>\n"
				       "   </callers>\n"
				       "   <callees>\n"
				       "    <symbol idref=\"1\">\n"
				       "     <count class=\"c0\">4</count>\n"
				       "    </symbol>\n"
				       "    <symbol idref=\"2\">\n"
				       "     <count class=\"c0\">3</count>\n"
				       "    </symbol>\n"
				       "   </callees>\n"
				       "  </symbol>\n"
				       " </binary>\n"
				       " <binary name=\"/lib/c\">\n"
				       "  <symbol idref=\"2\">\n"
				       "   <count class=\"c0\">5</count>\n"
				       "   <callers>\n"
				       "    <symbol idref=\"1\">\n"
				       "     <count class=\"c0\">3</count>\n"
				       "    </symbol>\n"
				       "    <symbol idref=\"0\">\n"
				       "     <count class=\"c0\">2</count>\n"
				       "    </symbol>\n"
				       "   </callers>\n"
				       "   <callees/>\n"
				       "  </symbol>\n"
				       " </binary>\n"
				       " <binary name=\"\">\n"
				       "  <symbol idref=\"3\">\n"
				       "   <callers/>\n"
				       "   <callees>\n"
				       "    <symbol idref=\"0\">\n"
				       "     <count class=\"c0\">4</count>\n"
				       "    </symbol>\n"
				       "   </callees>\n"
				       "  </symbol>\n"
				       " </binary>\n"
				       " <symboltable>\n"
				       "  <symboldata id=\"0\" name=\"main\" "
				       "startingaddr=\"0x400100\" codelength=\"256\"/>\n"
				       "  <symboldata id=\"1\" name=\"foo()\" "
				       "startingaddr=\"0x400200\" codelength=\"256\"/>\n"
				       "  <symboldata id=\"2\" name=\"memcpy\" "
				       "startingaddr=\"0x10\" codelength=\"16\"/>\n"
				       "  <symboldata id=\"3\" name=\"[truncated]\"/>\n"
				       " </symboltable>\n"
				       "</profile>\n";
	char *text, *classes;

	make_chains_add(&chains, &a, "[truncated] +110 +210 +210", 4);
	make_usual();
	text = make_profile_text(write_xml, NULL);
	classes = strstr(text, " </classes>\n");
	ck_assert_ptr_nonnull(classes);
	ck_assert_str_eq(classes, expected);
	free(text);
	make_calls_deinit(&calls);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("format_calls");
	TCase *tests = tcase_create("format_calls");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_block_has_callers_the_function_and_callees_with_itself_among_them);
	tcase_add_test(tests,
		       percentages_of_callers_and_callees_are_of_all_samples_where_that_is_asked);
	tcase_add_test(tests, blocks_are_chosen_by_threshold_and_name_and_show_addresses);
	tcase_add_test(tests, a_call_graph_has_a_column_pair_for_each_class);
	tcase_add_test(tests,
		       a_function_that_only_the_second_event_saw_has_its_block_on_a_terminal);
	tcase_add_test(tests, images_have_the_room_of_the_longest_one_and_no_more);
	tcase_add_test(tests, a_call_graph_fits_a_terminal_with_shares_of_all_samples);
	tcase_add_test(tests,
		       functions_below_the_threshold_are_counted_for_each_identity_of_a_binary);
	tcase_add_test(tests, a_function_of_a_rebuilt_binary_is_hidden_once_over_two_sides);
	tcase_add_test(tests, a_tree_is_indented_from_the_outermost_functions_down);
	tcase_add_test(tests, folded_stacks_are_a_line_each_and_names_are_escaped);
	tcase_add_test(tests, folded_stacks_of_two_sides_have_both_numbers);
	tcase_add_test(tests, formats_with_one_number_name_the_tag_that_chooses_it);
	tcase_add_test(tests, formats_of_one_side_refuse_two);
	tcase_add_test(tests, callgrind_has_costs_calls_and_totals);
	tcase_add_test(tests, xml_has_each_function_in_its_image_with_callers_and_callees);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
