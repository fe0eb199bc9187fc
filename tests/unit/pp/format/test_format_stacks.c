// SPDX-License-Identifier: GPL-2.0-or-later
/* The stacks in documents and in the page, read back by python3 if it is installed. */
#include "lib/file.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_document.h"
#include "pp/page/format_page.h"
#include "pp/profile/profile_time.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_NS INT64_C(60000000000)
#define BEGIN_NS  (MAKE_PROFILE_NOW_NS - 10 * MINUTE_NS)

static struct make_session session;
static struct make_chains chains;
static struct make_calls calls;
static char *text;

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x400100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x400200, .name = "_Z3foo"},
	{.start = 0x300, .nr_bytes = 0x100, .address = 0x400300, .name = "</script>\xff"},
};
static const struct make_file a = {.app = "/bin/a"};
static const struct make_file b = {.app = "/bin/b"};

static void setup(void)
{
	make_session_init(&session);
	make_chains_init(&chains);
	calls = (struct make_calls){
		.made.profile_options = {.symbols = true, .details = true, .by_time = true}};
	fake_symbols_set("/bin/a", symbols, 3, NULL);
}

static void teardown(void)
{
	free(text);
	text = NULL;
	fake_symbols_clear();
	make_chains_deinit(&chains);
	make_session_deinit(&session);
}

static void write_page(FILE *out, void *context)
{
	const struct page_options options = {.demangle = DEMANGLE_NORMAL, .calls = &calls.tree};

	(void)context;
	ck_assert_int_eq(page_format(out, &calls.made.profile, &options), 0);
}

static void write_json(FILE *out, void *context)
{
	const struct document_options options = {.demangle = DEMANGLE_NORMAL, .calls = &calls.tree};

	(void)context;
	ck_assert_int_eq(document_format_json(out, &calls.made.profile, &options), 0);
}

static void write_xml(FILE *out, void *context)
{
	const struct document_options options = {.demangle = DEMANGLE_NORMAL,
						 .graph = &calls.graph};

	(void)context;
	ck_assert_int_eq(document_format_xml(out, &calls.made.profile, &options), 0);
}

/* Write the document to the session's folder and also to text. */
static void make_document(void (*write)(FILE *out, void *context))
{
	char path[PATH_MAX];

	free(text);
	text = make_profile_text(write, NULL);
	(void)snprintf(path, sizeof(path), "%s/document", session.dir);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
}

static const char *top(void)
{
	const char *source = getenv("OPROF_TOP_SRCDIR");

	return source ? source : ".";
}

/* Run the command with the document as its last argument, if its program is installed. */
static void expect_command(const char *program, const char *command)
{
	char line[3 * PATH_MAX];

	(void)snprintf(line, sizeof(line), "command -v %s >/dev/null 2>&1", program);
	if (system(line) != 0)
		return;
	(void)snprintf(line, sizeof(line), "%s %s/document", command, session.dir);
	ck_assert_msg(system(line) == 0, "failed: %s", line);
}

static void expect_page(const char *said)
{
	char line[2 * PATH_MAX];

	make_document(write_page);
	(void)snprintf(line, sizeof(line),
		       "check() { said=$(python3 %s/tests/page/read_page.py $1); "
		       "test \"$said\" = \"%s\" || { echo \"# $said\" >&2; false; }; }; check",
		       top(), said);
	expect_command("python3", line);
}

static void expect_json(void)
{
	make_document(write_json);
	expect_command(
		"python3",
		"python3 -c 'import json, sys\n"
		"r = json.load(open(sys.argv[1], encoding=\"utf-8\"))\n"
		"s = r[\"stacks\"]\n"
		"total = sum(sum(n[\"samples\"]) for n in s[\"nodes\"])\n"
		"assert total == s[\"samples\"]\n"
		"assert total + s[\"missing\"] == sum(sum(x[\"samples\"]) for x in r[\"rows\"])\n"
		"for i, n in enumerate(s[\"nodes\"]):\n"
		"    assert (\"app\" in n) == (\"parent\" not in n)\n"
		"    assert n.get(\"parent\", -1) < i\n"
		"    assert n.get(\"function\", 0) < len(s[\"functions\"])\n'");
}

static void add_usual(void)
{
	make_chains_add(&chains, &a, "+110 +210", 5);
	make_chains_add(&chains, &a, "+110 +210 +310", 7);
	make_chains_add(&chains, &a, "[truncated] +210", 2);
	make_chains_add(&chains, &b, "+5", 3);
}

START_TEST(trees_have_the_sum_of_the_rows)
{
	add_usual();
	make_chains_live(&chains, &session, 1);
	make_calls_init(&calls, &session, "");
	expect_json();
	ck_assert_ptr_nonnull(strstr(text, "\"truncated\":2"));
	expect_page("row 17\nkey 17\ntime 17\ntree 17\ntreeTime 17");
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(nodes_have_their_samples_by_stretch)
{
	for (uint64_t i = 1; i <= 3; i++) {
		make_chains_add(&chains, &a, "+110 +210", i);
		make_chains_add(&chains, &a, "+110", 10);
		make_chains_slice(&chains, &session,
				  &(struct make_slice_head){
					  .level = OPROF_SLICE_MINUTE,
					  .epoch_first = i,
					  .epoch_last = i,
					  .begin_ns = BEGIN_NS + (int64_t)i * MINUTE_NS,
					  .end_ns = BEGIN_NS + (int64_t)(i + 1) * MINUTE_NS});
		make_chains_deinit(&chains);
		make_chains_init(&chains);
	}
	make_calls_init(&calls, &session, "");
	ck_assert_ptr_nonnull(calls.tree.time);
	ck_assert_uint_eq(calls.tree.time->nr_entries, 6);
	expect_page("row 36\nkey 36\ntime 36\ntree 36\ntreeTime 36");
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(callers_and_callees_are_in_xml)
{
	char line[2 * PATH_MAX];

	add_usual();
	make_chains_live(&chains, &session, 1);
	make_calls_init(&calls, &session, "");
	make_document(write_xml);
	(void)snprintf(line, sizeof(line), "xmllint --noout --schema %s/doc/opreport.xsd", top());
	expect_command("xmllint", line);
	ck_assert_ptr_nonnull(strstr(text, "<callers>"));
	ck_assert_ptr_nonnull(strstr(text, "<callees>"));
	make_calls_deinit(&calls);
}
END_TEST

START_TEST(without_stretches_nodes_have_no_time)
{
	calls.made.profile_options.by_time = false;
	add_usual();
	make_chains_live(&chains, &session, 1);
	make_calls_init(&calls, &session, "");
	ck_assert_ptr_null(calls.tree.time);
	expect_page("row 17\nkey 17\ntree 17");
	make_calls_deinit(&calls);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_stacks");
	TCase *tests = tcase_create("format_stacks");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, trees_have_the_sum_of_the_rows);
	tcase_add_test(tests, nodes_have_their_samples_by_stretch);
	tcase_add_test(tests, callers_and_callees_are_in_xml);
	tcase_add_test(tests, without_stretches_nodes_have_no_time);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
