// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of this program itself, of bytes that are not code, and answers
 * of a hostile child.
 */
#include "pp/code/disassembly.h"

#include "lib/buildid.h"
#include "lib/file.h"
#include "pp/code/disassembly_wire.h"
#include "pp/code/instruction.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct disassembly disassembly;
static struct symbol_table table;
static struct symbol_search search;
static struct oprof_image_identity identity;
static char self[PATH_MAX];

__attribute__((noinline, used)) int disassembly_callee(int x);
__attribute__((noinline, used)) int disassembly_caller(int x);

int disassembly_callee(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

int disassembly_caller(int x)
{
	return disassembly_callee(x) + disassembly_callee(x + 1);
}

static void setup(void)
{
	struct buildid id;
	ssize_t nr = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(nr, 0);
	self[nr] = '\0';
	memset(&identity, 0, sizeof(identity));
	if (!buildid_read_file(self, &id)) {
		memcpy(identity.build_id, id.bytes, id.nr_bytes);
		identity.nr_build_id = id.nr_bytes;
	}
	ck_assert_int_eq(symbol_table_load(&table, self, &identity, OPROF_IMAGE_FILE, &search), 0);
	ck_assert_uint_gt(table.nr_symbols, 0);
}

static void teardown(void)
{
	disassembly_deinit(&disassembly);
	symbol_table_deinit(&table);
	memset(&search, 0, sizeof(search));
}

static const struct symbol *find(const char *name)
{
	for (size_t i = 0; i < table.nr_symbols; i++)
		if (!strcmp(table.symbols[i].name, name))
			return &table.symbols[i];
	ck_abort_msg("no symbol %s", name);
	return NULL;
}

static void load(const char *path, const struct disassembly_range *ranges, size_t nr_ranges)
{
	const struct disassembly_request request = {.ranges = ranges,
						    .nr_ranges = nr_ranges,
						    .symbols = &table,
						    .demangle = DEMANGLE_NORMAL};

	ck_assert_int_eq(disassembly_load(&disassembly, path, &identity, OPROF_IMAGE_FILE, &search,
					  &request),
			 0);
}

static struct disassembly_range range_of(const struct symbol *symbol)
{
	return (struct disassembly_range){.start = symbol->start,
					  .end = symbol->start + symbol->nr_bytes};
}

static const char *text_of(size_t line)
{
	return disassembly.strings + disassembly.lines[line].text;
}

static bool has_text(const char *part)
{
	for (size_t i = 0; i < disassembly.nr_lines; i++)
		if (strstr(text_of(i), part))
			return true;
	return false;
}

#if defined(__x86_64__)
START_TEST(lines_fill_the_range_and_name_what_is_called)
{
	const struct symbol *symbol = find("disassembly_caller");
	struct disassembly_range range = range_of(symbol);
	uint64_t key = range.start;
	struct disassembly_cursor line;

	load(self, &range, 1);
	ck_assert_msg(disassembly.lack == SYMBOLS_FULL, "%s", disassembly.note);
	ck_assert(!disassembly_first(&disassembly, key + 1, &line));
	ck_assert(disassembly_first(&disassembly, key, &line));
	do {
		ck_assert_uint_eq(line.key, key);
		ck_assert_uint_eq(line.address, symbol->address + key - range.start);
		key += line.nr_bytes;
	} while (disassembly_next(&disassembly, &line));
	ck_assert_uint_eq(key, range.end);
	ck_assert(has_text("<disassembly_callee>"));
	ck_assert(has_text("ret"));
}
END_TEST

/* Remembered instructions are the same as decoded ones. */
START_TEST(all_code_of_a_program_is_the_same_decoded_once_or_again)
{
	struct disassembly_range *ranges = calloc(table.nr_symbols, sizeof(*ranges));
	struct disassembly all;

	ck_assert_ptr_nonnull(ranges);
	for (size_t i = 0; i < table.nr_symbols; i++)
		ranges[i] = range_of(&table.symbols[i]);
	load(self, ranges, table.nr_symbols);
	all = disassembly;
	ck_assert_uint_gt(all.nr_lines, 1000);
	ck_assert_uint_eq(all.nr_parts, table.nr_symbols);
	for (size_t i = 0; i < table.nr_symbols; i += table.nr_symbols / 50 + 1) {
		size_t line = all.parts[i].first;

		memset(&disassembly, 0, sizeof(disassembly));
		load(self, &ranges[i], 1);
		ck_assert_uint_eq(all.parts[i].nr, disassembly.nr_lines);
		for (size_t j = 0; j < disassembly.nr_lines; j++, line++)
			ck_assert_str_eq(all.strings + all.lines[line].text, text_of(j));
		disassembly_deinit(&disassembly);
	}
	memset(&disassembly, 0, sizeof(disassembly));
	disassembly_deinit(&all);
	free(ranges);
}
END_TEST
#endif

START_TEST(ranges_outside_the_file_have_no_lines)
{
	const struct disassembly_range ranges[] = {{UINT64_MAX - 20, UINT64_MAX - 10}};

	load(self, ranges, 1);
	ck_assert_uint_eq(disassembly.nr_lines, 0);
}
END_TEST

START_TEST(a_missing_or_other_file_is_said)
{
	const struct disassembly_range range = {0, 10};

	load("/nowhere/at/all", &range, 1);
	ck_assert_int_eq(disassembly.lack, SYMBOLS_NO_FILE);
	ck_assert_ptr_nonnull(strstr(disassembly.note, "missing"));
	disassembly_deinit(&disassembly);
	identity.build_id[0] ^= 1;
	load(self, &range, 1);
	ck_assert_int_eq(disassembly.lack, SYMBOLS_WRONG_FILE);
}
END_TEST

START_TEST(modules_and_the_kernel_without_vmlinux_are_said)
{
	const struct disassembly_range range = {0, 10};
	const struct disassembly_request request = {
		.ranges = &range, .nr_ranges = 1, .symbols = &table};

	ck_assert_int_eq(disassembly_load(&disassembly, "vmlinux", &identity, OPROF_IMAGE_KERNEL,
					  &search, &request),
			 0);
	ck_assert_int_ne(disassembly.lack, SYMBOLS_FULL);
	ck_assert_ptr_nonnull(disassembly.note);
	disassembly_deinit(&disassembly);
	ck_assert_int_eq(disassembly_load(&disassembly, "[ext4]", &identity, OPROF_IMAGE_MODULE,
					  &search, &request),
			 0);
	ck_assert_int_ne(disassembly.lack, SYMBOLS_FULL);
	ck_assert_ptr_nonnull(disassembly.note);
}
END_TEST

/* ---- instructions ---- */

static void show_nothing(void *context, uint64_t address, char *text, size_t nr_bytes)
{
	(void)context;
	(void)snprintf(text, nr_bytes, "<%lx>", (unsigned long)address);
}

static const struct instruction_names names = {.show = show_nothing};
static struct instruction_decoder *decoder;

static void make_decoder(int machine)
{
	const char *name;

	ck_assert_int_eq(instruction_decoder_create(&decoder, machine, true, false, &names, &name),
			 0);
}

static struct instruction decode(const void *bytes, size_t nr_bytes, uint64_t address)
{
	uint8_t code[64] = {0};
	struct instruction instruction;

	memcpy(code, bytes, nr_bytes);
	instruction_decode(decoder, code, nr_bytes, address, &instruction);
	return instruction;
}

#if defined(__x86_64__)
START_TEST(what_shows_an_address_is_not_remembered)
{
	struct instruction instruction;

	make_decoder(EM_X86_64);
	instruction = decode("\xe8\x00\x00\x00\x00", 5, 0x1000);
	ck_assert_ptr_nonnull(strstr(instruction.text, "<1005>"));
	ck_assert_ptr_null(instruction.kept);
	instruction = decode("\xe8\x00\x00\x00\x00", 5, 0x2000);
	ck_assert_ptr_nonnull(strstr(instruction.text, "<2005>"));
	instruction_decoder_destroy(decoder);
}
END_TEST

START_TEST(what_shows_none_is_remembered)
{
	struct instruction instruction;

	make_decoder(EM_X86_64);
	instruction = decode("\x48\x89\xe5\x90", 4, 0x1000);
	ck_assert_str_eq(instruction.text, "mov    %rsp,%rbp");
	ck_assert_uint_eq(instruction.nr_bytes, 3);
	*instruction.kept = 77;
	instruction = decode("\x48\x89\xe5\xc3", 4, 0x2000);
	ck_assert_ptr_null(instruction.text);
	ck_assert_uint_eq(*instruction.kept, 77);
	ck_assert_uint_eq(instruction.nr_bytes, 3);
	instruction_decoder_destroy(decoder);
}
END_TEST

START_TEST(a_prefix_that_stood_alone_does_not_split_others)
{
	struct instruction instruction;

	make_decoder(EM_X86_64);
	instruction = decode("\xf3", 1, 0x1000); /* cut short */
	ck_assert_uint_eq(instruction.nr_bytes, 1);
	instruction = decode("\xf3\xc3\x90", 3, 0x1000);
	ck_assert_uint_eq(instruction.nr_bytes, 2);
	instruction = decode("\x48\x48\x48\x48", 4, 0x1000);
	instruction = decode("\x48\x48\x89\xe5", 4, 0x1000);
	ck_assert_ptr_nonnull(instruction.text);
	instruction_decoder_destroy(decoder);
}
END_TEST

START_TEST(any_bytes_are_instructions_of_some_length)
{
	uint64_t state = 1;

	make_decoder(EM_X86_64);
	for (int i = 0; i < 100000; i++) {
		uint8_t code[32];
		struct instruction instruction;
		size_t nr_left = 1 + i % 15;

		for (size_t j = 0; j < sizeof(code); j++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			code[j] = (uint8_t)(state >> 56);
		}
		instruction_decode(decoder, code, nr_left, 0, &instruction);
		ck_assert_uint_gt(instruction.nr_bytes, 0);
		ck_assert_uint_le(instruction.nr_bytes, nr_left);
		if (instruction.text)
			ck_assert_uint_gt(strlen(instruction.text), 0);
	}
	instruction_decoder_destroy(decoder);
}
END_TEST
#endif

START_TEST(an_unknown_machine_is_told_by_name)
{
	const char *name;

	ck_assert_int_eq(instruction_decoder_create(&decoder, 0xfffe, true, false, &names, &name),
			 -ENOEXEC);
	ck_assert_str_eq(name, "this machine");
}
END_TEST

/* ---- answers of a hostile child ---- */

struct answer {
	struct disassembly_wire_header header;
	struct disassembly_line lines[3];
	struct disassembly_part parts[2];
	char strings[8];
};

static struct answer good_answer(void)
{
	return (struct answer){
		.header = {.magic = DISASSEMBLY_WIRE_MAGIC,
			   .nr_lines = 3,
			   .nr_parts = 2,
			   .strings_bytes = 8},
		.lines = {{.text = 1, .nr_bytes = 2},
			  {.text = 4, .nr_bytes = 1},
			  {.text = 1, .nr_bytes = 1}},
		.parts = {{.key = 10, .nr = 2}, {.key = 13, .first = 2, .nr = 1}},
		.strings = "\0ab\0c\x1b",
	};
}

static int parse_bytes(const void *bytes, size_t nr_bytes)
{
	int fd = memfd_create("answer", MFD_CLOEXEC);
	int error;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_write_all(fd, bytes, nr_bytes), 0);
	disassembly_deinit(&disassembly);
	error = disassembly_wire_read(fd, &disassembly);
	(void)close(fd);
	return error;
}

