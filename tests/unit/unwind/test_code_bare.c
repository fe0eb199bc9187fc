// SPDX-License-Identifier: GPL-2.0-or-later
/* A hand-made vdso of AArch64 without unwind tables, sound and damaged. */
#include "tests/fixture/run_suite.h"
#include "unwind/code_table.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_BYTES    (1u << 20)
#define NR_MUTATIONS 3000

#define NOP 0xd503201fu
#define RET 0xd65f03c0u

/* The begin of each function: equal to its key, because the segment begins with the file. */
#define PLAIN	 0x1c0u
#define CALLS	 0x1d0u
#define RETURNS	 0x1e0u
#define MOVES	 0x1f0u
#define UPDATES	 0x200u
#define NR_WORDS 20u

static const char names[] = "\0.dynsym\0.names";

static struct file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Sym symbols[5];
	Elf64_Shdr shdrs[3];
	char names[16];
	uint32_t code[NR_WORDS];
} file;

_Static_assert(offsetof(struct file, code) == PLAIN, "keys are as said");

static Elf64_Sym symbol(unsigned int type, uint64_t value, uint64_t nr_bytes)
{
	return (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, type),
			   .st_value = value,
			   .st_size = nr_bytes,
			   .st_shndx = 1};
}

static void setup(void)
{
	static const uint32_t code[NR_WORDS] = {
		NOP,	    0x71003c1f,
		0x8b2463e4, RET, /* cmp w0, #15; add x4, sp, x4 */
		0xa9bf7bfd, 0x94000001,
		0xa8c17bfd, RET, /* stp x29, x30, [sp, #-16]!; bl; ldp */
		NOP,	    0xd2801168,
		0xd4000001, NOP, /* mov x8, #139; svc #0 */
		0xd10043ff, NOP,
		0x910043ff, RET, /* sub sp, sp, #16; add */
		0xf81f0fe0, NOP,
		0xf84107e0, RET, /* str x0, [sp, #-16]!; ldr x0, [sp], #16 */
	};

	memset(&file, 0, sizeof(file));
	memcpy(file.ehdr.e_ident, ELFMAG, SELFMAG);
	file.ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	file.ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	file.ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	file.ehdr.e_type = ET_DYN;
	file.ehdr.e_machine = EM_AARCH64;
	file.ehdr.e_version = EV_CURRENT;
	file.ehdr.e_ehsize = sizeof(file.ehdr);
	file.ehdr.e_phoff = offsetof(struct file, phdr);
	file.ehdr.e_phentsize = sizeof(file.phdr);
	file.ehdr.e_phnum = 1;
	file.ehdr.e_shoff = offsetof(struct file, shdrs);
	file.ehdr.e_shentsize = sizeof(file.shdrs[0]);
	file.ehdr.e_shnum = 3;
	file.ehdr.e_shstrndx = 2;
	file.phdr = (Elf64_Phdr){.p_type = PT_LOAD,
				 .p_flags = PF_R | PF_X,
				 .p_filesz = sizeof(file),
				 .p_memsz = sizeof(file)};
	file.symbols[1] = symbol(STT_FUNC, MOVES, 16); /* symbols are not sorted */
	file.symbols[2] = symbol(STT_FUNC, PLAIN, 16);
	file.symbols[3] = symbol(STT_FUNC, CALLS, 16);
	file.symbols[4] = symbol(STT_FUNC, UPDATES, 16);
	file.shdrs[1] = (Elf64_Shdr){.sh_name = 1,
				     .sh_type = SHT_DYNSYM,
				     .sh_offset = offsetof(struct file, symbols),
				     .sh_size = sizeof(file.symbols)};
	file.shdrs[2] = (Elf64_Shdr){.sh_name = 9,
				     .sh_type = SHT_STRTAB,
				     .sh_offset = offsetof(struct file, names),
				     .sh_size = sizeof(file.names)};
	memcpy(file.names, names, sizeof(names));
	memcpy(file.code, code, sizeof(code));
}

