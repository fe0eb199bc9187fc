// SPDX-License-Identifier: GPL-2.0-or-later
/* For each kind of image, where its symbols are found. */
#include "pp/symbols/symbols.h"

#include "lib/file.h"
#include "lib/buildid.h"
#include "libdb/sample_name.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/oprof-symbols.XXXXXX";
static struct oprof_image_identity identity;
static struct symbol_search search;
static struct symbol_table table;

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	search.meta_path = folder;
	identity.size_bytes = 1; /* any identity */
}

static void teardown(void)
{
	symbol_table_deinit(&table);
	file_remove_tree(folder);
}

static void keep(const char *where, const void *bytes, size_t nr_bytes)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/%016" PRIx64, folder, where,
		 sample_identity(&identity));
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, bytes, nr_bytes, 0600), 0);
}

static const struct symbol *find(const char *part)
{
	for (size_t i = 0; i < table.nr_symbols; i++)
		if (strstr(table.symbols[i].name, part))
			return &table.symbols[i];
	return NULL;
}

static struct symbol get(const char *name)
{
	const struct symbol *symbol = find(name);

	if (!symbol)
		ck_abort_msg("no symbol %s", name);
	return *symbol;
}

static void load(const char *path, enum oprof_image_kind kind)
{
	ck_assert_int_eq(symbol_table_load(&table, path, &identity, kind, &search), 0);
}

START_TEST(program_has_its_functions)
{
	char path[4096];
	ssize_t nr = readlink("/proc/self/exe", path, sizeof(path) - 1);

	ck_assert_int_gt(nr, 0);
	path[nr] = '\0';
	memset(&identity, 0, sizeof(identity));
	load(path, OPROF_IMAGE_FILE);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_ptr_nonnull(find("symbol_table_load"));
}
END_TEST

START_TEST(kernel_modules_idle_and_bpf_come_from_the_session)
{
	static const enum oprof_image_kind kinds[] = {OPROF_IMAGE_KERNEL, OPROF_IMAGE_MODULE,
						      OPROF_IMAGE_IDLE, OPROF_IMAGE_BPF};
	const char *text = "oprof-kernel-symbols 1\n10 20 T schedule\n";

	keep("symbols", text, strlen(text));
	load("vmlinux", kinds[_i]);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_uint_eq(table.nr_symbols, 1);
	ck_assert_uint_eq(get("schedule").start, 0x10);
}
END_TEST

START_TEST(why_a_session_has_no_symbols_of_its_kernel_is_told_where_it_has_none)
{
	const char *text = "oprof-kernel-symbols 1\n10 20 T schedule\n";

	search.no_kernel = "nobody asked for them";
	load("vmlinux", OPROF_IMAGE_KERNEL);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	ck_assert_str_eq(table.note, search.no_kernel);
	symbol_table_deinit(&table);
	keep("symbols", "damaged", 7);
	load("vmlinux", OPROF_IMAGE_KERNEL);
	ck_assert_int_eq(table.lack, SYMBOLS_DAMAGED);
	ck_assert_str_ne(table.note, search.no_kernel);
	symbol_table_deinit(&table);
	keep("symbols", text, strlen(text));
	load("vmlinux", OPROF_IMAGE_KERNEL);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_ptr_null(table.note);
}
END_TEST

START_TEST(vmlinux_has_the_symbols_that_the_session_lacks_of_its_kernel)
{
	const char *text = "oprof-kernel-symbols 1\n10 20 T schedule\n";
	struct buildid id;

	built_elf_init();
	/* Code below _text has no key. */
	built_elf_source("a.c",
			 "void below(void) { }\nvoid _text(void) { }\nvoid behind(void) { }\n");
	built_elf_run("${CC:-cc} -nostdlib -o vmlinux a.c -Wl,--build-id,-e,_text");
	ck_assert_int_eq(buildid_read_file(built_elf_path("vmlinux"), &id), 0);
	search.image_path = built_elf_path("");
	load("vmlinux", OPROF_IMAGE_KERNEL); /* the kernel's build-id is unknown */
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	symbol_table_deinit(&table);
	memcpy(identity.build_id, id.bytes, id.nr_bytes);
	identity.nr_build_id = id.nr_bytes;
	load("vmlinux", OPROF_IMAGE_MODULE);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	symbol_table_deinit(&table);
	load("vmlinux", OPROF_IMAGE_KERNEL);
	ck_assert_msg(table.lack == SYMBOLS_FULL, "%s", table.note);
	ck_assert_uint_eq(get("_text").start, 0);
	ck_assert_ptr_nonnull(find("behind"));
	ck_assert_ptr_null(find("below"));
	symbol_table_deinit(&table);
	keep("symbols", text, strlen(text));
	load("vmlinux", OPROF_IMAGE_KERNEL);
	ck_assert_uint_eq(table.nr_symbols, 1);
	ck_assert_uint_eq(get("schedule").start, 0x10);
	built_elf_deinit();
}
END_TEST

