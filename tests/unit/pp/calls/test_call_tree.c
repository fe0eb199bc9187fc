// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE UINT64_MAX

static struct make_session session;
static struct make_chains chains;
static struct make_calls calls;

static const struct symbol program_symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x400100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x400200, .name = "f"},
	{.start = 0x300, .nr_bytes = 0x100, .address = 0x400300, .name = "g"},
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
	fake_symbols_set("/bin/a", program_symbols, 3, NULL);
	fake_symbols_set("/lib/c", library_symbols, 1, NULL);
}

static void teardown(void)
{
	fake_symbols_clear();
	make_chains_deinit(&chains);
	make_session_deinit(&session);
}

static void read_all(const char *words)
{
	make_calls_init(&calls, &session, words);
	make_calls_check_sums(&calls);
}

START_TEST(stacks_are_functions_from_the_outermost_down)
{
	make_chains_add(&chains, &a, "+110 +210 /lib/c+12", 3);
	make_chains_add(&chains, &a, "+110 +210", 4);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f;memcpy", 0), 3);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 0), 4);
	ck_assert_uint_eq(make_calls_below(&calls, "/bin/a;main;f", 0), 7);
	ck_assert_uint_eq(make_calls_below(&calls, "/bin/a", 0), 7);
	ck_assert_uint_eq(calls.tree.nr_samples, 7);
	ck_assert_uint_eq(calls.tree.nr_missing, 0);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(places_of_one_function_are_one_node)
{
	make_chains_add(&chains, &a, "+110 +210", 1);
	make_chains_add(&chains, &a, "+120 +220", 2);
	make_chains_add(&chains, &a, "+1ff +2ff /lib/c+10", 4);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_nodes, 4); /* including the root */
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 0), 3);
	ck_assert_uint_eq(make_calls_below(&calls, "/bin/a;main;f", 0), 7);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(what_is_in_no_symbol_is_one_function_of_its_image)
{
	make_chains_add(&chains, &a, "+1 +210", 1);
	make_chains_add(&chains, &a, "+2 +210", 2);
	make_chains_add(&chains, &a, "/lib/none+7 +500", 4);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;;f", 0), 3);
	ck_assert_uint_eq(calls.tree.nr_functions, 3);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(code_in_no_symbol_is_the_functions_that_it_is_in)
{
	static const struct fake_function functions[] = {{0x500, 0x580}, {0x600, 0x640}};

	fake_functions_set("/lib/none", functions, 2);
	make_chains_add(&chains, &a, "+110 /lib/none+510 /lib/none+600", 1);
	make_chains_add(&chains, &a, "+110 /lib/none+500 /lib/none+630", 2);
	make_chains_add(&chains, &a, "+110 /lib/none+590", 4); /* in no function */
	make_chains_add(&chains, &a, "+110 /lib/none+7", 8);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;none+0x500;none+0x600", 0), 3);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;", 0), 12);
	ck_assert_uint_eq(calls.tree.nr_functions, 4);
	ck_assert(calls.tree.functions[make_calls_function(&calls, "none+0x600")].is_nameless);
	ck_assert_uint_eq(fake_functions_nr_loads(), 1);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(a_function_longer_than_its_symbol_is_one_and_addresses_are_the_files)
{
	/* main has code after its symbol, where there is no symbol, and also after g's symbol. */
	static const struct symbol symbols[] = {
		{.start = 0x100, .nr_bytes = 0x10, .address = 0x400100, .name = "main"},
		{.start = 0x200, .nr_bytes = 0x10, .address = 0x400200, .name = "g"},
	};
	static const struct fake_function functions[] = {{0x100, 0x240}, {0x240, 0x300}};

	fake_symbols_set("/bin/b", symbols, 2, NULL);
	fake_functions_set("/bin/b", functions, 2);
	make_chains_add(&chains, &(struct make_file){.app = "/bin/b"}, "+105", 1);
	make_chains_add(&chains, &(struct make_file){.app = "/bin/b"}, "+150", 2);
	make_chains_add(&chains, &(struct make_file){.app = "/bin/b"}, "+205", 4);
	make_chains_add(&chains, &(struct make_file){.app = "/bin/b"}, "+220", 16);
	make_chains_add(&chains, &(struct make_file){.app = "/bin/b"}, "+250", 8);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/b;main", 0), 19);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/b;g", 0), 4);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/b;b+0x240", 0), 8);
	ck_assert_uint_eq(calls.tree.functions[make_calls_function(&calls, "b+0x240")].address,
			  0x400240);
	ck_assert_uint_eq(calls.tree.functions[make_calls_function(&calls, "b+0x240")].offset,
			  0x240);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(what_has_symbols_needs_no_code_table)
{
	make_chains_add(&chains, &a, "+110 +210", 1);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(fake_functions_nr_loads(), 0);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(slices_and_live_trees_are_summed)
{
	const struct make_slice_head head = {.level = OPROF_SLICE_MINUTE,
					     .epoch_first = 1,
					     .epoch_last = 1,
					     .begin_ns = 1000,
					     .end_ns = 2000};

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_slice(&chains, &session, &head);
	make_chains_deinit(&chains);
	make_chains_init(&chains);
	make_chains_add(&chains, &a, "+110 +210", 2);
	make_chains_add(&chains, &a, "+110 +310", 1);
	make_chains_live(&chains, &session, 2);
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 0), 7);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;g", 0), 1);
	ck_assert_uint_eq(calls.tree.nr_missing, 0);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(a_live_tree_of_an_epoch_that_a_slice_has_does_not_count)
{
	const struct make_slice_head head = {.level = OPROF_SLICE_MINUTE,
					     .epoch_first = 1,
					     .epoch_last = 1,
					     .begin_ns = 1000,
					     .end_ns = 2000};

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_slice(&chains, &session, &head);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 5);
	ck_assert_uint_eq(calls.tree.nr_missing, 0);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(events_are_columns)
{
	const struct make_file misses = {.app = "/bin/a", .event = "misses"};

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_add(&chains, &misses, "+110 +210", 3);
	make_chains_add(&chains, &misses, "+110 +310", 1);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_columns, 2);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 0), 5);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 1), 3);
	ck_assert_uint_eq(make_calls_below(&calls, "/bin/a;main", 1), 4);
	make_calls_deinit(&calls);
	read_all("event:misses");
	ck_assert_uint_eq(calls.tree.nr_columns, 1);
	ck_assert_uint_eq(calls.tree.nr_samples, 4);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(threads_are_merged_where_that_is_asked)
{
	const struct make_file one = {.app = "/bin/a", .tgid = 7, .tid = 7};
	const struct make_file two = {.app = "/bin/a", .tgid = 7, .tid = 8};

	make_chains_add(&chains, &one, "+110 +210", 5);
	make_chains_add(&chains, &two, "+110 +210", 3);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 0), 5);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 1), 3);
	make_calls_deinit(&calls);
	calls.made.selection_options.merge = MERGE_TID;
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 0), 8);
	make_calls_deinit(&calls);
	calls.made.selection_options.by = ROWS_BY_TID;
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_apps, 2);
	ck_assert_uint_eq(make_calls_self(&calls, "tid:8 (tgid:7);main;f", 0), 3);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(with_libraries_merged_stacks_are_still_of_applications)
{
	make_chains_add(&chains, &a, "+110 /lib/c+12", 5);
	make_chains_live(&chains, &session, 1);
	calls.made.selection_options.merge = MERGE_LIB;
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;memcpy", 0), 5);
	make_calls_deinit(&calls);
}
END_TEST

