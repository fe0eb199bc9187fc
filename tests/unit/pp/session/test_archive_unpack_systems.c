// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Harmless archives on unusual systems: a process that SIGKILL does not end, as when it reads from
 * a server that does not answer; a file system that reports the size on disk late; and names that
 * the locale has no characters for; and limits of the user.
 */
#include "pp/session/archive_unpack.h"

#include "pp/session/archive_stream.h"
#include "tests/fixture/test_folder.h"

#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARCHIVE	   "harmless.tar.zst"
#define FILE_BYTES (1u << 20)

static struct diag diag;

/* Called through the linker's --wrap. */
static bool child_hangs; /* and SIGKILL does not end it */
static bool child_spins;
static pid_t killed;
static bool blocks_are_late;
static bool locales_are_missing;

int __real_archive_stream_write(int from, int to);
int __wrap_archive_stream_write(int from, int to);
int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
char *__real_setlocale(int category, const char *locale);
char *__wrap_setlocale(int category, const char *locale);

int __wrap_archive_stream_write(int from, int to)
{
	static int word;

	while (child_hangs)
		(void)syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	while (child_spins)
		__asm__ volatile("");
	return __real_archive_stream_write(from, to);
}

int __wrap_kill(pid_t pid, int number)
{
	if (!child_hangs || number != SIGKILL)
		return __real_kill(pid, number);
	killed = pid;
	return 0;
}

int __wrap_fstat(int fd, struct stat *st)
{
	int result = __real_fstat(fd, st);

	if (blocks_are_late)
		st->st_blocks = 1;
	return result;
}

char *__wrap_setlocale(int category, const char *locale)
{
	return locales_are_missing ? NULL : __real_setlocale(category, locale);
}

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(mkdir("in", 0700), 0);
	child_hangs = false;
	child_spins = false;
	killed = 0;
	blocks_are_late = false;
	locales_are_missing = false;
	diag_clear(&diag);
}

/* Makes an archive of one file, whose content cannot be compressed. */
static void make(const char *name)
{
	static char bytes[FILE_BYTES];
	struct archive *tar = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	uint64_t number = 1;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		number = number * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (char)(number >> 56);
	}
	ck_assert_int_eq(archive_write_set_format_pax_restricted(tar), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_add_filter_zstd(tar), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_open_filename(tar, ARCHIVE), ARCHIVE_OK);
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, sizeof(bytes));
	ck_assert_int_ge(archive_write_header(tar, entry), ARCHIVE_WARN); /* not UTF-8 */
	ck_assert_int_eq(archive_write_data(tar, bytes, sizeof(bytes)), sizeof(bytes));
	archive_entry_free(entry);
	ck_assert_int_eq(archive_write_free(tar), ARCHIVE_OK);
}

static int unpack(const struct archive_limits *limits)
{
	int fd = open(ARCHIVE, O_RDONLY | O_CLOEXEC);
	int error = archive_unpack(fd, ARCHIVE, "in", limits, &diag);

	ck_assert_int_eq(close(fd), 0);
	return error;
}

static void assert_unpacked(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, FILE_BYTES);
}

START_TEST(a_child_that_a_signal_does_not_end_is_left_alone)
{
	struct archive_limits limits = archive_default_limits;

	make("file");
	limits.wait_seconds = 0;
	child_hangs = true;
	ck_assert_int_eq(unpack(&limits), -ETIMEDOUT);
	ck_assert_int_gt(killed, 0);
	ck_assert_int_eq(waitpid(killed, NULL, WNOHANG), 0);
	ck_assert_int_eq(__real_kill(killed, SIGKILL), 0);
	ck_assert_int_eq(waitpid(killed, NULL, 0), killed);
}
END_TEST

START_TEST(blocks_that_the_file_system_reports_late_do_not_lower_the_limit)
{
	struct archive_limits limits = archive_default_limits;

	make("file");
	limits.free_bytes = 0;
	limits.ratio = 2;
	blocks_are_late = true;
	ck_assert_msg(!unpack(&limits), "%s", diag.text);
	assert_unpacked("in/file");
}
END_TEST

/* With "ulimit -t 2", the message told of the higher limit of unpacking. */
START_TEST(a_lower_limit_of_the_user_is_the_one_that_is_told)
{
	struct archive_limits limits = archive_default_limits;
	const struct rlimit lower = {.rlim_cur = 2, .rlim_max = 2};

	make("file");
	limits.wait_seconds = 1000; /* on a busy machine, a second of CPU takes long */
	child_spins = true;
	ck_assert_int_eq(setrlimit(RLIMIT_CPU, &lower), 0);
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	ck_assert_msg(strstr(diag.text, "more than 2 s of CPU") != NULL, "%s", diag.text);
}
END_TEST

/*
 * Makes the archive as a program in another locale would. This process itself does not use
 * iconv(), which reads GCONV_PATH only once.
 */
static void make_elsewhere(const char *locale, const char *name)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		ck_assert_ptr_nonnull(setlocale(LC_ALL, locale));
		make(name);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* In the C locale, as most reports. */
START_TEST(names_are_unpacked_as_they_are)
{
	make_elsewhere("C.UTF-8", "\xc3\xa4"); /* stored as UTF-8 */
	ck_assert_msg(!unpack(&archive_default_limits), "%s", diag.text);
	assert_unpacked("in/\xc3\xa4");
	make_elsewhere("C", "\xe4"); /* stored as bytes */
	ck_assert_msg(!unpack(&archive_default_limits), "%s", diag.text);
	assert_unpacked("in/\xe4");
}
END_TEST

START_TEST(a_path_of_iconv_is_not_taken_for_an_attack)
{
	make_elsewhere("C.UTF-8", "\xc3\xa4");
	ck_assert_int_eq(setenv("GCONV_PATH", "modules", 1), 0);
	ck_assert_msg(!unpack(&archive_default_limits), "%s", diag.text);
	assert_unpacked("in/\xc3\xa4");
	locales_are_missing = true;
	ck_assert_int_eq(unpack(&archive_default_limits), -EILSEQ);
	ck_assert_msg(strstr(diag.text, "is damaged, or not an archive") != NULL, "%s", diag.text);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("archive_unpack_systems");

	tcase_add_checked_fixture(tc, setup, test_folder_teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_child_that_a_signal_does_not_end_is_left_alone);
	tcase_add_test(tc, blocks_that_the_file_system_reports_late_do_not_lower_the_limit);
	tcase_add_test(tc, a_lower_limit_of_the_user_is_the_one_that_is_told);
	tcase_add_test(tc, names_are_unpacked_as_they_are);
	tcase_add_test(tc, a_path_of_iconv_is_not_taken_for_an_attack);
	return test_run(tc);
}
