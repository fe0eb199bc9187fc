// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads files, alone, and while a writer in another process grows them or is killed. */
#include "libdb/sdb_format.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct make_sdb make;

/* The writing process's progress, in shared memory. */
struct progress {
	uint64_t nr_added; /* samples; one more addition may be in progress */
};

static struct progress *progress;

static void setup(void)
{
	make_sdb_init(&make);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	ck_assert_ptr_ne(progress, MAP_FAILED);
}

static void teardown(void)
{
	(void)munmap(progress, sizeof(*progress));
	make_sdb_deinit(&make);
}

static uint64_t progress_now(void)
{
	return __atomic_load_n(&progress->nr_added, __ATOMIC_ACQUIRE);
}

/* Key of the i-th sample: many new ones and some repeated ones, narrow and wide. */
static uint64_t key_of(uint64_t i)
{
	const uint64_t random = (i + 1) * 0x9e3779b97f4a7c15u;

	if (i % 4 == 0)
		return i % 1000;
	return i % 4 == 1 ? random >> 1 : random >> 26;
}

static _Noreturn void write_for_ever(uint64_t nr_max)
{
	struct sdb *db;

	if (sdb_open(&db, make.path, &make.identity, NULL))
		_exit(1);
	for (uint64_t i = progress_now(); i < nr_max; i++) {
		if (sdb_add(db, key_of(i), 1))
			_exit(2);
		__atomic_store_n(&progress->nr_added, i + 1, __ATOMIC_RELEASE);
	}
	_exit(0);
}

static pid_t start_writer(uint64_t nr_max)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid)
		write_for_ever(nr_max);
	return pid;
}

static void wait_for_samples(uint64_t nr)
{
	while (progress_now() < nr)
		(void)usleep(200);
}

