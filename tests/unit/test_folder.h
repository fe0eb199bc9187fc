/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of a test's own, for Check fixtures, and the end of a test's main. */
#ifndef TESTS_UNIT_TEST_FOLDER_H
#define TESTS_UNIT_TEST_FOLDER_H

#include <check.h>

/* Fixtures: make it and change into it; remove it. */
void test_folder_setup(void);
void test_folder_teardown(void);

/* Run the one case as TAP; main's result. */
int test_run(TCase *tc);

#endif
