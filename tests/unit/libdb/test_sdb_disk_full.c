// SPDX-License-Identifier: GPL-2.0-or-later
/* A file system that is really full: a small tmpfs in a separate mount namespace. */
#include "tests/fixture/make_sdb.h"

#include <check.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

static char folder[256];

/* Returns 0, or -1 if we lack the permission. */
static int mount_small(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/test_full.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", folder, "tmpfs", 0, "size=256k") || setenv("TMPDIR", folder, 1)) {
		(void)rmdir(folder);
		return -1;
	}
	return 0;
}

START_TEST(a_full_disk_fails_new_keys_only_until_there_is_room)
{
	struct make_sdb make;
	uint64_t full = 0;
	struct sdb *db;
	int error = 0;
	char ballast[300];
	static char zeros[100 * 1024];

	ck_assert_int_eq(sdb_catch_sigbus(), 0);
	make_sdb_init(&make);
	(void)snprintf(ballast, sizeof(ballast), "%s/ballast", make.folder);
	make_sdb_write(ballast, zeros, sizeof(zeros));
	db = make_sdb_open(&make);
	for (; !error && full < 100000; full++) {
		error = sdb_add(db, full * 4, 1);
		if (!error)
			expected_add(&make.expected, full * 4, 1, 0);
	}
	ck_assert_int_eq(error, -ENOSPC);
	ck_assert_uint_gt(full, 3000);
	for (uint64_t i = 0; i + 1 < full; i++)
		make_sdb_add(&make, db, i * 4, 1);
	make_sdb_verify(&make);
	ck_assert_int_eq(unlink(ballast), 0);
	for (uint64_t i = full; i < full + 3000; i++)
		make_sdb_add(&make, db, i * 4, 1);
	sdb_close(db);
	make_sdb_verify(&make);
	make_sdb_deinit(&make);
}
END_TEST

START_TEST(a_full_disk_is_told_when_a_file_is_begun)
{
	struct make_sdb make;
	struct diag diag;
	struct sdb *db;
	char ballast[300], page[4096] = {0};
	FILE *file;

	make_sdb_init(&make);
	(void)snprintf(ballast, sizeof(ballast), "%s/ballast", make.folder);
	file = fopen(ballast, "we");
	ck_assert_ptr_nonnull(file);
	setbuf(file, NULL);
	while (fwrite(page, sizeof(page), 1, file) == 1)
		;
	(void)fclose(file);
	ck_assert_int_eq(sdb_open(&db, make.path, &make.identity, &diag), -ENOSPC);
	ck_assert_str_eq(diag.file, make.path);
	ck_assert_int_eq(unlink(ballast), 0);
	db = make_sdb_open(&make);
	make_sdb_add(&make, db, 1, 1);
	sdb_close(db);
	make_sdb_verify(&make);
	make_sdb_deinit(&make);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sdb_disk_full");
	TCase *tests = tcase_create("full");
	SRunner *runner;
	int nr_failed;

	if (mount_small()) {
		puts("1..0 # SKIP needs the right to mount a file system");
		return EXIT_SUCCESS;
	}
	runner = srunner_create(suite);
	tcase_add_test(tests, a_full_disk_fails_new_keys_only_until_there_is_room);
	tcase_add_test(tests, a_full_disk_is_told_when_a_file_is_begun);
	suite_add_tcase(suite, tests);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	nr_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	(void)umount(folder);
	(void)rmdir(folder);
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
