// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The content of an archive: names, and the numbers of binaries and debug files
 * that users are shown.
 */
#include "pp/archive/archive_content.h"

#include "lib/buildid.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct make_session session;
static struct make_profile made;
static unsigned int nr_skipped;
static char *list;

static void setup(void)
{
	built_elf_init();
	make_session_init(&session);
}

static void teardown(void)
{
	free(list);
	make_profile_deinit(&made);
	make_session_deinit(&session);
	built_elf_deinit();
}

static void skip(const char *path, const struct diag *diag)
{
	(void)path;
	(void)diag;
	nr_skipped++;
}

static void add_sample_of(const char *path)
{
	struct oprof_image_identity identity = {0};
	struct buildid id;

	if (!buildid_read_file(path, &id)) {
		memcpy(identity.build_id, id.bytes, id.nr_bytes);
		identity.nr_build_id = id.nr_bytes;
	}
	make_session_add_one(&session, &(struct make_file){.app = path, .identity = &identity},
			     0x100, 1);
}

static struct archive_content list_content(void)
{
	size_t nr_bytes;
	struct archive_content content = {.selection = &made.selection,
					  .session_dir = session.dir,
					  .options = &made.profile_options,
					  .list = open_memstream(&list, &nr_bytes),
					  .skip = skip};
	struct diag diag;

	ck_assert_ptr_nonnull(content.list);
	ck_assert_msg(!make_profile_select(&made, &session, "", &diag), "%s", diag_show(&diag));
	ck_assert_msg(!archive_content_add(&content, &diag), "%s", diag_show(&diag));
	ck_assert_int_eq(fclose(content.list), 0);
	return content;
}

static void assert_listed(const char *path)
{
	char line[PATH_MAX];

	(void)snprintf(line, sizeof(line), "\n%s\n", path + (*path == '/'));
	ck_assert_msg(strstr(list, line) != NULL, "%s is not in:\n%s", path, list);
}

START_TEST(binaries_go_in_with_all_their_debug_files_and_missing_ones_are_told)
{
	struct archive_content content;

	built_elf_source("a.c", "int b(int x);\nint main(void) { return b(1); }\n");
	built_elf_source("b.c", "int b(int x) { return x; }\n");
	built_elf_run("${CC:-cc} -g -gsplit-dwarf -c a.c && ${CC:-cc} -g -gsplit-dwarf -c b.c && "
		      "${CC:-cc} -o program a.o b.o -Wl,--build-id");
	/* Another program with the same debug files, which are listed only once. */
	built_elf_run("${CC:-cc} -o again a.o b.o -Wl,--build-id,--defsym,again=1");
	built_elf_run("${CC:-cc} -o plain a.o b.o -Wl,--build-id && strip plain");
	add_sample_of(built_elf_path("plain"));
	add_sample_of(built_elf_path("program"));
	add_sample_of(built_elf_path("again"));
	add_sample_of("/missing/first");
	add_sample_of("/missing/last");
	content = list_content();
	ck_assert_uint_eq(content.nr_binaries, 3);
	ck_assert_uint_eq(content.nr_debug_files, 2);
	ck_assert_uint_eq(content.nr_missing, 2);
	ck_assert_uint_eq(nr_skipped, 2);
	assert_listed(built_elf_path("plain"));
	assert_listed(built_elf_path("program"));
	assert_listed(built_elf_path("again"));
	assert_listed(built_elf_path("a.dwo"));
	assert_listed(built_elf_path("b.dwo"));
	assert_listed(ARCHIVE_MANIFEST);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("archive_content");
	TCase *tests = tcase_create("archive_content");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, binaries_go_in_with_all_their_debug_files_and_missing_ones_are_told);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
