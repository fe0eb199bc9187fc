// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The answer of a helper that has read a hostile file may be anything: only
 * valid paths are taken. Also tests the answers for sound files.
 */
#include "pp/archive/debug_list.h"

#include "lib/buildid.h"
#include "lib/file.h"
#include "pp/symbols/file_opener.h"
#include "pp/symbols/symbol_helper.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct said {
	const char *bytes;
	size_t nr_bytes;
};

#define SAID(text)                                                                                 \
	{                                                                                          \
		.bytes = (text), .nr_bytes = sizeof(text) - 1                                      \
	}

static struct said said;
static struct debug_list list;

int __wrap_symbol_helper_read(const struct symbol_request *request, symbol_read_fn *read,
			      int (*take)(int fd, void *result), void *result, char **note);

/* Called through the linker's --wrap: the helper answers with the test's text, or truly. */
int __wrap_symbol_helper_read(const struct symbol_request *request, symbol_read_fn *read,
			      int (*take)(int fd, void *result), void *result, char **note)
{
	int fd = memfd_create("said", 0);
	int error = 0;

	*note = NULL;
	if (said.bytes) {
		ck_assert_int_eq(file_write_all(fd, said.bytes, said.nr_bytes), 0);
	} else {
		struct symbol_request opening = *request;
		struct file_opener opener;

		file_opener_init(&opener, &opening, -1);
		opening.opener = &opener;
		error = read(&opening, fd);
		file_opener_deinit(&opener);
	}
	if (!error)
		error = take(fd, result);
	close(fd);
	return error;
}

static void teardown(void)
{
	debug_list_deinit(&list);
}

START_TEST(nothing_said_is_no_file)
{
	said = (struct said)SAID("");
	ck_assert_int_eq(debug_list_load(&list, NULL), 0);
	ck_assert_uint_eq(list.nr_files, 0);
}
END_TEST

START_TEST(each_file_said_has_its_path_and_name)
{
	said = (struct said)SAID("/r/a\0/usr/lib/debug/a\0001:2\0b\0/..b\0\0");
	ck_assert_int_eq(debug_list_load(&list, NULL), 0);
	ck_assert_uint_eq(list.nr_files, 2);
	ck_assert_str_eq(list.files[0].path, "/r/a");
	ck_assert_str_eq(list.files[0].name, "/usr/lib/debug/a");
	ck_assert_str_eq(list.files[0].key, "1:2");
	ck_assert_str_eq(list.files[1].path, "b");
	ck_assert_str_eq(list.files[1].name, "/..b");
	/* A file without a key is none that can be compared. */
	ck_assert_str_eq(list.files[1].key, "");
	ck_assert(!debug_list_is_file(&list.files[1], -1));
}
END_TEST

static const struct said refused[] = {
	SAID("/a\0/b\0k"),		   /* no end */
	SAID("/a\0"),			   /* only one path */
	SAID("/a\0/b\0"),		   /* no key */
	SAID("/a\0/b\0k\0/c\0"),	   /* after a whole file */
	SAID("\0/b\0k\0"),		   /* no path */
	SAID("/a\0\0k\0"),		   /* no name: this is the archive's own folder */
	SAID("/a\0/\0k\0"),		   /* the archive's root */
	SAID("/a\0b\0k\0"),		   /* a relative path */
	SAID("/a\0../b\0k\0"),		   /* leads out of the archive */
	SAID("/a\0/../b\0k\0"),		   /* the same, as an absolute path */
	SAID("/a\0/b/../../c\0k\0"),	   /* the same, from within */
	SAID("/a\0/b/./c\0k\0"),	   /* not plain */
	SAID("/a\0//b\0k\0"),		   /* not plain */
	SAID("/a\0/b/\0k\0"),		   /* not plain */
	SAID("/a\0/b\0k\0/c\0/../d\0k\0"), /* the second file's name */
};

START_TEST(an_answer_that_is_none_is_refused)
{
	said = refused[_i];
	ck_assert_int_eq(debug_list_load(&list, NULL), -EILSEQ);
	ck_assert_uint_eq(list.nr_files, 0);
	ck_assert_ptr_null(list.files);
}
END_TEST

/* ---- sound files ---- */

#define CC "${CC:-cc} -g -O1 -Wl,--build-id"

