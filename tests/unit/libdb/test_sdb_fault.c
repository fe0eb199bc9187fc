// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each call that can fail does so once: the linker redirects the calls of libdb to the functions
 * here (--wrap), of which the Nth fails. After any failure an addition is either complete or
 * absent, later ones succeed, and the file stays sound.
 */
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum call {
	CALL_FALLOCATE,
	CALL_PWRITE,
	CALL_MMAP,
	CALL_MREMAP,
	CALL_MALLOC,
	CALL_PREAD,
	NR_CALLS
};

static const struct {
	enum call call;
	int error;
	bool for_ever; /* all from the Nth on fail, until disarmed */
} faults[] = {
	{CALL_FALLOCATE, ENOSPC, false}, {CALL_FALLOCATE, ENOSPC, true},
	{CALL_FALLOCATE, EDQUOT, false}, {CALL_FALLOCATE, EOPNOTSUPP, true},
	{CALL_FALLOCATE, EINTR, false},	 {CALL_PWRITE, ENOSPC, false},
	{CALL_PWRITE, ENOSPC, true},	 {CALL_PWRITE, EINTR, false},
	{CALL_PWRITE, EIO, false},	 {CALL_MMAP, ENOMEM, false},
	{CALL_MMAP, ENOMEM, true},	 {CALL_MREMAP, ENOMEM, false},
	{CALL_MREMAP, EFAULT, true},	 {CALL_MALLOC, ENOMEM, false},
	{CALL_MALLOC, ENOMEM, true},	 {CALL_PREAD, EIO, false},
	{CALL_PREAD, EINTR, false},
};
#define NR_FAULTS ((int)(sizeof(faults) / sizeof(faults[0])))

/* A file with so many keys has outgrown its first mapping. */
#define NR_KEYS_TO_MOVE 20000

static struct make_sdb make;

static struct {
	bool armed;
	int fault;
	uint64_t countdown; /* calls until one fails */
	uint64_t nr_failed;
} state;

static bool fails(enum call call)
{
	if (!state.armed || faults[state.fault].call != call)
		return false;
	if (state.countdown > 1) {
		state.countdown--;
		return false;
	}
	if (state.countdown == 0 && !faults[state.fault].for_ever)
		return false;
	state.countdown = 0;
	state.nr_failed++;
	errno = faults[state.fault].error;
	return true;
}

int __real_fallocate64(int fd, int mode, off_t from, off_t nr_bytes);
int __wrap_fallocate64(int fd, int mode, off_t from, off_t nr_bytes);
int __wrap_fallocate(int fd, int mode, off_t from, off_t nr_bytes);
ssize_t __real_pwrite64(int fd, const void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t nr_bytes, off_t from);
ssize_t __real_pread64(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t from);
void *__real_mmap64(void *where, size_t nr_bytes, int protection, int flags, int fd, off_t from);
void *__wrap_mmap64(void *where, size_t nr_bytes, int protection, int flags, int fd, off_t from);
void *__wrap_mmap(void *where, size_t nr_bytes, int protection, int flags, int fd, off_t from);
void *__real_mremap(void *old, size_t old_bytes, size_t nr_bytes, int flags, ...);
void *__wrap_mremap(void *old, size_t old_bytes, size_t nr_bytes, int flags, ...);
void *__real_malloc(size_t nr_bytes);
void *__wrap_malloc(size_t nr_bytes);
void *__real_calloc(size_t nr, size_t nr_bytes);
void *__wrap_calloc(size_t nr, size_t nr_bytes);
void *__real_realloc(void *old, size_t nr_bytes);
void *__wrap_realloc(void *old, size_t nr_bytes);
char *__real_strndup(const char *text, size_t nr_bytes);
char *__wrap_strndup(const char *text, size_t nr_bytes);

int __wrap_fallocate64(int fd, int mode, off_t from, off_t nr_bytes)
{
	return fails(CALL_FALLOCATE) ? -1 : __real_fallocate64(fd, mode, from, nr_bytes);
}

