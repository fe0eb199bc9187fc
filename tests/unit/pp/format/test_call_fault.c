// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each allocation of a report of call stacks fails once: the report ends with
 * -ENOMEM and leaves nothing behind (the sanitizers check that); the next
 * report is whole.
 */
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_calls.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_SAMPLES 26

static struct make_session session;
static struct make_chains chains;
static struct make_profile made;
static FILE *out;
static char *written; /* all that was written to out */
static size_t nr_bytes;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x1100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x1200, .name = "_Z3foo"},
};

static void skip(const char *path, const struct diag *diag)
{
	(void)path;
	(void)diag;
	ck_abort_msg("nothing is damaged");
}

static void make_session_with_stacks(void)
{
	const struct make_file weighted = {.app = "/bin/a", .weight_each = 3};
	const struct make_file two = {.app = "/bin/b", .weight_each = 3};
	const struct make_slice_head head = {.level = OPROF_SLICE_MINUTE,
					     .epoch_first = 1,
					     .epoch_last = 1,
					     .begin_ns = 1000,
					     .end_ns = 2000};

	make_chains_add(&chains, &weighted, "[truncated] +110 +210 +110 +210", 1);
	make_chains_add(&chains, &weighted, "+110 /lib/c+5 +210", 4);
	make_chains_add(&chains, &two, "/bin/a+110 [other]", 8);
	make_chains_slice(&chains, &session, &head);
	make_chains_live(&chains, &session, 2);
}

static const char *const files[] = {"", "/src/a.c"};
static const struct fake_range lines = {
	.start = 0,
	.end = UINT64_MAX,
	.file = 1,
	.line = 5,
	.inlines = {{.function = "inlined", .call = {.file = 1, .line = 9}}},
	.nr_inlines = 1};

static void setup(void)
{
	make_session_init(&session);
	make_chains_init(&chains);
	made = (struct make_profile){.selection_options.stacks = true,
				     .profile_options = {.symbols = true, .details = true}};
	fake_symbols_set("/bin/a", symbols, 2, "a note");
	fake_lines_set("/bin/a", &lines, 1, files, 2);
	make_session_with_stacks();
	make_profile_init(&made, &session, "");
	made.profile_options.skip = skip;
}

static void teardown(void)
{
	make_profile_deinit(&made);
	fake_symbols_clear();
	fake_lines_clear();
	make_chains_deinit(&chains);
	make_session_deinit(&session);
}

static int write_graph(const struct call_tree *tree, const struct calls_options *options,
		       struct diag *diag)
{
	struct call_graph graph;
	int error = call_graph_build(&graph, tree);

	if (error)
		return error;
	error = text_format_callgraph(out, &graph, options);
	if (!error)
		error = callgrind_format(out, &graph, options, diag);
	call_graph_deinit(&graph);
	return error;
}

static int write_all(const struct call_tree *tree, const struct call_places *places)
{
	const struct text_options text = {.demangle = DEMANGLE_NORMAL};
	const struct calls_options options = {.text = &text, .places = places};
	struct diag diag;
	int error = text_format_stacks(out, tree, &options);

	if (!error)
		error = folded_format(out, tree, &options, &diag);
	if (!error)
		error = pprof_format(out, tree, &options, &diag);
	return error ? error : write_graph(tree, &options, &diag);
}

static void open_out(void)
{
	out = open_memstream(&written, &nr_bytes);
	ck_assert_ptr_nonnull(out);
}

static void close_out(void)
{
	ck_assert_int_eq(fclose(out), 0);
}

static int report(bool flat, uint64_t *nr_samples)
{
	struct call_places places;
	struct call_tree tree;
	struct diag diag;
	int error;

	if (flat)
		error = call_tree_flat(&tree, &made.profile);
	else
		error = call_tree_build(&tree, &made.profile, &made.profile_options, &diag);
	if (error)
		return error;
	*nr_samples = tree.nr_samples;
	error = call_places_make(&places, &tree, &made.profile_options);
	if (!error)
		error = write_all(&tree, &places);
	if (!error && !places.nr_frames)
		error = -EILSEQ;
	call_places_deinit(&places);
	call_tree_deinit(&tree);
	return error;
}

START_TEST(no_memory_is_an_error_and_never_a_wrong_report)
{
	uint64_t nr_samples = 0;
	unsigned long nth = 0;
	size_t nr_whole;
	char *whole;
	bool failed;

	open_out();
	ck_assert_int_eq(report(_i == 1, &nr_samples), 0);
	close_out();
	ck_assert_uint_eq(nr_samples, NR_SAMPLES);
	whole = written;
	nr_whole = nr_bytes;
	do {
		int error;

		open_out();
		failing_begin(FAILING_MEMORY, ++nth, 0);
		error = report(_i == 1, &nr_samples);
		failed = failing_end();
		close_out();
		if (error)
			ck_assert_msg(failed && error == -ENOMEM, "allocation %lu: %s", nth,
				      strerror(-error));
		else
			ck_assert_msg(nr_bytes == nr_whole && !memcmp(written, whole, nr_whole),
				      "allocation %lu: another report", nth);
		free(written);
	} while (failed);
	free(whole);
	ck_assert_uint_gt(nth, 50);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call_fault");
	TCase *tests = tcase_create("call_fault");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, no_memory_is_an_error_and_never_a_wrong_report, 0, 2);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
