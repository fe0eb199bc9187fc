// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/packed.h"
#include "ctf/window.h"
#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAME	  CTF_PACKED_FRAME_BYTES
#define BYTES_MAX (4 * FRAME)

static uint8_t *raw, *back;
static struct diag diag;

static void setup(void)
{
	test_folder_setup();
	raw = malloc(BYTES_MAX);
	back = malloc(BYTES_MAX);
	ck_assert(raw && back);
	srand48(1);
	/* Some parts compress, and some do not. */
	for (size_t i = 0; i < BYTES_MAX; i++)
		raw[i] = i / 1000 % 2 ? (uint8_t)lrand48() : (uint8_t)(i / 1000);
}

static void teardown(void)
{
	free(raw);
	free(back);
	test_folder_teardown();
}

static void make(size_t nr_bytes)
{
	const int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_replace("s", raw, nr_bytes, 0600), 0);
	ck_assert_int_eq(ctf_packed_make(fd, "s"), 0);
	ck_assert_int_ne(access("s", F_OK), 0);
	ck_assert_int_ne(access(".s.zst.tmp", F_OK), 0);
	ck_assert_int_eq(close(fd), 0);
}

static int open_packed(struct ctf_packed **packed, uint64_t *nr_long_bytes)
{
	const int fd = open("s.zst", O_RDONLY | O_CLOEXEC);
	int error;

	ck_assert_int_ge(fd, 0);
	error = ctf_packed_open(packed, fd, nr_long_bytes);
	if (error)
		ck_assert_int_eq(close(fd), 0);
	return error;
}

START_TEST(what_is_compressed_reads_as_it_was)
{
	static const size_t sizes[] = {0,	  1,	     4096,	     FRAME - 1, FRAME,
				       FRAME + 1, 2 * FRAME, 3 * FRAME + 77, BYTES_MAX};
	const size_t nr_bytes = sizes[_i];
	struct ctf_packed *packed;
	uint64_t nr_long_bytes = 0;

	make(nr_bytes);
	ck_assert_int_eq(open_packed(&packed, &nr_long_bytes), 0);
	ck_assert_uint_eq(ctf_packed_bytes(packed), nr_bytes);
	ck_assert_int_eq(ctf_packed_pread(packed, back, BYTES_MAX, 0), (ssize_t)nr_bytes);
	ck_assert_int_eq(memcmp(raw, back, nr_bytes), 0);
	for (unsigned int i = 0; i < 200 && nr_bytes; i++) {
		const size_t at = (size_t)lrand48() % nr_bytes;
		const size_t nr = (size_t)lrand48() % (nr_bytes - at + 1);

		ck_assert_int_eq(ctf_packed_pread(packed, back, nr, at), (ssize_t)nr);
		ck_assert_int_eq(memcmp(raw + at, back, nr), 0);
	}
	ck_assert_int_eq(ctf_packed_pread(packed, back, 10, nr_bytes), 0);
	ck_assert_int_eq(ctf_packed_pread(packed, back, 10, UINT64_MAX - 20), 0);
	ck_assert(!nr_bytes || nr_long_bytes >= 1);
	ctf_packed_close(packed);
	ck_assert_uint_eq(nr_long_bytes, 0);
}
END_TEST

START_TEST(zstd_makes_the_file_again)
{
	const size_t nr_bytes = 2 * FRAME + 100;
	int fd;

	if (system("command -v zstd >/dev/null"))
		return;
	make(nr_bytes);
	ck_assert_int_eq(system("zstd -q -d --rm s.zst"), 0);
	ck_assert_int_ne(access("s.zst", F_OK), 0);
	fd = open("s", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_pread_all(fd, back, BYTES_MAX, 0), (ssize_t)nr_bytes);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(memcmp(raw, back, nr_bytes), 0);
}
END_TEST

/* Each read must be refused, reported as damaged, or return the original bytes. */
static void read_damaged(size_t nr_bytes)
{
	struct ctf_packed *packed;
	uint64_t nr_long_bytes = 0;
	ssize_t nr;

	if (!open_packed(&packed, &nr_long_bytes)) {
		nr = ctf_packed_pread(packed, back, BYTES_MAX, 0);
		if (nr < 0)
			ck_assert_int_eq(nr, -EBADMSG);
		else
			ck_assert(nr == (ssize_t)nr_bytes && !memcmp(raw, back, nr_bytes));
		ctf_packed_close(packed);
	}
	ck_assert_uint_eq(nr_long_bytes, 0);
}