/* The range [start, end) of the vdso in this process; 0 if there is none. */
static size_t find_vdso(unsigned long *start)
{
	char line[512];
	unsigned long end = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	*start = 0;
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", start, &end) == 2)
			break;
	if (maps)
		fclose(maps);
	return *start ? end - *start : 0;
}

START_TEST(code_without_files_has_the_names_of_the_session)
{
	static const struct oprof_image_identity none;
	static const enum oprof_image_kind kinds[] = {OPROF_IMAGE_CODE, OPROF_IMAGE_BPF};
	static const char *const paths[] = {"[jit]", "[bpf]"};
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/names", folder);
	ck_assert_int_eq(file_replace(path, "1 f\n2 g\n", 8, 0600), 0);
	ck_assert_int_eq(symbol_table_load(&table, paths[_i], &none, kinds[_i], &search), 0);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_uint_eq(table.nr_symbols, 3);
	ck_assert_str_eq(table.symbols[2].name, "g");
}
END_TEST

START_TEST(vdso_comes_from_the_session)
{
	unsigned long start;
	size_t nr_bytes = find_vdso(&start);

	if (!nr_bytes)
		return;
	keep("images", (const void *)start, nr_bytes);
	load("[vdso]", OPROF_IMAGE_VDSO);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_ptr_nonnull(find("clock_gettime"));
}
END_TEST

START_TEST(missing_vdso_is_told)
{
	load("[vdso]", OPROF_IMAGE_VDSO);
	ck_assert_int_eq(table.lack, SYMBOLS_NO_FILE);
	ck_assert_ptr_nonnull(table.note);
}
END_TEST

START_TEST(memory_without_file_has_no_symbols)
{
	load("[heap]", OPROF_IMAGE_ANON);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	ck_assert_ptr_nonnull(strstr(table.note, "without a file"));
}
END_TEST

START_TEST(unknown_kind_has_no_symbols)
{
	load("x", (enum oprof_image_kind)4711);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	ck_assert_ptr_nonnull(table.note);
}
END_TEST

START_TEST(time_off_cpu_is_by_reason)
{
	ck_assert_int_eq(
		symbol_table_load(&table, "{off-cpu}", &identity, OPROF_IMAGE_OFF_CPU, &search), 0);
	ck_assert_uint_eq(table.nr_symbols, 2);
	ck_assert_uint_eq(get("[preempted]").start, 0);
	ck_assert_uint_eq(get("[waiting]").start, 1);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_ptr_null(table.note);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("symbols");
	TCase *tcase = tcase_create("symbols");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, program_has_its_functions);
	tcase_add_loop_test(tcase, code_without_files_has_the_names_of_the_session, 0, 2);
	tcase_add_loop_test(tcase, kernel_modules_idle_and_bpf_come_from_the_session, 0, 4);
	tcase_add_test(tcase, why_a_session_has_no_symbols_of_its_kernel_is_told_where_it_has_none);
	tcase_add_test(tcase, vmlinux_has_the_symbols_that_the_session_lacks_of_its_kernel);
	tcase_add_test(tcase, vdso_comes_from_the_session);
	tcase_add_test(tcase, missing_vdso_is_told);
	tcase_add_test(tcase, memory_without_file_has_no_symbols);
	tcase_add_test(tcase, unknown_kind_has_no_symbols);
	tcase_add_test(tcase, time_off_cpu_is_by_reason);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
