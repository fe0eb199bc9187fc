/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of the system that fail when a test says so: the linker turns the
 * program's calls to those here (failing_calls_wrap_flags in tests/local.mk), and the Nth of a
 * kind fails, or all from the Nth on.
 */
#ifndef TESTS_UNIT_FAILING_CALLS_H
#define TESTS_UNIT_FAILING_CALLS_H

enum failing_kind {
	FAILING_MEMORY, /* malloc, calloc, realloc, reallocarray, strdup, strndup: ENOMEM */
	FAILING_MMAP,	/* mmap, mremap: ENOMEM */
	FAILING_GROW,	/* ftruncate, fallocate: ENOSPC */
	FAILING_WRITE,	/* write, pwrite: ENOSPC; every second one writes half before it fails */
	FAILING_SYNC,	/* fsync, fdatasync, syncfs: EIO */
	FAILING_RENAME, /* rename, renameat: EDQUOT */
	FAILING_OPEN,	/* open, openat, mkdir: EMFILE */
	FAILING_NR_KINDS,
};

extern const char *const failing_names[FAILING_NR_KINDS];

/* From now on the nth (from 1) call of kind fails, or all of them from there. */
void failing_begin(enum failing_kind kind, unsigned long nth, int all);
/* The calls between the two neither fail nor count: the test's own. */
void failing_pause(void);
void failing_go_on(void);
/* No more. Whether so many calls were made that one failed. */
int failing_end(void);

#endif