/* Returns 0 or -errno; the caller owns *table. */
static int build(int (*how)(int, int, uint64_t, struct diag *), struct code_table **table)
{
	int from = memfd_create("vdso", MFD_CLOEXEC), to = memfd_create("table", MFD_CLOEXEC);
	struct diag diag;
	int error;

	ck_assert_int_eq(write(from, &file, sizeof(file)), sizeof(file));
	diag_clear(&diag);
	error = how(from, to, MAX_BYTES, &diag);
	if (!error)
		ck_assert_int_eq(code_table_open(table, to, &diag), 0);
	close(from);
	close(to);
	return error;
}

START_TEST(functions_that_call_none_and_leave_the_stack_alone_are_known)
{
	struct code_table *table;
	struct code_row row;
	uint64_t start;

	ck_assert_int_eq(build(code_table_build_vdso, &table), 0);
	for (uint64_t key = PLAIN; key < PLAIN + 16; key += 4) {
		ck_assert(code_table_is_frameless(table, key));
		ck_assert_int_eq(code_table_function(table, key, &start), 0);
		ck_assert_uint_eq(start, PLAIN);
	}
	ck_assert_int_eq(code_table_row(table, PLAIN - 4, &row), -ENOENT);
	ck_assert_int_eq(code_table_row(table, CALLS + 4, &row), -ENOENT);
	ck_assert_int_eq(code_table_row(table, MOVES + 4, &row), -ENOENT);
	ck_assert_int_eq(code_table_row(table, UPDATES + 4, &row), -ENOENT);
	code_table_close(table);
}
END_TEST

/* _i == 1: the symbol is marked as a function. */
START_TEST(where_handlers_return_to_is_a_signals_frame)
{
	struct code_table *table;
	struct code_row row;

	if (_i)
		file.symbols[1] = symbol(STT_FUNC, RETURNS, 16);
	ck_assert_int_eq(build(code_table_build_vdso, &table), 0);
	for (uint64_t key = RETURNS; key < RETURNS + 12; key += 4) {
		ck_assert_int_eq(code_table_row(table, key, &row), 0);
		ck_assert_int_eq(row.cfa, CODE_CFA_SIGNAL);
	}
	ck_assert_int_eq(code_table_row(table, RETURNS + 12, &row), -ENOENT);
	code_table_close(table);
}
END_TEST

/* _i == 1: the instruction before the trampoline belongs to a function that ends there. */
START_TEST(what_a_function_has_before_it_is_not_of_the_signals_frame)
{
	struct code_table *table;
	struct code_row row;
	const uint64_t start = RETURNS + 4 * (uint64_t)_i;

	file.symbols[3] = symbol(STT_FUNC, CALLS, start - CALLS);
	ck_assert_int_eq(build(code_table_build_vdso, &table), 0);
	ck_assert_int_eq(code_table_row(table, start - 4, &row), -ENOENT);
	for (uint64_t key = start; key < RETURNS + 12; key += 4) {
		ck_assert_int_eq(code_table_row(table, key, &row), 0);
		ck_assert_int_eq(row.cfa, CODE_CFA_SIGNAL);
	}
	ck_assert_int_eq(code_table_row(table, RETURNS + 12, &row), -ENOENT);
	code_table_close(table);
}
END_TEST

START_TEST(of_other_files_and_machines_nothing_is_believed)
{
	struct code_table *table;

	ck_assert_int_eq(build(code_table_build, &table), -ENODATA);
	file.ehdr.e_machine = EM_X86_64;
	ck_assert_int_eq(build(code_table_build_vdso, &table), -ENODATA);
}
END_TEST

START_TEST(a_damaged_one_does_no_harm)
{
	srand(1);
	for (int i = 0; i < NR_MUTATIONS; i++) {
		struct code_table *table = NULL;

		setup();
		for (int nr = 1 + rand() % 3; nr; nr--)
			((uint8_t *)&file)[(size_t)rand() % sizeof(file)] = (uint8_t)rand();
		if (!build(code_table_build_vdso, &table))
			code_table_close(table);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_bare");
	TCase *tests = tcase_create("code_bare");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, functions_that_call_none_and_leave_the_stack_alone_are_known);
	tcase_add_loop_test(tests, where_handlers_return_to_is_a_signals_frame, 0, 2);
	tcase_add_loop_test(tests, what_a_function_has_before_it_is_not_of_the_signals_frame, 0, 2);
	tcase_add_test(tests, of_other_files_and_machines_nothing_is_believed);
	tcase_add_test(tests, a_damaged_one_does_no_harm);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