int __wrap_fallocate(int fd, int mode, off_t from, off_t nr_bytes)
{
	return __wrap_fallocate64(fd, mode, from, nr_bytes);
}

ssize_t __wrap_pwrite64(int fd, const void *buf, size_t nr_bytes, off_t from)
{
	return fails(CALL_PWRITE) ? -1 : __real_pwrite64(fd, buf, nr_bytes, from);
}

ssize_t __wrap_pwrite(int fd, const void *buf, size_t nr_bytes, off_t from)
{
	return __wrap_pwrite64(fd, buf, nr_bytes, from);
}

ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t from)
{
	return fails(CALL_PREAD) ? -1 : __real_pread64(fd, buf, nr_bytes, from);
}

ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t from)
{
	return __wrap_pread64(fd, buf, nr_bytes, from);
}

void *__wrap_mmap64(void *where, size_t nr_bytes, int protection, int flags, int fd, off_t from)
{
	return fails(CALL_MMAP) ? MAP_FAILED
				: __real_mmap64(where, nr_bytes, protection, flags, fd, from);
}

void *__wrap_mmap(void *where, size_t nr_bytes, int protection, int flags, int fd, off_t from)
{
	return __wrap_mmap64(where, nr_bytes, protection, flags, fd, from);
}

void *__wrap_mremap(void *old, size_t old_bytes, size_t nr_bytes, int flags, ...)
{
	va_list args;
	void *where;

	va_start(args, flags);
	where = va_arg(args, void *);
	va_end(args);
	if (!fails(CALL_MREMAP))
		return __real_mremap(old, old_bytes, nr_bytes, flags, where);
	/* For some errors the kernel unmaps the old mapping before it fails. */
	if (faults[state.fault].error == EFAULT && flags & MREMAP_FIXED)
		(void)munmap(where, nr_bytes);
	errno = faults[state.fault].error;
	return MAP_FAILED;
}

void *__wrap_malloc(size_t nr_bytes)
{
	return fails(CALL_MALLOC) ? NULL : __real_malloc(nr_bytes);
}

void *__wrap_calloc(size_t nr, size_t nr_bytes)
{
	return fails(CALL_MALLOC) ? NULL : __real_calloc(nr, nr_bytes);
}

void *__wrap_realloc(void *old, size_t nr_bytes)
{
	return fails(CALL_MALLOC) ? NULL : __real_realloc(old, nr_bytes);
}

char *__wrap_strndup(const char *text, size_t nr_bytes)
{
	return fails(CALL_MALLOC) ? NULL : __real_strndup(text, nr_bytes);
}

static void setup(void)
{
	make_sdb_init(&make);
	memset(&state, 0, sizeof(state));
}

static void teardown(void)
{
	make_sdb_deinit(&make);
}

static uint64_t key_of(uint64_t i)
{
	return i % 3 ? i * 0x9e3779b97f4a7c15u >> 26 : i * 0x9e3779b97f4a7c15u;
}

/* Makes an addition with the fault armed; if it failed, nothing was added. */
static void add_faulted(struct sdb *db, uint64_t key)
{
	int error;

	state.armed = true;
	error = sdb_add(db, key, 1);
	state.armed = false;
	if (!error)
		expected_add(&make.expected, key, 1, 0);
}

START_TEST(whatever_fails_while_growing_only_that_add_is_lost)
{
	uint64_t nth, nr_failed = 0;

	state.fault = _i;
	for (nth = 1; nth < 60; nth += nth < 12 ? 1 : 7) {
		struct sdb *db = make_sdb_open(&make);

		state.countdown = nth;
		for (uint64_t i = 0; i < 1500; i++)
			add_faulted(db, key_of(nth * 10000 + i));
		nr_failed += state.nr_failed;
		state.nr_failed = 0;
		/* After the fault everything works again. */
		for (uint64_t i = 0; i < 1500; i++)
			make_sdb_add(&make, db, key_of(nth * 10000 + 2000 + i), 1);
		sdb_close(db);
	}
	make_sdb_verify(&make);
	if (faults[_i].call != CALL_PREAD && faults[_i].call != CALL_MMAP &&
	    faults[_i].call != CALL_MREMAP)
		ck_assert_uint_gt(nr_failed, 0);
}
END_TEST

