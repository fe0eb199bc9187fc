/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A test runner for guests, where Check is not available: each test prints "ok - NAME" or "not ok -
 * NAME", after "# " lines with the failed checks.
 */
#ifndef TESTS_GUEST_KMOD_TEST_H
#define TESTS_GUEST_KMOD_TEST_H

#include <stdint.h>

struct kmod_test {
	const char *name;
	void (*run)(void);
};

#define KMOD_TEST(name)                                                                            \
	{                                                                                          \
#name, name                                                                        \
	}

/* Runs all tests, or those whose names are given; returns the program's exit status. */
int kmod_test_main(const struct kmod_test *tests, unsigned int nr_tests, char **names);

/* Marks the running test as skipped: "ok - NAME # SKIP REASON". */
void kmod_test_skip(const char *reason);

/*
 * Returns whether the condition holds; if it does not, the test has failed and continues. of: the
 * object of the check, or NULL.
 */
int kmod_test_check(int holds, const char *text, const char *of, int line);
int kmod_test_is(int64_t got, int64_t expected, const char *text, const char *of, int line);

#define CHECK(condition)	       kmod_test_check(!!(condition), #condition, NULL, __LINE__)
#define CHECK_OF(condition, of)	       kmod_test_check(!!(condition), #condition, of, __LINE__)
#define CHECK_IS(got, expected)	       kmod_test_is(got, expected, #got, NULL, __LINE__)
#define CHECK_IS_OF(got, expected, of) kmod_test_is(got, expected, #got, of, __LINE__)

#endif
