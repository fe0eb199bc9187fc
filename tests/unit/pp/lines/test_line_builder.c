// SPDX-License-Identifier: GPL-2.0-or-later
/* Code is in executable sections or, without any sections, in any segment. */
#include "pp/lines/line_builder.h"

#include "tests/fixture/run_suite.h"

#include <check.h>

static struct symbol_segment segments[] = {
	{.start = 0x3000, .end = 0x3100, .offset = 0x200},
	{.start = 0x2000, .end = 0x2000, .offset = 0x100}, /* empty */
	{.start = 0x1000, .end = 0x1100, .offset = 0x100},
};
static struct symbol_section sections[] = {
	{.start = 0x1000, .end = 0x1100, .name = "", .executable = true}, /* no name */
	{.start = 0x1010, .end = 0x1020, .name = ".text", .executable = true},
	{.start = 0x1020, .end = 0x1030, .name = ".rodata"},
	/* Longer than its segment. */
	{.start = 0x3000, .end = 0x3200, .name = ".init", .executable = true},
	{.start = 0x4000, .end = 0x4100, .name = ".elsewhere", .executable = true},
	{.start = 0x1040, .end = 0x1040, .name = ".empty", .executable = true},
	{.start = 0x1050, .end = 0x1060, .name = ".last", .executable = true},
};
static struct line_builder builder;

static void check_code(const struct symbol_file *image, uint64_t bias,
		       const struct line_code *expected, size_t nr)
{
	ck_assert_int_eq(line_builder_init(&builder, image, bias), 0);
	ck_assert_uint_eq(builder.nr_code, nr);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_uint_eq(builder.code[i].start, expected[i].start);
		ck_assert_uint_eq(builder.code[i].end, expected[i].end);
		ck_assert_uint_eq(builder.code[i].key, expected[i].key);
		ck_assert(!line_builder_has_code(&builder, expected[i].start - 1));
		ck_assert(line_builder_has_code(&builder, expected[i].start));
		ck_assert(line_builder_has_code(&builder, expected[i].end - 1));
		ck_assert(!line_builder_has_code(&builder, expected[i].end));
	}
	line_builder_deinit(&builder);
}

/* Each segment that is not empty. */
START_TEST(without_sections_a_segment_may_be_code)
{
	static const struct line_code both[] = {
		{.start = 0x1000, .end = 0x1100, .key = 0x100},
		{.start = 0x3000, .end = 0x3100, .key = 0x200},
	};
	struct symbol_file image = {.fd = -1, .segments = segments + 1, .nr_segments = 2};

	check_code(&image, 0, &both[0], 1);
	check_code(&image, 0x800, &(struct line_code){.start = 0x800, .end = 0x900, .key = 0x100},
		   1);
	image = (struct symbol_file){.fd = -1, .segments = segments, .nr_segments = 3};
	check_code(&image, 0, both, 2);
	image.nr_segments = 1;
	check_code(&image, 0, &both[1], 1);
	image.nr_segments = 0;
	check_code(&image, 0, NULL, 0);
}
END_TEST

START_TEST(sections_that_are_code_are_cut_at_their_segment)
{
	static const struct line_code expected[] = {
		{.start = 0x1010, .end = 0x1020, .key = 0x110},
		{.start = 0x1050, .end = 0x1060, .key = 0x150},
		{.start = 0x3000, .end = 0x3100, .key = 0x200},
	};
	const struct symbol_file image = {.fd = -1,
					  .segments = segments,
					  .nr_segments = 3,
					  .sections = sections,
					  .nr_sections = sizeof(sections) / sizeof(sections[0])};

	check_code(&image, 0, expected, 3);
}
END_TEST

/* Segments do not say which of them are code. */
START_TEST(sections_without_code_leave_no_code)
{
	const struct symbol_file image = {.fd = -1,
					  .segments = segments,
					  .nr_segments = 3,
					  .sections = sections,
					  .nr_sections = 1};

	check_code(&image, 0, NULL, 0);
}
END_TEST

START_TEST(addresses_of_a_moved_image_lie_lower_in_its_debug_file)
{
	static const struct line_code expected[] = {
		{.start = 0x810, .end = 0x820, .key = 0x110},
	};
	const struct symbol_file image = {.fd = -1,
					  .segments = segments,
					  .nr_segments = 3,
					  .sections = sections,
					  .nr_sections = 3};

	check_code(&image, 0x800, expected, 1);
}
END_TEST