START_TEST(whatever_fails_while_the_mapping_moves_only_those_adds_are_lost)
{
	struct sdb *db;

	for (state.fault = 0; state.fault < NR_FAULTS; state.fault++) {
		if (faults[state.fault].call != CALL_MMAP &&
		    faults[state.fault].call != CALL_MREMAP)
			continue;
		teardown();
		make_sdb_init(&make);
		db = make_sdb_open(&make);
		state.nr_failed = 0;
		state.countdown = 1;
		for (uint64_t i = 0; i < NR_KEYS_TO_MOVE; i++)
			add_faulted(db, key_of(i));
		ck_assert_uint_gt(state.nr_failed, 0);
		for (uint64_t i = 0; i < NR_KEYS_TO_MOVE; i++)
			make_sdb_add(&make, db, key_of(i), 1);
		sdb_close(db);
		make_sdb_verify(&make);
	}
}
END_TEST

/* Applies the fault to the whole life of a file: opening, adding, reading, checking. */
static int use_once(void)
{
	struct sdb_check_result result;
	struct sdb_image image;
	struct sdb *db;
	int error = sdb_open(&db, make.path, &make.identity, NULL);

	if (error)
		return error;
	for (uint64_t i = 0; i < NR_KEYS_TO_MOVE && !error; i++)
		error = sdb_add(db, key_of(i), 1);
	sdb_close(db);
	if (!error)
		error = sdb_check(make.path, &result, NULL);
	if (!error)
		error = sdb_image_load(make.path, &image, NULL);
	if (!error)
		sdb_image_deinit(&image);
	return error;
}

START_TEST(whatever_fails_anywhere_is_an_error_and_leaves_a_sound_file)
{
	uint64_t nr_failed = 0;

	state.fault = _i;
	for (uint64_t nth = 1; nth < 50; nth += nth < 16 ? 1 : 9) {
		struct sdb_check_result result;
		struct diag diag;
		int error;

		(void)unlink(make.path);
		state.countdown = nth;
		state.armed = true;
		(void)use_once();
		state.armed = false;
		nr_failed += state.nr_failed;
		/* If the first allocation failed, the file may not exist yet. */
		error = sdb_check(make.path, &result, &diag);
		ck_assert_msg(!error || error == -ENOENT, "%s", diag_show(&diag));
	}
	ck_assert_int_eq(use_once(), 0);
	ck_assert_uint_gt(nr_failed, 0);
}
END_TEST

/* The error must not be damage, for which the daemon would set the file aside. */
START_TEST(a_disk_that_is_full_when_a_file_begins_is_told_as_full)
{
	int error = -ENOSPC;

	while (faults[state.fault].call != CALL_PWRITE || faults[state.fault].error != ENOSPC)
		state.fault++;
	for (uint64_t nth = 1; error; nth++) {
		struct sdb *db = NULL;

		(void)unlink(make.path);
		state.countdown = nth;
		state.armed = true;
		error = sdb_open(&db, make.path, &make.identity, NULL);
		state.armed = false;
		sdb_close(db);
		if (error)
			ck_assert_int_eq(error, -ENOSPC);
	}
	ck_assert_uint_gt(state.nr_failed, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_fault");
	TCase *tests = tcase_create("fault");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, whatever_fails_while_growing_only_that_add_is_lost, 0,
			    NR_FAULTS);
	tcase_add_test(tests, whatever_fails_while_the_mapping_moves_only_those_adds_are_lost);
	tcase_add_loop_test(tests, whatever_fails_anywhere_is_an_error_and_leaves_a_sound_file, 0,
			    NR_FAULTS);
	tcase_add_test(tests, a_disk_that_is_full_when_a_file_begins_is_told_as_full);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
