// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares every row of real binaries with libdw's result for the same bytes: the frame's address,
 * the return address, and each register that tables follow. OPROF_CODE_BINARIES='A B' chooses the
 * binaries.
 */
#include "tests/fixture/process_code.h"
#include "tests/fixture/run_suite.h"
#include "unwind/code_format.h"

#include <check.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOLD_MAX 20

struct rows {
	const char *path;
	struct code_table *table;
	enum code_machine machine;
	Elf *elf;
	Dwarf_CFI *cfi;
	size_t nr_compared, nr_different;
	uint64_t nr_bytes, nr_bytes_hard;
};

static struct rows rows;

/* ---- libdw's rows ---- */

static unsigned int fp_register(void)
{
	return rows.machine == CODE_X86_64 ? 6 : 29;
}

static unsigned int sp_register(void)
{
	return rows.machine == CODE_X86_64 ? 7 : 31;
}

/* Returns the register of an operation "register + number", or -1. */
static int base_of(const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return op->atom - DW_OP_breg0;
	return op->atom == DW_OP_bregx ? (int)op->number : -1;
}

static int64_t offset_of(const Dwarf_Op *op)
{
	return (int64_t)(op->atom == DW_OP_bregx ? op->number2 : op->number);
}

static bool is_plt(const Dwarf_Op *ops, size_t nr_ops)
{
	return nr_ops == 9 && base_of(&ops[0]) == 7 && base_of(&ops[1]) == 16 &&
	       ops[5].atom == DW_OP_ge && ops[8].atom == DW_OP_plus;
}

/* Returns the frame's address in the form of our tables; HARD: it has another form. */
static struct code_row cfa_of(const Dwarf_Op *ops, size_t nr_ops)
{
	struct code_row row = {.cfa = CODE_CFA_HARD};
	int base = nr_ops ? base_of(&ops[0]) : -1;

	if (rows.machine == CODE_X86_64 && is_plt(ops, nr_ops))
		return (struct code_row){.cfa = CODE_CFA_PLT,
					 .cfa_offset = 8,
					 .cfa_register = (uint8_t)(ops[4].atom - DW_OP_lit0)};
	if (base < 0 || base > 31)
		return row;
	row.cfa_offset = (int32_t)offset_of(&ops[0]);
	row.cfa_register = (uint8_t)base;
	if (nr_ops > 1 && ops[1].atom == DW_OP_deref && nr_ops <= 3) {
		row.cfa = CODE_CFA_DEREF;
		row.cfa_add = nr_ops == 3 ? (int32_t)ops[2].number : 0;
		return row;
	}
	if (nr_ops == 7 && base == 7 && base_of(&ops[1]) >= 0 && ops[2].atom == DW_OP_lit8 &&
	    ops[3].atom == DW_OP_mul && ops[5].atom == DW_OP_deref) {
		row.cfa = CODE_CFA_INDEX;
		row.cfa_register = (uint8_t)base_of(&ops[1]);
		row.cfa_add = (int32_t)ops[6].number;
		return row;
	}
	/* libdw represents "register + number" in one operation or in two. */
	if (nr_ops == 2 && ops[1].atom == DW_OP_plus_uconst)
		row.cfa_offset += (int32_t)ops[1].number;
	else if (nr_ops > 1)
		return row;
	row.cfa = (unsigned int)base == sp_register()	? CODE_CFA_SP
		  : (unsigned int)base == fp_register() ? CODE_CFA_FP
							: CODE_CFA_OTHER;
	if (row.cfa != CODE_CFA_OTHER)
		row.cfa_register = 0;
	return row;
}

static struct code_place place_of(Dwarf_Frame *frame, unsigned int number)
{
	Dwarf_Op memory[3];
	Dwarf_Op *ops;
	size_t nr_ops = 0;

	ck_assert_int_eq(dwarf_frame_register(frame, (int)number, memory, &ops, &nr_ops), 0);
	if (!nr_ops)
		return (struct code_place){ops == memory ? CODE_RULE_UNDEFINED : CODE_RULE_SAME, 0};
	if (ops[0].atom == DW_OP_call_frame_cfa && nr_ops == 1)
		return (struct code_place){CODE_RULE_CFA, 0};
	if (ops[0].atom == DW_OP_call_frame_cfa && nr_ops == 2 && ops[1].atom == DW_OP_plus_uconst)
		return (struct code_place){CODE_RULE_CFA, (int32_t)ops[1].number};
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31 && nr_ops == 1)
		return (struct code_place){CODE_RULE_REGISTER, ops[0].atom - DW_OP_reg0};
	if (ops[0].atom == DW_OP_regx && nr_ops == 1)
		return (struct code_place){CODE_RULE_REGISTER, (int32_t)ops[0].number};
	/* An expression that begins with the frame's address on the stack. */
	if (nr_ops == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
	    base_of(&ops[1]) == (int)fp_register())
		return (struct code_place){CODE_RULE_FP, (int32_t)offset_of(&ops[1])};
	if (nr_ops == 1 && base_of(&ops[0]) == (int)fp_register())
		return (struct code_place){CODE_RULE_FP, (int32_t)offset_of(&ops[0])};
	return (struct code_place){CODE_RULE_HARD, 0};
}

