// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/session.h"

#include "lib/file.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct session session;
static struct diag diag;

static const struct event_choice events[] = {
	{.name = "cpu-clock", .frequency = true, .period_or_hz = 99, .kernel = true, .user = true},
};

static void fill_info(struct session *of)
{
	run_info_init(&of->info);
	of->info.source = "test";
	of->info.target = "system";
	of->info.events = events;
	of->info.nr_events = 1;
}

static void begin(enum session_begin how)
{
	ck_assert_int_eq(session_lock(&session, "s", &diag), 0);
	fill_info(&session);
	ck_assert_int_eq(session_begin(&session, how, &diag), 0);
}

/* A process of its own removes discarded sessions: wait for it. */
static bool trash_goes(void)
{
	glob_t found;
	int none = 0;

	for (unsigned int i = 0; i < 10000 && !none; i++) {
		none = glob("s/samples/.removed*", 0, NULL, &found);
		if (!none)
			globfree(&found);
		(void)poll(NULL, 0, 1);
	}
	return none == GLOB_NOMATCH;
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

START_TEST(a_lock_that_was_given_up_tells_from_one_whose_daemon_was_killed)
{
	ck_assert_int_eq(session_lock(&session, "s", &diag), 0);
	ck_assert(!session.killed);
	session_unlock(&session);
	ck_assert_int_eq(session_lock(&session, "s", &diag), 0);
	ck_assert(!session.killed);
	session_unlock(&session);
	ck_assert_int_eq(file_replace("s/lock", "1\n", 2, 0600), 0);
	ck_assert_int_eq(session_lock(&session, "s", &diag), 0);
	ck_assert(session.killed);
	session_unlock(&session);
}
END_TEST

START_TEST(the_folder_is_closed_to_others_and_has_its_parts)
{
	struct stat st;

	begin(SESSION_APPEND);
	ck_assert_int_eq(stat("s", &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0700);
	ck_assert(exists("s/lock"));
	ck_assert(exists("s/samples/current/meta/info"));
	ck_assert(exists("s/samples/current/meta/stats"));
	session_unlock(&session);
}
END_TEST

START_TEST(a_second_daemon_is_refused_and_told_the_first_ones_pid)
{
	struct session second;
	char pid[32];

	begin(SESSION_APPEND);
	ck_assert_int_eq(session_lock(&second, "s", &diag), -EBUSY);
	(void)snprintf(pid, sizeof(pid), "process %d,", (int)getpid());
	ck_assert_ptr_nonnull(strstr(diag.text, pid));
	session_unlock(&session);
	ck_assert_int_eq(session_lock(&second, "s", &diag), 0);
	session_unlock(&second);
}
END_TEST

/* A killed daemon's lock is released some time after the kill, with the last of its descriptors. */
START_TEST(a_daemon_that_is_being_killed_is_waited_for)
{
	char byte;
	int ends[2];
	pid_t child;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (!child) {
		if (session_lock(&session, "s", &diag) || write(ends[1], "x", 1) != 1)
			_exit(1);
		(void)signal(SIGALRM, SIG_DFL); /* the alarm kills the child */
		(void)alarm(1);
		(void)pause();
	}
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	ck_assert_msg(!session_lock(&session, "s", &diag), "%s", diag.text);
	session_unlock(&session);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	(void)close(ends[0]);
	(void)close(ends[1]);
}
END_TEST

START_TEST(a_child_that_still_holds_the_lock_file_does_not_keep_the_lock)
{
	pid_t child;
	int error;

	begin(SESSION_APPEND);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child)
		(void)pause();
	session_unlock(&session);
	error = session_lock(&session, "s", &diag);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_msg(!error, "%s", diag_show(&diag));
	session_unlock(&session);
}
END_TEST

START_TEST(why_the_lock_cannot_be_written_is_told)
{
	struct rlimit limit, before;
	int error;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 0;
	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	error = session_lock(&session, "s", &diag);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	ck_assert_int_eq(error, -EFBIG);
	ck_assert_ptr_nonnull(strstr(diag.text, strerror(EFBIG)));
}
END_TEST

START_TEST(a_killed_daemon_leaves_no_lock)
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		if (session_lock(&session, "s", &diag))
			_exit(1);
		(void)kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	begin(SESSION_APPEND);
	session_unlock(&session);
}
END_TEST

