// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/sdb_format.h"
#include "tests/fixture/make_sdb.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* AddressSanitizer needs the whole address space for itself. */
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static struct make_sdb make;

static void setup(void)
{
	make_sdb_init(&make);
}

static void teardown(void)
{
	make_sdb_deinit(&make);
}

/* Opening must fail with error and a message that names the file. */
static void open_fails(int error, const char *says)
{
	struct sdb *db = (struct sdb *)&make;
	struct diag diag;

	diag_clear(&diag);
	ck_assert_int_eq(sdb_open(&db, make.path, &make.identity, &diag), error);
	ck_assert_ptr_eq(db, &make); /* not changed */
	ck_assert_str_eq(diag.file, make.path);
	ck_assert_msg(strstr(diag.text, says), "\"%s\" lacks \"%s\"", diag.text, says);
}

static struct sdb_image load(void)
{
	struct sdb_image image;
	struct diag diag;

	ck_assert_msg(!sdb_image_load(make.path, &image, &diag), "%s", diag_show(&diag));
	return image;
}

START_TEST(a_small_profile_is_one_page_of_disk)
{
	struct sdb *db = make_sdb_open(&make);
	struct stat status;

	for (uint64_t i = 0; i < 300; i++)
		make_sdb_add(&make, db, i * 32, 1);
	sdb_close(db);
	ck_assert_int_eq(stat(make.path, &status), 0);
	ck_assert_int_eq(status.st_size, 4096);
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(what_the_identity_says_is_in_the_header)
{
	struct sdb_image image;

	make.identity.flags = OPROF_SDB_FREQUENCY | OPROF_SDB_KEEP_KERNEL;
	make.identity.cgroup = "/system.slice/x.service";
	make.identity.image_start = 0x7f0000001000;
	make.identity.boot_id[3] = 7;
	make.identity.clock = 1;
	make.identity.cpu_khz = 2600000;
	sdb_close(make_sdb_open(&make));
	image = load();
	ck_assert_str_eq(image.event, "cpu-clock");
	ck_assert_str_eq(image.cpu_type, "timer");
	ck_assert_str_eq(image.host, "here");
	ck_assert_str_eq(image.app_path, "/usr/bin/app");
	ck_assert_str_eq(image.image_path, "/usr/lib/libimage.so");
	ck_assert_str_eq(image.cgroup, "/system.slice/x.service");
	ck_assert_uint_eq(image.header.flags, make.identity.flags);
	ck_assert_uint_eq(image.header.unit_mask, 5);
	ck_assert_uint_eq(image.header.period_or_hz, 1000);
	ck_assert_uint_eq(image.header.image_start, 0x7f0000001000);
	ck_assert_uint_eq(image.header.image_kind, OPROF_IMAGE_FILE);
	ck_assert_uint_eq(image.header.boot_id[3], 7);
	ck_assert_uint_eq(image.header.clock, 1);
	ck_assert_uint_eq(image.header.cpu_khz, 2600000);
	ck_assert_mem_eq(&image.header.image, &make.identity.image, sizeof(image.header.image));
	ck_assert_uint_eq(image.nr_entries, 0);
	sdb_image_deinit(&image);
}
END_TEST

START_TEST(a_file_goes_on_where_it_was_closed)
{
	for (int round = 0; round < 20; round++) {
		struct sdb *db = make_sdb_open(&make);

		for (uint64_t i = 0; i < 700; i++)
			make_sdb_add(&make, db, make_sdb_key(&make, KEYS_RANDOM, i) << (i % 2 * 16),
				     1);
		sdb_close(db);
	}
	make_sdb_verify(&make);
}
END_TEST

/* Strings of any length: the root page moves to after them. */
START_TEST(long_names_move_the_tables_and_nothing_else)
{
	char path[3 * 4096];
	struct sdb *db;

	memset(path, 'x', sizeof(path));
	path[_i] = '\0';
	make.identity.app_path = path;
	for (int round = 0; round < 2; round++) {
		db = make_sdb_open(&make);
		for (uint64_t i = 0; i < 900; i++)
			make_sdb_add(&make, db, i * 8, 1);
		sdb_close(db);
	}
	make_sdb_verify(&make);
}
END_TEST

/*
 * The root page follows the header if there is room for 64 slots of 8 bytes; else it has its own
 * page.
 */
static const struct {
	uint32_t header_bytes, page, start_bytes;
} roots[] = {
	{512, 0, 512}, {3520, 0, 3520}, {3584, 0, 3584},	{3648, 1, 0},	     {4032, 1, 0},
	{4096, 1, 0},  {4160, 1, 64},	{4096 + 3584, 1, 3584}, {4096 + 3648, 2, 0},
};

START_TEST(the_root_of_narrow_keys_has_at_least_64_slots)
{
	uint32_t page, start_bytes;

	sdb_narrow_root(roots[_i].header_bytes, &page, &start_bytes);
	ck_assert_uint_eq(page, roots[_i].page);
	ck_assert_uint_eq(start_bytes, roots[_i].start_bytes);
	ck_assert_uint_eq(sdb_page_first(roots[_i].header_bytes), roots[_i].page + 1);
}
END_TEST

START_TEST(names_too_long_for_a_header_are_refused)
{
	char *path = malloc(40000);

	ck_assert_ptr_nonnull(path);
	memset(path, 'x', 40000);
	path[39999] = '\0';
	make.identity.image_path = path;
	open_fails(-ENAMETOOLONG, "cannot write the beginning");
	free(path);
}
END_TEST

START_TEST(a_second_writer_is_told_that_the_file_is_busy)
{
	struct sdb *db = make_sdb_open(&make);

	open_fails(-EBUSY, "another program");
	sdb_close(db);
	sdb_close(make_sdb_open(&make));
}
END_TEST

/* A child of the daemon syncs files to the disk while the daemon continues. */
START_TEST(a_file_that_is_closed_can_be_opened_though_a_child_still_holds_it)
{
	struct sdb *db = make_sdb_open(&make);
	int end[2];
	pid_t child;

	ck_assert_int_eq(pipe(end), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		char byte;

		(void)close(end[1]);
		_exit(read(end[0], &byte, 1) != 0);
	}
	sdb_close(db);
	sdb_close(make_sdb_open(&make));
	(void)close(end[1]);
	(void)close(end[0]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

static const struct {
	const char *says;
	size_t offset;
} others[] = {
	{"event", offsetof(struct sdb_identity, event)},
	{"flags", offsetof(struct sdb_identity, flags)},
	{"period", offsetof(struct sdb_identity, period_or_hz)},
	{"unit mask", offsetof(struct sdb_identity, unit_mask)},
	{"kind of keys", offsetof(struct sdb_identity, key_kind)},
	{"image", offsetof(struct sdb_identity, image)},
	{"image", offsetof(struct sdb_identity, image_kind)},
};

START_TEST(a_file_of_something_else_is_refused)
{
	char *field = (char *)&make.identity + others[_i].offset;

	sdb_close(make_sdb_open(&make));
	if (others[_i].offset == offsetof(struct sdb_identity, event))
		make.identity.event = "cycles";
	else
		*field = (char)(*field ^ 1);
	open_fails(-EINVAL, others[_i].says);
}
END_TEST

START_TEST(images_without_build_id_are_told_apart_by_file)
{
	make.identity.image = (struct oprof_image_identity){
		.dev = 1, .inode = 2, .inode_generation = 3, .mtime_ns = 4, .size_bytes = 5};
	sdb_close(make_sdb_open(&make));
	sdb_close(make_sdb_open(&make));
	make.identity.image.inode_generation = 4;
	open_fails(-EINVAL, "image");
}
END_TEST

START_TEST(what_is_no_sample_file_is_refused)
{
	char text[8192];

	memset(text, 'a', sizeof(text));
	make_sdb_write(make.path, text, 10);
	open_fails(-EINVAL, "not a sample file");
	make_sdb_write(make.path, text, sizeof(text));
	open_fails(-EINVAL, "not a sample file");
	ck_assert_int_eq(unlink(make.path), 0);
	ck_assert_int_eq(mkfifo(make.path, 0600), 0);
	open_fails(-EINVAL, "not a regular file");
}
END_TEST

START_TEST(a_missing_folder_is_told)
{
	(void)snprintf(make.path, sizeof(make.path), "%s/not/there", make.folder);
	open_fails(-ENOENT, "No such file");
}
END_TEST

START_TEST(a_file_that_was_never_begun_is_begun)
{
	char zeros[8192] = {0};
	struct sdb_check_result result;
	struct sdb_image image;
	struct sdb *db;

	make_sdb_write(make.path, zeros, _i ? sizeof(zeros) : 0);
	ck_assert_int_eq(sdb_image_load(make.path, &image, NULL), -ENODATA);
	ck_assert_int_eq(sdb_check(make.path, &result, NULL), 0);
	ck_assert_uint_eq(result.nr_keys, 0);
	db = make_sdb_open(&make);
	make_sdb_add(&make, db, 1, 1);
	sdb_close(db);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(a_large_file_with_a_zeroed_header_is_not_begun_anew)
{
	char *zeros = calloc(20, 4096);

	ck_assert_ptr_nonnull(zeros);
	zeros[50000] = 1;
	make_sdb_write(make.path, zeros, (size_t)20 * 4096);
	open_fails(-EILSEQ, "first page is zero");
	free(zeros);
}
END_TEST

START_TEST(times_of_the_header_widen)
{
	struct sdb *db = make_sdb_open(&make);
	struct sdb_image image;

	sdb_set_time(db, 500);
	sdb_set_time(db, 400);
	sdb_close(db);
	db = make_sdb_open(&make);
	sdb_set_time(db, 450);
	sdb_set_time(db, 900);
	sdb_set_time(db, 600);
	ck_assert_int_eq(sdb_sync(db), 0);
	sdb_close(db);
	image = load();
	ck_assert_int_eq(image.header.start_time_ns, 400);
	ck_assert_int_eq(image.header.end_time_ns, 900);
	sdb_image_deinit(&image);
}
END_TEST

/*
 * Adds keys from first to end or until an error, which it returns. Without assertions, because
 * Check writes to a file for each.
 */
static int add_range(struct sdb *db, uint64_t first, uint64_t end, uint64_t *reached)
{
	int error = 0;

	for (*reached = first; *reached < end; ++*reached) {
		error = sdb_add(db, *reached, 1);
		if (error)
			break;
	}
	return error;
}

/* Pages by which a file of nr_pages grows: 1, 4, an eighth, 64. */
static uint64_t segment_of(uint64_t nr_pages)
{
	if (nr_pages < 32)
		return nr_pages < 8 ? 1 : 4;
	return nr_pages < 512 ? nr_pages / 8 : 64;
}

/* It grows by more only if more pages are needed at once. */
START_TEST(a_file_grows_by_a_page_while_small_and_then_by_an_eighth)
{
	struct sdb *db = make_sdb_open(&make);
	const int fd = open(make.path, O_RDONLY | O_CLOEXEC);
	uint64_t before = 1, nr_small = 0;

	ck_assert_int_ge(fd, 0);
	for (uint64_t key = 0; before < 700; key++) {
		struct oprof_sdb_header header;
		struct stat status;
		uint64_t nr_pages;

		ck_assert_int_eq(sdb_add(db, key * 16, 1), 0);
		ck_assert_int_eq(stat(make.path, &status), 0);
		nr_pages = (uint64_t)status.st_size / SDB_PAGE_BYTES;
		if (nr_pages == before)
			continue;
		ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
		if (header.nr_pages - before <= segment_of(before))
			ck_assert_uint_eq(nr_pages, before + segment_of(before));
		else
			ck_assert_uint_eq(nr_pages, header.nr_pages);
		nr_small += before < 8;
		before = nr_pages;
	}
	ck_assert_uint_gt(nr_small, 1);
	ck_assert_int_eq(close(fd), 0);
	sdb_close(db);
}
END_TEST

START_TEST(a_limit_on_file_size_fails_the_add_and_sends_no_signal)
{
	struct sdb *db = make_sdb_open(&make);
	struct rlimit limit = {.rlim_cur = (rlim_t)40 * 4096, .rlim_max = RLIM_INFINITY};
	uint64_t full, again, rest;
	int error, error_again, error_rest;

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	error = add_range(db, 0, 100000, &full);
	error_again = add_range(db, 0, full, &again); /* existing keys can still be added to */
	limit.rlim_cur = RLIM_INFINITY;
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	error_rest = add_range(db, full, 20000, &rest);
	sdb_close(db);
	ck_assert_int_eq(error, -EFBIG);
	ck_assert_uint_gt(full, 5000);
	ck_assert_int_eq(error_again, 0);
	ck_assert_int_eq(error_rest, 0);
	for (uint64_t key = 0; key < 20000; key++)
		expected_add(&make.expected, key, key < full ? 2 : 1, 0);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(a_limit_on_address_space_only_costs_the_ample_mapping)
{
	struct sdb *db = make_sdb_open(&make);
	struct rlimit limit = {.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
	char line[256];
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	ck_assert_ptr_nonnull(statm);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), statm));
	(void)fclose(statm);
	pages = strtoul(line, NULL, 10);
	limit.rlim_cur = (rlim_t)pages * 4096 + ((rlim_t)3 << 20);
	if (setrlimit(RLIMIT_AS, &limit) == 0) {
		for (uint64_t i = 0; i < 60000; i++)
			ck_assert_int_eq(sdb_add(db, i * 16, 1), 0);
		limit.rlim_cur = RLIM_INFINITY;
		ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	}
	for (uint64_t i = 0; i < 60000; i++)
		expected_add(&make.expected, i * 16, 1, 0);
	sdb_close(db);
	make_sdb_verify(&make);
}
END_TEST

START_TEST(closing_nothing_is_fine)
{
	sdb_close(NULL);
}
END_TEST

/* Page numbers would not fit into 32 bits. Few file systems support so large a file. */
START_TEST(a_file_of_more_pages_than_there_can_be_is_refused)
{
	int fd;

	(void)strcpy(make.path, "/dev/shm/test_sdb.XXXXXX");
	fd = mkstemp(make.path);
	if (fd < 0)
		return;
	sdb_close(make_sdb_open(&make));
	if (ftruncate(fd, (off_t)((1ULL << 44) + SDB_PAGE_BYTES)) == 0)
		open_fails(-EILSEQ, "cannot have");
	(void)close(fd);
	ck_assert_int_eq(unlink(make.path), 0);
}
END_TEST

static void add_growth_tests(TCase *tests)
{
	tcase_add_test(tests, a_file_grows_by_a_page_while_small_and_then_by_an_eighth);
	tcase_add_test(tests, a_limit_on_file_size_fails_the_add_and_sends_no_signal);
	if (!SANITIZED)
		tcase_add_test(tests, a_limit_on_address_space_only_costs_the_ample_mapping);
	tcase_add_test(tests, times_of_the_header_widen);
	tcase_add_test(tests, closing_nothing_is_fine);
}

int main(void)
{
	Suite *suite = suite_create("sdb_file");
	TCase *tests = tcase_create("open");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_small_profile_is_one_page_of_disk);
	tcase_add_test(tests, what_the_identity_says_is_in_the_header);
	tcase_add_test(tests, a_file_goes_on_where_it_was_closed);
	/* Headers that leave 1024, 512, 448, ... 0 bytes in their page. */
	tcase_add_loop_test(tests, long_names_move_the_tables_and_nothing_else, 3100, 3101);
	tcase_add_loop_test(tests, long_names_move_the_tables_and_nothing_else, 3200, 3202);
	tcase_add_loop_test(tests, long_names_move_the_tables_and_nothing_else, 3260, 3261);
	tcase_add_loop_test(tests, long_names_move_the_tables_and_nothing_else, 3735, 3740);
	tcase_add_loop_test(tests, long_names_move_the_tables_and_nothing_else, 9000, 9001);
	tcase_add_loop_test(tests, the_root_of_narrow_keys_has_at_least_64_slots, 0,
			    sizeof(roots) / sizeof(roots[0]));
	tcase_add_test(tests, names_too_long_for_a_header_are_refused);
	tcase_add_test(tests, a_second_writer_is_told_that_the_file_is_busy);
	tcase_add_test(tests, a_file_that_is_closed_can_be_opened_though_a_child_still_holds_it);
	tcase_add_loop_test(tests, a_file_of_something_else_is_refused, 0,
			    sizeof(others) / sizeof(others[0]));
	tcase_add_test(tests, images_without_build_id_are_told_apart_by_file);
	tcase_add_test(tests, what_is_no_sample_file_is_refused);
	tcase_add_test(tests, a_missing_folder_is_told);
	tcase_add_loop_test(tests, a_file_that_was_never_begun_is_begun, 0, 2);
	tcase_add_test(tests, a_large_file_with_a_zeroed_header_is_not_begun_anew);
	tcase_add_test(tests, a_file_of_more_pages_than_there_can_be_is_refused);
	add_growth_tests(tests);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
