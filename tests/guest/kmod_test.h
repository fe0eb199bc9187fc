/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that run in a guest, where there is no Check: each prints "ok - NAME"
 * or "not ok - NAME", behind "# " lines of what was not as it should be.
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

/* Run them all, or those whose names are given; the program's exit status. */
int kmod_test_main(const struct kmod_test *tests, unsigned int nr_tests, char **names);

/* This test can't be run here, for that reason: "ok - NAME # SKIP REASON". */
void kmod_test_skip(const char *reason);

/* True if it holds; else the test has failed, and goes on. of: what it was about, or NULL. */
int kmod_test_check(int holds, const char *text, const char *of, int line);
int kmod_test_is(int64_t got, int64_t expected, const char *text, const char *of, int line);

#define CHECK(condition)	       kmod_test_check(!!(condition), #condition, NULL, __LINE__)
#define CHECK_OF(condition, of)	       kmod_test_check(!!(condition), #condition, of, __LINE__)
#define CHECK_IS(got, expected)	       kmod_test_is(got, expected, #got, NULL, __LINE__)
#define CHECK_IS_OF(got, expected, of) kmod_test_is(got, expected, #got, of, __LINE__)

#endif
