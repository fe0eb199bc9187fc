// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_wire.h"

#include "lib/file.h"
#include "pp/lines/line_wire.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct symbol_result result;
static struct symbol_table table;
static char bytes[4096];
static size_t nr_bytes;

static void add(uint64_t start, uint64_t end, const char *name, enum symbol_sort sort)
{
	struct listed_symbol symbol = {.start = start,
				       .end = end,
				       .limit = 1000,
				       .address = start + 0x1000,
				       .name = name,
				       .name_bytes = (uint32_t)strlen(name),
				       .sort = (uint16_t)sort};

	ck_assert_int_eq(symbol_list_add(&result.list, &symbol), 0);
}

static void write_result(void)
{
	int fd = memfd_create("test", 0);
	ssize_t nr;

	ck_assert_int_eq(symbol_wire_write(fd, &result), 0);
	nr = file_pread_all(fd, bytes, sizeof(bytes), 0);
	ck_assert_int_gt(nr, 0);
	nr_bytes = (size_t)nr;
	close(fd);
}

static void setup(void)
{
	symbol_list_init(&result.list);
	add(10, 20, "first", SYMBOL_SORT_FUNCTION);
	add(20, 30, "puts", SYMBOL_SORT_PLT);
	add(40, 41, "\033[31m", SYMBOL_SORT_FUNCTION);
	result.lack = SYMBOLS_DYNAMIC_ONLY;
	result.debug_path = strdup("/debug");
	result.note = strdup("a note");
	write_result();
	memset(&table, 0xee, sizeof(table));
}

static void teardown(void)
{
	symbol_list_deinit(&result.list);
	free(result.debug_path);
	free(result.note);
}

START_TEST(what_is_written_is_read)
{
	ck_assert_int_eq(symbol_wire_parse(bytes, nr_bytes, &table), 0);
	ck_assert_uint_eq(table.nr_symbols, 3);
	ck_assert_int_eq(table.lack, SYMBOLS_DYNAMIC_ONLY);
	ck_assert_str_eq(table.debug_path, "/debug");
	ck_assert_str_eq(table.note, "a note");
	ck_assert_str_eq(table.symbols[0].name, "first");
	ck_assert_uint_eq(table.symbols[0].start, 10);
	ck_assert_uint_eq(table.symbols[0].nr_bytes, 10);
	ck_assert_uint_eq(table.symbols[0].address, 0x100a);
	ck_assert_str_eq(table.symbols[1].name, "puts@plt");
	symbol_table_deinit(&table);
}
END_TEST

START_TEST(escape_sequences_in_names_are_disarmed)
{
	ck_assert_int_eq(symbol_wire_parse(bytes, nr_bytes, &table), 0);
	ck_assert_str_eq(table.symbols[2].name, "?[31m");
	symbol_table_deinit(&table);
}
END_TEST

START_TEST(each_control_character_is_hidden_wherever_it_stands_and_no_other)
{
	for (unsigned int c = 1; c < 256; c++) {
		for (size_t at = 0; at < 16; at++) {
			char note[] = "0123456789abcdef";
			bool control = c < 0x20 || c == 0x7f;

			note[at] = (char)c;
			free(result.note);
			result.note = strdup(note);
			write_result();
			ck_assert_int_eq(symbol_wire_parse(bytes, nr_bytes, &table), 0);
			note[at] = control ? '?' : (char)c;
			ck_assert_str_eq(table.note, note);
			symbol_table_deinit(&table);
		}
	}
}
END_TEST

START_TEST(result_without_symbols_or_texts_is_read)
{
	symbol_list_deinit(&result.list);
	free(result.debug_path);
	free(result.note);
	result = (struct symbol_result){.lack = SYMBOLS_NONE};
	write_result();
	ck_assert_int_eq(symbol_wire_parse(bytes, nr_bytes, &table), 0);
	ck_assert_uint_eq(table.nr_symbols, 0);
	ck_assert_ptr_null(table.note);
	ck_assert_ptr_null(table.debug_path);
	symbol_table_deinit(&table);
}
END_TEST

static void refuse(void)
{
	struct symbol_table before = table;

	ck_assert_int_eq(symbol_wire_parse(bytes, nr_bytes, &table), -EILSEQ);
	ck_assert_ptr_eq(table.symbols, before.symbols);
	ck_assert_ptr_eq(table.strings, before.strings);
	ck_assert_uint_eq(table.nr_symbols, before.nr_symbols);
}

