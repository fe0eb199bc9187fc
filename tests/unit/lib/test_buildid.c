// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/buildid.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* An ELF file made by hand: every field is written where the layout has it. */
struct file {
	uint8_t bytes[8192];
	size_t nr_bytes;
	bool wide, big;
};

static void put(struct file *file, size_t at, uint64_t value, size_t nr_bytes)
{
	ck_assert_uint_le(at + nr_bytes, sizeof(file->bytes));
	for (size_t i = 0; i < nr_bytes; i++) {
		size_t shift = 8 * (file->big ? nr_bytes - 1 - i : i);

		file->bytes[at + i] = (uint8_t)(value >> shift);
	}
	if (at + nr_bytes > file->nr_bytes)
		file->nr_bytes = at + nr_bytes;
}

static size_t put_note(struct file *file, size_t at, uint32_t type, const char *name,
		       const uint8_t *data, size_t nr_data)
{
	size_t nr_name = strlen(name) + 1;
	size_t data_at = at + 12 + ((nr_name + 3) & ~(size_t)3);

	put(file, at, nr_name, 4);
	put(file, at + 4, nr_data, 4);
	put(file, at + 8, type, 4);
	for (size_t i = 0; i < nr_name; i++)
		put(file, at + 12 + i, (uint8_t)name[i], 1);
	for (size_t i = 0; i < nr_data; i++)
		put(file, data_at + i, data[i], 1);
	return data_at + ((nr_data + 3) & ~(size_t)3);
}

static void put_ident(struct file *file)
{
	put(file, 0, 0x7f, 1);
	memcpy(file->bytes + 1, "ELF", 3);
	put(file, EI_CLASS, file->wide ? ELFCLASS64 : ELFCLASS32, 1);
	put(file, EI_DATA, file->big ? ELFDATA2MSB : ELFDATA2LSB, 1);
	put(file, (file->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)) - 1, 0, 1);
}

/* Writes one program header for the notes at [start, end). */
static void put_program(struct file *file, uint32_t type, size_t start, size_t end)
{
	size_t at = 0x80;

	put_ident(file);
	if (file->wide) {
		put(file, offsetof(Elf64_Ehdr, e_phoff), at, 8);
		put(file, offsetof(Elf64_Ehdr, e_phentsize), sizeof(Elf64_Phdr), 2);
		put(file, offsetof(Elf64_Ehdr, e_phnum), 1, 2);
		put(file, at + offsetof(Elf64_Phdr, p_type), type, 4);
		put(file, at + offsetof(Elf64_Phdr, p_offset), start, 8);
		put(file, at + offsetof(Elf64_Phdr, p_filesz), end - start, 8);
		put(file, at + offsetof(Elf64_Phdr, p_align), 4, 8);
	} else {
		put(file, offsetof(Elf32_Ehdr, e_phoff), at, 4);
		put(file, offsetof(Elf32_Ehdr, e_phentsize), sizeof(Elf32_Phdr), 2);
		put(file, offsetof(Elf32_Ehdr, e_phnum), 1, 2);
		put(file, at + offsetof(Elf32_Phdr, p_type), type, 4);
		put(file, at + offsetof(Elf32_Phdr, p_offset), start, 4);
		put(file, at + offsetof(Elf32_Phdr, p_filesz), end - start, 4);
		put(file, at + offsetof(Elf32_Phdr, p_align), 4, 4);
	}
}

static void put_section(struct file *file, size_t start, size_t end)
{
	size_t at = 0x100;

	put_ident(file);
	if (file->wide) {
		put(file, offsetof(Elf64_Ehdr, e_shoff), at, 8);
		put(file, offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Shdr), 2);
		put(file, offsetof(Elf64_Ehdr, e_shnum), 1, 2);
		put(file, at + offsetof(Elf64_Shdr, sh_type), SHT_NOTE, 4);
		put(file, at + offsetof(Elf64_Shdr, sh_offset), start, 8);
		put(file, at + offsetof(Elf64_Shdr, sh_size), end - start, 8);
		put(file, at + sizeof(Elf64_Shdr) - 1, 0, 1);
	} else {
		put(file, offsetof(Elf32_Ehdr, e_shoff), at, 4);
		put(file, offsetof(Elf32_Ehdr, e_shentsize), sizeof(Elf32_Shdr), 2);
		put(file, offsetof(Elf32_Ehdr, e_shnum), 1, 2);
		put(file, at + offsetof(Elf32_Shdr, sh_type), SHT_NOTE, 4);
		put(file, at + offsetof(Elf32_Shdr, sh_offset), start, 4);
		put(file, at + offsetof(Elf32_Shdr, sh_size), end - start, 4);
		put(file, at + sizeof(Elf32_Shdr) - 1, 0, 1);
	}
}

static int file_open(const struct file *file)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, file->bytes, file->nr_bytes), (ssize_t)file->nr_bytes);
	return fd;
}