/* ---- comparison ---- */

static void tell(uint64_t address, const char *what, int64_t ours, int64_t theirs)
{
	rows.nr_different++;
	if (rows.nr_different <= TOLD_MAX)
		printf("# %s: %s at %#llx: %lld, libdw says %lld\n", rows.path, what,
		       (unsigned long long)address, (long long)ours, (long long)theirs);
}

static void compare_places(uint64_t address, const struct code_row *row, Dwarf_Frame *frame)
{
	size_t nr_slots;
	const uint8_t *slots = code_machine_slots(rows.machine, &nr_slots);

	for (size_t i = 0; i < nr_slots; i++) {
		const struct code_place place = place_of(frame, slots[i]);
		char what[32];

		(void)snprintf(what, sizeof(what), "register %u", slots[i]);
		/* For x86-64, libdw's list calls registers without an instruction undefined. */
		if (place.rule == CODE_RULE_UNDEFINED && row->places[i].rule == CODE_RULE_SAME)
			continue;
		if (row->places[i].rule != place.rule)
			tell(address, what, row->places[i].rule, place.rule);
		else if (row->places[i].value != place.value)
			tell(address, what, row->places[i].value, place.value);
	}
}

/* Returns false if the row is hard. */
static bool compare_row(uint64_t address, const struct code_row *row, Dwarf_Frame *frame,
			bool is_signal)
{
	const struct code_place back = place_of(frame, rows.machine == CODE_X86_64 ? 16 : 30);
	struct code_row theirs;
	Dwarf_Op *ops;
	size_t nr_ops;

	rows.nr_compared++;
	if (back.rule == CODE_RULE_UNDEFINED || row->places[0].rule == CODE_RULE_UNDEFINED) {
		if (row->places[0].rule != back.rule)
			tell(address, "end", row->places[0].rule, back.rule);
		return true;
	}
	if (is_signal || row->cfa == CODE_CFA_SIGNAL) {
		if (!is_signal || row->cfa != CODE_CFA_SIGNAL)
			tell(address, "signal", row->cfa, is_signal);
		return true;
	}
	ck_assert_int_eq(dwarf_frame_cfa(frame, &ops, &nr_ops), 0);
	theirs = cfa_of(ops, nr_ops);
	if (row->cfa == CODE_CFA_HARD)
		return false;
	if (row->cfa != theirs.cfa)
		tell(address, "kind", row->cfa, theirs.cfa);
	else if (row->cfa_register != theirs.cfa_register)
		tell(address, "base", row->cfa_register, theirs.cfa_register);
	else if (row->cfa_offset != theirs.cfa_offset || row->cfa_add != theirs.cfa_add)
		tell(address, "offset", row->cfa_offset, theirs.cfa_offset);
	compare_places(address, row, frame);
	return true;
}

/* Our row at key must equal the row of libdw's frame that contains address. */
static void compare_at(uint64_t address, uint64_t key, Dwarf_Frame *frame, bool is_signal,
		       uint64_t nr_bytes)
{
	struct code_row row;

	if (code_table_row(rows.table, key, &row)) {
		tell(address, "no row", 0, 1);
		return;
	}
	if (!compare_row(address, &row, frame, is_signal))
		rows.nr_bytes_hard += nr_bytes;
}

/*
 * Compares at the first, middle and last byte of a frame's range. libdw reports ranges as they are
 * in its rows, including empty ones; our ranges end with the function.
 */
static uint64_t compare_range(uint64_t address, uint64_t key)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start, end;
	bool is_signal;

	/* A linkage table that only our table knows. */
	if (dwarf_cfi_addrframe(rows.cfi, address, &frame))
		return 1;
	ck_assert_int_ge(dwarf_frame_info(frame, &start, &end, &is_signal), 0);
	ck_assert_uint_le(start, address);
	if (end <= address)
		end = address + 1;
	compare_at(address, key, frame, is_signal, end - address);
	compare_at(end - 1, key + (end - 1 - address), frame, is_signal, 0);
	compare_at(address + (end - address) / 2, key + (end - address) / 2, frame, is_signal, 0);
	rows.nr_bytes += end - address;
	free(frame);
	return end - address;
}

static bool libdw_knows(uint64_t address)
{
	Dwarf_Frame *frame = NULL;
	bool known = !dwarf_cfi_addrframe(rows.cfi, address, &frame);

	free(frame);
	return known;
}

