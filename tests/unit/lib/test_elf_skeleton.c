// SPDX-License-Identifier: GPL-2.0-or-later
/* Skeletons of real binaries, read by the symbol reader; and of damaged binaries. */
#include "lib/elf_skeleton.h"

#include "lib/buildid.h"
#include "lib/file.h"
#include "pp/symbols/symbol_helper.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CC	 "${CC:-cc} -g -O1 -fno-inline "
#define MAX	 (1u << 20)
#define SKELETON "skeleton"

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"int data[100000] = {1};\n"
	"__attribute__((noinline)) static int local_one(int x) { return data[x] * 3; }\n"
	"__attribute__((noinline)) int global_one(int x) { return local_one(x) + 1; }\n"
	"int main(int argc, char **argv) { (void)argv; puts(\"x\");\n"
	"  return global_one(argc) + atoi(\"1\"); }\n";

static void build_all(void)
{
	built_elf_init();
	built_elf_source("a.c", source);
	built_elf_run(CC "-pie -fPIE -Wl,--build-id -o pie a.c");
	built_elf_run(CC "-no-pie -fno-pie -Wl,--build-id -o fixed a.c");
	built_elf_run(CC "-shared -fPIC -Wl,--build-id -o library.so a.c");
	built_elf_run("strip -o stripped pie; cp library.so dynamic.so; strip dynamic.so");
	built_elf_run(CC "-pie -fPIE -gz -Wl,--build-id -o compressed a.c");
	built_elf_run(CC "-pie -fPIE -Wl,--build-id=none -o noid a.c");
}