static int file_buildid(const struct file *file, struct buildid *id)
{
	int fd = file_open(file);
	int error = buildid_read_fd(fd, id);

	close(fd);
	return error;
}

static const uint8_t sample_id[20] = {0x4a, 0x5a, 0x9b, 0x0a, 0xff, 0xb6, 0x6c, 0x43, 0x7a, 0xbc,
				      1,    2,	  3,	4,    5,    6,	  7,	8,    9,    10};

static void make_file(struct file *file, int shape)
{
	memset(file, 0, sizeof(*file));
	file->wide = shape & 1;
	file->big = shape & 2;
	size_t end = put_note(file, 0x400, 1, "Linux", sample_id, 7);

	end = put_note(file, end, NT_GNU_BUILD_ID, "GNU", sample_id, sizeof(sample_id));
	if (shape & 4)
		put_section(file, 0x400, end);
	else
		put_program(file, PT_NOTE, 0x400, end);
}

START_TEST(the_id_is_found_in_both_classes_byte_orders_and_tables)
{
	struct file file;
	struct buildid id;

	make_file(&file, _i);
	ck_assert_int_eq(file_buildid(&file, &id), 0);
	ck_assert_uint_eq(id.nr_bytes, sizeof(sample_id));
	ck_assert_mem_eq(id.bytes, sample_id, sizeof(sample_id));
}
END_TEST

START_TEST(a_file_cut_anywhere_is_refused_or_has_none)
{
	struct file file;
	struct buildid id;

	make_file(&file, _i);
	for (size_t nr = 0; nr < file.nr_bytes; nr += nr < 0x200 ? 1 : 5) {
		struct file cut = file;
		int error;

		cut.nr_bytes = nr;
		error = file_buildid(&cut, &id);
		ck_assert(error == -ENOEXEC || error == -ENOENT);
	}
}
END_TEST

START_TEST(no_flipped_byte_does_harm)
{
	struct file file;

	make_file(&file, _i);
	for (size_t at = 0; at < 0x480; at++) {
		struct file bad = file;
		struct buildid id = {.nr_bytes = 0};

		bad.bytes[at] ^= 0xff;
		if (!file_buildid(&bad, &id))
			ck_assert_uint_le(id.nr_bytes, BUILDID_BYTES_MAX);
		else
			ck_assert_uint_eq(id.nr_bytes, 0);
	}
}
END_TEST

START_TEST(headers_of_a_size_that_cannot_be_are_refused)
{
	static const struct {
		size_t field, table, nr_bytes;
	} of[] = {
		/* Narrow and wide, program headers first, then section headers. */
		{offsetof(Elf32_Ehdr, e_phentsize), 0x80, sizeof(Elf32_Phdr)},
		{offsetof(Elf64_Ehdr, e_phentsize), 0x80, sizeof(Elf64_Phdr)},
		{offsetof(Elf32_Ehdr, e_shentsize), 0x100, sizeof(Elf32_Shdr)},
		{offsetof(Elf64_Ehdr, e_shentsize), 0x100, sizeof(Elf64_Shdr)},
	};
	const size_t which = (size_t)(_i & 1) + (_i & 4 ? 2 : 0);
	const size_t sizes[] = {0, 1, of[which].nr_bytes - 1, of[which].nr_bytes, 4096, 4097};
	struct file file;
	struct buildid id;

	make_file(&file, _i);
	put(&file, of[which].table + 4097, 0, 1); /* the largest entry would be in the file */
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const bool good = sizes[i] >= of[which].nr_bytes && sizes[i] <= 4096;

		put(&file, of[which].field, sizes[i], 2);
		ck_assert_msg(file_buildid(&file, &id) == (good ? 0 : -ENOEXEC), "%zu", sizes[i]);
	}
}
END_TEST

START_TEST(an_elf_file_without_one_says_so)
{
	struct file file = {.wide = true};
	struct buildid id;
	size_t end = put_note(&file, 0x400, 1, "GNU", sample_id, 16);

	put_program(&file, PT_NOTE, 0x400, end);
	ck_assert_int_eq(file_buildid(&file, &id), -ENOENT);
	put_program(&file, PT_LOAD, 0x400, end);
	ck_assert_int_eq(file_buildid(&file, &id), -ENOENT);
}
END_TEST

START_TEST(an_id_of_more_than_20_bytes_is_not_taken)
{
	struct file file = {.wide = true};
	uint8_t data[24] = {1};
	struct buildid id;
	size_t end = put_note(&file, 0x400, NT_GNU_BUILD_ID, "GNU", data, sizeof(data));

	put_program(&file, PT_NOTE, 0x400, end);
	ck_assert_int_eq(file_buildid(&file, &id), -ENOENT);
}
END_TEST