static int end_of(pid_t pid)
{
	int status = 0;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(a_reader_sees_all_samples_that_were_added_before_and_none_twice)
{
	uint64_t nr_reads = 0, last = 0, nr_max = 300000;
	pid_t pid = start_writer(nr_max);

	wait_for_samples(1);
	while (last < nr_max) {
		struct sdb_image image;
		struct diag diag;
		const uint64_t before = progress_now();
		int error = sdb_image_load(make.path, &image, &diag);

		ck_assert_msg(!error, "%s", diag_show(&diag));
		ck_assert_uint_ge(image.nr_samples, before);
		ck_assert_uint_le(image.nr_samples, progress_now() + 1);
		ck_assert_uint_ge(image.nr_samples, last);
		for (size_t i = 1; i < image.nr_entries; i++) {
			if (image.entries[i - 1].key >= image.entries[i].key)
				ck_abort_msg("keys do not ascend at %zu", i);
		}
		last = image.nr_samples;
		nr_reads++;
		sdb_image_deinit(&image);
	}
	ck_assert_int_eq(end_of(pid), 0);
	ck_assert_uint_gt(nr_reads, 1);
	for (uint64_t i = 0; i < nr_max; i++)
		expected_add(&make.expected, key_of(i), 1, 0);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(a_checker_finds_nothing_wrong_while_the_file_grows)
{
	const uint64_t nr_max = 300000;
	pid_t pid = start_writer(nr_max);

	wait_for_samples(1);
	while (progress_now() < nr_max) {
		struct sdb_check_result result;
		struct diag diag;
		int error = sdb_check(make.path, &result, &diag);

		ck_assert_msg(!error || error == -EAGAIN, "%s", diag_show(&diag));
	}
	ck_assert_int_eq(end_of(pid), 0);
}
END_TEST

START_TEST(killed_at_random_again_and_again_it_counts_every_sample)
{
	char text[1024];
	uint64_t nr_added = 0;

	for (uint64_t round = 0; round < 30; round++) {
		const struct expected_add *in_flight;
		struct expected_add next;
		struct sdb_check_result result;
		struct diag diag;
		uint64_t nr;
		pid_t pid = start_writer(UINT64_MAX);

		wait_for_samples(nr_added + 1 + make_sdb_random(&make) % 5000);
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		(void)end_of(pid);
		nr = progress_now();
		for (uint64_t i = nr_added; i < nr; i++)
			expected_add(&make.expected, key_of(i), 1, 0);
		next = (struct expected_add){key_of(nr), 1, 0};
		in_flight = &next;
		ck_assert_msg(!sdb_check(make.path, &result, &diag), "%s", diag_show(&diag));
		ck_assert_msg(
			!expected_differs(&make.expected, make.path, in_flight, text, sizeof(text)),
			"round %u: %s", (unsigned int)round, text);
		/*
		 * The addition in progress may be complete: then the next writer continues after
		 * it.
		 */
		if (expected_differs(&make.expected, make.path, NULL, text, sizeof(text))) {
			expected_add(&make.expected, next.key, 1, 0);
			progress->nr_added = ++nr;
		}
		nr_added = nr;
	}
	make_sdb_verify(&make);
}
END_TEST

START_TEST(the_header_alone_loads_without_entries)
{
	struct sdb *db = make_sdb_open(&make);
	struct sdb_image image;

	make_sdb_add(&make, db, 1, 1);
	sdb_close(db);
	ck_assert_int_eq(sdb_image_load_header(make.path, &image, NULL), 0);
	ck_assert_str_eq(image.event, "cpu-clock");
	ck_assert_ptr_null(image.entries);
	ck_assert_uint_eq(image.nr_samples, 0);
	sdb_image_deinit(&image);
}
END_TEST

START_TEST(an_image_is_untouched_when_loading_fails)
{
	struct sdb_image image, before;
	struct diag diag;

	memset(&image, 0x5a, sizeof(image));
	before = image;
	ck_assert_int_eq(sdb_image_load(make.path, &image, &diag), -ENOENT);
	ck_assert_str_eq(diag.file, make.path);
	ck_assert_mem_eq(&image, &before, sizeof(image));
	ck_assert_int_ne(sdb_image_load(make.folder, &image, &diag), 0);
	ck_assert_mem_eq(&image, &before, sizeof(image));
}
END_TEST

/* ---- reads of each page, counted by the linker's --wrap ---- */

#define NR_PAGES_MAX 1024

static bool counting;
static unsigned int nr_reads[NR_PAGES_MAX]; /* of each page of the file, complete */

ssize_t __real_pread64(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t from);
ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t from);

ssize_t __wrap_pread64(int fd, void *buf, size_t nr_bytes, off_t from)
{
	if (counting && nr_bytes == SDB_PAGE_BYTES) {
		ck_assert_int_lt(from / SDB_PAGE_BYTES, NR_PAGES_MAX);
		nr_reads[from / SDB_PAGE_BYTES]++;
	}
	return __real_pread64(fd, buf, nr_bytes, from);
}

ssize_t __wrap_pread(int fd, void *buf, size_t nr_bytes, off_t from)
{
	return __wrap_pread64(fd, buf, nr_bytes, from);
}

/*
 * A page of wide keys is read twice for each page of the directory that leads to it; every other
 * page is read once. All keys have places at the end of the range, so that few keys make a
 * directory of several pages.
 */
START_TEST(a_directory_is_not_read_for_each_page_of_keys)
{
	struct sdb *db = make_sdb_open(&make);
	unsigned int nr_once = 0, nr_twice = 0, most = 0;
	struct sdb_image image;

	for (uint64_t i = 0; i < 1000000; i++)
		if (sdb_place(sdb_mix(key_of(i))) >> 26 == 63)
			ck_assert_int_eq(sdb_add(db, key_of(i), 1), 0);
	sdb_close(db);
	memset(nr_reads, 0, sizeof(nr_reads));
	counting = true;
	ck_assert_int_eq(sdb_image_load(make.path, &image, NULL), 0);
	counting = false;
	sdb_image_deinit(&image);
	for (unsigned int i = 0; i < NR_PAGES_MAX; i++) {
		most = nr_reads[i] > most ? nr_reads[i] : most;
		nr_once += nr_reads[i] == 1;
		nr_twice += nr_reads[i] == 2;
	}
	ck_assert_uint_le(most, 8); /* far fewer than there are pages of keys */
	ck_assert_uint_gt(nr_once, 16);
	ck_assert_uint_gt(nr_twice, 16);
}
END_TEST

/* Writes epoch after epoch, each with keys that identify it; sometimes few, sometimes many. */
static _Noreturn void write_epochs(void)
{
	struct sdb_identity identity = make.identity;
	struct sdb *db;

	if (sdb_open(&db, make.path, &identity, NULL))
		_exit(1);
	for (;;) {
		const uint64_t nr = identity.epoch % 3 ? 200 : 5000;

		for (uint64_t i = 0; i < nr; i++)
			if (sdb_add(db, identity.epoch << 20 | i, 1))
				_exit(2);
		identity.epoch++;
		if (sdb_restart(db, &identity))
			_exit(3);
		__atomic_store_n(&progress->nr_added, identity.epoch, __ATOMIC_RELEASE);
	}
}

START_TEST(a_reader_never_sees_samples_of_two_epochs)
{
	uint64_t nr_full = 0;
	pid_t pid;

	make.identity.epoch = 1;
	sdb_close(make_sdb_open(&make));
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		write_epochs();
	while (progress_now() < 30 || nr_full < 5) {
		struct sdb_check_result result;
		struct sdb_image image;
		struct diag diag;
		int error = sdb_image_load(make.path, &image, &diag);

		ck_assert_msg(!error || error == -EAGAIN, "%s", diag_show(&diag));
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		if (!error && nr_full % 4 == 0) {
			int check = sdb_check(make.path, &result, &diag);

			ck_assert_msg(!check || check == -EAGAIN, "%s", diag_show(&diag));
		}
		if (error)
			continue;
		for (size_t i = 0; i < image.nr_entries; i++)
			ck_assert_uint_eq(image.entries[i].key >> 20, image.header.epoch);
		nr_full += image.nr_entries > 0;
		sdb_image_deinit(&image);
	}
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_image");
	TCase *tests = tcase_create("read");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_reader_sees_all_samples_that_were_added_before_and_none_twice);
	tcase_add_test(tests, a_checker_finds_nothing_wrong_while_the_file_grows);
	tcase_add_test(tests, killed_at_random_again_and_again_it_counts_every_sample);
	tcase_add_test(tests, the_header_alone_loads_without_entries);
	tcase_add_test(tests, an_image_is_untouched_when_loading_fails);
	tcase_add_test(tests, a_directory_is_not_read_for_each_page_of_keys);
	tcase_add_test(tests, a_reader_never_sees_samples_of_two_epochs);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
