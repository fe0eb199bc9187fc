// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * XML and JSON of sessions made for the test, read back by real readers:
 * xmllint with doc/opreport.xsd, and python3, which also adds up the numbers.
 */
#include "lib/file.h"
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/format/format_document.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct make_session session;
static struct make_profile made;
static struct document_options options = {.demangle = DEMANGLE_NORMAL};

static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x401100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 0x401200, .name = "_Z3foo"},
};
/* Names with characters that one of the two formats must escape. */
static const struct symbol hostile[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = UINT64_MAX, .name = "a<b>&\"'\\\x01\x1f"},
	{.start = 0x200, .nr_bytes = 0x100, .address = 1, .name = "\xff\xc0\x80\xed\xa0\x80]]>"},
};

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){.profile_options.symbols = true};
	fake_symbols_set("/bin/prog", symbols, 2, NULL);
	fake_symbols_set("/bin/\x01\xfe<&\">", hostile, 2, "a note with \xff");
}

static void teardown(void)
{
	fake_lines_clear();
	fake_symbols_clear();
	make_session_deinit(&session);
}

static void write_xml(FILE *out, void *context)
{
	(void)context;
	ck_assert_int_eq(document_format_xml(out, &made.profile, &options), 0);
}

static void write_json(FILE *out, void *context)
{
	(void)context;
	ck_assert_int_eq(document_format_json(out, &made.profile, &options), 0);
}

static void add(const struct make_file *file, uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, file, key, nr_samples);
}

/* Returns the document and also writes it to the file NAME in the session's folder. */
static char *make_document(void (*write)(FILE *out, void *context), const char *name)
{
	char path[PATH_MAX];
	char *text = make_profile_text(write, NULL);

	(void)snprintf(path, sizeof(path), "%s/%s", session.dir, name);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
	return text;
}

static bool has_command(const char *name)
{
	char line[128];

	(void)snprintf(line, sizeof(line), "command -v %s >/dev/null 2>&1", name);
	return system(line) == 0;
}

static void expect_command(const char *line)
{
	ck_assert_msg(system(line) == 0, "failed: %s", line);
}

/* Check, if the readers are installed, that the documents are valid and add up. */
static void expect_valid(uint64_t nr_samples)
{
	const char *top = getenv("OPROF_TOP_SRCDIR");
	char line[2 * PATH_MAX];

	free(make_document(write_xml, "r.xml"));
	free(make_document(write_json, "r.json"));
	(void)snprintf(line, sizeof(line), "xmllint --noout --schema %s/doc/opreport.xsd %s/r.xml",
		       top ? top : ".", session.dir);
	if (has_command("xmllint"))
		expect_command(line);
	(void)snprintf(
		line, sizeof(line),
		"python3 -c 'import json; r = json.load(open(\"%s/r.json\", encoding=\"utf-8\"))\n"
		"s = [sum(c) for c in zip(*(x[\"samples\"] for x in r[\"rows\"]))]\n"
		"assert s == [c[\"samples\"] for c in r[\"classes\"]], s\n"
		"assert sum(s) == %lu, s\n"
		"for x in r[\"rows\"]:\n"
		"    if \"details\" in x:\n"
		"        d = [sum(c) for c in zip(*(y[\"samples\"] for y in x[\"details\"]))]\n"
		"        assert d == x[\"samples\"], x\n'",
		session.dir, (unsigned long)nr_samples);
	if (has_command("python3"))
		expect_command(line);
}

static void add_program(void)
{
	const struct make_file program = {.app = "/bin/prog"};

	add(&program, 0x100, 250);
	add(&program, 0x210, 700);
	add(&program, 0x10, 50);
	add(&(struct make_file){.app = "/bin/prog", .image = "/lib/none.so"}, 0x100, 500);
}

