// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test_folder.h"

#include "lib/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[PATH_MAX];

void test_folder_setup(void)
{
	const char *base = getenv("TMPDIR");

	ck_assert_int_gt(
		snprintf(folder, sizeof(folder), "%s/oprof-unit-XXXXXX", base ? base : "/tmp"), 0);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

void test_folder_teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	(void)file_remove_tree(folder);
}

int test_run(TCase *tc)
{
	Suite *suite = suite_create("daemon");
	SRunner *runner = srunner_create(suite);
	int nr_failed;

	suite_add_tcase(suite, tc);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	nr_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
