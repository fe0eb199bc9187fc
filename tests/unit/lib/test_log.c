// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[PATH_MAX];
static char path[PATH_MAX + 64];

/* Each test runs in its own process, so the log's state is fresh. */
static void setup(void)
{
	const char *base = getenv("TMPDIR");

	ck_assert_int_gt(
		snprintf(folder, sizeof(folder), "%s/oprof-log-XXXXXX", base ? base : "/tmp"), 0);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_gt(snprintf(path, sizeof(path), "%s/log", folder), 0);
	log_init("tester", LOG_LEVEL_INFO);
	ck_assert_int_eq(log_open(path), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(file_remove_tree(folder), 0);
}

static char *logged(const char *of)
{
	char *text = NULL;

	ck_assert_int_eq(file_read_text(of, 1 << 20, &text, NULL), 0);
	return text;
}

static size_t nr_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

START_TEST(a_message_is_one_line_with_time_program_and_level)
{
	const char *told = "tester: warning: ring 3 is small\n";
	struct tm tm = {0};
	const char *end;
	char *text;

	log_warning("ring %d is small", 3);
	text = logged(path);
	end = strptime(text, "%Y-%m-%d %H:%M:%S", &tm);
	ck_assert_ptr_nonnull(end);
	ck_assert_int_eq(*end, ' ');
	ck_assert_str_eq(end + 1, told);
	free(text);
}
END_TEST

START_TEST(messages_above_the_level_are_not_shown)
{
	char *text;

	log_debug("hidden");
	log_info("told");
	log_init("tester", LOG_LEVEL_ERROR);
	log_warning("hidden");
	log_error("bad");
	text = logged(path);
	ck_assert_ptr_null(strstr(text, "hidden"));
	ck_assert_ptr_nonnull(strstr(text, "tester: told\n"));
	ck_assert_ptr_nonnull(strstr(text, "tester: error: bad\n"));
	ck_assert_uint_eq(nr_lines(text), 2);
	free(text);
}
END_TEST

START_TEST(a_name_with_a_newline_cannot_forge_a_line)
{
	char *text;

	log_info("opened %s", "/tmp/x\n2030-01-01 00:00:00 tester: all is well\033[2J");
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 1);
	ck_assert_ptr_null(strchr(text, '\033'));
	free(text);
}
END_TEST

START_TEST(a_name_cannot_change_the_direction_of_a_line)
{
	char *text;

	log_info("opened %s", "a\u202eb\u2066c\u200fd\u061ce\u00e4\x9b");
	text = logged(path);
	ck_assert_ptr_nonnull(strstr(text, "tester: opened a?b?c?d?e\u00e4?\n"));
	free(text);
}
END_TEST

START_TEST(a_message_that_is_too_long_is_cut_and_still_ends_its_line)
{
	char huge[5000];
	char *text;

	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	log_info("%s", huge);
	log_info("next");
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 2);
	ck_assert_ptr_nonnull(strstr(text, "tester: next\n"));
	free(text);
}
END_TEST

START_TEST(a_program_with_a_long_name_still_logs)
{
	char huge[5000];
	char *text;

	memset(huge, 'p', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	log_init(huge, LOG_LEVEL_INFO);
	log_info("here");
	text = logged(path);
	ck_assert_ptr_nonnull(strstr(text, "p: here\n"));
	free(text);
}
END_TEST

START_TEST(open_again_follows_a_file_that_was_moved_away)
{
	char moved[PATH_MAX + 128];
	char *text;

	ck_assert_int_gt(snprintf(moved, sizeof(moved), "%s.1", path), 0);
	log_info("first");
	ck_assert_int_eq(rename(path, moved), 0);
	log_info("second");
	ck_assert_int_eq(log_open(path), 0);
	log_info("third");
	text = logged(moved);
	ck_assert_ptr_nonnull(strstr(text, "second"));
	ck_assert_ptr_null(strstr(text, "third"));
	free(text);
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 1);
	ck_assert_ptr_nonnull(strstr(text, "third"));
	free(text);
}
END_TEST

START_TEST(open_that_fails_keeps_the_old_place)
{
	char *text;

	ck_assert_int_eq(log_open("/nonexistent/folder/log"), -ENOENT);
	log_info("still here");
	text = logged(path);
	ck_assert_ptr_nonnull(strstr(text, "still here"));
	free(text);
}
END_TEST