START_TEST(every_truncation_is_refused)
{
	for (size_t whole = nr_bytes, nr = 0; nr < whole; nr++) {
		/* Memory of its own, so that a sanitizer detects reads past it. */
		char *copy = malloc(nr + 1);

		memcpy(copy, bytes, nr);
		ck_assert_int_eq(symbol_wire_parse(copy, nr, &table), -EILSEQ);
		free(copy);
	}
}
END_TEST

START_TEST(every_flipped_bit_is_refused_or_read_whole)
{
	char *copy = malloc(nr_bytes);

	for (size_t bit = 0; bit < 8 * nr_bytes; bit++) {
		memcpy(copy, bytes, nr_bytes);
		copy[bit / 8] ^= (char)(1 << bit % 8);
		if (symbol_wire_parse(copy, nr_bytes, &table))
			continue;
		for (size_t i = 0; i < table.nr_symbols; i++)
			ck_assert_uint_lt(strlen(table.symbols[i].name), nr_bytes);
		symbol_table_deinit(&table);
	}
	free(copy);
}
END_TEST

#define ENTRY(n)                                                                                   \
	((struct symbol_wire_entry *)(void *)(bytes + sizeof(struct symbol_wire_header)) + (n))
#define HEADER ((struct symbol_wire_header *)(void *)bytes)

START_TEST(overlap_is_refused)
{
	ENTRY(0)->nr_bytes = 11;
	refuse();
}
END_TEST

START_TEST(symbol_beyond_the_last_key_is_refused)
{
	ENTRY(2)->start = UINT64_MAX - 1;
	ENTRY(2)->nr_bytes = 2;
	refuse();
}
END_TEST

START_TEST(empty_symbol_is_refused)
{
	ENTRY(1)->nr_bytes = 0;
	refuse();
}
END_TEST

START_TEST(name_outside_the_strings_is_refused)
{
	ENTRY(1)->name = UINT32_MAX;
	refuse();
}
END_TEST

START_TEST(name_that_does_not_end_is_refused)
{
	ENTRY(0)->name_bytes--;
	refuse();
}
END_TEST

START_TEST(huge_number_of_symbols_is_refused)
{
	HEADER->nr_symbols = UINT64_MAX / sizeof(struct symbol_wire_entry) + 2;
	refuse();
}
END_TEST

START_TEST(unknown_lack_is_refused)
{
	HEADER->lack = SYMBOLS_DAMAGED + 1;
	refuse();
}
END_TEST

START_TEST(note_outside_the_strings_is_refused)
{
	HEADER->note = HEADER->strings_bytes;
	refuse();
}
END_TEST

START_TEST(empty_file_is_refused)
{
	int fd = memfd_create("test", 0);

	ck_assert_int_eq(symbol_wire_read(fd, &table), -EILSEQ);
	close(fd);
}
END_TEST

START_TEST(file_over_the_limit_is_refused_unread)
{
	int fd = memfd_create("test", 0);

	ck_assert_int_eq(ftruncate(fd, (off_t)SYMBOL_WIRE_MAX_BYTES + 1), 0);
	ck_assert_int_eq(symbol_wire_read(fd, &table), -EILSEQ);
	close(fd);
}
END_TEST

/* ---- lines ---- */

/* The smallest answer with each part. The parts follow each other as they are sent. */
static const struct line_answer {
	struct line_wire_header header;
	struct line_wire_range ranges[3];
	struct line_wire_node nodes[3];
	uint32_t files[2];
	char strings[8];
} good_lines = {
	.header = {.magic = LINE_WIRE_MAGIC,
		   .lack = SYMBOLS_DAMAGED,
		   .nr_ranges = 3,
		   .nr_nodes = 3,
		   .nr_files = 2,
		   .strings_bytes = 8,
		   .debug_path = 1,
		   .note = 3},
	.ranges = {{.start = 10, .file = 0, .line = 1, .node = 2},
		   {.start = 11, .file = 1, .line = 2},
		   {.start = 12, .file = LINE_NO_FILE}},
	.nodes = {{0}, {.function = 5, .call_file = 1}, {.function = 5, .parent = 1}},
	.files = {1, 3},
	.strings = "\0a\0b\0\33f",
};
_Static_assert(sizeof(struct line_answer) ==
		       sizeof(struct line_wire_header) + 3 * sizeof(struct line_wire_range) +
			       3 * sizeof(struct line_wire_node) + 2 * sizeof(uint32_t) + 8,
	       "no padding between parts");

