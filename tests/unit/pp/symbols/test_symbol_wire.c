// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_wire.h"

#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
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
		char *copy = malloc(nr + 1); /* of its own, for the sanitizer to guard */

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
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
