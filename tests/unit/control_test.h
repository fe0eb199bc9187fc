/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of control/ share: running a case, a folder of one's own. */
#ifndef TESTS_UNIT_CONTROL_TEST_H
#define TESTS_UNIT_CONTROL_TEST_H

#include "lib/diag.h"
#include "lib/file.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made and removed by test_dir_set_up and _tear_down (checked fixtures). */
static char test_dir[64];
static struct diag diag;

static inline void test_dir_set_up(void)
{
	(void)snprintf(test_dir, sizeof(test_dir), "/tmp/oprof-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(test_dir));
	diag_clear(&diag);
}

static inline void test_dir_tear_down(void)
{
	ck_assert_int_eq(file_remove_tree(test_dir), 0);
}

/* test_dir/name with this content. */
static inline void test_put(const char *name, const char *text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", test_dir, name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
}

static inline void assert_has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in \"%s\"", part, text);
}

static inline int test_run(TCase *cases)
{
	Suite *suite = suite_create("control");
	SRunner *runner = srunner_create(suite);
	int nr_failed;

	suite_add_tcase(suite, cases);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	nr_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