START_TEST(append_keeps_counters_and_fresh_throws_all_away)
{
	begin(SESSION_APPEND);
	stats_add(&session.stats, STATS_STORED, 5);
	session_unlock(&session);
	begin(SESSION_APPEND);
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 5);
	session_unlock(&session);
	ck_assert_int_eq(file_replace("s/samples/current/kept", "", 0, 0600), 0);
	begin(SESSION_FRESH);
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 0);
	ck_assert(!exists("s/samples/current/kept"));
	ck_assert(trash_goes());
	session_unlock(&session);
}
END_TEST

START_TEST(save_keeps_the_session_under_its_name_and_begins_an_empty_one)
{
	begin(SESSION_APPEND);
	stats_add(&session.stats, STATS_STORED, 5);
	ck_assert_int_eq(file_make_dirs("s/samples/current/meta/images", 0700), 0);
	ck_assert_int_eq(file_replace("s/samples/current/meta/images/1", "x", 1, 0600), 0);
	ck_assert_int_eq(session_save(&session, "a", &diag), 0);
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 0);
	ck_assert(exists("s/samples/a/meta/stats"));
	ck_assert(exists("s/samples/a/meta/info"));
	ck_assert(exists("s/samples/a/meta/images/1"));
	ck_assert(exists("s/samples/current/meta/images/1"));
	ck_assert(exists("s/samples/current/meta/info"));
	ck_assert_int_eq(session_save(&session, "a", &diag), -EEXIST);
	ck_assert(session.open);
	session_unlock(&session);
}
END_TEST

START_TEST(reset_empties_the_session)
{
	begin(SESSION_APPEND);
	stats_add(&session.stats, STATS_STORED, 5);
	ck_assert_int_eq(file_make_dirs("s/samples/current/{root}/bin", 0700), 0);
	ck_assert_int_eq(file_make_dirs("s/samples/.removed.1/old", 0700), 0);
	ck_assert_int_eq(file_make_dirs("s/samples/current/meta/symbols", 0700), 0);
	ck_assert_int_eq(file_replace("s/samples/current/meta/symbols/1", "x", 1, 0600), 0);
	ck_assert_int_eq(session_reset(&session, &diag), 0);
	ck_assert(trash_goes());
	ck_assert(exists("s/samples/current/meta/symbols/1"));
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 0);
	ck_assert(!exists("s/samples/current/{root}"));
	ck_assert(!session_is_lost(&session));
	session_unlock(&session);
}
END_TEST

START_TEST(the_sample_files_of_a_session_are_discarded_and_the_rest_stays)
{
	begin(SESSION_FRESH);
	ck_assert_int_eq(session_discard_files(&session), 0); /* there are none */
	ck_assert_int_eq(file_make_dirs("s/samples/current/{root}/bin/a/{dep}", 0700), 0);
	ck_assert_int_eq(file_make_dirs("s/samples/current/{kern}/vmlinux", 0700), 0);
	ck_assert_int_eq(file_make_dirs("s/samples/current/history", 0700), 0);
	ck_assert_int_eq(file_replace("s/samples/current/{root}/bin/a/x", "x", 1, 0600), 0);
	ck_assert_int_eq(session_discard_files(&session), 0);
	ck_assert(!exists("s/samples/current/{root}"));
	ck_assert(!exists("s/samples/current/{kern}"));
	ck_assert(exists("s/samples/current/history"));
	ck_assert(exists("s/samples/current/meta/stats"));
	ck_assert(trash_goes());
	ck_assert(!session_is_lost(&session));
	ck_assert_int_eq(file_remove_tree("s/samples/current"), 0);
	ck_assert_int_eq(session_discard_files(&session), -ENOENT);
	session_unlock(&session);
}
END_TEST