START_TEST(code_of_the_kernel_below_its_text_has_no_key)
{
	static const struct line_code expected[] = {
		{.start = 0x1018, .end = 0x1020, .key = 0},
		{.start = 0x1050, .end = 0x1060, .key = 0x38},
		{.start = 0x3000, .end = 0x3100, .key = 0x1fe8},
	};
	struct symbol_file image = {.fd = -1,
				    .segments = segments,
				    .nr_segments = 3,
				    .sections = sections,
				    .nr_sections = sizeof(sections) / sizeof(sections[0]),
				    .by_address = true,
				    .key_address = 0x1018};

	check_code(&image, 0, expected, 3);
	image.key_address = 0x1020;
	check_code(&image, 0,
		   (struct line_code[]){{0x1050, 0x1060, 0x30}, {0x3000, 0x3100, 0x1fe0}}, 2);
}
END_TEST

/* ---- texts and files ---- */

START_TEST(each_text_and_file_is_kept_once)
{
	static const char *const texts[] = {"", "a", "b", "longer than a word",
					    "longer than a Word"};
	const struct symbol_file image = {.fd = -1};
	uint32_t offsets[5], files[5], again;

	ck_assert_int_eq(line_builder_init(&builder, &image, 0), 0);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_int_eq(line_builder_text(&builder, texts[i], &offsets[i]), 0);
		ck_assert_str_eq(builder.texts.bytes + offsets[i], texts[i]);
		ck_assert_int_eq(line_builder_file(&builder, texts[i], &files[i]), 0);
		ck_assert_uint_eq(files[i], i);
		ck_assert_uint_eq(builder.files[i], offsets[i]);
	}
	for (size_t i = 0; i < 5; i++) {
		ck_assert_int_eq(line_builder_text(&builder, texts[i], &again), 0);
		ck_assert_uint_eq(again, offsets[i]);
		ck_assert_int_eq(line_builder_file(&builder, texts[i], &again), 0);
		ck_assert_uint_eq(again, files[i]);
	}
	ck_assert_uint_eq(builder.nr_files, 5);
	line_builder_deinit(&builder);
}
END_TEST

/* ---- inlined functions ---- */

START_TEST(inlined_code_is_cut_at_the_end_of_its_code)
{
	static const struct {
		uint64_t begin, end, start_key, end_key; /* keys 0: the range is left out */
	} cases[] = {
		{0x1010, 0x1020, 0x110, 0x120}, {0x1018, 0x101c, 0x118, 0x11c},
		{0x101f, 0x1021, 0x11f, 0x120}, {0x1010, 0x1010, 0, 0},
		{0x1018, 0x1017, 0, 0},		{0x100f, 0x1018, 0, 0},
		{0x1020, 0x1021, 0, 0},
	};
	const struct symbol_file image = {.fd = -1,
					  .segments = segments,
					  .nr_segments = 3,
					  .sections = sections,
					  .nr_sections = 2};
	size_t nr = 0;

	ck_assert_int_eq(line_builder_init(&builder, &image, 0), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(line_builder_inlined(&builder, 7, cases[i].begin, cases[i].end),
				 0);
		ck_assert_uint_eq(builder.nr_inlined, nr + (cases[i].end_key != 0));
		if (builder.nr_inlined == nr)
			continue;
		ck_assert_uint_eq(builder.inlined[nr].start, cases[i].start_key);
		ck_assert_uint_eq(builder.inlined[nr].end, cases[i].end_key);
		ck_assert_uint_eq(builder.inlined[nr].node, 7);
		nr++;
	}
	line_builder_deinit(&builder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("line_builder");
	TCase *tests = tcase_create("line_builder");

	tcase_add_test(tests, without_sections_a_segment_may_be_code);
	tcase_add_test(tests, sections_that_are_code_are_cut_at_their_segment);
	tcase_add_test(tests, sections_without_code_leave_no_code);
	tcase_add_test(tests, addresses_of_a_moved_image_lie_lower_in_its_debug_file);
	tcase_add_test(tests, code_of_the_kernel_below_its_text_has_no_key);
	tcase_add_test(tests, each_text_and_file_is_kept_once);
	tcase_add_test(tests, inlined_code_is_cut_at_the_end_of_its_code);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