static int make(const char *name, uint64_t max_bytes)
{
	int from = open(built_elf_path(name), O_RDONLY | O_CLOEXEC);
	int to = open(built_elf_path(SKELETON), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int error;

	ck_assert_int_ge(from, 0);
	ck_assert_int_ge(to, 0);
	error = elf_skeleton_write(from, to, max_bytes);
	close(from);
	close(to);
	return error;
}

static off_t size_of(const char *name)
{
	struct stat st;

	ck_assert_int_eq(stat(built_elf_path(name), &st), 0);
	return st.st_size;
}

/* Loads the symbols of the file name. */
static void load(const char *name, struct symbol_table *table)
{
	struct oprof_image_identity identity = {.nr_build_id = 0};
	struct symbol_search search = {.debug_path = "/nonexistent"};
	struct symbol_request request = {.path = built_elf_path(name),
					 .identity = &identity,
					 .kind = OPROF_IMAGE_FILE,
					 .search = &search};

	ck_assert_int_eq(symbol_helper_run(&request, symbol_read, table), 0);
}

static const char *const binaries[] = {"pie",	     "fixed",	   "library.so", "stripped",
				       "dynamic.so", "compressed", "noid"};

START_TEST(a_skeleton_names_the_functions_of_its_binary)
{
	const char *name = binaries[_i];
	struct symbol_table whole, skeleton;
	bool plt = false;

	ck_assert_int_eq(make(name, MAX), 0);
	load(name, &whole);
	load(SKELETON, &skeleton);
	ck_assert_uint_gt(whole.nr_symbols, 3);
	ck_assert_uint_eq(skeleton.nr_symbols, whole.nr_symbols);
	ck_assert_int_eq(skeleton.lack, whole.lack);
	for (size_t i = 0; i < whole.nr_symbols; i++) {
		ck_assert_str_eq(skeleton.symbols[i].name, whole.symbols[i].name);
		ck_assert_uint_eq(skeleton.symbols[i].start, whole.symbols[i].start);
		ck_assert_uint_eq(skeleton.symbols[i].nr_bytes, whole.symbols[i].nr_bytes);
		ck_assert_uint_eq(skeleton.symbols[i].address, whole.symbols[i].address);
		plt = plt || strstr(whole.symbols[i].name, "@plt");
	}
	ck_assert(plt);
	symbol_table_deinit(&whole);
	symbol_table_deinit(&skeleton);
}
END_TEST

START_TEST(a_skeleton_has_its_binarys_build_id)
{
	struct buildid whole, skeleton;

	ck_assert_int_eq(make("pie", MAX), 0);
	ck_assert_int_eq(buildid_read_file(built_elf_path("pie"), &whole), 0);
	ck_assert_int_eq(buildid_read_file(built_elf_path(SKELETON), &skeleton), 0);
	ck_assert_mem_eq(&skeleton, &whole, sizeof(whole));
	ck_assert_int_eq(make("noid", MAX), 0);
	ck_assert_int_eq(buildid_read_file(built_elf_path(SKELETON), &skeleton), -ENOENT);
}
END_TEST

START_TEST(a_skeleton_has_neither_code_nor_data)
{
	ck_assert_int_eq(make("fixed", MAX), 0);
	ck_assert_int_gt(size_of("fixed"), 400000);
	ck_assert_int_lt(size_of(SKELETON), 40000);
}
END_TEST

START_TEST(a_skeleton_of_a_skeleton_is_the_same)
{
	off_t first;

	ck_assert_int_eq(make("pie", MAX), 0);
	first = size_of(SKELETON);
	built_elf_run("cp " SKELETON " again");
	ck_assert_int_eq(make("again", MAX), 0);
	ck_assert_int_eq(size_of(SKELETON), first);
	built_elf_run("cmp " SKELETON " again");
}
END_TEST

START_TEST(beyond_the_bound_nothing_is_written)
{
	off_t whole;

	ck_assert_int_eq(make("pie", MAX), 0);
	whole = size_of(SKELETON);
	ck_assert_int_eq(make("pie", (uint64_t)whole), 0);
	for (off_t max = 0; max < whole; max += 97) {
		ck_assert_int_eq(make("pie", (uint64_t)max), -EFBIG);
		ck_assert_int_eq(size_of(SKELETON), 0);
	}
}
END_TEST

START_TEST(what_is_no_elf_file_is_refused)
{
	static const char empty[1];

	built_elf_source("text",
			 "#!/bin/sh\necho no ELF file at all, and long enough for a header\n");
	built_elf_write("empty", empty, 0);
	ck_assert_int_eq(make("text", MAX), -ENOEXEC);
	ck_assert_int_eq(make("empty", MAX), -ENOEXEC);
	ck_assert_int_eq(elf_skeleton_write(open("/dev/null", O_RDONLY | O_CLOEXEC), -1, MAX),
			 -ENOEXEC);
}
END_TEST

static void write_damaged(const char *bytes, size_t nr_bytes)
{
	built_elf_write("damaged", bytes, nr_bytes);
}

START_TEST(a_binary_that_was_cut_off_is_refused)
{
	size_t nr_bytes;
	char *bytes;

	ck_assert_int_eq(file_read_text(built_elf_path("pie"), 16 << 20, &bytes, &nr_bytes), 0);
	/* The section headers are at the end. */
	for (size_t cut = 1; cut < nr_bytes; cut += nr_bytes / 50) {
		int error;

		write_damaged(bytes, nr_bytes - cut);
		error = make("damaged", MAX);
		ck_assert(error == -EILSEQ || error == -ENOEXEC);
		ck_assert_int_eq(size_of(SKELETON), 0);
	}
	free(bytes);
}
END_TEST

/*
 * If the header cannot hold them, section 0 has the number of sections and the index of the section
 * with their names.
 */
static const struct count {
	bool counts, names; /* whether section 0 has them */
	bool is_cut;	    /* the file ends within section 0 */
	int error;
} counts[] = {
	{true, false, false, 0},      {false, true, false, 0},	    {true, true, false, 0},
	{true, false, true, -EILSEQ}, {false, true, true, -EILSEQ}, {true, true, true, -EILSEQ},
};

START_TEST(sections_that_the_header_cannot_count_are_counted_by_the_first)
{
	const struct count *count = &counts[_i];
	Elf64_Ehdr *ehdr;
	Elf64_Shdr *first;
	struct buildid id;
	size_t nr_bytes;
	char *bytes;

	ck_assert_int_eq(file_read_text(built_elf_path("pie"), 16 << 20, &bytes, &nr_bytes), 0);
	ehdr = (Elf64_Ehdr *)(void *)bytes;
	first = (Elf64_Shdr *)(void *)(bytes + ehdr->e_shoff);
	if (count->counts) {
		first->sh_size = ehdr->e_shnum;
		ehdr->e_shnum = 0;
	}
	if (count->names) {
		first->sh_link = ehdr->e_shstrndx;
		ehdr->e_shstrndx = SHN_XINDEX;
	}
	write_damaged(bytes, count->is_cut ? ehdr->e_shoff + sizeof(*first) - 1 : nr_bytes);
	ck_assert_int_eq(make("damaged", MAX), count->error);
	if (!count->error) {
		ck_assert_int_eq(buildid_read_file(built_elf_path(SKELETON), &id), 0);
		built_elf_run("nm " SKELETON " | grep -q ' T global_one$'");
	}
	free(bytes);
}
END_TEST

START_TEST(a_damaged_binary_never_makes_more_than_the_bound)
{
	uint32_t random = 1;
	size_t nr_bytes;
	char *bytes;

	ck_assert_int_eq(file_read_text(built_elf_path("stripped"), 16 << 20, &bytes, &nr_bytes),
			 0);
	for (int i = 0; i < 500; i++) {
		/* Half of the changes are in headers, whose values the reader depends on. */
		size_t at, end = i % 2 ? 1024 : nr_bytes;
		char before;

		random = random * 1664525u + 1013904223u;
		at = random % (i % 4 == 1 ? 2048 : end);
		if (i % 4 == 3)
			at = nr_bytes - 1 - at % 2048;
		before = bytes[at];
		bytes[at] = (char)(random >> 24);
		write_damaged(bytes, nr_bytes);
		(void)make("damaged", MAX);
		ck_assert_int_le(size_of(SKELETON), MAX);
		bytes[at] = before;
	}
	free(bytes);
}
END_TEST

#ifdef __x86_64__
START_TEST(binaries_of_32_bits_have_skeletons_too)
{
	struct buildid id;

	built_elf_source("n.s", ".text\n.globl _start\n.type _start,@function\n_start: nop\nnop\n"
				".size _start, .-_start\n");
	built_elf_run("as --32 -o n.o n.s && ld -m elf_i386 --build-id -o narrow n.o");
	ck_assert_int_eq(make("narrow", MAX), 0);
	ck_assert_int_eq(buildid_read_file(built_elf_path(SKELETON), &id), 0);
	built_elf_run("nm " SKELETON " | grep -q ' T _start$'");
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("elf_skeleton");
	TCase *all = tcase_create("all");

	tcase_add_unchecked_fixture(all, build_all, built_elf_deinit);
	tcase_add_loop_test(all, a_skeleton_names_the_functions_of_its_binary, 0,
			    sizeof(binaries) / sizeof(binaries[0]));
	tcase_add_test(all, a_skeleton_has_its_binarys_build_id);
	tcase_add_test(all, a_skeleton_has_neither_code_nor_data);
	tcase_add_test(all, a_skeleton_of_a_skeleton_is_the_same);
	tcase_add_test(all, beyond_the_bound_nothing_is_written);
	tcase_add_test(all, what_is_no_elf_file_is_refused);
	tcase_add_test(all, a_binary_that_was_cut_off_is_refused);
	tcase_add_loop_test(all, sections_that_the_header_cannot_count_are_counted_by_the_first, 0,
			    sizeof(counts) / sizeof(counts[0]));
	tcase_add_test(all, a_damaged_binary_never_makes_more_than_the_bound);
#ifdef __x86_64__
	tcase_add_test(all, binaries_of_32_bits_have_skeletons_too);
#endif
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