START_TEST(a_damaged_byte_is_found)
{
	struct stat st;
	int fd;

	make(3000);
	fd = open("s.zst", O_RDWR | O_CLOEXEC);
	ck_assert(fd >= 0 && !fstat(fd, &st));
	for (off_t at = 0; at<st.st_size; at += at> 200 && at < st.st_size - 60 ? 17 : 1) {
		uint8_t byte, changed;

		ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
		changed = byte ^ (uint8_t)(1 << at % 8);
		ck_assert_int_eq(pwrite(fd, &changed, 1, at), 1);
		read_damaged(3000);
		ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
	}
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(a_file_that_is_cut_is_refused)
{
	struct ctf_packed *packed;
	struct stat st;

	make(3000);
	ck_assert_int_eq(stat("s.zst", &st), 0);
	for (off_t left = st.st_size - 1; left >= 0; left -= left > 100 ? 23 : 1) {
		ck_assert_int_eq(truncate("s.zst", left), 0);
		ck_assert_int_eq(open_packed(&packed, NULL), -EINVAL);
	}
}
END_TEST

static void put_index(const struct ctf_packed_entry *entries, uint32_t nr, uint32_t told)
{
	const struct ctf_packed_begin begin = {
		CTF_PACKED_SKIPPED_MAGIC,
		(uint32_t)(nr * sizeof(*entries) + sizeof(struct ctf_packed_end))};
	const struct ctf_packed_end end = {.nr_frames = told, .magic = CTF_PACKED_INDEX_MAGIC};
	const int fd = open("s.zst", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	for (uint32_t i = 0; i < nr && entries[i].nr_bytes < 1000; i++)
		ck_assert_int_eq(file_write_all(fd, raw, entries[i].nr_bytes), 0);
	ck_assert_int_eq(file_write_all(fd, &begin, sizeof(begin)), 0);
	ck_assert_int_eq(file_write_all(fd, entries, nr * sizeof(*entries)), 0);
	ck_assert_int_eq(file_write_all(fd, &end, sizeof(end)), 0);
	ck_assert_int_eq(close(fd), 0);
}

START_TEST(an_index_that_cannot_be_is_refused)
{
	static const struct ctf_packed_entry wrong[][2] = {
		{{0, 100}, {10, 100}},		      /* an empty frame */
		{{10, 0}, {10, 100}},		      /* empty content */
		{{10, 100}, {10, 101}},		      /* the last is longer than the others */
		{{10, 100}, {UINT32_MAX, 100}},	      /* longer than the file */
		{{10, UINT32_MAX}, {10, UINT32_MAX}}, /* too large for memory */
	};
	struct ctf_packed *packed;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		put_index(wrong[i], 2, 2);
		ck_assert_int_eq(open_packed(&packed, NULL), -EINVAL);
		ck_assert_ptr_null(packed);
	}
	put_index((struct ctf_packed_entry[]){{10, 100}, {10, 50}}, 2, 2);
	ck_assert_int_eq(open_packed(&packed, NULL), 0);
	ck_assert_int_eq(ctf_packed_pread(packed, back, 10, 0), -EBADMSG);
	ctf_packed_close(packed);
	for (uint32_t told = 3; told; told *= 2) {
		put_index(wrong[0], 2, told);
		ck_assert_int_eq(open_packed(&packed, NULL), -EINVAL);
	}
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_refused_with_the_reason)
{
	const int fd = open("w.zst", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct ctf_packed *packed;

	ck_assert_int_eq(ctf_packed_open(&packed, -1, NULL), -EBADF);
	ck_assert_ptr_null(packed);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 1000), 0);
	ck_assert_int_eq(ctf_packed_open(&packed, fd, NULL), -EBADF);
	ck_assert_ptr_null(packed);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(files_share_a_bound_of_memory)
{
	uint64_t nr_long_bytes = CTF_LONG_BYTES_MAX - FRAME;
	struct ctf_packed *packed;

	make(2 * FRAME);
	ck_assert_int_eq(open_packed(&packed, &nr_long_bytes), -ENOMEM);
	ck_assert_uint_eq(nr_long_bytes, CTF_LONG_BYTES_MAX - FRAME);
}
END_TEST

START_TEST(all_of_a_folder_but_its_metadata)
{
	ck_assert_int_eq(mkdir("f", 0700), 0);
	ck_assert_int_eq(file_replace("f/metadata", "m", 1, 0600), 0);
	ck_assert_int_eq(file_replace("f/a", raw, 1000, 0600), 0);
	ck_assert_int_eq(file_replace("f/b", raw, 1000, 0600), 0);
	ck_assert_int_eq(file_replace("f/.hidden", raw, 1000, 0600), 0);
	ck_assert_int_eq(ctf_packed_make_all("f", false, &diag), 0);
	ck_assert_int_eq(access("f/a", F_OK), 0);
	for (int again = 0; again < 2; again++)
		ck_assert_int_eq(ctf_packed_make_all("f", true, &diag), 0);
	ck_assert(!access("f/metadata", F_OK) && !access("f/.hidden", F_OK));
	ck_assert(!access("f/a.zst", F_OK) && !access("f/b.zst", F_OK));
	ck_assert(access("f/a", F_OK) && access("f/b", F_OK) && access("f/a.zst.zst", F_OK));
	ck_assert_int_eq(ctf_packed_make_all("nothing", true, &diag), -ENOENT);
}
END_TEST

START_TEST(what_is_no_file_is_left_alone)
{
	ck_assert_int_eq(mkdir("f", 0700), 0);
	ck_assert_int_eq(mkfifo("f/pipe", 0600), 0);
	ck_assert_int_eq(symlink("/etc/passwd", "f/link"), 0);
	ck_assert_int_lt(ctf_packed_make_all("f", true, &diag), 0);
	ck_assert(access("f/link.zst", F_OK) && access("f/pipe.zst", F_OK));
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("ctf_packed");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_is_compressed_reads_as_it_was, 0, 9);
	tcase_add_test(tc, zstd_makes_the_file_again);
	tcase_add_test(tc, a_damaged_byte_is_found);
	tcase_add_test(tc, a_file_that_is_cut_is_refused);
	tcase_add_test(tc, an_index_that_cannot_be_is_refused);
	tcase_add_test(tc, a_file_that_cannot_be_read_is_refused_with_the_reason);
	tcase_add_test(tc, files_share_a_bound_of_memory);
	tcase_add_test(tc, all_of_a_folder_but_its_metadata);
	tcase_add_test(tc, what_is_no_file_is_left_alone);
	return test_run(tc);
}
