// SPDX-License-Identifier: GPL-2.0-or-later
/* Code tables are built from sound, unusual and damaged binaries; damaged tables are opened. */
#include "unwind/code_table.h"

#include "lib/file.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/process_code.h"
#include "tests/fixture/run_suite.h"
#include "unwind/code_elf.h"
#include "unwind/code_format.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CC	     "${CC:-cc} -O2 -fno-stack-protector -Wl,--build-id=none "
#define MAX_BYTES    (1u << 24)
#define NR_MUTATIONS 3000

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <unistd.h>\n"
	"__attribute__((noinline)) int one(int n) { char p[n + 1]; return sprintf(p, \"%d\", n); }\n"
	"__attribute__((noinline)) int two(int n) { return n > 3 ? one(n) * two(n - 1) : rand(); }\n"
	"int main(int argc, char **argv) { (void)argv; return two(argc) + getpid(); }\n";

/*
 * Signal trampolines without unwind tables, as in some C libraries; and code that is not a
 * trampoline.
 */
static const char trampolines[] =
	"asm(\".text\\n.balign 64\\n.skip 20000, 0x90\\n\"\n"
#ifdef __aarch64__
	"    \"nop\\n.globl first\\nfirst: mov x8, 139\\nsvc 0\\n.skip 64, 0\\n\"\n"
	"    \"nop\\n.globl second\\nsecond: mov x8, 139\\nsvc 0\\n.skip 64, 0\\n\"\n"
	"    \".globl third\\nthird: mov x8, 138\\nsvc 0\\n.skip 64, 0\\n\");\n"
#else
	"    \"nop\\n.globl first\\nfirst: mov $15, %rax\\nsyscall\\n.skip 64, 0x90\\n\"\n"
	"    \"nop\\n.globl second\\nsecond: mov $15, %eax\\nsyscall\\n.skip 64, 0x90\\n\"\n"
	"    \".globl third\\nthird: mov $14, %eax\\nsyscall\\n.skip 64, 0x90\\n\");\n"
#endif
	"int main(void) { return 0; }\n";

static void build_all(void)
{
	built_elf_init();
	built_elf_source("a.c", source);
	built_elf_run(CC "-w -o whole a.c");
	built_elf_run(CC "-w -g -fno-asynchronous-unwind-tables -fno-unwind-tables -o debug a.c");
	built_elf_source("b.c", trampolines);
	built_elf_run(CC "-w -o with_trampolines b.c");
	built_elf_run("cp whole stripped; strip stripped; cp whole no_tables; "
		      "objcopy -R .eh_frame -R .eh_frame_hdr no_tables");
	built_elf_run(CC "-w -c -o relocatable a.c");
	built_elf_run(CC "-w -Wl,-z,lazy -o lazy a.c; " CC
			 "-w -Wl,-z,lazy -Wl,--no-ld-generated-unwind-info -o lazy_bare a.c");
}

static int open_built(const char *name)
{
	int fd = open(built_elf_path(name), O_RDWR | O_CLOEXEC);

	ck_assert_msg(fd >= 0, "%s", name);
	return fd;
}

static int build(int from, uint64_t max_bytes, int *to, struct diag *diag)
{
	*to = memfd_create("table", MFD_CLOEXEC);
	ck_assert_int_ge(*to, 0);
	diag_clear(diag);
	return code_table_build(from, *to, max_bytes, diag);
}

static struct code_table *table_of(const char *name)
{
	struct code_table *table;
	struct diag diag;
	int from = open_built(name);
	int to;

	ck_assert_int_eq(build(from, MAX_BYTES, &to, &diag), 0);
	ck_assert_int_eq(code_table_open(&table, to, &diag), 0);
	close(from);
	close(to);
	return table;
}

/* Returns the key of a function, found by nm: the linker makes addresses equal to file offsets. */
static uint64_t key_of(const char *name, const char *function)
{
	char command[1024];
	unsigned long long address = 0;
	FILE *pipe;

	(void)snprintf(command, sizeof(command), "nm '%s' | awk '$3 == \"%s\" { print \"0x\" $1 }'",
		       built_elf_path(name), function);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_int_eq(fscanf(pipe, "%llx", &address), 1);
	pclose(pipe);
	return address;
}

