// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top_symbols.h"

#include "lib/file.h"
#include "libdb/sample_name.h"
#include "tests/fixture/test_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct slice_section kernel_section(void)
{
	return (struct slice_section){
		.image = {.kind = SAMPLE_PATH_KERN, .path = "vmlinux"},
		.identity = {.build_id = {1, 2, 3}, .nr_build_id = 20},
		.image_kind = OPROF_IMAGE_KERNEL,
	};
}

/* The path of the kernel's symbols below the session's meta folder. */
static void symbols_path(char *path, size_t nr_bytes)
{
	const struct slice_section section = kernel_section();

	(void)snprintf(path, nr_bytes, "symbols/%016" PRIx64, sample_identity(&section.identity));
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
}

static unsigned int nr_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned int nr = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		nr++;
	(void)closedir(dir);
	return nr - 2; /* without . and .. */
}

START_TEST(symbols_come_after_they_were_asked_for)
{
	const struct slice_section section = kernel_section();
	struct top_symbols *symbols;

	ck_assert_int_eq(top_symbols_create(&symbols, "."), 0);
	top_symbols_begin(symbols);
	ck_assert_ptr_null(top_symbols_find(symbols, &section));
	top_symbols_wait(symbols);
	ck_assert_ptr_nonnull(top_symbols_find(symbols, &section));
	top_symbols_destroy(symbols);
}
END_TEST

/*
 * A leak checker sees whether the reader frees everything after its owner has
 * left. A pipe in place of the file blocks the reader until then.
 */
START_TEST(ended_while_symbols_are_read_nothing_leaks)
{
	const struct slice_section section = kernel_section();
	const unsigned int nr_before = nr_threads();
	struct top_symbols *symbols;
	char path[64];
	int fd;

	symbols_path(path, sizeof(path));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(top_symbols_create(&symbols, "."), 0);
	top_symbols_begin(symbols);
	ck_assert_ptr_null(top_symbols_find(symbols, &section));
	fd = open(path, O_WRONLY | O_CLOEXEC); /* waits for the reader */
	ck_assert_int_ge(fd, 0);
	top_symbols_destroy(symbols);
	symbols = NULL;
	(void)close(fd);
	while (nr_threads() > nr_before)
		(void)usleep(1000);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("top_symbols");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, symbols_come_after_they_were_asked_for);
	tcase_add_test(tc, ended_while_symbols_are_read_nothing_leaks);
	return test_run(tc);
}