/* A specification selects a stack by the sample at its end. */
START_TEST(images_choose_stacks_by_where_they_end)
{
	const struct make_file b = {.app = "/bin/b"};

	make_chains_add(&chains, &a, "+110 /lib/c+12", 1);
	make_chains_add(&chains, &a, "+110 /lib/c+12 +210", 2);
	make_chains_add(&chains, &b, "/bin/b+1 /lib/c+12", 4);
	make_chains_live(&chains, &session, 1);
	read_all("lib-image:/lib/c");
	ck_assert_uint_eq(calls.tree.nr_samples, 5);
	ck_assert_uint_eq(calls.tree.nr_missing, 0);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;memcpy;f", 0), NONE);
	make_calls_deinit(&calls);
	read_all("image:/bin/a");
	ck_assert_uint_eq(calls.tree.nr_samples, 3);
	make_calls_deinit(&calls);
	read_all("/lib/c image-exclude:/bin/b");
	ck_assert_uint_eq(calls.tree.nr_samples, 1);
	ck_assert_uint_eq(calls.tree.nr_missing, 0);
	make_calls_deinit(&calls);
	calls.made.selection_options.exclude_dependent = true;
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 2);
	ck_assert_uint_eq(calls.tree.nr_missing, 0);
	make_calls_deinit(&calls);
}
END_TEST