/* Compares all code of an executable segment that our table knows, row by row. */
static void compare_segment(const GElf_Phdr *phdr)
{
	uint64_t at = 0;

	while (at < phdr->p_filesz) {
		const uint64_t key = phdr->p_offset + at;
		const uint64_t address = phdr->p_vaddr + at;
		struct code_row row;
		bool known = !code_table_row(rows.table, key, &row);

		if (known) {
			at += compare_range(address, key);
			continue;
		}
		/* Our table must know all code that libdw knows. */
		if (at % 64 == 0 && libdw_knows(address))
			tell(address, "nothing", 0, 1);
		at++;
	}
}

static void compare_binary(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct code_table_stat stat;
	GElf_Phdr phdr;
	size_t nr_phdrs = 0;

	memset(&rows, 0, sizeof(rows));
	rows.path = path;
	ck_assert_int_ge(fd, 0);
	rows.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	ck_assert_ptr_nonnull(rows.elf);
	rows.cfi = dwarf_getcfi_elf(rows.elf);
	ck_assert_ptr_nonnull(rows.cfi);
	rows.table = process_code_build(path);
	ck_assert_ptr_nonnull(rows.table);
	rows.machine = code_table_machine(rows.table);
	ck_assert_int_eq(elf_getphdrnum(rows.elf, &nr_phdrs), 0);
	for (size_t i = 0; i < nr_phdrs; i++)
		if (gelf_getphdr(rows.elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
		    (phdr.p_flags & PF_X))
			compare_segment(&phdr);
	code_table_stat(rows.table, &stat);
	printf("# %s: %zu rows compared, %zu different; %.4f %% of code hard; table %llu bytes, "
	       "%zu functions\n",
	       path, rows.nr_compared, rows.nr_different,
	       100.0 * (double)rows.nr_bytes_hard / (double)rows.nr_bytes,
	       (unsigned long long)stat.nr_bytes, stat.nr_functions);
	ck_assert_uint_eq(rows.nr_different, 0);
	ck_assert_uint_gt(rows.nr_compared, 20);
	ck_assert_uint_lt(rows.nr_bytes_hard * 1000, rows.nr_bytes);
	code_table_close(rows.table);
	dwarf_cfi_end(rows.cfi);
	elf_end(rows.elf);
	close(fd);
}

/*
 * Binaries of a Debian machine; %s: a sysroot of AArch64, made for the guests. The last ones have
 * many more rows and run only under OPROF_CHECK_ALL=1.
 */
#define NR_LARGE 9
static const char *const names[] = {
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib64/ld-linux-x86-64.so.2",
	"%s/lib/aarch64-linux-gnu/libc.so.6",
	"%s/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"%s/usr/lib/aarch64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/lib/x86_64-linux-gnu/libm.so.6",
	"/bin/bash",
	"/usr/bin/git",
	"/usr/bin/perl",
	"/usr/bin/python3.11",
	"/usr/bin/gdb",
};
#define NR_NAMES ((int)(sizeof(names) / sizeof(names[0])))

static void compare_if_there(const char *name)
{
	const char *home = getenv("HOME");
	char sysroot[512], path[1024];

	(void)snprintf(sysroot, sizeof(sysroot), "%s/.cache/oprof/guest/sysroot-arm64",
		       home ? home : "");
	if (name[0] == '%')
		(void)snprintf(path, sizeof(path), "%s%s", sysroot, name + 2);
	else
		(void)snprintf(path, sizeof(path), "%s", name);
	if (access(path, R_OK)) {
		printf("# %s: not on this machine\n", path);
		return;
	}
	compare_binary(path);
}

START_TEST(rows_are_those_of_libdw)
{
	compare_if_there(names[_i]);
}
END_TEST

/* This program itself is available on any machine. */
START_TEST(rows_of_this_program_are_those_of_libdw)
{
	compare_binary("/proc/self/exe");
}
END_TEST

START_TEST(rows_of_given_binaries_are_those_of_libdw)
{
	char *text = strdup(getenv("OPROF_CODE_BINARIES"));
	char *next = NULL;

	for (char *path = strtok_r(text, " ", &next); path; path = strtok_r(NULL, " ", &next))
		compare_if_there(path);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_table_rows");
	TCase *tcase = tcase_create("rows");

	elf_version(EV_CURRENT);
	/* Otherwise malloc returns the memory of each of libdw's frames to the system. */
	(void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
	if (getenv("OPROF_CODE_BINARIES")) {
		tcase_add_test(tcase, rows_of_given_binaries_are_those_of_libdw);
	} else {
		tcase_add_test(tcase, rows_of_this_program_are_those_of_libdw);
		tcase_add_loop_test(tcase, rows_are_those_of_libdw, 0,
				    getenv("OPROF_CHECK_ALL") ? NR_NAMES : NR_NAMES - NR_LARGE);
	}
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