static void build_all(void)
{
	struct buildid id;
	char link[64] = "shared.debug";

	built_elf_init();
	built_elf_source("a.c", "int main(void) { return 0; }\n");
	built_elf_run(CC " -o plain a.c && " CC " -gsplit-dwarf -c -o split.o a.c && " CC
			 " -o split split.o");
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "noid" : "linked";

		built_elf_run(CC "%s -o %s a.c && objcopy --only-keep-debug %s %s.debug && "
				 "strip %s && objcopy --add-gnu-debuglink=%s.debug %s",
			      i ? "=none" : "", name, name, name, name, name, name);
	}
	/* Like the common file that dwz makes, but the program still has all of its own
	 * information. */
	built_elf_run(CC " -Wl,--defsym,other=1 -o other a.c && "
			 "objcopy --only-keep-debug other shared.debug");
	ck_assert_int_eq(buildid_read_file(built_elf_path("shared.debug"), &id), 0);
	memcpy(link + strlen(link) + 1, id.bytes, id.nr_bytes);
	built_elf_write("altlink", link, strlen(link) + 1 + id.nr_bytes);
	built_elf_run(
		"objcopy --add-section .gnu_debugaltlink=altlink plain alt && "
		"objcopy --add-section .gnu_debugaltlink=altlink linked.debug "
		"both.debug && cp linked both && objcopy --remove-section .gnu_debuglink both && "
		"objcopy --add-gnu-debuglink=both.debug both");
}

/* Which files the folder holds and where they go: to the build-id of by_id, or below prefix. */
static const struct {
	const char *image;
	struct {
		const char *file, *by_id, *prefix;
	} files[2];
} listed[] = {
	{"plain", {{0}}},
	{"split", {{"split.dwo", NULL, ""}}},
	{"linked", {{"linked.debug", "linked", NULL}}},
	{"noid", {{"noid.debug", NULL, "/usr/lib/debug"}}},
	{"alt", {{"shared.debug", "other", NULL}}},
	{"both", {{"both.debug", "linked", NULL}, {"shared.debug", "other", NULL}}},
};

static void check_file(const struct debug_list_file *file, const char *path, const char *by_id,
		       const char *prefix)
{
	char name[PATH_MAX], hex[BUILDID_HEX_BYTES], *got = realpath(file->path, NULL);
	char *want = realpath(built_elf_path(path), NULL);
	struct buildid id;
	int fd;

	ck_assert_str_eq(got, want);
	fd = open(file->path, O_RDONLY | O_CLOEXEC);
	ck_assert(debug_list_is_file(file, fd));
	(void)close(fd);
	fd = open(built_elf_path("a.c"), O_RDONLY | O_CLOEXEC);
	ck_assert(!debug_list_is_file(file, fd));
	(void)close(fd);
	if (by_id) {
		ck_assert_int_eq(buildid_read_file(built_elf_path(by_id), &id), 0);
		buildid_to_hex(&id, hex);
		(void)snprintf(name, sizeof(name), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex,
			       hex + 2);
	} else {
		(void)snprintf(name, sizeof(name), "%s%s", prefix, want);
	}
	ck_assert_str_eq(file->name, name);
	free(got);
	free(want);
}

START_TEST(all_files_that_an_image_is_read_with_are_listed)
{
	static const struct symbol_search search = {.debug_path = "/nonexistent"};
	static const struct oprof_image_identity identity;
	char *path = realpath(built_elf_path(listed[_i].image), NULL);
	const struct symbol_request request = {
		.path = path, .identity = &identity, .kind = OPROF_IMAGE_FILE, .search = &search};
	size_t nr = 0;

	said.bytes = NULL;
	ck_assert_int_eq(debug_list_load(&list, &request), 0);
	for (; nr < 2 && listed[_i].files[nr].file; nr++) {
		ck_assert_uint_lt(nr, list.nr_files);
		check_file(&list.files[nr], listed[_i].files[nr].file, listed[_i].files[nr].by_id,
			   listed[_i].files[nr].prefix);
	}
	ck_assert_uint_eq(list.nr_files, nr);
	free(path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("debug_list");
	TCase *tests = tcase_create("said");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, nothing_said_is_no_file);
	tcase_add_test(tests, each_file_said_has_its_path_and_name);
	tcase_add_loop_test(tests, an_answer_that_is_none_is_refused, 0,
			    sizeof(refused) / sizeof(refused[0]));
	suite_add_tcase(suite, tests);
	tests = tcase_create("sound");
	tcase_add_unchecked_fixture(tests, build_all, built_elf_deinit);
	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_loop_test(tests, all_files_that_an_image_is_read_with_are_listed, 0,
			    sizeof(listed) / sizeof(listed[0]));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
