// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each allocation of reading lines fails once: the reader fails with -ENOMEM,
 * or does without it and returns a valid table; nothing is left behind (the
 * sanitizers check that).
 */
#include "pp/lines/line_reader.h"
#include "pp/lines/line_table.h"
#include "pp/lines/line_wire.h"

#include "lib/buildid.h"
#include "lib/file.h"
#include "pp/symbols/file_opener.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CC "${CC:-cc} -O2 -g -Wl,--build-id "

static struct oprof_image_identity identity;
static struct symbol_search search;

/* file_pread_all returns wrapped_result in the process wrapped_reader; in the helper it reads. */
static pid_t wrapped_reader;
static ssize_t wrapped_result;

ssize_t __real_file_pread_all(int fd, void *buf, size_t nr_bytes, off_t position);
ssize_t __wrap_file_pread_all(int fd, void *buf, size_t nr_bytes, off_t position);

ssize_t __wrap_file_pread_all(int fd, void *buf, size_t nr_bytes, off_t position)
{
	return wrapped_reader == getpid() ? wrapped_result
					  : __real_file_pread_all(fd, buf, nr_bytes, position);
}

static void build_all(void)
{
	built_elf_init();
	built_elf_source("a.c", "static inline __attribute__((always_inline)) int in(int x)\n"
				"{ return x * 3; }\n"
				"int main(int argc, char **argv)\n"
				"{ (void)argv; return in(argc) + in(argc + 1); }\n");
	built_elf_run(CC "-o plain a.c && " CC "-gsplit-dwarf -o split a.c && "
			 "objcopy --only-keep-debug plain plain.debug && strip -o apart plain && "
			 "objcopy --add-gnu-debuglink=plain.debug apart && mkdir cache");
}

static void setup(void)
{
	memset(&identity, 0, sizeof(identity));
	search = (struct symbol_search){.debug_path = "/nonexistent"};
}

static void check_table(int fd)
{
	struct line_wire wire;
	struct stat status;
	char *bytes;

	ck_assert_int_eq(fstat(fd, &status), 0);
	bytes = malloc((size_t)status.st_size);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(file_pread_all(fd, bytes, (size_t)status.st_size, 0), status.st_size);
	ck_assert_int_eq(line_wire_open(&wire, bytes, (size_t)status.st_size), 0);
	free(bytes);
}

static int read_failing(const char *name, unsigned long nth)
{
	struct symbol_request request = {.path = built_elf_path(name),
					 .identity = &identity,
					 .kind = OPROF_IMAGE_FILE,
					 .search = &search};
	struct file_opener opener;
	int fd = memfd_create("lines", MFD_CLOEXEC);
	int error, failed;

	failing_begin(FAILING_MEMORY, nth, 0);
	file_opener_init(&opener, &request, -1);
	request.opener = &opener;
	error = line_read(&request, fd);
	file_opener_deinit(&opener);
	failed = failing_end();
	if (!error)
		check_table(fd);
	else
		ck_assert_int_eq(error, -ENOMEM);
	close(fd);
	return failed;
}

START_TEST(reading_without_memory_fails_or_does_without)
{
	static const char *const names[] = {"plain", "split", "apart"};
	unsigned long nth = 1;

	while (read_failing(names[_i], nth))
		nth++;
	ck_assert_uint_gt(nth, 20);
}
END_TEST

static void set_build_id(const char *name)
{
	struct buildid id;

	ck_assert_int_eq(buildid_read_file(built_elf_path(name), &id), 0);
	memcpy(identity.build_id, id.bytes, id.nr_bytes);
	identity.nr_build_id = id.nr_bytes;
}

static int load(struct line_table *table)
{
	return line_table_load(table, built_elf_path("plain"), &identity, OPROF_IMAGE_FILE,
			       &search);
}

/* The table comes from the cache, so that no helper with further allocations runs. */
START_TEST(loading_without_memory_is_an_error)
{
	struct line_table table;
	unsigned long nth = 1;
	int failed, error;

	search = (struct symbol_search){.cache_path = built_elf_path("cache")};
	set_build_id("plain");
	ck_assert_int_eq(load(&table), 0);
	line_table_deinit(&table);
	do {
		failing_begin(FAILING_MEMORY, nth++, 0);
		error = load(&table);
		failed = failing_end();
		ck_assert(!error || error == -ENOMEM);
		ck_assert_int_eq(error != 0, failed != 0);
		line_table_deinit(&table);
	} while (failed);
	ck_assert_uint_gt(nth, 2);
}
END_TEST

/* An unreadable result of the helper must be noted as a loss, not returned as an empty table. */
START_TEST(a_result_of_the_helper_that_is_cut_is_damaged)
{
	static const ssize_t results[] = {0, 1, -EIO, -ENOMEM};
	struct line_table table;
	int error;

	wrapped_reader = getpid();
	wrapped_result = results[_i];
	error = load(&table);
	wrapped_reader = 0;
	if (results[_i] == -ENOMEM) {
		ck_assert_int_eq(error, -ENOMEM);
	} else {
		ck_assert_int_eq(error, 0);
		ck_assert_int_eq(table.lack, SYMBOLS_DAMAGED);
		ck_assert_ptr_nonnull(table.note);
	}
	ck_assert_uint_eq(table.nr_ranges, 0);
	line_table_deinit(&table);
}
END_TEST

static Suite *line_fault_suite(void)
{
	Suite *suite = suite_create("line_fault");
	TCase *tcase = tcase_create("line_fault");

	tcase_add_unchecked_fixture(tcase, build_all, built_elf_deinit);
	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_loop_test(tcase, reading_without_memory_fails_or_does_without, 0, 3);
	tcase_add_test(tcase, loading_without_memory_is_an_error);
	tcase_add_loop_test(tcase, a_result_of_the_helper_that_is_cut_is_damaged, 0, 4);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(line_fault_suite());
}
