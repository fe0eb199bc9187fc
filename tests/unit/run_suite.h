/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a unit test's main(): runs its suite, TAP to stdout. */
#ifndef TESTS_RUN_SUITE_H
#define TESTS_RUN_SUITE_H

#include <check.h>
#include <stdlib.h>

/* The exit status. suite is freed. */
static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int nr_failed;

	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	nr_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