/* In memory of this size, so that a sanitizer detects reads past it. */
static int open_lines(const struct line_answer *answer, size_t nr)
{
	char *copy = malloc(nr ? nr : 1);
	struct line_wire wire;
	int error;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, answer, nr);
	error = line_wire_open(&wire, copy, nr);
	if (!error) {
		ck_assert_uint_eq(wire.ranges[0].start, answer->ranges[0].start);
		ck_assert_uint_eq(wire.files[1], answer->files[1]);
		ck_assert_str_eq(wire.strings + 1, "a");
	}
	free(copy);
	return error;
}

#define SPOILED(member, spoilt, expected)                                                          \
	{                                                                                          \
		offsetof(struct line_answer, member),                                              \
			sizeof(((struct line_answer *)NULL)->member), spoilt, expected, #member    \
	}

/* Each number at its bound, and beyond it. */
static const struct {
	size_t offset, nr_bytes;
	uint64_t value;
	int error;
	const char *name;
} spoiled_lines[] = {
	SPOILED(header.magic, LINE_WIRE_MAGIC, 0),
	SPOILED(header.magic, LINE_WIRE_MAGIC - 1, -EILSEQ),
	SPOILED(header.magic, LINE_WIRE_MAGIC + 1, -EILSEQ),
	SPOILED(header.lack, 0, 0),
	SPOILED(header.lack, SYMBOLS_DAMAGED + 1, -EILSEQ),
	SPOILED(header.lack, UINT32_MAX, -EILSEQ),
	SPOILED(header.nr_ranges, 2, -EILSEQ),
	SPOILED(header.nr_ranges, 4, -EILSEQ),
	SPOILED(header.nr_ranges, UINT64_MAX, -EILSEQ),
	SPOILED(header.nr_ranges, UINT64_MAX / sizeof(struct line_wire_range) + 4, -EILSEQ),
	SPOILED(header.nr_nodes, 2, -EILSEQ),
	SPOILED(header.nr_nodes, 4, -EILSEQ),
	SPOILED(header.nr_nodes, UINT32_MAX, -EILSEQ),
	SPOILED(header.nr_files, 1, -EILSEQ),
	SPOILED(header.nr_files, 3, -EILSEQ),
	SPOILED(header.nr_files, UINT32_MAX, -EILSEQ),
	SPOILED(header.strings_bytes, 7, -EILSEQ),
	SPOILED(header.strings_bytes, 9, -EILSEQ),
	SPOILED(header.debug_path, 0, 0),
	SPOILED(header.debug_path, 7, 0),
	SPOILED(header.debug_path, 8, -EILSEQ),
	SPOILED(header.debug_path, UINT32_MAX, -EILSEQ),
	SPOILED(header.note, 0, 0),
	SPOILED(header.note, 7, 0),
	SPOILED(header.note, 8, -EILSEQ),
	SPOILED(header.note, UINT32_MAX, -EILSEQ),
	SPOILED(ranges[0].start, 0, 0),
	SPOILED(ranges[1].start, 10, -EILSEQ),
	SPOILED(ranges[1].start, 9, -EILSEQ),
	SPOILED(ranges[2].start, UINT64_MAX, 0),
	SPOILED(ranges[0].node, 3, -EILSEQ),
	SPOILED(ranges[0].node, UINT32_MAX, -EILSEQ),
	SPOILED(ranges[0].file, 2, -EILSEQ),
	SPOILED(ranges[0].file, LINE_NO_FILE - 1, -EILSEQ),
	SPOILED(ranges[0].file, LINE_NO_FILE, 0),
	SPOILED(ranges[2].file, 1, -EILSEQ), /* the last string has no end */
	SPOILED(nodes[1].function, 7, 0),
	SPOILED(nodes[1].function, 8, -EILSEQ),
	SPOILED(nodes[1].call_file, 2, -EILSEQ),
	SPOILED(nodes[1].parent, 0, 0),
	SPOILED(nodes[1].parent, 1, -EILSEQ),
	SPOILED(nodes[2].parent, 2, -EILSEQ),
	SPOILED(nodes[2].parent, UINT32_MAX, -EILSEQ),
	SPOILED(files[0], 7, 0),
	SPOILED(files[0], 8, -EILSEQ),
	SPOILED(files[0], UINT32_MAX, -EILSEQ),
	SPOILED(strings[7], 'x', -EILSEQ),
};