START_TEST(a_function_is_found_by_any_key_in_it_and_none_before_the_first)
{
	struct code_table *table = table_of("whole");
	struct code_table_stat stat;
	const uint64_t one = key_of("whole", "one"), two = key_of("whole", "two");
	uint64_t start;

	ck_assert_int_eq(code_table_function(table, one, &start), 0);
	ck_assert_uint_eq(start, one);
	ck_assert_int_eq(code_table_function(table, one + 7, &start), 0);
	ck_assert_uint_eq(start, one);
	ck_assert_int_eq(code_table_function(table, two + 1, &start), 0);
	ck_assert_uint_eq(start, two);
	ck_assert_int_eq(code_table_function(table, 0, &start), -ENOENT);
	ck_assert_int_eq(code_table_function(table, UINT64_MAX, &start), -ENOENT);
	ck_assert_int_eq(code_table_function(table, (uint64_t)1 << 32 | one, &start), -ENOENT);
	code_table_stat(table, &stat);
	ck_assert_uint_ge(stat.nr_functions, 4);
	ck_assert_uint_eq(stat.hard_bytes, 0);
	ck_assert_uint_eq(stat.nr_functions_lost, 0);
	code_table_close(table);
}
END_TEST

static void find_section(const char *name, const char *section, uint64_t *start, uint64_t *end)
{
	char command[1024];
	unsigned long long offset, nr_bytes;
	FILE *pipe;

	(void)snprintf(command, sizeof(command),
		       "readelf -SW '%s' | sed 's/^ *\\[ *[0-9]*\\] *//' | "
		       "awk '$1 == \"%s\" { print \"0x\" $4, \"0x\" $5 }'",
		       built_elf_path(name), section);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_int_eq(fscanf(pipe, "%llx %llx", &offset, &nr_bytes), 2);
	pclose(pipe);
	*start = offset;
	*end = offset + nr_bytes;
}

/* Compares functions of our own only, because start files have other tables. */
static void compare_tables(const char *name, const char *other, const char *function)
{
	struct code_table *one = table_of(name), *two = table_of(other);
	const uint64_t key = key_of(name, function), key_two = key_of(other, function);

	for (uint64_t i = 0; i < 24; i++) {
		struct code_row a, b;

		ck_assert_int_eq(code_table_row(one, key + i, &a), 0);
		ck_assert_int_eq(code_table_row(two, key_two + i, &b), 0);
		ck_assert_mem_eq(&a, &b, sizeof(a));
	}
	code_table_close(one);
	code_table_close(two);
}

START_TEST(where_eh_frame_says_nothing_debug_frame_does)
{
	struct code_table *table = table_of("debug");
	uint64_t start;

	/*
	 * Start files have .eh_frame and our functions .debug_frame: the table must contain both.
	 */
	ck_assert_int_eq(code_table_function(table, key_of("debug", "_start"), &start), 0);
	code_table_close(table);
	compare_tables("whole", "debug", "one");
	compare_tables("whole", "debug", "two");
}
END_TEST

/* Compares all functions of whole and of the binary that is the same without section headers. */
static void compare_stripped(void)
{
	struct code_table *whole = table_of("whole"), *bare = table_of("stripped");
	uint64_t a = 0, b = 0, start, end;

	find_section("whole", ".text", &start, &end);
	for (uint64_t key = start; key < end; key++) {
		struct code_row row_a, row_b;

		ck_assert_int_eq(code_table_function(whole, key, &a),
				 code_table_function(bare, key, &b));
		if (code_table_row(whole, key, &row_a))
			continue;
		ck_assert_int_eq(code_table_row(bare, key, &row_b), 0);
		ck_assert_uint_eq(a, b);
		ck_assert_mem_eq(&row_a, &row_b, sizeof(row_a));
	}
	code_table_close(whole);
	code_table_close(bare);
}

