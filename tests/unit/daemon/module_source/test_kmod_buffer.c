// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the module's buffer (here a pipe): whole records, in order, bounded, also ahead. */
#include "daemon/module_source/kmod_buffer.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <unistd.h>

#define ROOM_BYTES  ((size_t)256 << 10) /* of one read */
#define AHEAD_BYTES ((size_t)64 << 20)

static struct kmod_buffer buffer;
static int module_fd; /* the module's end of the pipe */
static uint64_t next_written, next_taken;
static size_t nr_taken_bytes;

static void setup(void)
{
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	ck_assert_int_eq(kmod_buffer_init(&buffer), 0);
	buffer.fd = ends[0];
	module_fd = ends[1];
	next_written = next_taken = 0;
	nr_taken_bytes = 0;
}

static void teardown(void)
{
	kmod_buffer_deinit(&buffer);
	(void)close(buffer.fd);
	(void)close(module_fd);
}

static void put(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++, next_written++)
		ck_assert_int_eq(write(module_fd, &next_written, sizeof(next_written)),
				 sizeof(next_written));
}

static void take_numbers(void *context, const void *records, size_t nr_bytes)
{
	const uint64_t *numbers = records;

	ck_assert_ptr_eq(context, &buffer);
	ck_assert_uint_gt(nr_bytes, 0);
	ck_assert_uint_eq(nr_bytes % sizeof(*numbers), 0);
	for (size_t i = 0; i < nr_bytes / sizeof(*numbers); i++)
		ck_assert_uint_eq(numbers[i], next_taken++);
}

static void take_bytes(void *context, const void *records, size_t nr_bytes)
{
	(void)context;
	(void)records;
	ck_assert_uint_le(nr_bytes, ROOM_BYTES);
	nr_taken_bytes += nr_bytes;
}

static void assert_takes_all(void)
{
	ck_assert_int_eq(kmod_buffer_take(&buffer, UINT64_MAX, take_numbers, &buffer), 0);
	ck_assert_uint_eq(next_taken, next_written);
	ck_assert_uint_eq(buffer.nr_ahead_bytes, 0);
}

START_TEST(what_was_read_ahead_comes_first_and_then_what_is_there)
{
	for (unsigned int round = 0; round < 3; round++) {
		assert_takes_all(); /* nothing */
		for (unsigned int nr = 1; nr < 5; nr++) {
			const size_t before = buffer.nr_ahead_bytes;

			put(nr);
			kmod_buffer_read_ahead(&buffer);
			ck_assert_uint_eq(buffer.nr_ahead_bytes, before + nr * sizeof(uint64_t));
		}
		put(2);
		assert_takes_all();
	}
}
END_TEST

START_TEST(pieces_read_ahead_keep_the_memory_of_their_bytes_only)
{
	const struct mallinfo2 before = mallinfo2();
	struct mallinfo2 after;

	for (unsigned int i = 0; i < 100; i++) {
		put(1);
		kmod_buffer_read_ahead(&buffer);
	}
	after = mallinfo2();
	/* A page each, since the allocator maps large blocks one by one. */
	ck_assert_uint_le(after.uordblks + after.hblkhd,
			  before.uordblks + before.hblkhd + (size_t)100 * 8192);
	assert_takes_all();
}
END_TEST

START_TEST(reading_ahead_ends_at_its_bound)
{
	const int pipe_fd = buffer.fd;

	buffer.fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < 2; i++) {
		kmod_buffer_read_ahead(&buffer);
		ck_assert_uint_eq(buffer.nr_ahead_bytes, AHEAD_BYTES);
	}
	ck_assert_int_eq(kmod_buffer_take(&buffer, 0, take_bytes, NULL), 0);
	ck_assert_uint_eq(nr_taken_bytes, AHEAD_BYTES);
	ck_assert_uint_eq(buffer.nr_ahead_bytes, 0);
	(void)close(buffer.fd);
	buffer.fd = pipe_fd;
}
END_TEST

static const struct {
	uint64_t max_bytes;
	size_t nr_readings;
} maxima[] = {{0, 0},
	      {1, 1},
	      {ROOM_BYTES - 1, 1},
	      {ROOM_BYTES, 1},
	      {ROOM_BYTES + 1, 2},
	      {3 * ROOM_BYTES, 3}};

START_TEST(a_module_that_writes_on_and_on_is_read_up_to_the_maximum)
{
	const int pipe_fd = buffer.fd;

	buffer.fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(kmod_buffer_take(&buffer, maxima[_i].max_bytes, take_bytes, NULL), 0);
	ck_assert_uint_eq(nr_taken_bytes, maxima[_i].nr_readings * ROOM_BYTES);
	(void)close(buffer.fd);
	buffer.fd = pipe_fd;
}
END_TEST

START_TEST(a_failure_of_reading_is_returned_after_what_was_read_ahead)
{
	const int pipe_fd = buffer.fd;

	put(3);
	kmod_buffer_read_ahead(&buffer);
	buffer.fd = -1;
	kmod_buffer_read_ahead(&buffer);
	ck_assert_uint_eq(buffer.nr_ahead_bytes, 3 * sizeof(uint64_t));
	ck_assert_int_eq(kmod_buffer_take(&buffer, UINT64_MAX, take_numbers, &buffer), -EBADF);
	ck_assert_uint_eq(next_taken, 3);
	buffer.fd = pipe_fd;
}
END_TEST

START_TEST(without_memory_nothing_is_read_or_all_of_it_is_kept)
{
	unsigned long nth = 1;
	bool failed = true;

	for (; failed; nth++) {
		put(5);
		failing_begin(FAILING_MEMORY, nth, 0);
		kmod_buffer_read_ahead(&buffer);
		failed = failing_end();
		ck_assert_uint_eq(buffer.nr_ahead_bytes, nth == 1 ? 0 : 5 * sizeof(uint64_t));
		assert_takes_all();
	}
	ck_assert_uint_gt(nth, 3); /* the block, and its shrinking */
	kmod_buffer_deinit(&buffer);
	failing_begin(FAILING_MEMORY, 1, 0);
	ck_assert_int_eq(kmod_buffer_init(&buffer), -ENOMEM);
	ck_assert(failing_end());
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("kmod_buffer");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, what_was_read_ahead_comes_first_and_then_what_is_there);
	tcase_add_test(tests, pieces_read_ahead_keep_the_memory_of_their_bytes_only);
	tcase_add_test(tests, reading_ahead_ends_at_its_bound);
	tcase_add_loop_test(tests, a_module_that_writes_on_and_on_is_read_up_to_the_maximum, 0,
			    sizeof(maxima) / sizeof(maxima[0]));
	tcase_add_test(tests, a_failure_of_reading_is_returned_after_what_was_read_ahead);
	tcase_add_test(tests, without_memory_nothing_is_read_or_all_of_it_is_kept);
	return test_run(tests);
}
