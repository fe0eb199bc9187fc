// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of this program itself with their samples, and samples that have none. */
#include "pp/annotate/format_annotated.h"

#include "lib/buildid.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct make_session session;
static struct make_profile made;
static struct annotated_options options;
static const struct spec_list no_files;
static char self[PATH_MAX];
static struct oprof_image_identity identity;
static char *out_text, *err_text;

__attribute__((noinline, used)) int assembly_few(int x);
__attribute__((noinline, used)) int assembly_many(int x);

int assembly_few(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

int assembly_many(int x)
{
	return assembly_few(x) + assembly_few(x + 1);
}

static void setup(void)
{
	struct buildid id;
	ssize_t nr = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(nr, 0);
	self[nr] = '\0';
	if (!buildid_read_file(self, &id)) {
		memcpy(identity.build_id, id.bytes, id.nr_bytes);
		identity.nr_build_id = id.nr_bytes;
	}
	make_session_init(&session);
	made.profile_options.symbols = made.profile_options.details = true;
	options = (struct annotated_options){.assembly = true,
					     .demangle = DEMANGLE_NORMAL,
					     .command_line = "opannotate",
					     .include_files = &no_files,
					     .exclude_files = &no_files,
					     .profile = &made.profile_options};
}

static void teardown(void)
{
	free(out_text);
	free(err_text);
	make_profile_deinit(&made);
	make_session_deinit(&session);
}

static void add(uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, &(struct make_file){.app = self, .identity = &identity}, key,
			     nr_samples);
}

/* At the first byte of few and the last one of many, in no symbol, and in no file. */
static void add_usual(void)
{
	static const struct symbol_search search;
	struct symbol_table table;

	ck_assert_int_eq(symbol_table_load(&table, self, &identity, OPROF_IMAGE_FILE, &search), 0);
	for (size_t i = 0; i < table.nr_symbols; i++) {
		const struct symbol *symbol = &table.symbols[i];

		if (!strcmp(symbol->name, "assembly_few"))
			add(symbol->start, 10);
		if (!strcmp(symbol->name, "assembly_many"))
			add(symbol->start + symbol->nr_bytes - 1, 40);
	}
	symbol_table_deinit(&table);
	add(1, 5);
	make_session_add_one(&session, &(struct make_file){.app = self, .image = "/missing/lib"},
			     0x100, 45);
}

static void format(void)
{
	struct annotation annotation;
	size_t nr_out, nr_err;
	FILE *out = open_memstream(&out_text, &nr_out), *err = open_memstream(&err_text, &nr_err);

	ck_assert_ptr_nonnull(out);
	ck_assert_ptr_nonnull(err);
	make_profile_init(&made, &session, "");
	ck_assert_int_eq(annotation_build(&annotation, &made.profile, &made.profile_options, false),
			 0);
	ck_assert_int_eq(annotated_format_assembly(&annotation, &options, out, err), 0);
	annotation_deinit(&annotation);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_int_eq(fclose(err), 0);
}

/* Of all lines of instructions, and of samples without one. */
static uint64_t sum_of_lines(void)
{
	uint64_t sum = 0;

	for (const char *line = out_text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strlen(line) > 15 && line[15] == ':')
			sum += strtoull(line, NULL, 10);
	}
	return sum;
}

static const char *place_of(const char *part)
{
	const char *place = strstr(out_text, part);

	ck_assert_msg(place != NULL, "\"%s\" is not in:\n%s", part, out_text);
	return place;
}

START_TEST(instructions_have_their_samples_functions_with_the_most_first)
{
	const char *many, *few, *none, *missing;

	add_usual();
	format();
	many = place_of("<assembly_many>: /* assembly_many total:     40 40.0000 */\n");
	few = place_of("<assembly_few>: /* assembly_few total:     10 10.0000 */\n"
		       "    10 10.0000 :");
	none = place_of("     5  5.0000 :/* outside every symbol */\n");
	missing = place_of(" * Total samples for image : \"/missing/lib\"\n *\n"
			   " *     45 45.0000 \n */\n");
	ck_assert(many < few && few < none && none < missing);
	ck_assert_uint_eq(sum_of_lines(), 100);
	ck_assert_str_eq(err_text, "");
}
END_TEST

START_TEST(functions_below_the_threshold_are_told_in_sum)
{
	add_usual();
	options.threshold = 10.5;
	format();
	ck_assert_ptr_null(strstr(out_text, "<assembly_few>:"));
	ck_assert_uint_eq(sum_of_lines(), 85);
	ck_assert_str_eq(err_text, "symbols below the threshold: 15 samples (15.00 %)\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_assembly");
	TCase *tests = tcase_create("format_assembly");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, instructions_have_their_samples_functions_with_the_most_first);
	tcase_add_test(tests, functions_below_the_threshold_are_told_in_sum);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
