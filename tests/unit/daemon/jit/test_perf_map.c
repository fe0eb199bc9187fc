// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jit/perf_map.h"

#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_BUFFER (2 * PERF_MAP_LINE_MAX)

static struct code_pool pool;
static struct code_map *map;
static struct perf_map state;
static struct perf_map_counts counts;
static char buffer[NR_BUFFER];
static int fd;

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(code_pool_init(&pool), 0);
	map = code_map_create(&pool);
	ck_assert_ptr_nonnull(map);
	memset(&state, 0, sizeof(state));
	memset(&counts, 0, sizeof(counts));
	fd = open("map", O_RDWR | O_CREAT | O_APPEND, 0600);
	ck_assert_int_ge(fd, 0);
}

static void teardown(void)
{
	(void)close(fd);
	code_map_put(map);
	ck_assert_uint_eq(pool.nr_bytes, 0);
	code_pool_deinit(&pool);
	test_folder_teardown();
}

static void append(const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static int read_it(void)
{
	return perf_map_read(&state, fd, &map, buffer, sizeof(buffer), &counts);
}

static const char *at(uint64_t address)
{
	const struct named_range *range = code_map_find(map, address);

	return range ? range->name->text : "";
}

START_TEST(lines_as_programs_write_them_are_understood)
{
	static const struct {
		const char *text;
		uint64_t start, end;
		const char *name;
	} lines[] = {
		{"7f740c005b80 128 JS:^hotA /tmp/a b.js:1:14", 0x7f740c005b80, 0x7f740c005ca8,
		 "JS:^hotA /tmp/a b.js:1:14"},
		{"00007FFA10 1a void [Asm] C::m(int32)[Tier0]", 0x7ffa10, 0x7ffa2a,
		 "void [Asm] C::m(int32)[Tier0]"},
		{"0x10 0x1 f", 0x10, 0x11, "f"},
		{"0 1 at_null", 0, 1, "at_null"},
		{"10\t 1 \tf\r", 0x10, 0x11, "f"},
		{"7fffffffffffffff 1 top", 0x7fffffffffffffff, 0x8000000000000000, "top"},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct perf_map_line line;

		ck_assert_int_eq(perf_map_parse_line(lines[i].text, strlen(lines[i].text), &line),
				 0);
		ck_assert_uint_eq(line.start, lines[i].start);
		ck_assert_uint_eq(line.end, lines[i].end);
		ck_assert_uint_eq(line.nr_name_bytes, strlen(lines[i].name));
		ck_assert_mem_eq(line.name, lines[i].name, line.nr_name_bytes);
	}
}
END_TEST

START_TEST(lines_that_make_no_sense_are_refused)
{
	static const char *const lines[] = {
		"",
		" ",
		"10",
		"10 ",
		"10 1",
		"10 1 ",
		"g 1 f",
		"10 x f",
		"-1 1 f",
		" 10 1 f",
		"10 0 empty",
		"8000000000000000 1 kernel",
		"7fffffffffffffff 2 over",
		"1 ffffffffffffffff wraps",
		"11111111111111111 1 long",
		"1 11111111111111111 long",
		"0x 1 f",
		"10,1,f",
		"\xff\xff",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct perf_map_line line;

		ck_assert_msg(perf_map_parse_line(lines[i], strlen(lines[i]), &line) == -EINVAL,
			      "taken: %s", lines[i]);
	}
}
END_TEST

START_TEST(only_what_was_added_is_read)
{
	append("100 10 a\n200 10 b\n3");
	ck_assert_int_eq(read_it(), 0);
	ck_assert_uint_eq(counts.nr_lines, 2);
	ck_assert_str_eq(at(0x105), "a");
	append("00 10 c\n100 8 d\nbad\n");
	ck_assert_int_eq(read_it(), 0);
	ck_assert_uint_eq(counts.nr_lines, 4);
	ck_assert_uint_eq(counts.nr_bad_lines, 1);
	ck_assert_str_eq(at(0x300), "c");
	ck_assert_str_eq(at(0x107), "d"); /* a later line replaces an earlier one */
	ck_assert_str_eq(at(0x108), "a");
	ck_assert_int_eq(read_it(), 0);
	ck_assert_uint_eq(counts.nr_lines, 4);
}
END_TEST

START_TEST(a_file_that_shrank_is_another_file)
{
	append("100 10 a\n200 10 b\n");
	ck_assert_int_eq(read_it(), 0);
	ck_assert_int_eq(ftruncate(fd, 9), 0);
	ck_assert_int_eq(read_it(), -ESTALE);
}
END_TEST

START_TEST(a_file_written_anew_is_another_file_also_when_it_is_longer)
{
	append("100 10 a\n200 10 b\n");
	ck_assert_int_eq(read_it(), 0);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	append("100 10 x\n200 10 y\n300 10 z\n");
	ck_assert_int_eq(read_it(), -ESTALE);
}
END_TEST

START_TEST(a_line_that_does_not_end_is_one_bad_line)
{
	char *text = malloc(100001);

	memset(text, '1', 100000);
	text[100000] = '\0';
	append(text);
	while (read_it() > 0)
		;
	ck_assert_uint_eq(counts.nr_lines + counts.nr_bad_lines, 0);
	append(text);
	append("\n100 10 a\n");
	while (read_it() > 0)
		;
	ck_assert_uint_eq(counts.nr_bad_lines, 1);
	ck_assert_uint_eq(counts.nr_lines, 1);
	ck_assert_str_eq(at(0x100), "a");
	free(text);
}
END_TEST

START_TEST(a_huge_hole_is_read_in_parts_and_is_no_line)
{
	append("100 10 a\n");
	ck_assert_int_eq(ftruncate(fd, INT64_C(1) << 40), 0);
	ck_assert_int_eq(read_it(), 1);
	ck_assert_uint_le(state.position, 2 * PERF_MAP_READ_MAX);
	ck_assert_str_eq(at(0x100), "a");
	ck_assert_int_eq(read_it(), 1);
	ck_assert_uint_eq(counts.nr_lines, 1);
}
END_TEST

START_TEST(many_lines_in_any_order_are_all_found)
{
	char *text = malloc(64 * 5000);
	size_t nr = 0;

	for (unsigned int i = 0; i < 5000; i++)
		nr += (size_t)snprintf(text + nr, 64, "%x 10 f%u\n", (i * 7919 % 5000) * 0x10, i);
	append(text);
	while (read_it() > 0)
		;
	ck_assert_uint_eq(counts.nr_lines, 5000);
	for (unsigned int i = 0; i < 5000; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "f%u", i);
		ck_assert_str_eq(at((i * 7919 % 5000) * 0x10 + 0xf), name);
	}
	free(text);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("perf_map");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, lines_as_programs_write_them_are_understood);
	tcase_add_test(tc, lines_that_make_no_sense_are_refused);
	tcase_add_test(tc, only_what_was_added_is_read);
	tcase_add_test(tc, a_file_that_shrank_is_another_file);
	tcase_add_test(tc, a_file_written_anew_is_another_file_also_when_it_is_longer);
	tcase_add_test(tc, a_line_that_does_not_end_is_one_bad_line);
	tcase_add_test(tc, a_huge_hole_is_read_in_parts_and_is_no_line);
	tcase_add_test(tc, many_lines_in_any_order_are_all_found);
	return test_run(tc);
}