START_TEST(xml_has_the_shape_that_users_know)
{
	char *text;

	add_program();
	make_profile_init(&made, &session, "");
	text = make_document(write_xml, "r.xml");
	ck_assert_ptr_nonnull(strstr(
		text,
		" <setup>\n"
		"  <eventsetup id=\"0\" eventname=\"cpu-clock\" unitmask=\"0x0\" "
		"setupcount=\"1000000\"/>\n"
		" </setup>\n"
		" <classes>\n"
		"  <class name=\"c0\" event=\"0\" title=\"cpu-clock:1000000\" unit=\"samples\"/>\n"
		" </classes>\n"
		" <binary name=\"/bin/prog\">\n"
		"  <count class=\"c0\">1500</count>\n"
		"  <symbol idref=\"1\">\n"
		"   <count class=\"c0\">700</count>\n"
		"  </symbol>\n"
		"  <symbol idref=\"0\">\n"
		"   <count class=\"c0\">250</count>\n"
		"  </symbol>\n"
		"  <symbol idref=\"2\">\n"
		"   <count class=\"c0\">50</count>\n"
		"  </symbol>\n"
		"  <module name=\"/lib/none.so\">\n"
		"   <count class=\"c0\">500</count>\n"
		"   <symbol idref=\"3\">\n"
		"    <count class=\"c0\">500</count>\n"
		"   </symbol>\n"
		"  </module>\n"
		" </binary>\n"
		" <symboltable>\n"
		"  <symboldata id=\"0\" name=\"main\" startingaddr=\"0x401100\" "
		"codelength=\"256\"/>\n"
		"  <symboldata id=\"1\" name=\"foo()\" startingaddr=\"0x401200\" "
		"codelength=\"256\"/>\n"
		"  <symboldata id=\"2\" name=\"(no symbols)\"/>\n"
		"  <symboldata id=\"3\" name=\"/lib/none.so\"/>\n"
		" </symboltable>\n"
		"</profile>\n"));
	free(text);
	expect_valid(1500);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(json_has_the_shape_that_its_page_says)
{
	char *text;

	made.profile_options.details = true;
	add_program();
	make_profile_init(&made, &session, "lib-image:/bin/prog");
	text = make_document(write_json, "r.json");
	ck_assert_ptr_eq(strstr(text, "{\n \"format\":\"oprof-report\",\n \"version\":1,\n"), text);
	ck_assert_ptr_nonnull(strstr(
		text, "\n \"rows\":[\n"
		      "  {\"app\":0,\"image\":0,\"symbol\":\"foo()\",\"linkage_name\":\"_Z3foo\","
		      "\"address\":\"0x401200\",\"bytes\":256,\"samples\":[700],"
		      "\"details\":[{\"address\":\"0x401210\",\"samples\":[700]}]},\n"
		      "  {\"app\":0,\"image\":0,\"symbol\":\"main\","));
	ck_assert_ptr_nonnull(strstr(text, "\"symbol\":null,\"samples\":[50],\"details\":[{"
					   "\"address\":\"0x10\",\"samples\":[50]}]}\n ]\n}\n"));
	free(text);
	expect_valid(1000);
	make_profile_deinit(&made);
}
END_TEST

static const struct fake_range ranges[] = {
	{.start = 0x200, .end = 0x210, .file = 2, .line = 70},
	{.start = 0x210, .end = 0x220, .file = 1, .line = 4},
};
static const char *const files[] = {"", "/src/small.h", "/src/prog.c"};

/* Source places of symbols and of their addresses, if they are known. */
START_TEST(json_has_source_places)
{
	char *text;

	fake_lines_set("/bin/prog", ranges, 2, files, 3);
	made.profile_options.details = made.profile_options.lines = true;
	add_program();
	make_profile_init(&made, &session, "lib-image:/bin/prog");
	text = make_document(write_json, "r.json");
	ck_assert_msg(strstr(text, "\n \"files\":[\n  \"/src/prog.c\",\n  \"/src/small.h\"\n ],\n"),
		      "%s", text);
	ck_assert_msg(
		strstr(text,
		       "\"bytes\":256,\"file\":0,\"line\":70,\"samples\":[700],\"details\":["
		       "{\"address\":\"0x401210\",\"file\":1,\"line\":4,\"samples\":[700]}]}"),
		"%s", text);
	ck_assert_msg(strstr(text, "\"address\":\"0x401100\",\"bytes\":256,\"samples\":[250],"),
		      "%s", text);
	free(text);
	expect_valid(1000);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(details_are_in_both)
{
	made.profile_options.details = true;
	add_program();
	add(&(struct make_file){.app = "/bin/other", .image = "/bin/prog"}, 0x220, 3);
	make_profile_init(&made, &session, "");
	expect_valid(1503);
	make_profile_deinit(&made);
}
END_TEST

/* Code is given for symbols by id, with two digits a byte. */
START_TEST(xml_has_the_code_of_symbols)
{
	static const uint8_t bytes[0x100] = {0x0f, 0xa0, 0xff};
	const uint8_t *rows[3] = {NULL};
	struct row_code code = {.rows = rows};
	char *text, *at;

	made.profile_options.details = true;
	add_program();
	make_profile_init(&made, &session, "lib-image:/bin/prog");
	ck_assert_uint_eq(made.profile.nr_rows, 3);
	for (size_t i = 0; i < 3; i++)
		if (made.profile.rows[i].name && !strcmp(made.profile.rows[i].name, "_Z3foo"))
			rows[i] = bytes;
	options.code = &code;
	text = make_document(write_xml, "r.xml");
	at = strstr(text, " </detailtable>\n <bytestable>\n  <bytes id=\"1\">0FA0FF00");
	ck_assert_ptr_nonnull(at);
	at = strchr(at, '0');
	ck_assert_uint_eq(strspn(at, "0123456789ABCDEF"), sizeof(bytes) * 2);
	ck_assert_ptr_eq(strstr(at, "</bytes>\n </bytestable>\n</profile>\n"),
			 at + sizeof(bytes) * 2);
	free(text);
	expect_valid(1000);
	options.code = NULL;
	make_profile_deinit(&made);
}
END_TEST

START_TEST(names_that_are_no_text_make_no_document_invalid)
{
	made.profile_options.details = true;
	add(&(struct make_file){.app = "/bin/\x01\xfe<&\">"}, 0x100, 1);
	add(&(struct make_file){.app = "/bin/\x01\xfe<&\">"}, 0x200, 2);
	add(&(struct make_file){.app = "/bin/\x01\xfe<&\">"}, 0x10, 4);
	add(&(struct make_file){.app = "/bin/prog", .image = "/lib/\xc3"}, 0x10, 8);
	make_profile_init(&made, &session, "");
	expect_valid(15);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(images_without_symbols_are_documents_too)
{
	made.profile_options.symbols = false;
	add_program();
	make_profile_init(&made, &session, "");
	expect_valid(1500);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(threads_have_elements_of_their_own_in_xml)
{
	char *text;

	add(&(struct make_file){.app = "/bin/prog", .tgid = 10, .tid = 11}, 0x100, 1);
	add(&(struct make_file){.app = "/bin/prog", .tgid = 10, .tid = 12}, 0x200, 2);
	add(&(struct make_file){.app = "/bin/prog", .tgid = 20, .tid = 20}, 0x200, 4);
	make_profile_init(&made, &session, "");
	text = make_document(write_xml, "r.xml");
	ck_assert_ptr_nonnull(strstr(text, " <process procid=\"10\">\n"
					   "  <count class=\"c0\">1</count>\n"
					   "  <count class=\"c1\">2</count>\n"
					   "  <thread threadid=\"11\">\n"
					   "   <count class=\"c0\">1</count>\n"
					   "   <module name=\"/bin/prog\">\n"
					   "    <count class=\"c0\">1</count>\n"
					   "    <symbol idref=\"0\">\n"
					   "     <count class=\"c0\">1</count>\n"
					   "    </symbol>\n"
					   "   </module>\n"
					   "  </thread>\n"
					   "  <thread threadid=\"12\">\n"));
	ck_assert_ptr_nonnull(strstr(text, " <process procid=\"20\">\n"));
	free(text);
	expect_valid(7);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(both_sides_of_a_differential_profile_have_classes)
{
	session.name = "before";
	add_program();
	session.name = "after";
	add(&(struct make_file){.app = "/bin/prog"}, 0x100, 7);
	make_profile_init(&made, &session, "{ session:before } { session:after }");
	expect_valid(1507);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(weight_stands_beside_samples)
{
	char *text;

	add(&(struct make_file){.app = "/bin/prog",
				.period_or_hz = 997,
				.frequency = true,
				.weight_each = 10},
	    0x100, 7);
	make_profile_init(&made, &session, "");
	text = make_document(write_json, "r.json");
	ck_assert_ptr_nonnull(
		strstr(text, "\"shares_of\":\"weight\",\"samples\":7,\"weight\":70}"));
	ck_assert_ptr_nonnull(strstr(text, "\"samples\":[7],\"weight\":[70]}"));
	free(text);
	expect_valid(7);
	make_profile_deinit(&made);
}
END_TEST

/* ---- stacks ---- */

static struct make_calls calls;

static void write_json_calls(FILE *out, void *context)
{
	(void)context;
	ck_assert_int_eq(document_format_json(out, &calls.made.profile, &options), 0);
}

static void add_stacks(void)
{
	const struct make_file prog = {.app = "/bin/prog"}, other = {.app = "/bin/other"};
	struct make_chains chains;

	make_chains_init(&chains);
	make_chains_add(&chains, &prog, "+110 +210", 1);
	make_chains_add(&chains, &prog, "[truncated] +110", 2);
	make_chains_add(&chains, &prog, "[broken] /lib/none.so+10", 4);
	make_chains_add(&chains, &other, "/bin/prog+110 [other]", 8);
	make_chains_add(&chains, &other, "/lib/some.so+310", 16);
	make_chains_live(&chains, &session, 1);
	make_chains_deinit(&chains);
	add(&(struct make_file){.app = "/bin/prog", .epoch = 1}, 0x100, 32);
}

/* The first and last elements of each list are present, and each sum is right. */
START_TEST(json_has_the_stacks)
{
	static const char head[] = " \"stacks\":{\n"
				   "  \"samples\":31,\n"
				   "  \"missing\":32,\n"
				   "  \"truncated\":2,\n"
				   "  \"broken\":4,\n"
				   "  \"folded\":8,\n"
				   "  \"apps\":[\"/bin/other\",\"/bin/prog\"],\n"
				   "  \"images\":[{\"path\":\"/bin/prog\",";
	static const char tail[] =
		"],\n"
		"  \"functions\":[{\"image\":0,\"symbol\":\"main\",\"address\":\"0x401100\"},"
		"{\"image\":0,\"symbol\":\"foo()\",\"address\":\"0x401200\"},"
		"{\"image\":1,\"symbol\":null},"
		"{\"image\":2,\"symbol\":null,\"function\":\"some.so+0x300\",\"address\":\"0x300\"},"
		"{\"mark\":\"[other]\"},"
		"{\"mark\":\"[broken]\"},"
		"{\"mark\":\"[truncated]\"}],\n"
		"  \"nodes\":[{\"app\":0,\"samples\":[0]},"
		"{\"app\":1,\"samples\":[0]},"
		"{\"parent\":1,\"function\":0,\"samples\":[0]},"
		"{\"parent\":2,\"function\":1,\"samples\":[1]},"
		"{\"parent\":1,\"function\":6,\"samples\":[0]},"
		"{\"parent\":4,\"function\":0,\"samples\":[2]},"
		"{\"parent\":1,\"function\":5,\"samples\":[0]},"
		"{\"parent\":6,\"function\":2,\"samples\":[4]},"
		"{\"parent\":0,\"function\":0,\"samples\":[0]},"
		"{\"parent\":8,\"function\":4,\"samples\":[8]},"
		"{\"parent\":0,\"function\":3,\"samples\":[16]}]\n"
		" }\n"
		"}\n";
	static const struct fake_function function = {0x300, 0x340};
	char *text;
	const char *stacks;

	fake_functions_set("/lib/some.so", &function, 1);
	add_stacks();
	calls = (struct make_calls){.made.profile_options.symbols = true};
	make_calls_init(&calls, &session, "");
	make_calls_check_sums(&calls);
	options.calls = &calls.tree;
	text = make_document(write_json_calls, "r.json");
	options.calls = NULL;
	stacks = strstr(text, " \"stacks\":{\n");
	ck_assert_msg(stacks && !strncmp(stacks, head, strlen(head)), "%s", text);
	ck_assert_msg(strstr(stacks, "{\"path\":\"/lib/none.so\","), "%s", text);
	stacks = strstr(stacks, "{\"path\":\"/lib/some.so\",");
	ck_assert_msg(stacks && (stacks = strchr(stacks, ']')), "%s", text);
	ck_assert_str_eq(stacks, tail);
	free(text);
	make_calls_deinit(&calls);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_document");
	TCase *tests = tcase_create("format_document");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, xml_has_the_shape_that_users_know);
	tcase_add_test(tests, json_has_the_shape_that_its_page_says);
	tcase_add_test(tests, json_has_source_places);
	tcase_add_test(tests, details_are_in_both);
	tcase_add_test(tests, xml_has_the_code_of_symbols);
	tcase_add_test(tests, names_that_are_no_text_make_no_document_invalid);
	tcase_add_test(tests, images_without_symbols_are_documents_too);
	tcase_add_test(tests, threads_have_elements_of_their_own_in_xml);
	tcase_add_test(tests, both_sides_of_a_differential_profile_have_classes);
	tcase_add_test(tests, weight_stands_beside_samples);
	tcase_add_test(tests, json_has_the_stacks);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