START_TEST(a_number_in_lines_is_good_up_to_its_bound_and_refused_beyond_it)
{
	struct line_answer answer = good_lines;
	uint64_t wide = spoiled_lines[_i].value;
	uint32_t narrow = (uint32_t)wide;
	char byte = (char)wide;
	const size_t nr = spoiled_lines[_i].nr_bytes;
	char *at = (char *)&answer + spoiled_lines[_i].offset;

	ck_assert_int_eq(open_lines(&answer, sizeof(answer)), 0);
	memcpy(at, nr == 8 ? (void *)&wide : nr == 4 ? (void *)&narrow : &byte, nr);
	ck_assert_msg(open_lines(&answer, sizeof(answer)) == spoiled_lines[_i].error, "%s = %llu",
		      spoiled_lines[_i].name, (unsigned long long)wide);
}
END_TEST

START_TEST(lines_cut_at_any_byte_are_refused)
{
	for (size_t nr = 0; nr < sizeof(good_lines); nr++)
		ck_assert_msg(open_lines(&good_lines, nr) == -EILSEQ, "%zu bytes", nr);
}
END_TEST

START_TEST(lines_without_any_part_but_strings_are_good)
{
	const struct {
		struct line_wire_header header;
		char strings[8];
	} answer = {.header = {.magic = LINE_WIRE_MAGIC, .strings_bytes = 8}};
	struct line_wire wire;
	char copy[sizeof(answer)] __attribute__((aligned(8)));

	memcpy(copy, &answer, sizeof(answer));
	ck_assert_int_eq(line_wire_open(&wire, copy, sizeof(copy)), 0);
	/* Without strings, there is none for unknown names. */
	memset(copy + offsetof(struct line_wire_header, strings_bytes), 0, sizeof(uint32_t));
	ck_assert_int_eq(line_wire_open(&wire, copy, sizeof(answer.header)), -EILSEQ);
}
END_TEST

START_TEST(control_characters_in_names_of_lines_are_hidden)
{
	struct line_answer answer = good_lines;
	struct line_wire wire;

	ck_assert_int_eq(line_wire_open(&wire, &answer, sizeof(answer)), 0);
	ck_assert_str_eq(wire.strings + 5, "?f");
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("symbol_wire");
	TCase *tcase = tcase_create("symbol_wire");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, what_is_written_is_read);
	tcase_add_test(tcase, escape_sequences_in_names_are_disarmed);
	tcase_add_test(tcase, each_control_character_is_hidden_wherever_it_stands_and_no_other);
	tcase_add_test(tcase, result_without_symbols_or_texts_is_read);
	tcase_add_test(tcase, every_truncation_is_refused);
	tcase_add_test(tcase, every_flipped_bit_is_refused_or_read_whole);
	tcase_add_test(tcase, overlap_is_refused);
	tcase_add_test(tcase, symbol_beyond_the_last_key_is_refused);
	tcase_add_test(tcase, empty_symbol_is_refused);
	tcase_add_test(tcase, name_outside_the_strings_is_refused);
	tcase_add_test(tcase, name_that_does_not_end_is_refused);
	tcase_add_test(tcase, huge_number_of_symbols_is_refused);
	tcase_add_test(tcase, unknown_lack_is_refused);
	tcase_add_test(tcase, note_outside_the_strings_is_refused);
	tcase_add_test(tcase, empty_file_is_refused);
	tcase_add_test(tcase, file_over_the_limit_is_refused_unread);
	tcase_add_loop_test(tcase, a_number_in_lines_is_good_up_to_its_bound_and_refused_beyond_it,
			    0, sizeof(spoiled_lines) / sizeof(spoiled_lines[0]));
	tcase_add_test(tcase, lines_cut_at_any_byte_are_refused);
	tcase_add_test(tcase, lines_without_any_part_but_strings_are_good);
	tcase_add_test(tcase, control_characters_in_names_of_lines_are_hidden);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
