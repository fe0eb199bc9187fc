// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slices while each call that can fail does so once, as in test_sdb_fault.c. Every failure must be
 * reported with its own error, never as damage, and a slice that was written without an error must
 * be complete.
 */
#include "libdb/slice/slice.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/make_slice.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"
#include "tests/fixture/thorough.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

enum call { CALL_MALLOC, CALL_ZSTD, CALL_PWRITE, CALL_PREAD };

static const struct {
	enum call call;
	int error;    /* errno of the call */
	int expected; /* error that slices must return for it */
	bool for_ever;
} faults[] = {
	{CALL_MALLOC, ENOMEM, -ENOMEM, false}, {CALL_MALLOC, ENOMEM, -ENOMEM, true},
	{CALL_ZSTD, ENOMEM, -ENOMEM, false},   {CALL_PWRITE, ENOSPC, -ENOSPC, false},
	{CALL_PWRITE, EDQUOT, -EDQUOT, true},  {CALL_PWRITE, EINTR, 0, false},
	{CALL_PREAD, EIO, -EIO, false},	       {CALL_PREAD, EINTR, 0, false},
};
#define NR_FAULTS ((int)(sizeof(faults) / sizeof(faults[0])))

static struct make_sdb live; /* only its folder is used */
static struct stack_tree stacks;
static char path[300], sum[300];

static struct {
	bool armed;
	int fault;
	uint64_t countdown;
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

ssize_t __real_pwrite64(int fd, const void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t nr_bytes, off_t from);
ssize_t __real_pread64(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t from);
void *__real_malloc(size_t nr_bytes);
void *__wrap_malloc(size_t nr_bytes);
void *__real_calloc(size_t nr, size_t nr_bytes);
void *__wrap_calloc(size_t nr, size_t nr_bytes);
void *__real_realloc(void *old, size_t nr_bytes);
void *__wrap_realloc(void *old, size_t nr_bytes);
ZSTD_CCtx *__real_ZSTD_createCCtx(void);
ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);
size_t __real_ZSTD_compressStream2(ZSTD_CCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
				   ZSTD_EndDirective directive);
size_t __wrap_ZSTD_compressStream2(ZSTD_CCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
				   ZSTD_EndDirective directive);
size_t __real_ZSTD_compress2(ZSTD_CCtx *context, void *to, size_t room, const void *from,
			     size_t nr_bytes);
size_t __wrap_ZSTD_compress2(ZSTD_CCtx *context, void *to, size_t room, const void *from,
			     size_t nr_bytes);
size_t __real_ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __wrap_ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in);

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

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void)
{
	return fails(CALL_ZSTD) ? NULL : __real_ZSTD_createCCtx();
}

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void)
{
	return fails(CALL_ZSTD) ? NULL : __real_ZSTD_createDCtx();
}

/* The error by which zstd reports that it got no memory. */
#define NO_MEMORY ((size_t)-ZSTD_error_memory_allocation)

size_t __wrap_ZSTD_compressStream2(ZSTD_CCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
				   ZSTD_EndDirective directive)
{
	return fails(CALL_ZSTD) ? NO_MEMORY
				: __real_ZSTD_compressStream2(context, out, in, directive);
}

size_t __wrap_ZSTD_compress2(ZSTD_CCtx *context, void *to, size_t room, const void *from,
			     size_t nr_bytes)
{
	return fails(CALL_ZSTD) ? NO_MEMORY
				: __real_ZSTD_compress2(context, to, room, from, nr_bytes);
}

size_t __wrap_ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
	return fails(CALL_ZSTD) ? NO_MEMORY : __real_ZSTD_decompressStream(context, out, in);
}

static void setup(void)
{
	make_sdb_init(&live);
	(void)snprintf(path, sizeof(path), "%s/slice", live.folder);
	(void)snprintf(sum, sizeof(sum), "%s/sum", live.folder);
	memset(&state, 0, sizeof(state));
	ck_assert_int_eq(stack_tree_init(&stacks), 0);
	make_stacks_fill(&stacks, &(uint64_t){5}, 8000);
}

static void teardown(void)
{
	stack_tree_deinit(&stacks);
	make_sdb_deinit(&live);
}

/*
 * One section has so many keys that its frames are written as streams; the others have repeated
 * keys in random order.
 */
#define NR_LONG 150000

static int fill(struct slice_builder *builder)
{
	int error = 0;

	for (uint64_t i = 0; i < NR_LONG + 9000 && !error; i++) {
		const unsigned int kind = i < NR_LONG ? 1 : 2 + (unsigned int)(i % 6);
		const struct slice_section what = make_slice_section(kind);
		static int64_t section;

		if (!i || i >= NR_LONG)
			section = slice_builder_section(builder, &what);
		if (section < 0)
			return (int)section;
		error = slice_builder_add(builder, section, i < NR_LONG ? i * 3 : i * 7919 % 100, 1,
					  kind == 7 ? i : 997);
	}
	return error;
}