static int parse(const struct answer *answer)
{
	return parse_bytes(answer, sizeof(*answer));
}

START_TEST(a_good_answer_is_taken)
{
	struct answer answer = good_answer();

	ck_assert_int_eq(parse(&answer), 0);
	ck_assert_uint_eq(disassembly.nr_lines, 3);
	ck_assert_str_eq(text_of(0), "ab");
	ck_assert_str_eq(text_of(1), "c?");
}
END_TEST

#define EXPECT_REFUSED(change)                                                                     \
	do {                                                                                       \
		struct answer answer = good_answer();                                              \
                                                                                                   \
		answer.change;                                                                     \
		ck_assert_int_eq(parse(&answer), -EILSEQ);                                         \
	} while (0)

START_TEST(what_makes_no_sense_is_refused)
{
	struct answer cut = good_answer();

	EXPECT_REFUSED(parts[1].key = 12);
	EXPECT_REFUSED(parts[1].key = UINT64_MAX);
	EXPECT_REFUSED(parts[1].first = 1);
	EXPECT_REFUSED(parts[1].nr = 2);
	EXPECT_REFUSED(parts[1].nr = UINT64_MAX);
	EXPECT_REFUSED(parts[0].nr = 1);
	EXPECT_REFUSED(lines[0].nr_bytes = 0);
	EXPECT_REFUSED(lines[1].text = 8);
	EXPECT_REFUSED(header.nr_lines = UINT64_MAX / 2);
	EXPECT_REFUSED(header.nr_lines = 2);
	EXPECT_REFUSED(header.nr_parts = UINT64_MAX / 4);
	EXPECT_REFUSED(header.strings_bytes = 9);
	EXPECT_REFUSED(header.note = 8);
	EXPECT_REFUSED(header.lack = 100);
	EXPECT_REFUSED(header.magic = 0);
	EXPECT_REFUSED(strings[7] = 'x');
	ck_assert_int_eq(parse_bytes(&cut, 10), -EILSEQ);
	ck_assert_int_eq(parse_bytes(&cut, 0), -EILSEQ);
	ck_assert_int_eq(parse_bytes(&cut, sizeof(cut) - 8), -EILSEQ);
}
END_TEST