START_TEST(names_that_leave_the_folder_or_look_like_sample_files_are_refused)
{
	static const char *const wrong[] = {"",	  ".",	     "..",     "../a", "a/b",
					    "/a", "current", "{root}", "a\nb", ".removed"};
	char long_name[OPROF_SESSION_NAME_BYTES_MAX + 2];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		diag_clear(&diag);
		ck_assert_int_eq(session_check_name(wrong[i], &diag), -EINVAL);
		ck_assert_str_ne(diag.text, "");
	}
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	ck_assert_int_eq(session_check_name(long_name, &diag), -EINVAL);
	long_name[OPROF_SESSION_NAME_BYTES_MAX] = '\0';
	ck_assert_int_eq(session_check_name(long_name, &diag), 0);
	ck_assert_int_eq(session_check_name("before the change", &diag), 0);
}
END_TEST

START_TEST(a_session_that_was_removed_is_found_lost)
{
	begin(SESSION_APPEND);
	ck_assert(!session_is_lost(&session));
	ck_assert_int_eq(file_remove_tree("s/samples/current"), 0);
	ck_assert(session_is_lost(&session));
	ck_assert_int_eq(session_begin(&session, SESSION_APPEND, &diag), 0);
	ck_assert(!session_is_lost(&session));
	ck_assert_int_eq(rename("s/samples/current", "s/samples/moved"), 0);
	ck_assert_int_eq(file_make_dirs("s/samples/current", 0700), 0);
	ck_assert(session_is_lost(&session));
	session_unlock(&session);
}
END_TEST

START_TEST(what_is_left_of_a_removed_session_is_kept_apart)
{
	begin(SESSION_APPEND);
	stats_add(&session.stats, STATS_STORED, 5);
	ck_assert_int_eq(file_make_dirs("s/samples/current/{root}/bin", 0700), 0);
	ck_assert_int_eq(file_make_dirs("s/samples/remains-1/meta", 0700), 0);
	ck_assert_int_eq(file_remove_tree("s/samples/current/meta"), 0);
	ck_assert(session_is_lost(&session));
	ck_assert_int_eq(session_recover(&session, &diag), 0);
	ck_assert(!session_is_lost(&session));
	ck_assert_uint_eq(session.stats.values[STATS_STORED], 0);
	ck_assert(!exists("s/samples/current/{root}"));
	ck_assert(exists("s/samples/remains-2/{root}/bin"));
	session_unlock(&session);
}
END_TEST

/* With 1000 folders of remains, further files stay in place, and are the new session's. */
START_TEST(no_more_than_a_bound_of_remains_is_kept)
{
	char path[64];

	begin(SESSION_APPEND);
	ck_assert_int_eq(file_make_dirs("s/samples/current/{root}/bin", 0700), 0);
	for (unsigned int i = 1; i <= 1000; i++) {
		(void)snprintf(path, sizeof(path), "s/samples/remains-%u", i);
		ck_assert_int_eq(file_make_dirs(path, 0700), 0);
	}
	ck_assert_int_eq(file_remove_tree("s/samples/current/meta"), 0);
	ck_assert_int_eq(session_recover(&session, &diag), 1);
	ck_assert_ptr_nonnull(strstr(diag.text, "all names are taken"));
	ck_assert(!session_is_lost(&session));
	ck_assert(exists("s/samples/current/{root}/bin"));
	ck_assert(!exists("s/samples/remains-1001"));
	/* The last number is used once it is free. */
	ck_assert_int_eq(rmdir("s/samples/remains-1000"), 0);
	ck_assert_int_eq(session_recover(&session, &diag), 0);
	ck_assert(!exists("s/samples/current/{root}"));
	ck_assert(exists("s/samples/remains-1000/{root}/bin"));
	session_unlock(&session);
}
END_TEST

START_TEST(links_that_lead_nowhere_are_names_of_remains_that_are_taken)
{
	begin(SESSION_APPEND);
	ck_assert_int_eq(symlink("nowhere", "s/samples/remains-1"), 0);
	ck_assert_int_eq(file_make_dirs("s/samples/current/{root}/bin", 0700), 0);
	ck_assert_int_eq(file_remove_tree("s/samples/current/meta"), 0);
	ck_assert_int_eq(session_recover(&session, &diag), 0);
	ck_assert(exists("s/samples/remains-2/{root}/bin"));
	session_unlock(&session);
}
END_TEST

