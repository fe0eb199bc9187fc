// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each call of building and opening that can fail does so once: the linker redirects the calls to
 * the functions here (--wrap), of which the Nth fails. The error must be reported, and nothing may
 * leak (which sanitizers check).
 */
#include "unwind/code_table.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum call { CALL_MEMORY, CALL_PREAD, CALL_WRITE, NR_CALLS };

static const int errors[NR_CALLS] = {ENOMEM, EIO, ENOSPC};

static enum call failing;
static unsigned int countdown; /* calls until one fails; 0: none fails */

static bool fails(enum call call)
{
	if (!countdown || failing != call || --countdown)
		return false;
	errno = errors[call];
	return true;
}

void *__real_malloc(size_t nr_bytes);
void *__wrap_malloc(size_t nr_bytes);
void *__real_calloc(size_t nr, size_t nr_bytes);
void *__wrap_calloc(size_t nr, size_t nr_bytes);
void *__real_realloc(void *old, size_t nr_bytes);
void *__wrap_realloc(void *old, size_t nr_bytes);
ssize_t __real_pread64(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __real_write(int fd, const void *buf, size_t nr_bytes);
ssize_t __wrap_write(int fd, const void *buf, size_t nr_bytes);

void *__wrap_malloc(size_t nr_bytes)
{
	return fails(CALL_MEMORY) ? NULL : __real_malloc(nr_bytes);
}

void *__wrap_calloc(size_t nr, size_t nr_bytes)
{
	return fails(CALL_MEMORY) ? NULL : __real_calloc(nr, nr_bytes);
}

void *__wrap_realloc(void *old, size_t nr_bytes)
{
	return fails(CALL_MEMORY) ? NULL : __real_realloc(old, nr_bytes);
}

ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t from)
{
	return fails(CALL_PREAD) ? -1 : __real_pread64(fd, buf, nr_bytes, from);
}

ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t from)
{
	return __wrap_pread64(fd, buf, nr_bytes, from);
}

ssize_t __wrap_write(int fd, const void *buf, size_t nr_bytes)
{
	return fails(CALL_WRITE) ? -1 : __real_write(fd, buf, nr_bytes);
}

/*
 * Builds this program's table; the Nth call fails. Check makes calls of its own, so no assertions
 * here.
 */
static int build_and_open(unsigned int nth, struct code_table **table, struct diag *diag)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = memfd_create("table", MFD_CLOEXEC);
	int error;

	diag_clear(diag);
	countdown = nth;
	error = code_table_build(from, to, 1u << 24, diag);
	if (!error)
		error = code_table_open(table, to, diag);
	nth = countdown;
	countdown = 0;
	close(from);
	close(to);
	countdown = nth;
	return error;
}

START_TEST(whatever_fails_is_told)
{
	const enum call call = (enum call)_i;
	struct code_table *table = NULL;
	struct diag diag;
	unsigned int nth = 1;
	bool failed = true;

	failing = call;
	for (; failed; nth++) {
		int error = build_and_open(nth, &table, &diag);

		failed = countdown == 0;
		countdown = 0;
		ck_assert_int_eq(error, failed ? -errors[call] : 0);
		ck_assert(!failed || *diag.text);
	}
	code_table_close(table);
	ck_assert_uint_gt(nth, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_table_fault");
	TCase *tcase = tcase_create("fault");

	tcase_add_loop_test(tcase, whatever_fails_is_told, 0, NR_CALLS);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