START_TEST(what_comes_again_at_once_is_told_by_number)
{
	char *text;

	log_bound(LOG_BYTES_MAX, LOG_NR_A_MINUTE);
	for (int i = 0; i < 1000; i++)
		log_error("no room for %s", "samples");
	log_info("something else");
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 3);
	ck_assert_ptr_nonnull(strstr(text, "the last message was repeated 999 times"));
	ck_assert_ptr_nonnull(strstr(text, "something else"));
	free(text);
}
END_TEST

START_TEST(the_end_tells_what_was_held_back)
{
	char *text;

	log_bound(LOG_BYTES_MAX, 5);
	for (int i = 0; i < 100; i++)
		log_error("file %d is damaged", i);
	log_error("the last one");
	log_error("the last one");
	log_tick(); /* nothing is old enough yet */
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 6);
	free(text);
	log_flush();
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 8);
	ck_assert_ptr_nonnull(strstr(text, "repeated 1 times"));
	ck_assert_ptr_nonnull(strstr(text, "95 more messages of the same kind were left out"));
	free(text);
}
END_TEST

START_TEST(a_program_that_did_not_ask_for_bounds_tells_everything)
{
	char *text;

	for (int i = 0; i < 100; i++)
		log_error("the same");
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 100);
	free(text);
}
END_TEST

static off_t size_of(const char *of)
{
	struct stat st;

	ck_assert_int_eq(stat(of, &st), 0);
	return st.st_size;
}

START_TEST(a_long_log_is_two_files_of_bounded_size)
{
	char old[PATH_MAX + 128];
	char *text;

	ck_assert_int_gt(snprintf(old, sizeof(old), "%s.1", path), 0);
	log_bound(4096, 0);
	for (int i = 0; i < 1000; i++)
		log_info("message %d", i);
	ck_assert_int_le(size_of(path), 4096);
	ck_assert_int_le(size_of(old), 4096);
	text = logged(path);
	ck_assert_ptr_nonnull(strstr(text, "message 999\n"));
	free(text);
	text = logged(old);
	ck_assert_uint_gt(nr_lines(text), 50);
	free(text);
}
END_TEST

START_TEST(a_log_that_cannot_be_moved_away_is_bounded_all_the_same)
{
	char old[PATH_MAX + 128];
	char *text;

	/* The rename fails, because the target is a folder that is not empty. */
	ck_assert_int_gt(snprintf(old, sizeof(old), "%s.1", path), 0);
	ck_assert_int_eq(mkdir(old, 0700), 0);
	ck_assert_int_gt(snprintf(old, sizeof(old), "%s.1/x", path), 0);
	ck_assert_int_eq(mkdir(old, 0700), 0);
	log_bound(4096, 0);
	for (int i = 0; i < 1000; i++)
		log_info("message %d", i);
	ck_assert_int_le(size_of(path), 4096);
	text = logged(path);
	ck_assert_ptr_nonnull(strstr(text, "message 999\n"));
	free(text);
}
END_TEST