/* Not Check's assertions, which allocate memory. */
static void must(bool held)
{
	if (!held)
		abort();
}

static int make_file(uint64_t epoch, const char *where)
{
	const struct slice_info info = make_slice_info(epoch);
	int fd = open(where, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct slice_builder *builder;
	uint64_t nr_bytes;
	int error = slice_builder_create(&builder);

	must(fd >= 0);
	if (!error)
		error = fill(builder);
	if (!error) {
		slice_builder_stacks(builder, &stacks);
		error = slice_builder_write(builder, &info, fd, &nr_bytes);
	}
	slice_builder_destroy(builder);
	must(!close(fd));
	return error;
}

static int sum_file(void)
{
	const char *const paths[] = {path};
	int fd = open(sum, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t nr_bytes;
	struct diag diag;
	int error;

	must(fd >= 0);
	error = slice_merge(paths, 1, OPROF_SLICE_HOUR, fd, &nr_bytes, &diag);
	must(!close(fd));
	return error;
}

static int skip_file(void)
{
	struct slice *slice;
	struct diag diag;
	size_t nr_sections;
	int error = slice_open(&slice, path, &diag);

	if (error)
		return error;
	(void)slice_sections(slice, &nr_sections);
	for (size_t i = 0; i < nr_sections && !error; i++)
		error = slice_skip_section(slice, &diag);
	slice_close(slice);
	return error;
}

enum step { STEP_MAKE, STEP_SUM, STEP_CHECK, STEP_SKIP, NR_STEPS };

static int do_step(enum step step)
{
	struct slice_check_result result;
	struct diag diag;

	switch (step) {
	case STEP_MAKE:
		return make_file(1, path);
	case STEP_SUM:
		return sum_file();
	case STEP_CHECK:
		return slice_check(path, &result, &diag);
	default:
		return skip_file();
	}
}

START_TEST(whatever_fails_is_told_as_what_it_is)
{
	struct slice_check_result whole = {0}, result;
	const uint64_t nr_each = 40 / thorough_stride(3), stride = 13 * thorough_stride(3);
	uint64_t nr_failed = 0;

	state.fault = _i;
	for (int step = 0; step < NR_STEPS; step++) {
		bool failed = true;

		for (uint64_t nth = 1; failed; nth += nth < nr_each ? 1 : stride) {
			int error;

			state.nr_failed = 0;
			state.countdown = nth;
			state.armed = true;
			error = do_step((enum step)step);
			state.armed = false;
			failed = state.nr_failed > 0;
			nr_failed += state.nr_failed;
			ck_assert_int_eq(error, failed ? faults[_i].expected : 0);
		}
		/* Without a fault the step succeeds and the slice is complete. */
		ck_assert_int_eq(do_step((enum step)step), 0);
		ck_assert_int_eq(slice_check(step == STEP_SUM ? sum : path, &result, NULL), 0);
		if (step == STEP_MAKE)
			whole = result;
		ck_assert_uint_eq(result.nr_samples + result.nr_idle,
				  whole.nr_samples + whole.nr_idle);
		ck_assert_uint_eq(result.nr_stack_nodes, stacks.nr_nodes);
		ck_assert_uint_eq(result.nr_stack_samples, whole.nr_stack_samples);
	}
	ck_assert_uint_gt(nr_failed, 0);
}
END_TEST

START_TEST(a_builder_that_had_no_memory_once_goes_on_with_what_it_has)
{
	const struct slice_info info = make_slice_info(1);
	struct slice_builder *builder;
	struct slice_check_result result;
	uint64_t nr_failed = 0, nr_added = 0;

	ck_assert_int_eq(slice_builder_create(&builder), 0);
	for (uint64_t i = 0; i < 3000; i++) {
		const struct slice_section what = make_slice_section(1 + i % 3);
		int64_t section;
		int error;

		state.countdown = 1;
		state.armed = i % 3;
		section = slice_builder_section(builder, &what);
		error = section < 0 ? (int)section
				    : slice_builder_add(builder, section, i * 7 % 1000, 1, 997);
		state.armed = false;
		ck_assert(!error || error == -ENOMEM);
		nr_failed += error != 0;
		nr_added += !error;
	}
	ck_assert_uint_gt(nr_failed, 0);
	(void)make_slice_write(builder, &info, path);
	slice_builder_destroy(builder);
	ck_assert_int_eq(slice_check(path, &result, NULL), 0);
	ck_assert_uint_eq(result.nr_samples, nr_added);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slice_fault");
	TCase *tests = tcase_create("fault");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, whatever_fails_is_told_as_what_it_is, 0, NR_FAULTS);
	tcase_add_test(tests, a_builder_that_had_no_memory_once_goes_on_with_what_it_has);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