/* Together, the parts have as many lines as there are, because the sum wraps around. */
START_TEST(a_part_of_more_lines_than_there_are_is_refused)
{
	struct answer answer = good_answer();

	answer.parts[0].nr = UINT64_MAX;
	answer.parts[1].first = UINT64_MAX;
	answer.parts[1].nr = 4;
	ck_assert_int_eq(parse(&answer), -EILSEQ);
}
END_TEST

static Suite *disassembly_suite(void)
{
	Suite *suite = suite_create("disassembly");
	TCase *tcase = tcase_create("disassembly");

	tcase_add_checked_fixture(tcase, setup, teardown);
#if defined(__x86_64__)
	tcase_add_test(tcase, lines_fill_the_range_and_name_what_is_called);
	tcase_add_test(tcase, all_code_of_a_program_is_the_same_decoded_once_or_again);
	tcase_add_test(tcase, what_shows_an_address_is_not_remembered);
	tcase_add_test(tcase, what_shows_none_is_remembered);
	tcase_add_test(tcase, a_prefix_that_stood_alone_does_not_split_others);
	tcase_add_test(tcase, any_bytes_are_instructions_of_some_length);
#endif
	tcase_add_test(tcase, ranges_outside_the_file_have_no_lines);
	tcase_add_test(tcase, a_missing_or_other_file_is_said);
	tcase_add_test(tcase, modules_and_the_kernel_without_vmlinux_are_said);
	tcase_add_test(tcase, an_unknown_machine_is_told_by_name);
	tcase_add_test(tcase, a_good_answer_is_taken);
	tcase_add_test(tcase, what_makes_no_sense_is_refused);
	tcase_add_test(tcase, a_part_of_more_lines_than_there_are_is_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(disassembly_suite());
}