/* Has the next session_begin report other events and damaged counters. */
static void leave_other_events_and_damage(void)
{
	static const struct event_choice others[] = {
		{.name = "task-clock", .frequency = true, .period_or_hz = 99, .user = true},
	};

	begin(SESSION_APPEND);
	session_unlock(&session);
	ck_assert_int_eq(truncate("s/samples/current/meta/stats", 10), 0);
	ck_assert_int_eq(session_lock(&session, "s", &diag), 0);
	fill_info(&session);
	session.info.events = others;
}

START_TEST(each_warning_of_a_session_that_goes_on_is_reported)
{
	leave_other_events_and_damage();
	ck_assert_int_eq(session_begin(&session, SESSION_APPEND, &diag), 1);
	ck_assert_ptr_nonnull(strstr(diag.text, "samples of other events"));
	ck_assert_ptr_nonnull(strstr(diag.text, "stats was damaged"));
	session_unlock(&session);
}
END_TEST

START_TEST(remains_that_stay_hide_no_other_warning)
{
	char path[64];

	leave_other_events_and_damage();
	for (unsigned int i = 1; i <= 1000; i++) {
		(void)snprintf(path, sizeof(path), "s/samples/remains-%u", i);
		ck_assert_int_eq(file_make_dirs(path, 0700), 0);
	}
	ck_assert_int_eq(session_recover(&session, &diag), 1);
	ck_assert_ptr_nonnull(strstr(diag.text, "samples of other events"));
	ck_assert_ptr_nonnull(strstr(diag.text, "stats was damaged"));
	ck_assert_ptr_nonnull(strstr(diag.text, "all names are taken"));
	session_unlock(&session);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_told_with_its_name)
{
	ck_assert_int_eq(file_replace("file", "", 0, 0600), 0);
	ck_assert_int_eq(session_lock(&session, "file/s", &diag), -ENOTDIR);
	ck_assert_ptr_nonnull(strstr(diag.text, "file/s"));
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("session");

	tcase_add_checked_fixture(tc, test_folder_setup, test_folder_teardown);
	tcase_add_test(tc, a_lock_that_was_given_up_tells_from_one_whose_daemon_was_killed);
	tcase_add_test(tc, the_folder_is_closed_to_others_and_has_its_parts);
	tcase_add_test(tc, a_second_daemon_is_refused_and_told_the_first_ones_pid);
	tcase_add_test(tc, a_daemon_that_is_being_killed_is_waited_for);
	tcase_add_test(tc, a_child_that_still_holds_the_lock_file_does_not_keep_the_lock);
	tcase_add_test(tc, why_the_lock_cannot_be_written_is_told);
	tcase_add_test(tc, a_killed_daemon_leaves_no_lock);
	tcase_add_test(tc, append_keeps_counters_and_fresh_throws_all_away);
	tcase_add_test(tc, save_keeps_the_session_under_its_name_and_begins_an_empty_one);
	tcase_add_test(tc, reset_empties_the_session);
	tcase_add_test(tc, the_sample_files_of_a_session_are_discarded_and_the_rest_stays);
	tcase_add_test(tc, names_that_leave_the_folder_or_look_like_sample_files_are_refused);
	tcase_add_test(tc, a_session_that_was_removed_is_found_lost);
	tcase_add_test(tc, what_is_left_of_a_removed_session_is_kept_apart);
	tcase_add_test(tc, no_more_than_a_bound_of_remains_is_kept);
	tcase_add_test(tc, links_that_lead_nowhere_are_names_of_remains_that_are_taken);
	tcase_add_test(tc, each_warning_of_a_session_that_goes_on_is_reported);
	tcase_add_test(tc, remains_that_stay_hide_no_other_warning);
	tcase_add_test(tc, a_folder_that_cannot_be_made_is_told_with_its_name);
	return test_run(tc);
}