START_TEST(a_forked_child_leaves_moving_away_to_its_parent)
{
	char old[PATH_MAX + 128];
	struct stat st;
	int status;
	pid_t pid;

	ck_assert_int_gt(snprintf(old, sizeof(old), "%s.1", path), 0);
	log_bound(1, 0);
	pid = fork();
	if (!pid) {
		log_info("from the child");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_ne(stat(old, &st), 0);
	ck_assert_int_gt(size_of(path), 0);
}
END_TEST

START_TEST(a_full_disk_costs_lines_and_they_are_told_as_a_number)
{
	char *text;

	log_bound(LOG_BYTES_MAX, LOG_NR_A_MINUTE);
	ck_assert_int_eq(log_open("/dev/full"), 0);
	log_error("one");
	log_error("two");
	ck_assert_int_eq(log_open(path), 0);
	log_error("three");
	text = logged(path);
	ck_assert_uint_eq(nr_lines(text), 2);
	ck_assert_ptr_nonnull(strstr(text, "2 messages could not be written"));
	ck_assert_ptr_nonnull(strstr(text, "three"));
	free(text);
}
END_TEST

/* Replaces stderr by one end of a socket pair and returns the other end. */
static int stderr_pair(void)
{
	char stream[64];
	struct stat st;
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ck_assert_int_eq(dup2(pair[0], STDERR_FILENO), STDERR_FILENO);
	ck_assert_int_eq(fstat(STDERR_FILENO, &st), 0);
	ck_assert_int_gt(snprintf(stream, sizeof(stream), "%llu:%llu",
				  (unsigned long long)st.st_dev, (unsigned long long)st.st_ino),
			 0);
	ck_assert_int_eq(setenv("JOURNAL_STREAM", stream, 1), 0);
	return pair[1];
}

START_TEST(the_journal_gets_priorities_and_no_times)
{
	char got[512];
	int fd = stderr_pair();
	ssize_t nr;

	ck_assert(log_open_journal());
	log_error("bad");
	log_warning("odd");
	log_info("good");
	nr = read(fd, got, sizeof(got) - 1);
	ck_assert_int_gt(nr, 0);
	got[nr] = '\0';
	ck_assert_str_eq(got, "<3>error: bad\n<4>warning: odd\n<6>good\n");
}
END_TEST

START_TEST(a_journal_that_hangs_stops_nobody)
{
	int fd = stderr_pair();

	ck_assert(log_open_journal());
	for (int i = 0; i < 100000; i++)
		log_info("message %d", i);
	ck_assert_int_ge(fd, 0); /* the process is still alive */
}
END_TEST

START_TEST(a_stream_that_is_not_the_journals_gets_plain_lines)
{
	char got[512];
	int fd = stderr_pair();
	ssize_t nr;

	ck_assert_int_eq(setenv("JOURNAL_STREAM", "1:1", 1), 0);
	ck_assert(!log_open_journal());
	ck_assert_int_eq(setenv("JOURNAL_STREAM", "rubbish", 1), 0);
	ck_assert(!log_open_journal());
	log_error("bad");
	nr = read(fd, got, sizeof(got) - 1);
	ck_assert_int_gt(nr, 0);
	got[nr] = '\0';
	ck_assert_str_eq(got, "tester: error: bad\n");
}
END_TEST

/* Without a log file, messages go to stderr. */
static void setup_stderr(void)
{
	log_init("tester", LOG_LEVEL_INFO);
}

int main(void)
{
	TCase *journal = tcase_create("journal");
	Suite *suite = suite_create("log");
	TCase *tc = tcase_create("log");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_message_is_one_line_with_time_program_and_level);
	tcase_add_test(tc, messages_above_the_level_are_not_shown);
	tcase_add_test(tc, a_name_with_a_newline_cannot_forge_a_line);
	tcase_add_test(tc, a_name_cannot_change_the_direction_of_a_line);
	tcase_add_test(tc, a_message_that_is_too_long_is_cut_and_still_ends_its_line);
	tcase_add_test(tc, a_program_with_a_long_name_still_logs);
	tcase_add_test(tc, open_again_follows_a_file_that_was_moved_away);
	tcase_add_test(tc, open_that_fails_keeps_the_old_place);
	tcase_add_test(tc, what_comes_again_at_once_is_told_by_number);
	tcase_add_test(tc, the_end_tells_what_was_held_back);
	tcase_add_test(tc, a_program_that_did_not_ask_for_bounds_tells_everything);
	tcase_add_test(tc, a_long_log_is_two_files_of_bounded_size);
	tcase_add_test(tc, a_log_that_cannot_be_moved_away_is_bounded_all_the_same);
	tcase_add_test(tc, a_forked_child_leaves_moving_away_to_its_parent);
	tcase_add_test(tc, a_full_disk_costs_lines_and_they_are_told_as_a_number);
	suite_add_tcase(suite, tc);
	tcase_add_checked_fixture(journal, setup_stderr, NULL);
	tcase_add_test(journal, the_journal_gets_priorities_and_no_times);
	tcase_add_test(journal, a_journal_that_hangs_stops_nobody);
	tcase_add_test(journal, a_stream_that_is_not_the_journals_gets_plain_lines);
	suite_add_tcase(suite, journal);
	return run_suite(suite);
}
