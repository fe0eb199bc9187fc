// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_image.h"

#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define NS UINT64_C(1000000000)

static struct stat status;
static int status_error;

/* In place of the C library's: the status of each file is the test's. */
int fstat(int fd, struct stat *st)
{
	(void)fd;
	if (status_error) {
		errno = status_error;
		return -1;
	}
	*st = status;
	return 0;
}

static const struct symbol_search search;

/* A program of 5000 bytes on a disk, and the identity that the session then has. */
static struct oprof_image_identity setup_program(void)
{
	status_error = 0;
	memset(&status, 0, sizeof(status));
	status.st_mode = S_IFREG | 0755;
	status.st_dev = makedev(8, 1);
	status.st_ino = 77;
	status.st_size = 5000;
	status.st_mtim = (struct timespec){12, 345};
	return (struct oprof_image_identity){.dev = UINT64_C(8) << 32 | 1,
					     .inode = 77,
					     .size_bytes = 5000,
					     .mtime_ns = 12 * NS + 345};
}

static bool was_mapped(const struct oprof_image_identity *identity)
{
	const struct symbol_request request = {
		.path = "/program", .identity = identity, .search = &search};

	return symbol_image_was_mapped(&request, 0);
}

START_TEST(a_file_on_a_disk_with_all_that_the_session_knows_was_mapped)
{
	struct oprof_image_identity identity = setup_program();

	ck_assert(was_mapped(&identity));
}
END_TEST

START_TEST(a_file_that_differs_in_one_property_was_not_mapped)
{
	struct oprof_image_identity identity = setup_program();

	identity.dev++;
	ck_assert(!was_mapped(&identity));
	identity = setup_program();
	identity.inode++;
	ck_assert(!was_mapped(&identity));
	identity = setup_program();
	identity.size_bytes++;
	ck_assert(!was_mapped(&identity));
	identity = setup_program();
	identity.mtime_ns++;
	ck_assert(!was_mapped(&identity));
}
END_TEST

START_TEST(a_file_with_an_unknown_property_was_not_surely_mapped)
{
	struct oprof_image_identity identity = setup_program();

	identity.inode = 0;
	status.st_ino = 0;
	identity.size_bytes = 0;
	ck_assert(!was_mapped(&identity));
	identity = setup_program();
	identity.mtime_ns = 0;
	ck_assert(!was_mapped(&identity));
	identity = setup_program();
	status_error = EIO;
	ck_assert(!was_mapped(&identity));
}
END_TEST

START_TEST(the_number_of_a_device_without_a_disk_proves_nothing)
{
	struct oprof_image_identity identity = setup_program();

	status.st_dev = makedev(0, 40);
	identity.dev = 40;
	ck_assert(!was_mapped(&identity));
}
END_TEST

/* A process can map a program that it cannot read. */
START_TEST(a_program_that_users_can_execute_but_not_read_was_not_surely_mapped_by_a_reader)
{
	static const struct {
		mode_t mode;
		bool is_mapped;
	} modes[] = {{0700, true},  {0750, true},   {0555, true},  {0600, true}, {0644, true},
		     {0754, true},  {0711, false},  {0751, false}, {0745, true}, {0715, false},
		     {0311, false}, {04711, false}, {04755, true}};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct oprof_image_identity identity = setup_program();

		status.st_mode = S_IFREG | modes[i].mode;
		ck_assert_msg(was_mapped(&identity) == modes[i].is_mapped, "mode %o",
			      (unsigned int)modes[i].mode);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("symbol_image");
	TCase *tests = tcase_create("was_mapped");

	tcase_add_test(tests, a_file_on_a_disk_with_all_that_the_session_knows_was_mapped);
	tcase_add_test(tests, a_file_that_differs_in_one_property_was_not_mapped);
	tcase_add_test(tests, a_file_with_an_unknown_property_was_not_surely_mapped);
	tcase_add_test(tests, the_number_of_a_device_without_a_disk_proves_nothing);
	tcase_add_test(
		tests,
		a_program_that_users_can_execute_but_not_read_was_not_surely_mapped_by_a_reader);
	suite_add_tcase(s, tests);
	return s;
}

int main(void)
{
	return run_suite(suite());
}