/* As with --separate=lib: samples in the kernel are the kernel's, their stacks the program's. */
START_TEST(what_the_kernel_did_is_below_its_program_and_chosen_as_the_kernels)
{
	const struct make_file kernel = {.app = "/bin/a", .flags = OPROF_STACK_BY_IMAGE};

	make_chains_add(&chains, &a, "+110 +210", 1);
	make_chains_add(&chains, &kernel, "+110 +210 vmlinux+10", 2);
	make_chains_add(&chains, &kernel, "+110 vmlinux+10 vmlinux+20", 4);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_apps, 1);
	ck_assert_uint_eq(make_calls_below(&calls, "/bin/a", 0), 7);
	ck_assert_uint_eq(make_calls_below(&calls, "/bin/a;main", 0), 7);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f;", 0), 2);
	ck_assert_uint_eq(calls.tree.nr_missing, 0);
	make_calls_deinit(&calls);
	read_all("image:/bin/a");
	ck_assert_uint_eq(calls.tree.nr_samples, 1);
	make_calls_deinit(&calls);
	read_all("image:vmlinux");
	ck_assert_uint_eq(calls.tree.nr_samples, 6);
	ck_assert_uint_eq(make_calls_below(&calls, "/bin/a;main;f", 0), 2);
	make_calls_deinit(&calls);
	read_all("image-exclude:/bin/a");
	ck_assert_uint_eq(calls.tree.nr_samples, 6);
	make_calls_deinit(&calls);
	read_all("lib-image:vmlinux");
	ck_assert_uint_eq(calls.tree.nr_samples, 6);
	make_calls_deinit(&calls);
	/* The kernel is not a dependent image. */
	calls.made.selection_options.exclude_dependent = true;
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 7);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(what_is_folded_of_no_known_image_is_chosen_by_none)
{
	const struct make_file kernel = {.app = "/bin/a", .flags = OPROF_STACK_BY_IMAGE};

	make_chains_add(&chains, &kernel, "+110 vmlinux+10", 1);
	make_chains_add(&chains, &kernel, "+110 [other]", 2);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 3);
	make_calls_deinit(&calls);
	read_all("image:vmlinux");
	ck_assert_uint_eq(calls.tree.nr_samples, 1);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(samples_without_a_stack_are_missing)
{
	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_live(&chains, &session, 1);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a", .epoch = 1}, 0x310, 9);
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 5);
	ck_assert_uint_eq(calls.tree.nr_missing, 9);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(how_stacks_end_is_counted)
{
	make_chains_add(&chains, &a, "[truncated] +210 +310", 1);
	make_chains_add(&chains, &a, "[broken] +210", 2);
	make_chains_add(&chains, &a, "+110 +210 [other]", 4);
	make_chains_add(&chains, &a, "+110 [unknown] +310", 8);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_truncated, 1);
	ck_assert_uint_eq(calls.tree.nr_broken, 2);
	ck_assert_uint_eq(calls.tree.nr_folded, 4);
	ck_assert_uint_eq(calls.tree.nr_samples, 15);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;[truncated];f;g", 0), 1);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;[unknown];g", 0), 8);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(recursion_counts_a_sample_once)
{
	make_chains_add(&chains, &a, "+110 +210 +210 +210", 2);
	make_chains_add(&chains, &a, "+110 +210 +310 +210 +310", 3);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f;f;f", 0), 2);
	ck_assert_uint_eq(calls.graph.below[make_calls_function(&calls, "f")], 5);
	ck_assert_uint_eq(calls.graph.below[make_calls_function(&calls, "g")], 3);
	ck_assert_uint_eq(calls.graph.self[make_calls_function(&calls, "f")], 2);
	ck_assert_uint_eq(calls.graph.self[make_calls_function(&calls, "g")], 3);
	ck_assert_uint_eq(make_calls_arc(&calls, "f", "f", 0), 2);
	ck_assert_uint_eq(make_calls_arc(&calls, "f", "g", 0), 3);
	ck_assert_uint_eq(make_calls_arc(&calls, "g", "f", 0), 3);
	ck_assert_uint_eq(make_calls_arc(&calls, "main", "f", 0), 5);
	ck_assert_uint_eq(make_calls_arc(&calls, "main", "g", 0), NONE);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(arcs_come_by_callee_and_caller_with_the_most_samples_first)
{
	make_chains_add(&chains, &a, "+110 +310", 2);
	make_chains_add(&chains, &a, "+210 +310", 5);
	make_chains_add(&chains, &a, "+110 +210", 3);
	make_chains_live(&chains, &session, 1);
	read_all("");
	const struct call_graph *graph = &calls.graph;
	uint32_t main_function = make_calls_function(&calls, "main");
	uint32_t f = make_calls_function(&calls, "f");
	uint32_t g = make_calls_function(&calls, "g");

	ck_assert_uint_eq(graph->nr_arcs, 3);
	ck_assert_uint_eq(graph->arcs[graph->by_callee[graph->first_by_callee[g]]].caller, f);
	ck_assert_uint_eq(graph->arcs[graph->by_callee[graph->first_by_callee[g] + 1]].caller,
			  main_function);
	ck_assert_uint_eq(
		graph->arcs[graph->by_caller[graph->first_by_caller[main_function]]].callee, f);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(a_function_of_a_rebuilt_binary_is_one_over_two_sides)
{
	const struct make_file rebuilt = {.app = "/bin/a", .version = 1, .event = "cpu-clock"};
	struct make_session after = session;

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_live(&chains, &session, 1);
	make_chains_deinit(&chains);
	make_chains_init(&chains);
	after.name = "after";
	make_chains_add(&chains, &rebuilt, "+110 +210", 7);
	make_chains_add(&chains, &rebuilt, "+110 +310", 1);
	make_chains_live(&chains, &after, 1);
	read_all("{ session:current } { session:after }");
	ck_assert_uint_eq(calls.tree.nr_columns, 2);
	ck_assert_uint_eq(calls.tree.nr_images, 2);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 0), 5);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f", 1), 7);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;g", 0), 0);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;g", 1), 1);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(symbols_are_taken_out_by_where_stacks_end)
{
	static char pattern[] = "f";
	char *patterns[] = {pattern};
	const struct spec_list list = {.patterns = patterns, .nr_patterns = 1};

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_add(&chains, &a, "+110 +210 +310", 3);
	make_chains_live(&chains, &session, 1);
	calls.made.profile_options.exclude = list;
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 3);
	ck_assert_uint_eq(calls.tree.nr_filtered, 5);
	ck_assert_uint_eq(make_calls_below(&calls, "/bin/a;main;f", 0), 3);
	make_calls_deinit(&calls);
	calls.made.profile_options.include = list;
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 5);
	ck_assert_uint_eq(calls.tree.nr_filtered, 3);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main;f;g", 0), NONE);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(functions_without_names_are_taken_out_as_they_are_shown)
{
	static const struct fake_function functions[] = {{0x500, 0x580}, {0x600, 0x640}};
	static char pattern[] = "none+0x5*";
	char *patterns[] = {pattern};

	fake_functions_set("/lib/none", functions, 2);
	make_chains_add(&chains, &a, "+110 /lib/none+510", 1);
	make_chains_add(&chains, &a, "+110 /lib/none+610", 2);
	make_chains_live(&chains, &session, 1);
	calls.made.profile_options.include =
		(struct spec_list){.patterns = patterns, .nr_patterns = 1};
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 1);
	ck_assert_uint_eq(calls.tree.nr_filtered, 2);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(weight_is_what_shares_are_of)
{
	const struct make_file heavy = {
		.app = "/bin/a", .weight_each = 10, .frequency = true, .period_or_hz = 99};

	make_chains_add(&chains, &heavy, "+110 +210", 5);
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(calls.tree.totals[0], 5);
	ck_assert_uint_eq(calls.tree.share_totals[0], 50);
	ck_assert_uint_eq(calls.graph.below[make_calls_function(&calls, "main")], 5);
	ck_assert_uint_eq(calls.graph.below_shares[make_calls_function(&calls, "main")], 50);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(each_image_is_loaded_once)
{
	static const char *const apps[] = {"/bin/x0", "/bin/x1", "/bin/x2", "/bin/x3", "/bin/x4"};

	for (size_t i = 0; i < 5; i++) {
		const struct make_file file = {.app = apps[i]};

		make_chains_add(&chains, &file, "/bin/a+110 /lib/c+12", 1);
		make_chains_add(&chains, &file, "/bin/a+110 /lib/c+13", 1);
	}
	make_chains_live(&chains, &session, 1);
	read_all("");
	ck_assert_uint_eq(fake_symbols_nr_loads(), 2);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(a_session_without_stacks_says_how_to_record_them)
{
	struct diag diag;

	make_session_add_one(&session, &a, 0x110, 4);
	ck_assert_int_eq(make_calls_try(&calls, &session, "", &diag), -ENODATA);
	ck_assert_ptr_nonnull(strstr(diag.text, "-g"));
}
END_TEST

START_TEST(a_damaged_stack_file_is_told_and_the_rest_is_there)
{
	const struct make_slice_head head = {.level = OPROF_SLICE_MINUTE,
					     .epoch_first = 1,
					     .epoch_last = 1,
					     .begin_ns = 1000,
					     .end_ns = 2000};
	char path[PATH_MAX];
	int fd;

	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_slice(&chains, &session, &head);
	make_chains_live(&chains, &session, 2);
	(void)snprintf(path, sizeof(path), "%s/samples/current/" OPROF_STACK_FILE, session.dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, "damage", 6, 0), 6);
	ck_assert_int_eq(close(fd), 0);
	read_all("");
	ck_assert_uint_eq(calls.tree.nr_samples, 5);
	ck_assert_uint_eq(calls.tree.nr_missing, 5);
	ck_assert_uint_eq(calls.tree.nr_damaged, 1);
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(a_flat_profile_is_a_tree_of_depth_one)
{
	const struct make_file b = {.app = "/bin/b", .image = "/lib/c"};

	make_session_add_one(&session, &a, 0x110, 4);
	make_session_add_one(&session, &a, 0x210, 2);
	make_session_add_one(&session, &(struct make_file){.app = "/bin/a", .image = "/lib/c"},
			     0x12, 3);
	make_session_add_one(&session, &b, 0x12, 5);
	calls.made.profile_options.symbols = true;
	make_profile_init(&calls.made, &session, "");
	ck_assert_int_eq(call_tree_flat(&calls.tree, &calls.made.profile), 0);
	ck_assert_int_eq(call_graph_build(&calls.graph, &calls.tree), 0);
	make_calls_check_sums(&calls);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/a;main", 0), 4);
	ck_assert_uint_eq(make_calls_self(&calls, "/bin/b;memcpy", 0), 5);
	ck_assert_uint_eq(calls.graph.below[make_calls_function(&calls, "memcpy")], 8);
	ck_assert_uint_eq(calls.graph.nr_arcs, 0);
	make_calls_deinit(&calls);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("call_tree");
	TCase *tests = tcase_create("call_tree");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, stacks_are_functions_from_the_outermost_down);
	tcase_add_test(tests, places_of_one_function_are_one_node);
	tcase_add_test(tests, what_is_in_no_symbol_is_one_function_of_its_image);
	tcase_add_test(tests, code_in_no_symbol_is_the_functions_that_it_is_in);
	tcase_add_test(tests, a_function_longer_than_its_symbol_is_one_and_addresses_are_the_files);
	tcase_add_test(tests, what_has_symbols_needs_no_code_table);
	tcase_add_test(tests, slices_and_live_trees_are_summed);
	tcase_add_test(tests, a_live_tree_of_an_epoch_that_a_slice_has_does_not_count);
	tcase_add_test(tests, events_are_columns);
	tcase_add_test(tests, threads_are_merged_where_that_is_asked);
	tcase_add_test(tests, with_libraries_merged_stacks_are_still_of_applications);
	tcase_add_test(tests, images_choose_stacks_by_where_they_end);
	tcase_add_test(tests, what_the_kernel_did_is_below_its_program_and_chosen_as_the_kernels);
	tcase_add_test(tests, what_is_folded_of_no_known_image_is_chosen_by_none);
	tcase_add_test(tests, samples_without_a_stack_are_missing);
	tcase_add_test(tests, how_stacks_end_is_counted);
	tcase_add_test(tests, recursion_counts_a_sample_once);
	tcase_add_test(tests, arcs_come_by_callee_and_caller_with_the_most_samples_first);
	tcase_add_test(tests, a_function_of_a_rebuilt_binary_is_one_over_two_sides);
	tcase_add_test(tests, symbols_are_taken_out_by_where_stacks_end);
	tcase_add_test(tests, functions_without_names_are_taken_out_as_they_are_shown);
	tcase_add_test(tests, weight_is_what_shares_are_of);
	tcase_add_test(tests, each_image_is_loaded_once);
	tcase_add_test(tests, a_session_without_stacks_says_how_to_record_them);
	tcase_add_test(tests, a_damaged_stack_file_is_told_and_the_rest_is_there);
	tcase_add_test(tests, a_flat_profile_is_a_tree_of_depth_one);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