START_TEST(notes_aligned_to_8_are_walked)
{
	struct file file = {.wide = true};
	struct buildid id;
	size_t at = 0x400;

	/* A note with a name of 5 bytes: its data begins at 24, not at 20. */
	put(&file, at, 5, 4);
	put(&file, at + 4, 8, 4);
	put(&file, at + 8, 9, 4);
	memcpy(file.bytes + at + 12, "ABCD", 5);
	size_t end = put_note(&file, at + 32, NT_GNU_BUILD_ID, "GNU", sample_id, 20);

	put_program(&file, PT_NOTE, at, end);
	put(&file, 0x80 + offsetof(Elf64_Phdr, p_align), 8, 8);
	ck_assert_int_eq(file_buildid(&file, &id), 0);
	ck_assert_mem_eq(id.bytes, sample_id, 20);
}
END_TEST

START_TEST(a_fifo_is_refused_at_once)
{
	char folder[] = "/tmp/test_buildid.XXXXXX";
	char path[64];
	struct buildid id;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(buildid_read_file(path, &id), -ENOEXEC);
	unlink(path);
	ck_assert_int_eq(buildid_read_file(path, &id), -ENOENT);
	ck_assert_int_eq(buildid_read_file(folder, &id), -ENOEXEC);
	rmdir(folder);
}
END_TEST

START_TEST(a_file_that_cannot_be_opened_is_an_error)
{
	struct rlimit limit;
	struct buildid id;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 0; /* open descriptors stay open */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(buildid_read_file("/proc/self/exe", &id), -EMFILE);
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_ne(buildid_read_file("/proc/self/exe", &id), -EMFILE);
}
END_TEST

START_TEST(notes_in_memory_are_parsed)
{
	struct file file = {.wide = true};
	struct buildid id;
	size_t end = put_note(&file, 0, 1, "Xen", sample_id, 5);

	ck_assert_int_eq(buildid_parse_notes(file.bytes, end, &id), -ENOENT);
	end = put_note(&file, end, NT_GNU_BUILD_ID, "GNU", sample_id, 8);
	ck_assert_int_eq(buildid_parse_notes(file.bytes, end, &id), 0);
	ck_assert_uint_eq(id.nr_bytes, 8);
	ck_assert_int_eq(buildid_parse_notes(file.bytes, end - 1, &id), -ENOEXEC);
	ck_assert_int_eq(buildid_parse_notes(file.bytes, 0, &id), -ENOENT);
}
END_TEST

START_TEST(hex_goes_both_ways)
{
	struct buildid id, back;
	char hex[BUILDID_HEX_BYTES];

	memset(&id, 0, sizeof(id));
	memcpy(id.bytes, sample_id, 20);
	id.nr_bytes = 20;
	buildid_to_hex(&id, hex);
	ck_assert_str_eq(hex, "4a5a9b0affb66c437abc0102030405060708090a");
	ck_assert_int_eq(buildid_from_hex(hex, &back), 0);
	ck_assert_mem_eq(&back, &id, sizeof(id));
	ck_assert_int_eq(buildid_from_hex("4A5A9B0AFFB66C437ABC0102030405060708090A", &back), 0);
	ck_assert_mem_eq(&back, &id, sizeof(id));
	ck_assert_int_eq(buildid_from_hex("abcdefABCDEF", &back), 0);
	ck_assert_mem_eq(back.bytes, "\xab\xcd\xef\xab\xcd\xef", 6);
	id.nr_bytes = 0;
	buildid_to_hex(&id, hex);
	ck_assert_str_eq(hex, "");
}
END_TEST

START_TEST(what_is_not_hex_is_refused)
{
	static const char *const texts[] = {
		"",   "a",    "abc",  "0g",
		"g0", "12 4", "0x12", "4a5a9b0affb66c437abc0102030405060708090a00",
	};
	struct buildid id;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_int_eq(buildid_from_hex(texts[i], &id), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("buildid");
	TCase *tests = tcase_create("buildid");

	tcase_add_loop_test(tests, the_id_is_found_in_both_classes_byte_orders_and_tables, 0, 8);
	tcase_add_loop_test(tests, a_file_cut_anywhere_is_refused_or_has_none, 0, 8);
	tcase_add_loop_test(tests, no_flipped_byte_does_harm, 0, 8);
	tcase_add_loop_test(tests, headers_of_a_size_that_cannot_be_are_refused, 0, 8);
	tcase_add_test(tests, an_elf_file_without_one_says_so);
	tcase_add_test(tests, an_id_of_more_than_20_bytes_is_not_taken);
	tcase_add_test(tests, notes_aligned_to_8_are_walked);
	tcase_add_test(tests, a_fifo_is_refused_at_once);
	tcase_add_test(tests, a_file_that_cannot_be_opened_is_an_error);
	tcase_add_test(tests, notes_in_memory_are_parsed);
	tcase_add_test(tests, hex_goes_both_ways);
	tcase_add_test(tests, what_is_not_hex_is_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