static void swap_segments(int fd, const Elf64_Ehdr *ehdr, unsigned int i, unsigned int j)
{
	const off_t at_i = (off_t)(ehdr->e_phoff + i * sizeof(Elf64_Phdr));
	const off_t at_j = (off_t)(ehdr->e_phoff + j * sizeof(Elf64_Phdr));
	Elf64_Phdr phdr_i, phdr_j;

	ck_assert_int_eq(pread(fd, &phdr_i, sizeof(phdr_i), at_i), sizeof(phdr_i));
	ck_assert_int_eq(pread(fd, &phdr_j, sizeof(phdr_j), at_j), sizeof(phdr_j));
	ck_assert_int_eq(pwrite(fd, &phdr_i, sizeof(phdr_i), at_j), sizeof(phdr_i));
	ck_assert_int_eq(pwrite(fd, &phdr_j, sizeof(phdr_j), at_i), sizeof(phdr_j));
}

/* Without section headers .eh_frame is found by its segment; linkage slots are lost. */
START_TEST(a_binary_without_section_headers_has_the_same_functions)
{
	int fd = open_built("stripped");
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;

	ck_assert_int_eq(pread(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	ehdr.e_shoff = ehdr.e_shnum = ehdr.e_shstrndx = 0;
	ck_assert_int_eq(pwrite(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	compare_stripped();
	/* The segment may be any of them, also the last. */
	for (unsigned int i = 0; i + 1 < ehdr.e_phnum; i++) {
		const off_t at = (off_t)(ehdr.e_phoff + i * sizeof(phdr));

		ck_assert_int_eq(pread(fd, &phdr, sizeof(phdr), at), sizeof(phdr));
		if (phdr.p_type == PT_GNU_EH_FRAME)
			swap_segments(fd, &ehdr, i, ehdr.e_phnum - 1u);
	}
	close(fd);
	compare_stripped();
}
END_TEST

/* The linker's unwind table for its slots must agree with what their bytes show. */
START_TEST(linkage_tables_without_unwind_tables_are_known_by_their_bytes)
{
	struct code_table *told = table_of("lazy"), *bare = table_of("lazy_bare");
	const uint64_t slot = CODE_PLT_SLOT_BYTES; /* each is a function with its own key */
	uint64_t start, end, start_bare, end_bare;

	find_section("lazy", ".plt", &start, &end);
	find_section("lazy_bare", ".plt", &start_bare, &end_bare);
	ck_assert_uint_eq(end - start, end_bare - start_bare);
	ck_assert_uint_ge(end - start, 48);
	for (uint64_t i = 0; i < end - start; i++) {
		struct code_row a, b;
		uint64_t function;

		ck_assert_int_eq(code_table_row(told, start + i, &a), 0);
		ck_assert_int_eq(code_table_row(bare, start_bare + i, &b), 0);
		ck_assert_mem_eq(&a, &b, sizeof(a));
		ck_assert_int_eq(code_table_function(bare, start_bare + i, &function), 0);
		ck_assert_uint_eq(function,
				  start_bare + (b.cfa == CODE_CFA_PLT ? i - i % slot : 0));
	}
	code_table_close(told);
	code_table_close(bare);
}
END_TEST

/* Callers are looked up one byte earlier, which must also belong to the trampoline. */
START_TEST(trampolines_of_signals_are_known_by_their_bytes)
{
	static const char *const names[] = {"first", "second", "third"};
	struct code_table *table = table_of("with_trampolines");
	const uint64_t key = key_of("with_trampolines", names[_i]);
	struct code_row row;
	uint64_t start;

	if (_i == 2) {
		ck_assert_int_eq(code_table_row(table, key, &row), -ENOENT);
	} else {
		ck_assert_int_eq(code_table_row(table, key, &row), 0);
		ck_assert_int_eq(row.cfa, CODE_CFA_SIGNAL);
		ck_assert_int_eq(code_table_row(table, key + 6, &row), 0);
		ck_assert_int_eq(code_table_row(table, key - 1, &row), 0);
		ck_assert_int_eq(row.cfa, CODE_CFA_SIGNAL);
		ck_assert_int_eq(code_table_function(table, key, &start), 0);
		ck_assert_uint_lt(start, key);
		ck_assert_int_eq(code_table_row(table, start - 1, &row), -ENOENT);
		ck_assert_int_eq(code_table_row(table, key + 16, &row), -ENOENT);
	}
	code_table_close(table);
}
END_TEST

/* ---- refused binaries ---- */

START_TEST(what_is_no_binary_of_ours_is_refused_by_name)
{
	static const struct {
		const char *name, *command;
		int error;
		const char *text;
	} cases[] = {
		{"empty", ": > empty", -ENOEXEC, "not an ELF file"},
		{"text", "cp a.c text", -ENOEXEC, "not an ELF file"},
		{"narrow",
		 "cp whole narrow; printf '\\001' | dd of=narrow bs=1 seek=4 conv=notrunc",
		 -ENOEXEC, "64-bit"},
		{"other", "cp whole other; printf '\\050' | dd of=other bs=1 seek=18 conv=notrunc",
		 -ENOEXEC, "machine 40"},
		{"cut", "head -c 40 whole > cut", -EILSEQ, "truncated"},
		{"half", "head -c 9000 whole > half", -EILSEQ, ""},
		{"nameless", /* sections without a section of their names */
		 "cp whole nameless; printf '\\0\\0' | dd of=nameless bs=1 seek=62 conv=notrunc",
		 -ENODATA, ".eh_frame"},
		{"no_tables", ":", -ENODATA, ".eh_frame"},
		{"relocatable", ":", -ENODATA, "no function"},
	};
	struct diag diag;
	int from, to;

	built_elf_run("%s", cases[_i].command);
	from = open_built(cases[_i].name);
	ck_assert_int_eq(build(from, MAX_BYTES, &to, &diag), cases[_i].error);
	ck_assert_msg(strstr(diag.text, cases[_i].text) != NULL, "%s", diag.text);
	ck_assert_str_ne(diag.text, "");
	close(from);
	close(to);
}
END_TEST

START_TEST(bytes_that_are_not_all_in_the_file_are_refused)
{
	const int fd = open_built("whole");
	struct code_elf elf;
	struct diag diag;

	ck_assert_int_eq(code_elf_init(&elf, fd, &diag), 0);
	const struct {
		uint64_t offset, nr_bytes;
		int error;
	} cases[] = {
		{0, elf.file_bytes, 0},
		{elf.file_bytes - 1, 1, 0},
		{elf.file_bytes, 0, 0},
		{elf.file_bytes - 1, 2, -EILSEQ},
		{elf.file_bytes, 1, -EILSEQ},
		{elf.file_bytes + 1, 0, -EILSEQ},
		{elf.file_bytes + 1, UINT64_MAX, -EILSEQ},
		{UINT64_MAX, 0, -EILSEQ},
		{UINT64_MAX, 1, -EILSEQ},
		{1, UINT64_MAX / 2, -EILSEQ},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t *bytes = NULL;

		ck_assert_msg(code_elf_read(&elf, cases[i].offset, cases[i].nr_bytes, &bytes) ==
				      cases[i].error,
			      "case %zu", i);
		ck_assert_int_eq(bytes != NULL, !cases[i].error);
		free(bytes);
	}
	code_elf_deinit(&elf);
	close(fd);
}
END_TEST

START_TEST(beyond_the_bound_nothing_is_written)
{
	struct code_table *table = table_of("whole");
	struct code_table_stat stat;
	struct diag diag;
	struct stat st;
	int from = open_built("whole");
	int to;

	code_table_stat(table, &stat);
	ck_assert_int_eq(build(from, stat.nr_bytes - 1, &to, &diag), -EFBIG);
	ck_assert_int_eq(fstat(to, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	close(to);
	ck_assert_int_eq(build(from, stat.nr_bytes, &to, &diag), 0);
	code_table_close(table);
	close(to);
	close(from);
}
END_TEST

static uint64_t random_of(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Bytes of headers and tables are changed; a table that is built must open. */
START_TEST(a_damaged_binary_is_refused_or_gives_a_sound_table)
{
	size_t nr_bytes, nr_built = 0, nr_refused = 0;
	char *whole;
	uint64_t state = 1;

	ck_assert_int_eq(file_read_text(built_elf_path("lazy"), MAX_BYTES, &whole, &nr_bytes), 0);
	for (int i = 0; i < NR_MUTATIONS; i++) {
		int from = memfd_create("mutant", MFD_CLOEXEC), to;
		struct code_table *table;
		struct diag diag;
		char old[8];
		size_t at[8];
		int error;

		for (size_t k = 0; k < 8; k++) {
			at[k] = random_of(&state) % (k < 2 ? 1024 : nr_bytes);
			old[k] = whole[at[k]];
			whole[at[k]] = (char)random_of(&state);
		}
		ck_assert_int_eq(file_write_all(from, whole, nr_bytes), 0);
		error = build(from, MAX_BYTES, &to, &diag);
		ck_assert_msg(error == 0 || *diag.text, "%d without a word", error);
		if (!error) {
			ck_assert_int_eq(code_table_open(&table, to, &diag), 0);
			code_table_close(table);
		}
		nr_built += !error;
		nr_refused += !!error;
		for (size_t k = 8; k--;)
			whole[at[k]] = old[k];
		close(from);
		close(to);
	}
	printf("# %zu mutants built, %zu refused\n", nr_built, nr_refused);
	ck_assert_uint_gt(nr_built, 0);
	ck_assert_uint_gt(nr_refused, 0);
	free(whole);
}
END_TEST

/* ---- tables ---- */

START_TEST(a_table_with_any_byte_changed_is_refused)
{
	int from = open_built("whole"), to;
	struct code_table *table;
	struct diag diag;
	struct stat st;

	ck_assert_int_eq(build(from, MAX_BYTES, &to, &diag), 0);
	ck_assert_int_eq(fstat(to, &st), 0);
	for (off_t at = 0; at < st.st_size; at++) {
		uint8_t byte;
		int error;

		ck_assert_int_eq(pread(to, &byte, 1, at), 1);
		byte ^= (uint8_t)(1u << (at % 8));
		ck_assert_int_eq(pwrite(to, &byte, 1, at), 1);
		error = code_table_open(&table, to, &diag);
		ck_assert_msg(error == -EINVAL || error == -EILSEQ || error == -EPROTONOSUPPORT,
			      "byte %d: %d", (int)at, error);
		byte ^= (uint8_t)(1u << (at % 8));
		ck_assert_int_eq(pwrite(to, &byte, 1, at), 1);
	}
	ck_assert_int_eq(code_table_open(&table, to, &diag), 0);
	code_table_close(table);
	close(from);
	close(to);
}
END_TEST

START_TEST(a_table_cut_anywhere_or_longer_is_refused)
{
	int from = open_built("whole"), to;
	struct code_table *table;
	struct diag diag;
	struct stat st;

	ck_assert_int_eq(build(from, MAX_BYTES, &to, &diag), 0);
	ck_assert_int_eq(fstat(to, &st), 0);
	ck_assert_int_eq(ftruncate(to, st.st_size + 1), 0);
	ck_assert_int_eq(code_table_open(&table, to, &diag), -EILSEQ);
	for (off_t size = st.st_size - 1; size >= 0; size--) {
		int error;

		ck_assert_int_eq(ftruncate(to, size), 0);
		error = code_table_open(&table, to, &diag);
		ck_assert(error == -EINVAL || error == -EILSEQ);
	}
	close(from);
	close(to);
}
END_TEST

START_TEST(a_table_stays_as_it_was_read_whatever_becomes_of_its_file)
{
	int from = open_built("whole"), to;
	uint64_t key = key_of("whole", "main"), start;
	struct code_table *table;
	struct code_row row;
	struct diag diag;

	ck_assert_int_eq(build(from, MAX_BYTES, &to, &diag), 0);
	ck_assert_int_eq(code_table_open(&table, to, &diag), 0);
	ck_assert_int_eq(ftruncate(to, 0), 0);
	ck_assert_int_eq(code_table_function(table, key + 1, &start), 0);
	ck_assert_uint_eq(start, key);
	ck_assert_int_eq(code_table_row(table, key, &row), 0);
	code_table_close(table);
	close(from);
	close(to);
}
END_TEST

/* Makes a bucket with two functions in its stream, the second one step bytes after the first. */
static int open_made(uint8_t step)
{
	struct {
		struct code_format_header header;
		uint64_t rows[2];
		struct code_format_bucket buckets[2];
		uint16_t saved[2];
		uint8_t stream[4];
	} made = {
		.header = {.magic = CODE_FORMAT_MAGIC,
			   .version = CODE_FORMAT_VERSION,
			   .byte_order = CODE_FORMAT_BYTE_ORDER,
			   .header_bytes = sizeof(struct code_format_header),
			   .machine = CODE_X86_64,
			   .bucket_shift = CODE_FORMAT_BUCKET_SHIFT,
			   .nr_bytes = sizeof(made),
			   .nr_buckets = 1,
			   .nr_rows = 2,
			   .start_row = 1,
			   .nr_saved = 2,
			   .nr_stream = sizeof(made.stream)},
		.buckets = {{.stream = 0}, {.stream = sizeof(made.stream), .row = 1}},
		.stream = {0, CODE_FORMAT_START, step, CODE_FORMAT_START},
	};
	int fd = memfd_create("made", MFD_CLOEXEC);
	struct code_table *table;
	struct diag diag;
	int error;

	made.header.sum = code_format_sum(&made, sizeof(made));
	diag_clear(&diag);
	ck_assert_int_eq(file_write_all(fd, &made, sizeof(made)), 0);
	error = code_table_open(&table, fd, &diag);
	if (!error)
		code_table_close(table);
	close(fd);
	return error;
}

/* Otherwise a search would pass as many entries as a file can hold. */
START_TEST(two_entries_at_one_place_are_refused)
{
	ck_assert_int_eq(open_made(1), 0);
	ck_assert_int_eq(open_made(0), -EILSEQ);
}
END_TEST

START_TEST(a_table_of_another_version_says_so)
{
	int from = open_built("whole"), to;
	const uint32_t version = CODE_FORMAT_VERSION + 1;
	struct code_table *table;
	struct diag diag;

	ck_assert_int_eq(build(from, MAX_BYTES, &to, &diag), 0);
	ck_assert_int_eq(
		pwrite(to, &version, sizeof(version), offsetof(struct code_format_header, version)),
		sizeof(version));
	ck_assert_int_eq(code_table_open(&table, to, &diag), -EPROTONOSUPPORT);
	ck_assert_ptr_nonnull(strstr(diag.text, "version"));
	close(from);
	close(to);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_table");
	TCase *tcase = tcase_create("build");

	tcase_add_unchecked_fixture(tcase, build_all, built_elf_deinit);
	tcase_add_test(tcase, a_function_is_found_by_any_key_in_it_and_none_before_the_first);
#ifdef __x86_64__
	tcase_add_test(tcase, where_eh_frame_says_nothing_debug_frame_does);
	tcase_add_test(tcase, linkage_tables_without_unwind_tables_are_known_by_their_bytes);
#endif
	tcase_add_loop_test(tcase, trampolines_of_signals_are_known_by_their_bytes, 0, 3);
	tcase_add_test(tcase, a_binary_without_section_headers_has_the_same_functions);
	tcase_add_loop_test(tcase, what_is_no_binary_of_ours_is_refused_by_name, 0, 9);
	tcase_add_test(tcase, bytes_that_are_not_all_in_the_file_are_refused);
	tcase_add_test(tcase, beyond_the_bound_nothing_is_written);
	tcase_add_test(tcase, a_damaged_binary_is_refused_or_gives_a_sound_table);
	tcase_add_test(tcase, a_table_with_any_byte_changed_is_refused);
	tcase_add_test(tcase, a_table_cut_anywhere_or_longer_is_refused);
	tcase_add_test(tcase, a_table_stays_as_it_was_read_whatever_becomes_of_its_file);
	tcase_add_test(tcase, two_entries_at_one_place_are_refused);
	tcase_add_test(tcase, a_table_of_another_version_says_so);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
